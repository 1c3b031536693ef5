//! The smallest amount that buys enough.
//!
//! What is bought never falls when more is sold, so that a bracket is closed
//! around the amount that is sought. Two things make that quick. A swap that gets
//! the same at both ends of the bracket gets it everywhere between, and is not
//! asked again; nor is one on which nothing else depends. And where a token on
//! the way has large units, all that follows from it goes by steps, and lines
//! mislead: then it is found out where a step is, by asking only the swaps that
//! lead to it.

use crate::{Broken, Executable, Leg, Run};
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

/// Units of a token in which there are steps rather than a line.
const STEPS: U256 = U256::from_limbs([16, 0, 0, 0]);

/// The places of the sold token and of the bought one in a route.
const SOLD: u8 = 0;
const BOUGHT: u8 = 1;

/// The smallest amount that buys at least `target`, and what it does: about
/// `guess`, where a unit costs about `price`.
pub(super) fn least(
    executable: &Executable,
    target: U256,
    guess: f64,
    price: f64,
) -> Result<(U256, Run), Broken> {
    let found = Bracket::new(executable, target).close(guess, price, true)?;
    if let Ok(run) = executable.run(found)
        && run.bought >= target
    {
        return Ok((found, run));
    }
    // A pool whose maths round the wrong way once in a while.
    let found = Bracket::new(executable, target).close(guess, price, false)?;
    Ok((found, executable.run(found)?))
}

/// How much there has to be of a token.
#[derive(Debug, Clone, Copy)]
struct Need {
    token: u8,
    amount: U256,
}

struct Bracket<'a> {
    executable: &'a Executable,
    legs: Vec<Leg>,
    need: Need,
    low: End,
    high: Option<End>,
    /// What is known of what swaps get between both ends.
    known: Vec<Option<U256>>,
    /// The tokens of which it matters how much there is.
    matters: Vec<u8>,
}

/// An end of the bracket: an amount that was tried, and what came of it.
#[derive(Debug, Default)]
struct End {
    amount: U256,
    /// What each swap sells and gets; nothing if one of them refused.
    swaps: Vec<[U256; 2]>,
    is_refused: bool,
}

impl End {
    /// What there is of a token before it is sold.
    fn balance(&self, legs: &[Leg], token: u8) -> U256 {
        let given = if token == SOLD {
            self.amount
        } else {
            U256::ZERO
        };
        let swaps = legs.iter().zip(&self.swaps);
        let getting = swaps.filter(|(leg, _)| leg.to == token);
        getting.fold(given, |sum, (_, [_, got])| sum.saturating_add(*got))
    }
}

impl<'a> Bracket<'a> {
    fn new(executable: &'a Executable, target: U256) -> Self {
        Self {
            executable,
            legs: executable.legs().copied().collect(),
            need: Need {
                token: BOUGHT,
                amount: target,
            },
            low: End::default(),
            high: None,
            known: Vec::new(),
            matters: Vec::new(),
        }
    }

    /// Closes it. If it `learns`, swaps are not asked for what is known.
    fn close(&mut self, guess: f64, price: f64, learns: bool) -> Result<U256, Broken> {
        let mut refusal = Broken::Malformed;
        let mut next = U256::saturating_from(guess).max(U256::ONE);
        let mut pace = Pace::default();
        for _ in 0..MAX_TRIES {
            refusal = self.attempt(next).err().unwrap_or(refusal);
            // Later units are no cheaper than this.
            let missing = f64::from(self.off(&self.low)) * price;
            let Some(high) = &self.high else {
                next = self.low.amount.saturating_add(pace.farther(missing));
                continue;
            };
            let width = high.amount - self.low.amount;
            if high.is_refused {
                let is_beyond = self.need.token == BOUGHT && missing / 2.0 > f64::from(width);
                if is_beyond || width <= U256::ONE {
                    return Err(refusal);
                }
                next = high.amount - pace.less(high.amount).clamp(U256::ONE, width >> 1_usize);
                continue;
            }
            if width <= U256::ONE {
                return Ok(high.amount);
            }
            let offs = [&self.low, high].map(|end| self.off(end));
            next = self.low.amount + pace.within(width, offs);
            if learns {
                self.learn();
                if self.need.token == SOLD {
                    return Ok(self.need.amount);
                }
                next = self.step().unwrap_or(next);
            }
        }
        Err(Broken::Malformed)
    }

    /// Tries an amount, which becomes an end.
    fn attempt(&mut self, amount: U256) -> Result<(), Broken> {
        let mut swaps = Vec::with_capacity(self.legs.len());
        let known = |at: usize| self.known.get(at).copied().flatten();
        let each = |sold, got| swaps.push([sold, got]);
        let result = self.executable.bought_knowing(amount, known, each);
        let is_refused = result.is_err();
        if is_refused {
            swaps.clear();
        }
        let end = End {
            amount,
            swaps,
            is_refused,
        };
        match result {
            Ok(_) if end.balance(&self.legs, self.need.token) >= self.need.amount => {
                self.high = Some(end);
            }
            // An amount of which a swap would get nothing buys nothing.
            Ok(_) | Err(Broken::Refused(_, Refusal::Nothing)) => self.low = end,
            // A pool ends before: the route cannot be grown to the target
            // unless a smaller amount does.
            Err(broken) => {
                if self.high.as_ref().is_none_or(|high| amount < high.amount) {
                    self.high = Some(end);
                }
                return Err(broken);
            }
        }
        Ok(())
    }

    /// What is missing at an end, or there beyond what is needed.
    fn off(&self, end: &End) -> U256 {
        let balance = end.balance(&self.legs, self.need.token);
        balance.abs_diff(self.need.amount)
    }

    /// Finds out which swaps need not be asked, after letting the token decide on
    /// which all depends.
    fn learn(&mut self) {
        // It ends with the sold token at the latest: no swap gives that.
        while let Some(need) = self.before(self.need) {
            self.need = need;
        }
        let Self {
            legs,
            low,
            high: Some(high),
            known,
            matters,
            ..
        } = self
        else {
            return;
        };
        matters.clear();
        matters.push(self.need.token);
        known.clear();
        let ends = low.swaps.iter().zip(&high.swaps);
        for (leg, ([_, less], [_, more])) in legs.iter().zip(ends).rev() {
            let is_open = less != more && matters.contains(&leg.to);
            if is_open {
                matters.push(leg.from);
            }
            known.push((!is_open).then_some(*less));
        }
        known.reverse();
    }

    /// What is needed of the one token on which a need depends; `None` if it
    /// depends on none or on several.
    fn before(&self, need: Need) -> Option<Need> {
        let high = self.high.as_ref()?;
        let ends = self.low.swaps.iter().zip(&high.swaps);
        let swaps = self.legs.iter().zip(ends).enumerate();
        let open =
            swaps.filter(|(_, (leg, ([_, less], [_, more])))| leg.to == need.token && less != more);
        let (_, (leg, _)) = open.clone().next()?;
        let token = leg.from;
        if open.clone().any(|(_, (leg, _))| leg.from != token) {
            return None;
        }
        let most = high.balance(&self.legs, token);
        let guesses = open.filter_map(|(swap, _)| self.guess(need, swap, most));
        let guess = guesses.min().unwrap_or(most);
        let is_enough = |balance| self.reached(need.token, token, balance) >= need.amount;
        let amount = amm::smallest(guess, most, is_enough)?;
        Some(Need { token, amount })
    }

    /// About how much there has to be of the token that a swap sells, if that swap
    /// gives all that is missing; at the higher end it is `most`.
    fn guess(&self, need: Need, swap: usize, most: U256) -> Option<U256> {
        let missing = need
            .amount
            .checked_sub(self.low.balance(&self.legs, need.token))?;
        let [_, got] = self.low.swaps.get(swap)?;
        let [sells, _] = self.high.as_ref()?.swaps.get(swap)?;
        let sold = self.executable.sold_for(swap, got.checked_add(missing)?)?;
        amm::mul_div_up(sold, most, *sells)
    }

    /// How much there is of a token if there is so much of the one on which it
    /// depends.
    fn reached(&self, token: u8, from: u8, balance: U256) -> U256 {
        let high = self.high.as_ref().map_or(&[][..], |high| &high.swaps);
        let ends = self.low.swaps.iter().zip(high);
        let (mut left, mut reached) = (balance, U256::ZERO);
        for (at, (leg, ([_, less], [_, more]))) in self.legs.iter().zip(ends).enumerate() {
            let mut gets = *less;
            if leg.from == from {
                let sold = leg.share.of(left);
                left -= sold;
                if leg.to == token && less != more {
                    gets = self.executable.bought_by(at, sold);
                }
            }
            if leg.to == token {
                reached = reached.saturating_add(gets);
            }
        }
        reached
    }

    /// An amount within the bracket where a token of large units has one more, or
    /// just not; `None` if there is no such token.
    fn step(&self) -> Option<U256> {
        let high = self.high.as_ref()?;
        let steps = |token: &u8| {
            let [less, more] = [&self.low, high].map(|end| end.balance(&self.legs, *token));
            let half = more.checked_sub(less)?.div_ceil(U256::from(2));
            let amount = less.checked_add(half)?;
            let is_coarse = !half.is_zero() && half <= STEPS;
            is_coarse.then_some((
                half,
                Need {
                    token: *token,
                    amount,
                },
            ))
        };
        let tokens = self.matters.iter().filter(|token| **token != SOLD);
        let (_, mut need) = tokens.filter_map(steps).min_by_key(|(half, _)| *half)?;
        while need.token != SOLD {
            need = self.before(need)?;
        }
        let next = need.amount.min(high.amount - U256::ONE);
        (next > self.low.amount).then_some(next)
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
    use crate::Share;
    use crate::testing::{Pool, market};
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

        /// Whatever is learned on the way, the amount is the same as by asking all
        /// swaps for every amount that is tried.
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
            let plain = Bracket::new(&route, target).close(guess, price, false);
            prop_assert_eq!(plain, Ok(found));
        }
    }
}
