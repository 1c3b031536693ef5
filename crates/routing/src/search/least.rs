//! The smallest amount that buys enough: false position (regula falsi), and bisection
//! where lines mislead (Dekker).
//!
//! What is bought never falls when more is sold, so that a bracket is closed around the
//! amount that is sought, from a guess on. Where units of the bought token, or of one on
//! the way, are large beside those of the sold one, the bracket's ends are next to a step
//! and only halving it helps.

use crate::{Broken, Executable, Run};
use amm::Refusal;
use primitives::U256;

/// Amounts that are tried; a plan that needs more has no route.
const MAX_TRIES: usize = 320;

/// Tries that may leave more than half of a bracket, one after the other.
const MAX_SLOW: usize = 2;

/// How much farther than a line says the target is looked for.
const BEYOND: f64 = 1.1;

/// The part of an amount by which less is tried if a pool refuses it, as a power
/// of one half; more with every refusal.
const RETREAT: usize = 16;

/// The smallest amount that buys at least `target`, and what it does: about
/// `guess`, where a unit costs about `price`.
pub(super) fn least(
    executable: &Executable,
    target: U256,
    guess: f64,
    price: f64,
) -> Result<(U256, Run), Broken> {
    let mut bracket = Bracket::new(target);
    let mut refusal = Broken::Malformed;
    let mut next = U256::saturating_from(guess).max(U256::ONE);
    let mut pace = Pace::default();
    for _ in 0..MAX_TRIES {
        if let Err(broken) = bracket.narrow(next, executable.bought_for(next)) {
            refusal = broken;
        }
        // Later units are no cheaper than this.
        let missing = f64::from(bracket.missing) * price;
        let Some(high) = bracket.high else {
            next = bracket.low.saturating_add(pace.farther(missing));
            continue;
        };
        let width = high.amount - bracket.low;
        let Some(over) = high.over else {
            if width <= U256::ONE || missing / 2.0 > f64::from(width) {
                return Err(refusal);
            }
            next = high.amount - pace.less(high.amount).clamp(U256::ONE, width >> 1_usize);
            continue;
        };
        if width <= U256::ONE {
            return Ok((high.amount, executable.run(high.amount)?));
        }
        next = bracket.low + pace.within(width, [bracket.missing, over]);
    }
    Err(Broken::Malformed)
}

/// What is known of the amount that is sought.
struct Bracket {
    target: U256,
    /// Too little, and what is missing then.
    low: U256,
    missing: U256,
    high: Option<High>,
}

/// Enough, or more than pools take.
#[derive(Clone, Copy)]
struct High {
    amount: U256,
    /// What is bought beyond the target; `None` if a pool refuses.
    over: Option<U256>,
}

impl Bracket {
    const fn new(target: U256) -> Self {
        Self {
            target,
            low: U256::ZERO,
            missing: target,
            high: None,
        }
    }

    /// Takes up what came of an amount between both ends.
    fn narrow(&mut self, amount: U256, bought: Result<U256, Broken>) -> Result<(), Broken> {
        let bought = match bought {
            Ok(bought) => bought,
            // An amount of which a swap would get nothing buys nothing.
            Err(Broken::Refused(_, Refusal::Nothing)) => U256::ZERO,
            // A pool ends before: there is no route unless a smaller amount is enough.
            Err(broken) => {
                if self.high.is_none_or(|high| amount < high.amount) {
                    self.high = Some(High { amount, over: None });
                }
                return Err(broken);
            }
        };
        if let Some(over) = bought.checked_sub(self.target) {
            let over = Some(over);
            self.high = Some(High { amount, over });
        } else {
            self.low = amount;
            self.missing = self.target - bought;
        }
        Ok(())
    }
}

/// How far to go for the next try.
struct Pace {
    stride: f64,
    retreat: usize,
    /// The width of the last bracket, and how often it was hardly smaller than
    /// the one before.
    last: U256,
    slow: usize,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            stride: 1.0,
            retreat: RETREAT,
            last: U256::MAX,
            slow: 0,
        }
    }
}

impl Pace {
    /// By how much more is tried: what is missing, and more with every miss.
    fn farther(&mut self, missing: f64) -> U256 {
        let step = U256::saturating_from(missing * self.stride + 1.0);
        self.stride *= 2.0;
        step
    }

    /// By how much less is tried where an amount is refused, and more with every
    /// refusal.
    fn less(&mut self, amount: U256) -> U256 {
        let step = amount >> self.retreat;
        self.retreat = self.retreat.saturating_sub(RETREAT / 4);
        step
    }

    /// Where to look within a bracket: a little beyond where a line between both
    /// ends would hit the target, so that the next bracket is between there and
    /// the nearer end; or in the middle where lines mislead.
    fn within(&mut self, width: U256, [short, over]: [U256; 2]) -> U256 {
        let middle: U256 = width >> 1_usize;
        let is_slow = width > self.last >> 1_usize;
        self.slow = if is_slow { self.slow + 1 } else { 0 };
        self.last = width;
        let sum = short.saturating_add(over);
        if self.slow >= MAX_SLOW || sum < U256::from(4) {
            return middle;
        }
        let unit = f64::from(width) / f64::from(sum);
        let beyond = |off: U256| U256::saturating_from(BEYOND * f64::from(off) * unit + unit);
        if short < over {
            beyond(short).clamp(U256::ONE, middle)
        } else {
            width - beyond(over).clamp(U256::ONE, middle)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Pool, market};
    use crate::{Leg, Share};
    use amm::Side;
    use proptest::prelude::*;

    /// The tokens that the swaps of a route sell and buy: straight, through one
    /// token and through two.
    const SWAPS: [[u8; 2]; 7] = [[0, 1], [0, 2], [0, 2], [0, 3], [2, 3], [2, 1], [3, 1]];

    prop_compose! {
        /// A route with any shares, through tokens whose units are worth anything.
        fn route()(
            shares in prop::array::uniform7(0.05_f64..0.95),
            depths in prop::array::uniform7(1_u32..10_000),
            digits in prop::array::uniform4(0_u32..=18),
        ) -> Executable {
            let pools: Vec<Pool> = SWAPS.iter().zip(depths).map(|([from, to], depth)| {
                let reserve = |token: &u8| {
                    u128::from(depth) * 10_u128.pow(digits[usize::from(*token)])
                };
                ([*from, *to].map(u64::from), [reserve(from), reserve(to)], 300)
            }).collect();
            let book = market(&pools);
            let legs: Vec<Leg> = SWAPS.iter().enumerate().map(|(at, [from, to])| {
                let is_last = SWAPS.get(at + 1).is_none_or(|[next, _]| next != from);
                Leg {
                    pool: book.pools().iter().nth(at).unwrap().id,
                    side: Side::Token0,
                    from: *from,
                    to: *to,
                    share: if is_last { Share::WHOLE } else { Share::nearest(shares[at]) },
                    sold: U256::ZERO,
                    bought: U256::ZERO,
                    ticks: 0,
                }
            }).collect();
            Executable::new(&legs, 4, book.pools()).unwrap()
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn one_unit_less_buys_too_little(
            route in route(), amount in 1_u128..10_u128.pow(22), off in 0.5_f64..2.0,
        ) {
            let Ok(target) = route.bought_for(U256::from(amount)) else { return Ok(()) };
            let [guess, price] = [f64::from(U256::from(amount)) * off, f64::from(U256::from(amount)) / f64::from(target)];
            let (found, run) = least(&route, target, guess, price).unwrap();
            prop_assert!(run.bought >= target);
            prop_assert_eq!(&run, &route.run(found).unwrap());
            if found > U256::ONE {
                let less = route.bought_for(found - U256::ONE);
                prop_assert!(less.is_err() || less.unwrap() < target);
            }
        }
    }
}
