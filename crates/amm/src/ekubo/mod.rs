//! Ekubo's pools: one contract for all of them, ratios with 128 bits after the
//! point, ticks of a millionth, fees as shares of 2^128.
//!
//! All amounts equal those of the contract, for both ways in which its versions
//! round the ratio after a sale of the first token.

mod extension;
mod ratio;
mod step;

pub use crate::concentrated::{Amount, Reverted, Step, Swapped, TickBit, Words};
pub use extension::Extension;
pub use ratio::{MAX_SQRT_RATIO, MAX_TICK, MIN_SQRT_RATIO, MIN_TICK, sqrt_ratio_at, tick_at};
pub use step::{Rounding, amount0_delta, amount1_delta, fee_on, step, with_fee};

use crate::Side;
use crate::concentrated::{self, Rules};
use primitives::U256;

/// The widest spacing of ticks.
pub const MAX_TICK_SPACING: u32 = 354_892;

/// Ticks in a word of the bitmap: the bits that any field element can hold.
pub const WORD: u32 = 251;

/// The empty words that the exchange contract lets a swap skip.
pub const SKIP_AHEAD: u128 = 100;

/// What a pool charges and how its contract rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EkuboTerms {
    /// The share of what is sold, in units of 2^-128.
    pub fee: u128,
    /// The version of the contract.
    pub rounding: Rounding,
}

/// A pool of Ekubo.
pub type Pool = concentrated::Pool<EkuboTerms>;

impl Pool {
    /// The swap that the contract makes, as far as the limit lets it.
    pub fn swap(
        &self,
        sold: Side,
        amount: Amount,
        limit: U256,
        skip_ahead: u128,
    ) -> Result<Swapped, Reverted> {
        self.swap_to(sold, amount, limit, skip_ahead)
    }
}

/// What a position takes or gives when its liquidity changes: rounded up when
/// liquidity is added, down when it is removed, before the fee that the contract
/// keeps of what is removed. `None` if its ticks are out of order or bounds, or
/// an amount does not fit.
pub fn position_amounts(
    sqrt_ratio: U256,
    lower: i32,
    upper: i32,
    liquidity: i128,
) -> Option<[u128; 2]> {
    EkuboTerms::position_amounts(sqrt_ratio, lower, upper, liquidity)
}

impl Rules for EkuboTerms {
    const MIN_TICK: i32 = MIN_TICK;
    const MAX_TICK: i32 = MAX_TICK;
    const WORD: u32 = WORD;
    const SKIP_AHEAD: u128 = SKIP_AHEAD;
    const BITS: u16 = 128;
    const LOG_STEP: f64 = ratio::HALF_LOG_BASE;

    fn sqrt_ratio_at(tick: i32) -> Option<U256> {
        sqrt_ratio_at(tick)
    }

    fn tick_at(sqrt_ratio: U256) -> Option<i32> {
        tick_at(sqrt_ratio)
    }

    fn widest_limit(sold: Side) -> U256 {
        match sold {
            Side::Token0 => MIN_SQRT_RATIO,
            Side::Token1 => MAX_SQRT_RATIO,
        }
    }

    fn admits(sold: Side, sqrt_ratio: U256, limit: U256) -> bool {
        let rising = sold == Side::Token1;
        (limit > sqrt_ratio) == rising && (MIN_SQRT_RATIO..=MAX_SQRT_RATIO).contains(&limit)
    }

    fn kept(&self) -> f64 {
        1.0 - f64::from(U256::from(self.fee)) / 128.0_f64.exp2()
    }

    fn step(
        &self,
        sold: Side,
        sqrt_ratio: U256,
        liquidity: u128,
        limit: U256,
        amount: Amount,
    ) -> Option<Step> {
        step(
            self.rounding,
            self.fee,
            sold,
            sqrt_ratio,
            liquidity,
            limit,
            amount,
        )
    }

    fn amount0(a: U256, b: U256, liquidity: u128, round_up: bool) -> Option<u128> {
        amount0_delta(a, b, liquidity, round_up)
    }

    fn amount1(a: U256, b: U256, liquidity: u128, round_up: bool) -> Option<u128> {
        amount1_delta(a, b, liquidity, round_up)
    }
}

#[cfg(test)]
mod tests;
