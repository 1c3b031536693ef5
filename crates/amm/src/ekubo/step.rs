//! One step of a swap, and the parts that it is made of.

use crate::Side;
use crate::concentrated::{Amount, Step, amount0, amount1};
use crate::wide::mul_div_up;
use primitives::U256;
use ruint::aliases::U512;

/// The bits of a ratio, and of a fee, after the point.
const BITS: usize = 128;

/// How the ratio after a sale of the first token is rounded; `L` is the
/// liquidity, `s` the ratio before and `x` what is sold after the fee.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// `ceil(L / (floor(L/s) + x))`. The inner rounding can cost a unit of the
    /// first token: what a purchase takes may buy slightly less as a sale.
    Older,
    /// `ceil(L s / (L + x s))`.
    Exact,
}

/// The first token between two ratios; `None` if it has more than 128 bits or a
/// ratio is zero.
pub fn amount0_delta(a: U256, b: U256, liquidity: u128, round_up: bool) -> Option<u128> {
    u128::try_from(amount0(BITS, (a, b), liquidity, round_up)?).ok()
}

/// The second token between two ratios; `None` as for [`amount0_delta`].
pub fn amount1_delta(a: U256, b: U256, liquidity: u128, round_up: bool) -> Option<u128> {
    u128::try_from(amount1(BITS, (a, b), liquidity, round_up)?).ok()
}

/// The fee of an amount that includes it, rounded up.
pub fn fee_on(amount: u128, fee: u128) -> u128 {
    let product = U256::from(amount) * U256::from(fee);
    let [low0, low1, high0, high1] = product.into_limbs();
    let whole = u128::from(high1) << 64 | u128::from(high0);
    // The share is below one, so that the sum is at most the amount.
    whole + u128::from(low0 | low1 != 0)
}

/// The smallest amount of which the fee leaves as much; `None` if it does not
/// fit.
pub fn with_fee(amount: u128, fee: u128) -> Option<u128> {
    let kept = (U256::ONE << BITS) - U256::from(fee);
    u128::try_from(scaled(amount).div_ceil(kept)).ok()
}

/// One step of a swap that stays within a range: until the amount is used or
/// the limit reached. `None` where the contract reverts: at a limit on the
/// wrong side, or when an amount does not fit.
pub fn step(
    rounding: Rounding,
    fee: u128,
    sold: Side,
    sqrt_ratio: U256,
    liquidity: u128,
    limit: U256,
    amount: Amount,
) -> Option<Step> {
    if amount.value() == 0 || sqrt_ratio == limit {
        return Some(Step::idle(sqrt_ratio));
    }
    if (limit > sqrt_ratio) != (sold == Side::Token1) {
        return None;
    }
    if liquidity == 0 {
        return Some(Step::idle(limit));
    }
    let range = Range {
        sold,
        sqrt_ratio,
        liquidity,
        fee,
    };
    let end = match amount {
        Amount::In(gross) => range.after_selling(rounding, gross.checked_sub(fee_on(gross, fee))?),
        Amount::Out(wanted) => range.after_buying(wanted),
    };
    // A fall that ends at the limit counts as stopped by it, a rise does not.
    let within = end.filter(|end| match sold {
        Side::Token0 => *end > limit,
        Side::Token1 => *end <= limit,
    });
    match within {
        Some(end) => range.whole(end, amount),
        None => range.limited(limit, amount),
    }
}

/// Where a step takes place.
struct Range {
    sold: Side,
    sqrt_ratio: U256,
    liquidity: u128,
    fee: u128,
}

impl Range {
    /// The ratio after a sale, rounded towards the one before; `None` if it is
    /// beyond any limit.
    fn after_selling(&self, rounding: Rounding, amount: u128) -> Option<U256> {
        if amount == 0 {
            return Some(self.sqrt_ratio);
        }
        let liquidity = scaled(self.liquidity);
        match (self.sold, rounding) {
            (Side::Token1, _) => {
                let rise = scaled(amount).checked_div(U256::from(self.liquidity))?;
                self.sqrt_ratio.checked_add(rise)
            }
            (Side::Token0, Rounding::Older) => {
                let held = liquidity.checked_div(self.sqrt_ratio)?;
                Some(liquidity.div_ceil(held.checked_add(U256::from(amount))?))
            }
            (Side::Token0, Rounding::Exact) => self.exactly_after_selling0(liquidity, amount),
        }
    }

    fn exactly_after_selling0(&self, liquidity: U256, amount: u128) -> Option<U256> {
        let product = self.sqrt_ratio.checked_mul(U256::from(amount));
        if let Some(divisor) = product.and_then(|product| product.checked_add(liquidity)) {
            return mul_div_up(liquidity, self.sqrt_ratio, divisor);
        }
        let product: U512 = self.sqrt_ratio.widening_mul(U256::from(amount));
        let divisor = product.checked_add(U512::from(liquidity))?;
        let dividend: U512 = liquidity.widening_mul(self.sqrt_ratio);
        U256::checked_from_limbs_slice(dividend.div_ceil(divisor).as_limbs())
    }

    /// The ratio after a purchase, rounded away from the one before; `None` if
    /// the range does not hold as much.
    fn after_buying(&self, amount: u128) -> Option<U256> {
        match self.sold {
            Side::Token0 => {
                let fall = scaled(amount).div_ceil(U256::from(self.liquidity));
                self.sqrt_ratio.checked_sub(fall)
            }
            Side::Token1 => {
                let liquidity = scaled(self.liquidity);
                let product = self.sqrt_ratio.checked_mul(U256::from(amount))?;
                let divisor = liquidity.checked_sub(product)?;
                mul_div_up(liquidity, self.sqrt_ratio, divisor)
            }
        }
    }

    /// The step that uses the whole amount.
    fn whole(&self, end: U256, amount: Amount) -> Option<Step> {
        match amount {
            // Too little to move the ratio is kept as the fee.
            Amount::In(gross) if end == self.sqrt_ratio => Some(Step {
                consumed: gross,
                calculated: 0,
                fee: gross,
                sqrt_ratio: end,
            }),
            Amount::In(gross) => Some(Step {
                consumed: gross,
                calculated: self.bought(end)?,
                fee: fee_on(gross, self.fee),
                sqrt_ratio: end,
            }),
            Amount::Out(wanted) => self.purchase(end, wanted),
        }
    }

    /// The step that ends at the limit.
    fn limited(&self, limit: U256, amount: Amount) -> Option<Step> {
        let bought = self.bought(limit)?;
        let Amount::In(_) = amount else {
            return self.purchase(limit, bought);
        };
        let net = self.taken(limit)?;
        let gross = with_fee(net, self.fee)?;
        Some(Step {
            consumed: gross,
            calculated: bought,
            fee: gross.checked_sub(net)?,
            sqrt_ratio: limit,
        })
    }

    fn purchase(&self, end: U256, bought: u128) -> Option<Step> {
        let net = self.taken(end)?;
        let gross = with_fee(net, self.fee)?;
        Some(Step {
            consumed: bought,
            calculated: gross,
            fee: gross.checked_sub(net)?,
            sqrt_ratio: end,
        })
    }

    /// What the range takes until a ratio, without the fee.
    fn taken(&self, end: U256) -> Option<u128> {
        let (ratio, liquidity) = (self.sqrt_ratio, self.liquidity);
        match self.sold {
            Side::Token0 => amount0_delta(ratio, end, liquidity, true),
            Side::Token1 => amount1_delta(ratio, end, liquidity, true),
        }
    }

    /// What the range gives until a ratio.
    fn bought(&self, end: U256) -> Option<u128> {
        let (ratio, liquidity) = (self.sqrt_ratio, self.liquidity);
        match self.sold {
            Side::Token0 => amount1_delta(ratio, end, liquidity, false),
            Side::Token1 => amount0_delta(ratio, end, liquidity, false),
        }
    }
}

/// A number with 128 bits after the point.
fn scaled(whole: u128) -> U256 {
    U256::from(whole) << BITS
}
