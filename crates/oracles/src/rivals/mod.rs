//! Other ways to look for routes, written as simply as possible, to compare
//! with: the best single path, a trade in equal chunks that each take the best
//! path left, and the dual problem as textbooks solve it.
//!
//! Each only says how much it would sell to which pool; [`Streets::settled`]
//! makes swaps of that, which the exact maths executes like any other route.

mod chunks;
mod dual;
mod settle;

use crate::generated::GeneratedMarket;
use amm::book::PoolId;
use amm::{Curve as _, Ladder, Side};
use primitives::Address;
use std::collections::BTreeMap;

/// All pools of a market, each in both directions.
#[derive(Debug)]
pub struct Streets {
    all: Vec<Street>,
    /// The streets that lead away from each token, by its place.
    from: Vec<Vec<usize>>,
    addresses: Vec<Address>,
    worths: Vec<f64>,
}

/// A pool in one direction.
#[derive(Debug)]
struct Street {
    pool: PoolId,
    side: Side,
    from: usize,
    to: usize,
    ladder: Ladder,
}

/// A trade: from the place of one token to that of another, and how much of
/// the first.
#[derive(Debug, Clone, Copy)]
pub struct Trade {
    from: usize,
    to: usize,
    amount: f64,
}

/// How much is sold in which street.
pub type Flows = BTreeMap<usize, f64>;

impl Streets {
    /// Those of a market.
    #[must_use]
    pub fn new(market: &GeneratedMarket) -> Self {
        Self::through(market, |_| true)
    }

    /// Those of some of a market's pools.
    #[must_use]
    pub fn through(market: &GeneratedMarket, counts: impl Fn(PoolId) -> bool) -> Self {
        let mut streets = Vec::new();
        for pool in market.pools().iter().filter(|pool| counts(pool.id)) {
            let [Some(first), Some(second)] = pool.tokens().map(|token| market.place(token)) else {
                continue;
            };
            let Ok(curve) = pool.curve() else { continue };
            for (side, from, to) in [(Side::Token0, first, second), (Side::Token1, second, first)] {
                streets.push(Street {
                    pool: pool.id,
                    side,
                    from,
                    to,
                    ladder: curve.ladder(side),
                });
            }
        }
        let mut from = vec![Vec::new(); market.tokens().len()];
        for (place, street) in streets.iter().enumerate() {
            if let Some(list) = from.get_mut(street.from) {
                list.push(place);
            }
        }
        let tokens = market.tokens().iter();
        Self {
            all: streets,
            from,
            addresses: tokens.clone().map(|token| token.address).collect(),
            worths: tokens.map(|token| token.worth).collect(),
        }
    }

    /// A trade between two tokens; `None` if one of them is nowhere traded.
    #[must_use]
    pub fn trade(&self, from: Address, to: Address, amount: f64) -> Option<Trade> {
        let place = |token| self.addresses.iter().position(|address| *address == token);
        Some(Trade {
            from: place(from)?,
            to: place(to)?,
            amount,
        })
    }

    /// What is worth as much as a trade, of the token that a street sells.
    #[must_use]
    #[expect(clippy::indexing_slicing, reason = "streets and tokens of this list")]
    pub fn same(&self, street: usize, trade: &Trade) -> f64 {
        let sold = self.all[street].from;
        trade.amount * self.worths[trade.from] / self.worths[sold]
    }

    /// Every way of a trade that passes no token twice, as its streets.
    #[must_use]
    pub fn ways(&self, trade: &Trade) -> Vec<Vec<usize>> {
        let mut ways = Vec::new();
        let mut open = vec![(trade.from, Vec::new(), vec![trade.from])];
        while let Some((token, way, passed)) = open.pop() {
            for (place, street) in self.away(token) {
                if passed.contains(&street.to) || street.ladder.price() <= 0.0 {
                    continue;
                }
                let mut longer: Vec<usize> = way.clone();
                longer.push(place);
                if street.to == trade.to {
                    ways.push(longer);
                } else {
                    let mut passed = passed.clone();
                    passed.push(street.to);
                    open.push((street.to, longer, passed));
                }
            }
        }
        ways
    }

    fn away(&self, token: usize) -> impl Iterator<Item = (usize, &Street)> {
        let places = self.from.get(token).into_iter().flatten();
        places.filter_map(|place| Some((*place, self.all.get(*place)?)))
    }
}
