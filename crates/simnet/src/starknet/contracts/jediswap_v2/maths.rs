//! What a pool of JediSwap v2 computes.

use crate::starknet::contracts::roots::{
    Roots, Step, Wide, amount0, amount1, divide, narrow, small, tick_below, widen, worth,
};
use primitives::U256;
use std::sync::LazyLock;

/// The highest tick; the lowest is its opposite.
pub(crate) const MAX_TICK: i32 = 887_272;

/// The roots of the prices at both.
pub(super) const MIN_SQRT_RATIO: U256 = U256::from_limbs([4_295_128_739, 0, 0, 0]);
pub(super) const MAX_SQRT_RATIO: U256 =
    U256::from_limbs([0x5d95_1d52_6398_8d26, 0xefd1_fc6a_5064_8849, 0xfffd_8963, 0]);

/// Ticks in a word of the bitmap.
pub(super) const WORD: i64 = 256;

/// Each fee in millionths, with its spacing of ticks.
pub(crate) const FEE_TIERS: [(u32, u32); 4] = [(100, 2), (500, 10), (3_000, 60), (10_000, 200)];

/// The bits of a root after the point.
const BITS: usize = 96;

/// Of what fees are parts.
const MILLION: u32 = 1_000_000;

/// A tick is a price step of a ten-thousandth.
static ROOTS: LazyLock<Roots> = LazyLock::new(|| Roots::new(10_000, 20));

/// What a swap names: an amount to be sold or bought.
#[derive(Debug, Clone, Copy)]
pub(super) struct Named {
    pub(super) amount: u128,
    pub(super) is_bought: bool,
    /// Whether the first token is sold.
    pub(super) falling: bool,
}

/// The root at a tick, rounded up.
pub(crate) fn sqrt_ratio_at(tick: i32) -> Option<U256> {
    (tick.unsigned_abs() <= MAX_TICK.unsigned_abs()).then(|| rounded_up(tick))
}

fn rounded_up(tick: i32) -> U256 {
    ROOTS.at(tick).div_ceil(U256::ONE << (128 - BITS))
}

pub(crate) fn tick_at(sqrt_ratio: U256) -> Option<i32> {
    if !(MIN_SQRT_RATIO..MAX_SQRT_RATIO).contains(&sqrt_ratio) {
        return None;
    }
    let root = f64::from(sqrt_ratio) / 96_f64.exp2();
    let near = 2.0 * root.ln() / 1e-4_f64.ln_1p();
    Some(tick_below(sqrt_ratio, near, rounded_up))
}

/// What a position takes when its liquidity grows, or gives when it shrinks.
pub(super) fn position_amounts(
    sqrt_ratio: U256,
    [lower, upper]: [i32; 2],
    liquidity: i128,
) -> Option<[u128; 2]> {
    if lower >= upper {
        return None;
    }
    let between = [sqrt_ratio_at(lower)?, sqrt_ratio_at(upper)?];
    worth(BITS, sqrt_ratio, between, liquidity)
}

/// A step until what is named is used up, or the target is reached; `None` where
/// the pool reverts.
pub(super) fn step(
    fee: u32,
    named: Named,
    sqrt_ratio: U256,
    liquidity: u128,
    target: U256,
) -> Option<Step> {
    let kept = Wide::from(MILLION.checked_sub(fee)?);
    let [taken, given] = [true, false].map(|is_taken| {
        move |end: U256| {
            // What is taken is the first token when the price falls, and rounded up.
            let amount = if named.falling == is_taken {
                amount0
            } else {
                amount1
            };
            amount(BITS, [sqrt_ratio, end], liquidity, is_taken)
        }
    });
    let amount = U256::from(named.amount);
    let charged = |net: U256| divide(widen(net) * Wide::from(fee), kept, true);
    if named.is_bought {
        let end = if amount >= given(target)? {
            target
        } else {
            after_buying(sqrt_ratio, liquidity, amount, named.falling)?
        };
        let net = taken(end)?;
        return Some(Step {
            consumed: small(given(end)?.min(amount))?,
            calculated: small(net.checked_add(charged(net)?)?)?,
            sqrt_ratio: end,
        });
    }
    let net = divide(widen(amount) * kept, Wide::from(MILLION), false)?;
    let room = taken(target)?;
    let (end, consumed) = if net >= room {
        (target, room.checked_add(charged(room)?)?)
    } else {
        // What does not move the price is fee.
        let end = after_selling(sqrt_ratio, liquidity, net, named.falling)?;
        (end, amount.max(taken(end)?))
    };
    Some(Step {
        consumed: small(consumed)?,
        calculated: small(given(end)?)?,
        sqrt_ratio: end,
    })
}

/// The root after so much was sold, the fee apart.
fn after_selling(sqrt_ratio: U256, liquidity: u128, net: U256, falling: bool) -> Option<U256> {
    let (root, amount) = (widen(sqrt_ratio), widen(net));
    let whole = Wide::from(liquidity) << BITS;
    if !falling {
        let rise = divide(amount << BITS, Wide::from(liquidity), false)?;
        return sqrt_ratio.checked_add(rise);
    }
    if net.is_zero() {
        return Some(sqrt_ratio);
    }
    let divisor = whole + root * amount;
    if narrow(divisor).is_some() {
        divide(whole * root, divisor, true)
    } else {
        // Where 256 bits are too few, the pool divides twice.
        divide(whole, whole / root + amount, true)
    }
}

/// The root after so much was bought; `None` where there is not as much.
fn after_buying(sqrt_ratio: U256, liquidity: u128, amount: U256, falling: bool) -> Option<U256> {
    let (root, amount) = (widen(sqrt_ratio), widen(amount));
    let whole = Wide::from(liquidity) << BITS;
    if falling {
        let fall = divide(amount << BITS, Wide::from(liquidity), true)?;
        return sqrt_ratio.checked_sub(fall).filter(|end| !end.is_zero());
    }
    let product = widen(narrow(root * amount)?);
    divide(whole * root, whole.checked_sub(product)?, true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use amm::{Side, v3};
    use proptest::prelude::*;

    fn ratio() -> impl Strategy<Value = U256> {
        (-MAX_TICK..MAX_TICK, any::<u64>()).prop_map(|(tick, more)| {
            let at = sqrt_ratio_at(tick).unwrap();
            (at + (at >> 78_usize) * U256::from(more)).min(MAX_SQRT_RATIO - U256::ONE)
        })
    }

    #[test]
    fn the_ends_are_where_pools_have_them() {
        assert_eq!(sqrt_ratio_at(-MAX_TICK), Some(MIN_SQRT_RATIO));
        assert_eq!(sqrt_ratio_at(MAX_TICK), Some(MAX_SQRT_RATIO));
        assert_eq!(sqrt_ratio_at(MAX_TICK + 1), None);
        assert_eq!(tick_at(MAX_SQRT_RATIO), None);
        assert_eq!(tick_at(MAX_SQRT_RATIO - U256::ONE), Some(MAX_TICK - 1));
        assert_eq!(tick_at(MIN_SQRT_RATIO), Some(-MAX_TICK));
        assert_eq!(FEE_TIERS, v3::FEE_TIERS);
    }

    proptest! {
        #[test]
        fn both_ways_of_computing_agree_on_ratios_and_ticks(ratio in ratio(), tick: i32) {
            prop_assert_eq!(tick_at(ratio), v3::tick_at(ratio));
            for tick in [tick, tick % MAX_TICK, tick % 100] {
                prop_assert_eq!(sqrt_ratio_at(tick), v3::sqrt_ratio_at(tick));
            }
        }

        #[test]
        fn both_ways_of_computing_agree_on_positions(
            ratio in ratio(),
            lower in -MAX_TICK..MAX_TICK,
            width in 0..100_000_i32,
            size in any::<i128>(),
            shift in 0..127_u32,
        ) {
            let (upper, liquidity) = ((lower + width).min(MAX_TICK), size >> shift);
            prop_assert_eq!(
                position_amounts(ratio, [lower, upper], liquidity),
                v3::position_amounts(ratio, lower, upper, liquidity)
            );
        }

        #[test]
        fn both_ways_of_computing_agree_on_steps(
            from in ratio(),
            target in ratio(),
            liquidity in any::<u128>(),
            amount in any::<u128>(),
            shifts in [0..128_u32, 0..128_u32],
            fee in 0..MILLION,
            is_bought: bool,
        ) {
            let (liquidity, amount) = (liquidity >> shifts[0], amount >> shifts[1]);
            let falling = target < from;
            let named = Named { amount, is_bought, falling };
            let sold = if falling { Side::Token0 } else { Side::Token1 };
            let wanted = if is_bought { v3::Amount::Out } else { v3::Amount::In };
            let ours = step(fee, named, from, liquidity, target);
            let theirs = v3::step(fee, sold, from, liquidity, target, wanted(amount));
            let parts = theirs.map(|step| (step.consumed, step.calculated, step.sqrt_ratio));
            prop_assert_eq!(
                ours.map(|step| (step.consumed, step.calculated, step.sqrt_ratio)),
                parts
            );
        }
    }
}
