//! Pools whose liquidity lies between ticks: what Ekubo's pools and those of
//! the Uniswap v3 type have in common.
//!
//! A swap goes from tick to tick. Within a range it follows the family's own
//! [`Rules`], which round each step; the walk, the search for a refused pool's
//! capacity and the ladder are written once, for both.

mod amounts;
mod pool;
mod powers;
mod quotation;
mod quote;
mod words;

pub(crate) use amounts::{amount0, amount1};
pub use pool::{Pool, Reverted, Swapped};
pub(crate) use powers::{power, tick_below};
pub(crate) use quotation::quotation;
pub use words::{TickBit, Words};

use crate::Side;
use primitives::U256;

/// The amount that a swap names. Amounts of 2^128 and more are refused by the
/// one family and held by no token of the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Amount {
    /// What is sold, the fee included.
    In(u128),
    /// What is bought.
    Out(u128),
}

impl Amount {
    /// The number.
    #[must_use]
    pub const fn value(self) -> u128 {
        match self {
            Self::In(value) | Self::Out(value) => value,
        }
    }

    /// The amount that is left after a part of it.
    fn less(self, part: u128) -> Option<Self> {
        Some(match self {
            Self::In(value) => Self::In(value.checked_sub(part)?),
            Self::Out(value) => Self::Out(value.checked_sub(part)?),
        })
    }
}

/// A part of a swap between two ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// How much of the named amount it uses.
    pub consumed: u128,
    /// What it gives for a sale, or takes for a purchase, the fee included.
    pub calculated: u128,
    /// The fee, of the sold token.
    pub fee: u128,
    /// The square root ratio after it.
    pub sqrt_ratio: U256,
}

impl Step {
    /// A step that trades nothing.
    #[must_use]
    pub const fn idle(sqrt_ratio: U256) -> Self {
        Self {
            consumed: 0,
            calculated: 0,
            fee: 0,
            sqrt_ratio,
        }
    }
}

/// How a family of pools computes. Ratios are square roots of the price of the
/// first token in units of the second.
pub trait Rules {
    /// The lowest tick.
    const MIN_TICK: i32;
    /// The highest tick.
    const MAX_TICK: i32;
    /// The ticks in a word of the bitmap.
    const WORD: u32;
    /// The empty words that a quoted swap passes before it stops at an edge.
    const SKIP_AHEAD: u128;
    /// The bits of a ratio after the point.
    const BITS: u16;
    /// The logarithm of the step from a tick's ratio to the next one's.
    const LOG_STEP: f64;

    /// The ratio at a tick; `None` outside the bounds.
    fn sqrt_ratio_at(tick: i32) -> Option<U256>;

    /// The greatest tick whose ratio is not above this one; `None` outside the
    /// bounds.
    fn tick_at(sqrt_ratio: U256) -> Option<i32>;

    /// The farthest limit that a swap can have.
    fn widest_limit(sold: Side) -> U256;

    /// Whether the contract accepts a limit for a swap from this ratio.
    fn admits(sold: Side, sqrt_ratio: U256, limit: U256) -> bool;

    /// The share of what is sold that the fee leaves.
    fn kept(&self) -> f64;

    /// One step that stays within a range; `None` where the contract reverts.
    fn step(
        &self,
        sold: Side,
        sqrt_ratio: U256,
        liquidity: u128,
        limit: U256,
        amount: Amount,
    ) -> Option<Step>;

    /// The first token that liquidity holds between two ratios; `None` if it does
    /// not fit.
    fn amount0(a: U256, b: U256, liquidity: u128, round_up: bool) -> Option<u128>;

    /// The second token that liquidity holds between two ratios.
    fn amount1(a: U256, b: U256, liquidity: u128, round_up: bool) -> Option<u128>;

    /// What a position takes when its liquidity grows, rounded up, or gives
    /// when it shrinks, rounded down; `None` if its ticks are out of order or
    /// bounds, or an amount does not fit.
    fn position_amounts(
        sqrt_ratio: U256,
        lower: i32,
        upper: i32,
        liquidity: i128,
    ) -> Option<[u128; 2]> {
        if lower >= upper {
            return None;
        }
        let low = Self::sqrt_ratio_at(lower)?;
        let high = Self::sqrt_ratio_at(upper)?;
        let price = sqrt_ratio.clamp(low, high);
        let (size, round_up) = (liquidity.unsigned_abs(), liquidity > 0);
        Some([
            Self::amount0(price, high, size, round_up)?,
            Self::amount1(low, price, size, round_up)?,
        ])
    }
}

#[cfg(test)]
pub(crate) mod tests;
