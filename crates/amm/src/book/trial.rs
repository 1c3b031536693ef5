//! Whether a swap did what a rule says.
//!
//! A swap is replayed on the state before it, by every rule that its class may
//! have. Only what can be told for sure is: swaps of little, swaps that a price
//! limit stopped, flash swaps, and swaps whose buyer took less than the rule
//! gives, say nothing either way. Nobody can then switch a venue off by trading
//! oddly.

use super::change::{Change, Movement, Price, Spot};
use super::curve::AnyCurve;
use super::pool::State;
use super::pool_id::PoolId;
use super::venue::{Kind, Maths, VenueId};
use super::verdict::{Judgement, Records, Verdict};
use super::view::{PoolView, Pools};
use crate::concentrated::{Amount, Rules as _, Swapped};
use crate::{Curve as _, Deposit, Fill, Side, Signed, ekubo, v3};
use primitives::{Felt, U256};
use std::collections::HashMap;

/// A rule that differs by a millionth shows in no smaller amount.
const TELLING: u128 = 1_000_000;

/// By what share of it, one in so many, an invariant of a stable curve may let a
/// buyer take more than its formula says: it is rounded.
const LOOSENESS: u128 = 1_000_000;

/// What the event of a swap says of what was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AskedSwap {
    /// Nothing but what came and what went: one token each.
    Plain,
    /// An amount of a token, positive if the pool is to take it, and how far the
    /// price may go.
    Order {
        /// Positive if the pool is to take it, negative if it is to give it.
        amount: Signed,
        /// The token that `amount` counts, be it sold or bought.
        token: Side,
        /// The farthest square root of the price.
        limit: U256,
        /// The empty words that may be skipped.
        skip_ahead: u128,
    },
}

/// What one swap says of one rule of its contract's class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Testimony {
    /// The pool that swapped, or took a deposit.
    pub pool: PoolId,
    /// What the pool's contract ran at that moment.
    pub class: Felt,
    /// The rule.
    pub maths: Maths,
    /// What the swap says of it.
    pub judgement: Judgement,
}

/// Watches the swaps of a block.
#[derive(Debug, Default)]
pub struct Witness {
    transaction: u32,
    /// What pools held before they last told their reserves in the transaction.
    before: HashMap<PoolId, [u128; 2]>,
}

impl Witness {
    /// What a change says of the class of its pool's contract, as far as that is
    /// news; to be told each change before it is applied.
    pub fn hear(
        &mut self,
        pools: &Pools,
        transaction: u32,
        change: &Change,
        asked: Option<AskedSwap>,
    ) -> Vec<Testimony> {
        if self.transaction != transaction {
            self.transaction = transaction;
            self.before.clear();
        }
        let Change::Moved { pool, movement } = change else {
            return Vec::new();
        };
        let Some(view) = pools.get(*pool) else {
            return Vec::new();
        };
        let before = match (movement, view.pool.state()) {
            (Movement::Reserves(_), State::Reserves(before)) => {
                self.before.insert(*pool, *before);
                return Vec::new();
            }
            (Movement::Traded { .. }, _) => self.before.remove(pool),
            _ => None,
        };
        match (asked, view.class()) {
            (Some(asked), Some(class)) => testimonies(&view, class, before, movement, asked),
            _ => Vec::new(),
        }
    }
}

impl Pools {
    /// The classes that these testimonies together would prove.
    #[must_use]
    pub fn proven_by(&self, heard: &[Testimony]) -> Vec<(VenueId, Felt)> {
        let mut records = Records::clone(&self.records);
        let mut proven = Vec::new();
        for testimony in heard {
            let Some(view) = self.get(testimony.pool) else {
                continue;
            };
            let (kind, venue, class) = (view.venue.kind, view.pool.venue(), testimony.class);
            let verdict = |records: &Records| records.verdict(kind, venue, class);
            let before = verdict(&records);
            records.note(venue, class, testimony.maths, testimony.judgement);
            let after = verdict(&records);
            if after != before && matches!(after, Verdict::Learned(_)) {
                proven.push((venue, class));
            }
        }
        proven
    }
}

fn testimonies(
    view: &PoolView<'_>,
    class: Felt,
    before: Option<[u128; 2]>,
    movement: &Movement,
    asked: AskedSwap,
) -> Vec<Testimony> {
    let rules = view.venue.kind.rules().iter().copied();
    rules
        .filter_map(|maths| {
            let tally = view.tally(class, maths);
            if tally.is_refuted {
                return None;
            }
            let judgement = match *movement {
                Movement::Traded { sold, amounts } => view.judge_trade(before?, sold, amounts),
                Movement::Swapped {
                    delta,
                    price,
                    liquidity,
                } => view.judge_swap(maths, asked, delta, price, liquidity),
                _ => None,
            }?;
            tally.learns_from(judgement).then_some(Testimony {
                pool: view.id,
                class,
                maths,
                judgement,
            })
        })
        .collect()
}

impl PoolView<'_> {
    /// What the only deposit of a block says of the class of its vault, as far as
    /// that is news: `deposit` has the assets and shares of it, `after` those that
    /// the vault counts at the end of the block.
    ///
    /// Nothing, if the vault was empty, or unless it alone leads from what was counted
    /// before to that: a vault also earns, and whoever gives it something must not
    /// speak against it.
    #[must_use]
    pub fn hear_deposit(&self, deposit: [u128; 2], after: Deposit) -> Option<Testimony> {
        let State::Vault(before) = *self.pool.state() else {
            return None;
        };
        let [sold, bought] = deposit.map(U256::from);
        let made = Fill {
            sold,
            bought,
            ticks: 0,
        };
        let [assets, shares] = deposit;
        let adds_up = before.after(Side::Token0, &made) == Some(after);
        if assets.min(shares) < TELLING || !before.has_rate() || !adds_up {
            return None;
        }
        let judgement = match before.exact_in(Side::Token0, sold) {
            Ok(fill) if fill.bought == bought => Judgement::Agrees(Side::Token0),
            _ => Judgement::Differs,
        };
        let (class, maths) = (self.class()?, Maths::Usual);
        let is_news = self.tally(class, maths).learns_from(judgement);
        is_news.then_some(Testimony {
            pool: self.id,
            class,
            maths,
            judgement,
        })
    }

    /// Whether a trade of a pool with reserves is what its rule says.
    ///
    /// Contracts of pairs check no more than that they lose nothing: a buyer may
    /// take less than the formula gives, but not more.
    fn judge_trade(
        &self,
        before: [u128; 2],
        sold: Side,
        [paid, bought]: [u128; 2],
    ) -> Option<Judgement> {
        if paid.min(bought) < TELLING || !self.adds_up(before, sold, [paid, bought]) {
            return None;
        }
        if self.venue.kind.has_facts() && self.pool.facts().is_none() {
            return None;
        }
        let curve = self.of_reserves(before)?;
        let [paid, bought] = [paid, bought].map(U256::from);
        let sale = curve.exact_in(sold, paid).ok()?;
        if sale.bought == bought {
            return Some(Judgement::Agrees(sold));
        }
        if bought < sale.bought {
            let purchase = curve.exact_out(sold, bought).ok()?;
            return (purchase.sold == paid).then_some(Judgement::Agrees(sold));
        }
        let spare = match curve {
            AnyCurve::Solidly(_) | AnyCurve::Amplified(_) => {
                sale.bought / U256::from(LOOSENESS) + U256::ONE
            }
            AnyCurve::ConstantProduct(_)
            | AnyCurve::Ekubo(_)
            | AnyCurve::V3(_)
            | AnyCurve::Deposit(_) => U256::ZERO,
        };
        (bought - sale.bought > spare).then_some(Judgement::Differs)
    }

    /// Whether a trade alone leads from the reserves before to those that the pool
    /// told after it. A fee may have left the pool.
    fn adds_up(&self, before: [u128; 2], sold: Side, [paid, bought]: [u128; 2]) -> bool {
        let State::Reserves(after) = *self.pool.state() else {
            return false;
        };
        let (held, held_other) = sold.of(before);
        let (holds, holds_other) = sold.of(after);
        let gained = holds.checked_sub(held);
        gained.is_some_and(|gained| gained > 0 && gained <= paid)
            && held_other.checked_sub(bought) == Some(holds_other)
    }

    /// Whether a swap of a pool with ticks is what a rule says: amounts, price,
    /// tick and liquidity.
    fn judge_swap(
        &self,
        maths: Maths,
        asked: AskedSwap,
        [delta0, delta1]: [Signed; 2],
        price: Price,
        liquidity: u128,
    ) -> Option<Judgement> {
        let (sold, paid, bought) = match (delta0.is_negative(), delta1.is_negative()) {
            (false, true) => (Side::Token0, delta0.magnitude(), delta1.magnitude()),
            (true, false) => (Side::Token1, delta1.magnitude(), delta0.magnitude()),
            _ => return None,
        };
        if paid.min(bought) < TELLING {
            return None;
        }
        let State::Concentrated(ranges) = self.pool.state() else {
            return None;
        };
        let is_it = |swapped: &Swapped| {
            (swapped.sold, swapped.bought) == (paid, bought)
                && swapped.sqrt_ratio_after == price.sqrt_ratio
                && swapped.tick_after == price.tick
                && swapped.liquidity_after == liquidity
        };
        let agrees = match (self.of_ranges(ranges, maths)?, asked) {
            (AnyCurve::Ekubo(pool), asked) => {
                let replayed = self.replay(&pool, asked, sold, price.sqrt_ratio)?;
                is_it(&replayed)
            }
            (AnyCurve::V3(pool), AskedSwap::Plain) => {
                let limit = v3::V3Terms::widest_limit(sold);
                let whole = |amount| pool.swap(sold, amount, limit);
                let (sale, purchase) = (whole(Amount::In(paid)), whole(Amount::Out(bought)));
                if [sale, purchase].iter().flatten().any(is_it) {
                    return Some(Judgement::Agrees(sold));
                }
                // A limit that stopped it is where the price is.
                let stopped = pool.swap(sold, Amount::In(u128::MAX), price.sqrt_ratio);
                let stopped = stopped.ok()?;
                if (stopped.sold, stopped.bought) == (paid, bought) {
                    return None;
                }
                false
            }
            _ => return None,
        };
        Some(if agrees {
            Judgement::Agrees(sold)
        } else {
            Judgement::Differs
        })
    }

    /// What a swap of an Ekubo pool should have been; `None` where that is not for
    /// sure: an extension may change it, a limit stopped it, or it does not fit.
    fn replay(
        &self,
        pool: &ekubo::Pool,
        asked: AskedSwap,
        sold: Side,
        sqrt_ratio: U256,
    ) -> Option<Swapped> {
        let AskedSwap::Order {
            amount,
            token,
            limit,
            skip_ahead,
        } = asked
        else {
            return None;
        };
        let Spot::Keyed { extension, fee, .. } = self.spot() else {
            return None;
        };
        if extension.felt() != Felt::ZERO || fee == 0 || sqrt_ratio == limit {
            return None;
        }
        let (amount, asked) = if amount.is_negative() {
            (Amount::Out(amount.magnitude()), token.other())
        } else {
            (Amount::In(amount.magnitude()), token)
        };
        let swapped = pool.swap(asked, amount, limit, skip_ahead).ok()?;
        (asked == sold).then_some(swapped)
    }
}

impl Kind {
    /// The rules that contracts of the kind may have, the newest first.
    #[must_use]
    pub const fn rules(self) -> &'static [Maths] {
        match self {
            Self::Ekubo => &[Maths::EkuboExact, Maths::EkuboOlder],
            Self::JediSwap
            | Self::TenKSwap
            | Self::SithSwap
            | Self::StarkDefi
            | Self::Nostra
            | Self::MySwap
            | Self::JediSwapV2
            | Self::Endur => &[Maths::Usual],
        }
    }
}

#[cfg(test)]
mod tests;
