//! Powers of a square root, as both families compute them: one factor for each
//! bit of the exponent, multiplied from the lowest bit up, each product cut to
//! 128 bits after the point.

use primitives::U256;
use ruint::aliases::U128;

/// `2^128`, the ratio at tick 0.
const ONE: U256 = U256::from_limbs([0, 0, 1, 0]);

/// The root of the base to the power of `tick`, with 128 bits after the point,
/// where `factors` holds the root to the powers of -1, -2, -4 and so on.
pub(crate) fn power(factors: &[u128], tick: i32) -> Option<U256> {
    let mut exponent = tick.unsigned_abs();
    let mut product: Option<U128> = None;
    let mut factors = factors.iter();
    while exponent != 0 {
        let factor = U128::from(*factors.next()?);
        if exponent & 1 == 1 {
            product = Some(product.map_or(factor, |product| upper_half(product, factor)));
        }
        exponent >>= 1;
    }
    let ratio = product.map_or(ONE, U256::from);
    if tick > 0 {
        U256::MAX.checked_div(ratio)
    } else {
        Some(ratio)
    }
}

fn upper_half(a: U128, b: U128) -> U128 {
    let product: U256 = a.widening_mul(b);
    let [_, _, low, high] = product.into_limbs();
    U128::from_limbs([low, high])
}

/// The greatest tick whose ratio is not above `ratio`, given an estimate that is
/// less than one tick off: the exact ratios decide.
pub(crate) fn tick_below(
    ratio: U256,
    estimate: f64,
    ratio_at: impl Fn(i32) -> Option<U256>,
) -> Option<i32> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a float is cut at the ends of the range, and the exact ratios decide"
    )]
    let near = estimate.floor() as i32;
    [1, 0, -1]
        .into_iter()
        .filter_map(|off| near.checked_add(off))
        .find(|tick| ratio_at(*tick).is_some_and(|at| at <= ratio))
}
