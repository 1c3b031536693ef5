//! What Ekubo's core computes.

use crate::starknet::contracts::roots::{
    Roots, Step, Wide, amount0, amount1, divide, narrow, small, tick_below, widen, worth,
};
use primitives::U256;
use std::sync::LazyLock;

/// The highest tick; the lowest is its opposite.
pub(crate) const MAX_TICK: i32 = 88_722_883;

/// The roots of the prices at both.
pub(crate) const MIN_SQRT_RATIO: U256 = U256::from_limbs([0x0000_03f7_f138_0b75, 1, 0, 0]);
pub(crate) const MAX_SQRT_RATIO: U256 = U256::from_limbs([
    0xf4b1_91ef_6dff_7928,
    0x6f35_28fe_2684_0249,
    0xffff_fc08_0ed7_b455,
    0,
]);

/// The widest spacing of ticks.
pub(super) const MAX_TICK_SPACING: u32 = 354_892;

/// The empty words that the exchange contract lets a swap skip.
pub(super) const SKIP_AHEAD: u128 = 100;

/// The bits of a root, and of a fee, after the point.
const BITS: usize = 128;

/// A tick is a price step of a millionth.
static ROOTS: LazyLock<Roots> = LazyLock::new(|| Roots::new(1_000_000, 27));

/// How the price after a sale of the first token is rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rounding {
    /// After each of two divisions, as the core did until July 2026.
    Older,
    /// Once, as it does since.
    Exact,
}

/// What a swap names: an amount of one of the tokens, to be sold or bought.
#[derive(Debug, Clone, Copy)]
pub(super) struct Named {
    pub(super) amount: u128,
    pub(super) is_bought: bool,
    pub(super) is_token1: bool,
}

pub(crate) fn sqrt_ratio_at(tick: i32) -> Option<U256> {
    (tick.unsigned_abs() <= MAX_TICK.unsigned_abs()).then(|| ROOTS.at(tick))
}

pub(crate) fn tick_at(sqrt_ratio: U256) -> Option<i32> {
    if !(MIN_SQRT_RATIO..=MAX_SQRT_RATIO).contains(&sqrt_ratio) {
        return None;
    }
    let root = f64::from(sqrt_ratio) / 128_f64.exp2();
    let near = 2.0 * root.ln() / 1e-6_f64.ln_1p();
    Some(tick_below(sqrt_ratio, near, |tick| ROOTS.at(tick)))
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

/// A step until what is named is used up, or the limit is reached; `None` where
/// the core reverts.
pub(super) fn step(
    rounding: Rounding,
    fee: u128,
    named: Named,
    sqrt_ratio: U256,
    liquidity: u128,
    limit: U256,
) -> Option<Step> {
    let ends_at = |sqrt_ratio| Step {
        consumed: 0,
        calculated: 0,
        sqrt_ratio,
    };
    if named.amount == 0 || sqrt_ratio == limit {
        return Some(ends_at(sqrt_ratio));
    }
    let rises = named.is_token1 != named.is_bought;
    if (limit > sqrt_ratio) != rises {
        return None;
    }
    if liquidity == 0 {
        return Some(ends_at(limit));
    }
    let moving = if named.is_bought {
        named.amount
    } else {
        named.amount - fee_of(named.amount, fee)?
    };
    let moved = Named {
        amount: moving,
        ..named
    };
    let next = if named.is_token1 {
        after_amount1(sqrt_ratio, liquidity, moved)
    } else {
        after_amount0(rounding, sqrt_ratio, liquidity, moved)
    };
    // A price that falls onto the limit was stopped by it; one that rises was not.
    let reached = next.filter(|next| (*next > limit) != rises);
    let end = reached.unwrap_or(limit);
    let between = |is_token1: bool, round_up: bool| {
        let amount = if is_token1 { amount1 } else { amount0 };
        small(amount(BITS, [sqrt_ratio, end], liquidity, round_up)?)
    };
    let (consumed, calculated) = match reached {
        // Too little to move the price: all of it is the fee.
        Some(_) if end == sqrt_ratio && !named.is_bought => (named.amount, 0),
        Some(_) if named.is_bought => {
            let other = between(!named.is_token1, true)?;
            (named.amount, before_fee(other, fee)?)
        }
        Some(_) => (named.amount, between(!named.is_token1, false)?),
        None => {
            let own = between(named.is_token1, !named.is_bought)?;
            let other = between(!named.is_token1, named.is_bought)?;
            if named.is_bought {
                (own, before_fee(other, fee)?)
            } else {
                (before_fee(own, fee)?, other)
            }
        }
    };
    Some(Step {
        consumed,
        calculated,
        sqrt_ratio: end,
    })
}

/// The root after so much of the first token came, or went; `None` beyond all
/// limits.
fn after_amount0(
    rounding: Rounding,
    sqrt_ratio: U256,
    liquidity: u128,
    moved: Named,
) -> Option<U256> {
    if moved.amount == 0 {
        return Some(sqrt_ratio);
    }
    let (root, amount) = (widen(sqrt_ratio), Wide::from(moved.amount));
    let whole = Wide::from(liquidity) << BITS;
    if moved.is_bought {
        let product = widen(narrow(root * amount)?);
        return divide(whole * root, whole.checked_sub(product)?, true);
    }
    match rounding {
        Rounding::Older => divide(whole, whole / root + amount, true),
        Rounding::Exact => divide(whole * root, whole + root * amount, true),
    }
}

/// The root after so much of the second token came, or went; `None` beyond all
/// limits.
fn after_amount1(sqrt_ratio: U256, liquidity: u128, moved: Named) -> Option<U256> {
    let scaled = Wide::from(moved.amount) << BITS;
    let change = divide(scaled, Wide::from(liquidity), moved.is_bought)?;
    if moved.is_bought {
        sqrt_ratio.checked_sub(change)
    } else {
        sqrt_ratio.checked_add(change)
    }
}

/// The fee on an amount that includes it.
fn fee_of(amount: u128, fee: u128) -> Option<u128> {
    let product = Wide::from(amount) * Wide::from(fee);
    small(divide(product, Wide::ONE << BITS, true)?)
}

/// The least of which the fee leaves as much.
fn before_fee(amount: u128, fee: u128) -> Option<u128> {
    let kept = (Wide::ONE << BITS) - Wide::from(fee);
    small(divide(Wide::from(amount) << BITS, kept, true)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use amm::{Side, ekubo};
    use proptest::prelude::*;

    fn ratio() -> impl Strategy<Value = U256> {
        (-MAX_TICK..=MAX_TICK, any::<u64>()).prop_map(|(tick, more)| {
            let at = sqrt_ratio_at(tick).unwrap();
            (at + (at >> 70_usize) * U256::from(more)).min(MAX_SQRT_RATIO)
        })
    }

    #[test]
    fn the_ends_are_where_the_core_has_them() {
        assert_eq!(sqrt_ratio_at(-MAX_TICK), Some(MIN_SQRT_RATIO));
        assert_eq!(sqrt_ratio_at(MAX_TICK), Some(MAX_SQRT_RATIO));
        assert_eq!(sqrt_ratio_at(MAX_TICK + 1), None);
        assert_eq!(tick_at(MAX_SQRT_RATIO), Some(MAX_TICK));
        assert_eq!(tick_at(MIN_SQRT_RATIO), Some(-MAX_TICK));
        assert_eq!(tick_at(MIN_SQRT_RATIO - U256::ONE), None);
    }

    proptest! {
        #[test]
        fn both_ways_of_computing_agree_on_ratios_and_ticks(ratio in ratio(), tick: i32) {
            prop_assert_eq!(tick_at(ratio), ekubo::tick_at(ratio));
            for tick in [tick, tick % MAX_TICK, tick % 1_000] {
                prop_assert_eq!(sqrt_ratio_at(tick), ekubo::sqrt_ratio_at(tick));
            }
        }

        #[test]
        fn both_ways_of_computing_agree_on_positions(
            ratio in ratio(),
            lower in -MAX_TICK..MAX_TICK,
            width in 0..1_000_000_i32,
            size in any::<i128>(),
            shift in 0..127_u32,
        ) {
            let (upper, liquidity) = ((lower + width).min(MAX_TICK), size >> shift);
            prop_assert_eq!(
                position_amounts(ratio, [lower, upper], liquidity),
                ekubo::position_amounts(ratio, lower, upper, liquidity)
            );
        }

        #[test]
        fn both_ways_of_computing_agree_on_steps(
            from in ratio(),
            limit in ratio(),
            liquidity in any::<u128>(),
            amount in any::<u128>(),
            shifts in [0..128_u32, 0..128_u32],
            fee in any::<u128>(),
            is_bought: bool,
            older: bool,
        ) {
            let (liquidity, amount) = (liquidity >> shifts[0], amount >> shifts[1]);
            let sold = if limit < from { Side::Token0 } else { Side::Token1 };
            let named = Named {
                amount,
                is_bought,
                is_token1: (sold == Side::Token1) != is_bought,
            };
            let (rounding, theirs) = if older {
                (Rounding::Older, ekubo::Rounding::Older)
            } else {
                (Rounding::Exact, ekubo::Rounding::Exact)
            };
            let wanted = if is_bought { ekubo::Amount::Out } else { ekubo::Amount::In };
            let ours = step(rounding, fee, named, from, liquidity, limit);
            let theirs = ekubo::step(theirs, fee, sold, from, liquidity, limit, wanted(amount));
            let parts = theirs.map(|step| (step.consumed, step.calculated, step.sqrt_ratio));
            prop_assert_eq!(
                ours.map(|step| (step.consumed, step.calculated, step.sqrt_ratio)),
                parts
            );
        }
    }
}
