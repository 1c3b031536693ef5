//! Pools of the Uniswap v3 type, as JediSwap v2 has them: ratios with 96 bits
//! after the point, ticks of a ten-thousandth, fees in millionths.
//!
//! Steps end at every edge of a word of the bitmap. A share of the fee for the
//! protocol is taken out of the fee, so that it changes no amount. Amounts of
//! 2^128 and more, which no token has, are refused although the contract could
//! hold them.

mod ratio;
mod step;

pub use crate::concentrated::{Amount, Reverted, Step, Swapped, TickBit, Words};
pub use ratio::{MAX_SQRT_RATIO, MAX_TICK, MIN_SQRT_RATIO, MIN_TICK, sqrt_ratio_at, tick_at};
pub use step::{FEE_UNIT, amount0_delta, amount1_delta, step};

use crate::Side;
use crate::concentrated::{self, Rules};
use primitives::U256;

/// Ticks in a word of the bitmap.
pub const WORD: u32 = 256;

/// The fees of JediSwap v2, each with its spacing of ticks.
pub const FEE_TIERS: [(u32, u32); 4] = [(100, 2), (500, 10), (3_000, 60), (10_000, 200)];

/// What a pool charges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct V3Terms {
    /// Millionths of what is sold.
    pub fee: u32,
}

/// A pool of the Uniswap v3 type.
pub type Pool = concentrated::Pool<V3Terms>;

impl Pool {
    /// The swap that the contract makes, as far as the limit lets it.
    pub fn swap(&self, sold: Side, amount: Amount, limit: U256) -> Result<Swapped, Reverted> {
        self.swap_to(sold, amount, limit, V3Terms::SKIP_AHEAD)
    }
}

/// What a position takes when its liquidity grows, rounded up, or gives when it
/// shrinks, rounded down; `None` if its ticks are out of order or bounds, or an
/// amount does not fit.
pub fn position_amounts(
    sqrt_ratio: U256,
    lower: i32,
    upper: i32,
    liquidity: i128,
) -> Option<[u128; 2]> {
    V3Terms::position_amounts(sqrt_ratio, lower, upper, liquidity)
}

impl Rules for V3Terms {
    const MIN_TICK: i32 = MIN_TICK;
    const MAX_TICK: i32 = MAX_TICK;
    const WORD: u32 = WORD;
    const SKIP_AHEAD: u128 = 0;
    const BITS: u16 = 96;
    const LOG_STEP: f64 = ratio::HALF_LOG_BASE;

    fn sqrt_ratio_at(tick: i32) -> Option<U256> {
        sqrt_ratio_at(tick)
    }

    fn tick_at(sqrt_ratio: U256) -> Option<i32> {
        tick_at(sqrt_ratio)
    }

    fn widest_limit(sold: Side) -> U256 {
        match sold {
            Side::Token0 => MIN_SQRT_RATIO + U256::ONE,
            Side::Token1 => MAX_SQRT_RATIO - U256::ONE,
        }
    }

    fn admits(sold: Side, sqrt_ratio: U256, limit: U256) -> bool {
        match sold {
            Side::Token0 => limit < sqrt_ratio && limit > MIN_SQRT_RATIO,
            Side::Token1 => limit > sqrt_ratio && limit < MAX_SQRT_RATIO,
        }
    }

    fn kept(&self) -> f64 {
        1.0 - f64::from(self.fee) / f64::from(FEE_UNIT)
    }

    fn step(
        &self,
        sold: Side,
        sqrt_ratio: U256,
        liquidity: u128,
        limit: U256,
        amount: Amount,
    ) -> Option<Step> {
        step(self.fee, sold, sqrt_ratio, liquidity, limit, amount)
    }

    fn amount0(a: U256, b: U256, liquidity: u128, round_up: bool) -> Option<u128> {
        u128::try_from(amount0_delta(a, b, liquidity, round_up)?).ok()
    }

    fn amount1(a: U256, b: U256, liquidity: u128, round_up: bool) -> Option<u128> {
        u128::try_from(amount1_delta(a, b, liquidity, round_up)?).ok()
    }
}

#[cfg(test)]
mod tests;
