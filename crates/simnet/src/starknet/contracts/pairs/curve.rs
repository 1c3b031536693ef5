//! What a pair pays, and what it lets happen to its reserves.
//!
//! Written from the venues' rules, apart from the quoting side of the product:
//! each is a check of the other.

use super::rules::{FeeRule, Rounding};
use crate::starknet::contracts::arithmetic::{add, div, div_up, ensure, mul, sub};
use crate::starknet::failure::Revert;
use primitives::U256;

/// Steps after which the search on a stable curve gives up.
const MAX_STEPS: usize = 255;

/// One, as stable curves count it.
fn one() -> U256 {
    U256::from(1_000_000_000_000_000_000_u64)
}

/// A pair as one side of it is sold: first the sold token's value, then the
/// bought one's.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sale {
    pub(super) reserves: [U256; 2],
    pub(super) shape: Shape,
    /// Of the sold token.
    pub(super) fee: U256,
}

/// The curve that the reserves stay on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// x·y
    Volatile,
    /// x³y + y³x, with what one whole token is of each.
    Stable([U256; 2]),
}

impl Shape {
    /// The same curve with the tokens the other way around.
    pub(super) fn turned(self) -> Self {
        match self {
            Self::Volatile => self,
            Self::Stable([first, second]) => Self::Stable([second, first]),
        }
    }

    /// What must not fall in a swap.
    pub(super) fn k(self, [x, y]: [U256; 2]) -> Result<U256, Revert> {
        match self {
            Self::Volatile => mul(x, y),
            Self::Stable([one_x, one_y]) => {
                stable_k(div(mul(x, one())?, one_x)?, div(mul(y, one())?, one_y)?)
            }
        }
    }
}

impl FeeRule {
    /// The fee on an amount, and the scale in which it is exact.
    fn part(self, amount: U256, fee: U256) -> Result<(U256, U256), Revert> {
        let scale = U256::from(self.scale);
        let scaled = mul(amount, fee)?;
        Ok(match self.rounding {
            Rounding::None => (scaled, scale),
            Rounding::Down => (div(scaled, scale)?, U256::ONE),
            Rounding::Up => (div_up(scaled, scale)?, U256::ONE),
        })
    }

    /// The fee in whole units, as it leaves a pair.
    pub(super) fn whole(self, amount: U256, fee: U256) -> Result<U256, Revert> {
        div(mul(amount, fee)?, U256::from(self.scale))
    }

    /// What selling `amount` buys.
    pub(super) fn amount_out(self, pool: Sale, amount: U256) -> Result<U256, Revert> {
        let (fee, scale) = self.part(amount, pool.fee)?;
        let sold = sub(mul(amount, scale)?, fee)?;
        let [from, to] = pool.reserves;
        match pool.shape {
            Shape::Volatile => div(mul(sold, to)?, add(mul(from, scale)?, sold)?),
            Shape::Stable([one_from, one_to]) => {
                let k = pool.shape.k(pool.reserves)?;
                let normal = |amount, whole| div(mul(amount, one())?, whole);
                let reserve = normal(to, one_to)?;
                let x = add(normal(from, one_from)?, normal(sold, one_from)?)?;
                let bought = sub(reserve, stable_y(x, k, reserve)?)?;
                div(mul(bought, one_to)?, one())
            }
        }
    }

    /// What has to be sold to buy `amount`, where the pair is volatile.
    pub(super) fn amount_in(self, pool: Sale, amount: U256) -> Result<U256, Revert> {
        let [from, to] = pool.reserves;
        let scale = U256::from(self.scale);
        let kept = sub(scale, pool.fee)?;
        let wanted = mul(from, amount)?;
        let left = sub(to, amount)?;
        match self.rounding {
            // As the first exchange of this kind did it: always one more.
            Rounding::None => {
                let quotient = div(mul(wanted, scale)?, mul(left, kept)?)?;
                add(quotient, U256::ONE)
            }
            // The least that is enough after the fee.
            Rounding::Down => {
                let net = sub(div_up(wanted, left)?, U256::ONE)?;
                add(div(mul(net, scale)?, kept)?, U256::ONE)
            }
            Rounding::Up => div_up(mul(div_up(wanted, left)?, scale)?, kept),
        }
    }

    /// Whether a swap that left `balances` keeps what it must of `reserves`,
    /// with `sold` and the fees on it.
    pub(super) fn is_kept(
        self,
        shape: Shape,
        reserves: [U256; 2],
        balances: [U256; 2],
        sold: [U256; 2],
        fees: [U256; 2],
    ) -> Result<bool, Revert> {
        if self.leaves {
            return Ok(shape.k(balances)? >= shape.k(reserves)?);
        }
        let (part0, part1) = (self.part(sold[0], fees[0])?, self.part(sold[1], fees[1])?);
        let (of_first, scale) = part0;
        let (of_second, _) = part1;
        let x = sub(mul(balances[0], scale)?, of_first)?;
        let y = sub(mul(balances[1], scale)?, of_second)?;
        Ok(mul(x, y)? >= mul(shape.k(reserves)?, mul(scale, scale)?)?)
    }
}

/// The amount of the other token that is worth `amount` at this price.
pub(super) fn quote(amount: U256, [from, to]: [U256; 2]) -> Result<U256, Revert> {
    div(mul(amount, to)?, from)
}

fn stable_k(x: U256, y: U256) -> Result<U256, Revert> {
    let one = one();
    let product = div(mul(x, y)?, one)?;
    let squares = add(div(mul(x, x)?, one)?, div(mul(y, y)?, one)?)?;
    div(mul(product, squares)?, one)
}

/// How fast the curve rises in y: 3xy² + x³.
fn stable_slope(x: U256, y: U256) -> Result<U256, Revert> {
    let one = one();
    let cube = div(mul(div(mul(x, x)?, one)?, x)?, one)?;
    let rest = div(mul(mul(U256::from(3), x)?, div(mul(y, y)?, one)?)?, one)?;
    add(rest, cube)
}

/// The y at which the curve through x is worth k, from `y` by Newton's steps.
/// Steps of nothing end on the first y that is worth enough.
fn stable_y(x: U256, k: U256, mut y: U256) -> Result<U256, Revert> {
    for _ in 0..MAX_STEPS {
        let now = stable_k(x, y)?;
        let slope = stable_slope(x, y)?;
        if now < k {
            let step = div(mul(sub(k, now)?, one())?, slope)?;
            let next = add(y, U256::ONE)?;
            if step.is_zero() && stable_k(x, next)? > k {
                return Ok(next);
            }
            y = add(y, step.max(U256::ONE))?;
        } else {
            let step = div(mul(sub(now, k)?, one())?, slope)?;
            if step.is_zero() && (now == k || stable_k(x, sub(y, U256::ONE)?)? < k) {
                return Ok(y);
            }
            y = sub(y, step.max(U256::ONE))?;
        }
    }
    ensure(false, "!y").map(|()| y)
}
