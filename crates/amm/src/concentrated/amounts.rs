//! What lies between two prices. Both families compute it alike; only the
//! number of bits after the point differs.

use crate::wide::{mul_div, mul_div_up};
use primitives::U256;

/// The first token between two square root ratios; `None` if it has more than
/// 256 bits or a ratio is zero.
pub(crate) fn amount0(
    bits: usize,
    (a, b): (U256, U256),
    liquidity: u128,
    round_up: bool,
) -> Option<U256> {
    let (low, high) = (a.min(b), a.max(b));
    if low.is_zero() {
        return None;
    }
    if liquidity == 0 || low == high {
        return Some(U256::ZERO);
    }
    let whole = U256::from(liquidity).checked_shl(bits)?;
    let range = high - low;
    if round_up {
        let scaled = mul_div_up(whole, range, high)?;
        Some(scaled.div_ceil(low))
    } else {
        Some(mul_div(whole, range, high)? / low)
    }
}

/// The second token between two square root ratios; `None` as for [`amount0`].
pub(crate) fn amount1(
    bits: usize,
    (a, b): (U256, U256),
    liquidity: u128,
    round_up: bool,
) -> Option<U256> {
    let (low, high) = (a.min(b), a.max(b));
    if low.is_zero() {
        return None;
    }
    let range = high - low;
    let Some(product) = U256::from(liquidity).checked_mul(range) else {
        let one = U256::ONE.checked_shl(bits)?;
        let amount = if round_up { mul_div_up } else { mul_div };
        return amount(U256::from(liquidity), range, one);
    };
    let amount = product >> bits;
    if round_up && amount << bits != product {
        amount.checked_add(U256::ONE)
    } else {
        Some(amount)
    }
}
