//! One step of a swap, and the parts that it is made of.

use crate::Side;
use crate::concentrated::{Amount, Step, amount0, amount1};
use crate::wide::{mul_div, mul_div_up};
use primitives::U256;

/// The bits of a ratio after the point.
const BITS: usize = 96;

/// The whole of which a fee is a part.
pub const FEE_UNIT: u32 = 1_000_000;

/// The first token between two ratios; `None` if it has more than 256 bits or a
/// ratio is zero.
pub fn amount0_delta(a: U256, b: U256, liquidity: u128, round_up: bool) -> Option<U256> {
    amount0(BITS, (a, b), liquidity, round_up)
}

/// The second token between two ratios; `None` as for [`amount0_delta`].
pub fn amount1_delta(a: U256, b: U256, liquidity: u128, round_up: bool) -> Option<U256> {
    amount1(BITS, (a, b), liquidity, round_up)
}

/// One step of a swap that stays within a range: until the amount is used or
/// the limit reached. The fee is in millionths. `None` where the contract
/// reverts, at a limit on the wrong side, or for amounts of 2^128 and more.
pub fn step(
    fee: u32,
    sold: Side,
    sqrt_ratio: U256,
    liquidity: u128,
    limit: U256,
    amount: Amount,
) -> Option<Step> {
    let wrong_side = match sold {
        Side::Token0 => limit > sqrt_ratio,
        Side::Token1 => limit < sqrt_ratio,
    };
    if wrong_side {
        return None;
    }
    let range = Range {
        sold,
        sqrt_ratio,
        liquidity,
    };
    let unit = U256::from(FEE_UNIT);
    let kept = U256::from(FEE_UNIT.checked_sub(fee)?);
    let charged = |net: U256| mul_div_up(net, U256::from(fee), kept);
    match amount {
        Amount::In(gross) => {
            let gross = U256::from(gross);
            let net = mul_div(gross, kept, unit)?;
            let room = range.taken(limit)?;
            let (end, taken, fee) = if net >= room {
                (limit, room, charged(room)?)
            } else {
                let end = range.after_selling(net)?;
                let taken = range.taken(end)?;
                (end, taken, gross.checked_sub(taken)?)
            };
            finish(end, taken.checked_add(fee)?, range.bought(end)?, fee)
        }
        Amount::Out(wanted) => {
            let wanted = U256::from(wanted);
            let end = if wanted >= range.bought(limit)? {
                limit
            } else {
                range.after_buying(wanted)?
            };
            let taken = range.taken(end)?;
            let fee = charged(taken)?;
            let bought = range.bought(end)?.min(wanted);
            finish(end, bought, taken.checked_add(fee)?, fee)
        }
    }
}

fn finish(sqrt_ratio: U256, consumed: U256, calculated: U256, fee: U256) -> Option<Step> {
    Some(Step {
        consumed: u128::try_from(consumed).ok()?,
        calculated: u128::try_from(calculated).ok()?,
        fee: u128::try_from(fee).ok()?,
        sqrt_ratio,
    })
}

/// Where a step takes place.
struct Range {
    sold: Side,
    sqrt_ratio: U256,
    liquidity: u128,
}

impl Range {
    /// The ratio after a sale, rounded towards the one before.
    fn after_selling(&self, amount: U256) -> Option<U256> {
        if amount.is_zero() {
            return Some(self.sqrt_ratio);
        }
        match self.sold {
            Side::Token0 => {
                let liquidity = scaled(self.liquidity);
                let product = amount.checked_mul(self.sqrt_ratio);
                if let Some(divisor) = product.and_then(|product| product.checked_add(liquidity)) {
                    return mul_div_up(liquidity, self.sqrt_ratio, divisor);
                }
                // The contract's own way out of numbers that are too large.
                let held = liquidity.checked_div(self.sqrt_ratio)?;
                Some(liquidity.div_ceil(held.checked_add(amount)?))
            }
            Side::Token1 => {
                let rise = amount.checked_shl(BITS)?;
                let rise = rise.checked_div(U256::from(self.liquidity))?;
                self.sqrt_ratio.checked_add(rise)
            }
        }
    }

    /// The ratio after a purchase, rounded away from the one before; `None` if
    /// the range does not hold as much.
    fn after_buying(&self, amount: U256) -> Option<U256> {
        match self.sold {
            Side::Token0 => {
                let liquidity = U256::from(self.liquidity);
                let fall = mul_div_up(amount, U256::ONE << BITS, liquidity)?;
                self.sqrt_ratio
                    .checked_sub(fall)
                    .filter(|end| !end.is_zero())
            }
            Side::Token1 => {
                if amount.is_zero() {
                    return Some(self.sqrt_ratio);
                }
                let liquidity = scaled(self.liquidity);
                let product = amount.checked_mul(self.sqrt_ratio)?;
                let divisor = liquidity.checked_sub(product)?;
                mul_div_up(liquidity, self.sqrt_ratio, divisor)
            }
        }
    }

    /// What the range takes until a ratio, without the fee.
    fn taken(&self, end: U256) -> Option<U256> {
        let (ratio, liquidity) = (self.sqrt_ratio, self.liquidity);
        match self.sold {
            Side::Token0 => amount0_delta(ratio, end, liquidity, true),
            Side::Token1 => amount1_delta(ratio, end, liquidity, true),
        }
    }

    /// What the range gives until a ratio.
    fn bought(&self, end: U256) -> Option<U256> {
        let (ratio, liquidity) = (self.sqrt_ratio, self.liquidity);
        match self.sold {
            Side::Token0 => amount1_delta(ratio, end, liquidity, false),
            Side::Token1 => amount0_delta(ratio, end, liquidity, false),
        }
    }
}

/// A number with 96 bits after the point.
fn scaled(whole: u128) -> U256 {
    U256::from(whole) << BITS
}
