//! The state of a pool and the walk of a swap through its ranges.

use super::{Amount, Rules, Words};
use crate::ticks::Unbalanced;
use crate::{Side, Ticks};
use primitives::U256;
use thiserror::Error;

/// More steps than any price range has words and ticks: a swap that needs as
/// many would not fit a block either.
const MAX_STEPS: usize = 1_000_000;

/// A pool between any two swaps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pool<R> {
    /// How it computes, and its fee.
    pub rules: R,
    /// Positions begin and end at multiples of this.
    pub tick_spacing: u32,
    /// The square root of its price.
    pub sqrt_ratio: U256,
    /// The tick of that ratio, or the one below after a fall to a tick.
    pub tick: i32,
    /// The liquidity in the range of the price.
    pub liquidity: u128,
    /// Where the liquidity changes.
    pub ticks: Ticks,
}

/// What a swap did. It may have used a part of the named amount only: the rest
/// was beyond the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Swapped {
    /// What the pool took, the fee included.
    pub sold: u128,
    /// What it gave.
    pub bought: u128,
    /// The fee, of the sold token.
    pub fee: u128,
    /// Ticks passed that bound a position.
    pub ticks_crossed: u32,
    /// The ratio afterwards.
    pub sqrt_ratio_after: U256,
    /// The tick afterwards.
    pub tick_after: i32,
    /// The active liquidity afterwards.
    pub liquidity_after: u128,
}

/// Why the contract would refuse a swap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Reverted {
    /// The limit is on the wrong side of the price or out of bounds.
    #[error("the price limit cannot be reached from here")]
    Limit,
    /// An amount or a liquidity does not fit its type.
    #[error("a number of the swap does not fit")]
    Overflow,
    /// The range has more words than a transaction can visit.
    #[error("the swap takes too many steps")]
    Steps,
}

/// A swap that is under way.
pub(super) struct Walk {
    /// What is left of the named amount.
    pub(super) left: Amount,
    pub(super) calculated: u128,
    pub(super) fee: u128,
    pub(super) ticks_crossed: u32,
    sqrt_ratio: U256,
    /// Unknown within a range, where nobody may want to know it.
    tick: Option<i32>,
    liquidity: u128,
}

impl<R: Rules> Pool<R> {
    /// Follows a swap.
    pub fn apply(&mut self, swapped: &Swapped) {
        self.sqrt_ratio = swapped.sqrt_ratio_after;
        self.tick = swapped.tick_after;
        self.liquidity = swapped.liquidity_after;
    }

    /// Follows a change of a position. Nothing changes if that is refused.
    pub fn update_position(
        &mut self,
        lower: i32,
        upper: i32,
        liquidity: i128,
    ) -> Result<(), Unbalanced> {
        let at = (self.tick, self.liquidity);
        (self.ticks, self.liquidity) = self.ticks.with_position(at, lower..upper, liquidity)?;
        Ok(())
    }

    pub(crate) fn swap_to(
        &self,
        sold: Side,
        amount: Amount,
        limit: U256,
        skip_ahead: u128,
    ) -> Result<Swapped, Reverted> {
        let walk = self.walk(sold, amount, limit, skip_ahead)?;
        let used = amount.value().abs_diff(walk.left.value());
        let (sold, bought) = match amount {
            Amount::In(_) => (used, walk.calculated),
            Amount::Out(_) => (walk.calculated, used),
        };
        Ok(Swapped {
            sold,
            bought,
            fee: walk.fee,
            ticks_crossed: walk.ticks_crossed,
            sqrt_ratio_after: walk.sqrt_ratio,
            tick_after: walk.tick::<R>()?,
            liquidity_after: walk.liquidity,
        })
    }

    /// The swap, step by step, until the amount is used or the limit reached.
    pub(super) fn walk(
        &self,
        sold: Side,
        amount: Amount,
        limit: U256,
        skip_ahead: u128,
    ) -> Result<Walk, Reverted> {
        if !R::admits(sold, self.sqrt_ratio, limit) {
            return Err(Reverted::Limit);
        }
        let mut walk = Walk {
            left: amount,
            calculated: 0,
            fee: 0,
            ticks_crossed: 0,
            sqrt_ratio: self.sqrt_ratio,
            tick: Some(self.tick),
            liquidity: self.liquidity,
        };
        for _ in 0..MAX_STEPS {
            if walk.left.value() == 0 || walk.sqrt_ratio == limit {
                return Ok(walk);
            }
            self.advance(&mut walk, sold, limit, skip_ahead)?;
        }
        Err(Reverted::Steps)
    }

    fn advance(
        &self,
        walk: &mut Walk,
        sold: Side,
        limit: U256,
        skip_ahead: u128,
    ) -> Result<(), Reverted> {
        let words = Words::new(R::WORD, self.tick_spacing);
        let from = walk.tick::<R>()?;
        // Steps without liquidity trade nothing. Their edges matter only where the
        // limit may be one of them: the walk then ends beyond that tick.
        let skip_ahead = if walk.liquidity == 0 && limit == R::widest_limit(sold) {
            u128::MAX
        } else {
            skip_ahead
        };
        let target = match sold {
            Side::Token0 => words.below(&self.ticks, from, skip_ahead, R::MIN_TICK),
            Side::Token1 => words.above(&self.ticks, from, skip_ahead, R::MAX_TICK),
        };
        let end = R::sqrt_ratio_at(target.tick).ok_or(Reverted::Overflow)?;
        let nearer = match sold {
            Side::Token0 => end.max(limit),
            Side::Token1 => end.min(limit),
        };
        let step = self
            .rules
            .step(sold, walk.sqrt_ratio, walk.liquidity, nearer, walk.left);
        let step = step.ok_or(Reverted::Overflow)?;
        let moved = step.sqrt_ratio != walk.sqrt_ratio;
        walk.sqrt_ratio = step.sqrt_ratio;
        walk.pay(step.consumed, step.calculated, step.fee)
            .ok_or(Reverted::Overflow)?;
        if step.sqrt_ratio == end {
            walk.cross(sold, target.tick, target.net)
                .ok_or(Reverted::Overflow)?;
        } else if moved {
            walk.tick = None;
        }
        Ok(())
    }
}

impl Walk {
    fn tick<R: Rules>(&self) -> Result<i32, Reverted> {
        let tick = self.tick.or_else(|| R::tick_at(self.sqrt_ratio));
        tick.ok_or(Reverted::Overflow)
    }

    fn pay(&mut self, consumed: u128, calculated: u128, fee: u128) -> Option<()> {
        self.left = self.left.less(consumed)?;
        self.calculated = self.calculated.checked_add(calculated)?;
        self.fee = self.fee.checked_add(fee)?;
        Some(())
    }

    fn cross(&mut self, sold: Side, tick: i32, net: Option<i128>) -> Option<()> {
        self.tick = Some(match sold {
            Side::Token0 => tick.checked_sub(1)?,
            Side::Token1 => tick,
        });
        let Some(net) = net else { return Some(()) };
        self.ticks_crossed = self.ticks_crossed.checked_add(1)?;
        let gained = match sold {
            Side::Token0 => net.checked_neg()?,
            Side::Token1 => net,
        };
        self.liquidity = self.liquidity.checked_add_signed(gained)?;
        Some(())
    }
}
