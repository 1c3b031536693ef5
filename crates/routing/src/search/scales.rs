//! What the pools of the whole graph are worth to an order at given prices of all
//! tokens: what each keeps at them, less what its swap costs. And prices at which they
//! are worth less, by coordinate descent (Wright, *Coordinate Descent Algorithms*): as
//! a function of one price, what all pools of a token are worth is convex.

use super::arena::Hop;
use super::closure::Closure;
use super::goal::Goal;
use crate::graph::{Lens, Link, TokenId};
use crate::ladder::{self, Flow};
use amm::Rung;
use amm::book::VenueId;

/// Rounds of descent over all tokens.
const SWEEPS: usize = 4;

/// How far a price is moved in one round, as a share, and halvings until it is found.
const FARTHEST: f64 = 0.05;
const HALVINGS: usize = 16;

/// A pool at the prices of its tokens.
pub(super) struct Weighed {
    /// What it keeps beyond what its swap costs.
    pub(super) worth: f64,
    pub(super) venue: VenueId,
    flow: Flow,
}

pub(super) struct Scales<'a, 'g> {
    pub(super) lens: &'a Lens<'g>,
    pub(super) goal: &'a Goal,
    pub(super) ends: [TokenId; 2],
    /// The most of each token that there can be on any path: no pool sells more.
    pub(super) there: Closure,
    /// In the bought token.
    pub(super) prices: Vec<f64>,
}

impl Scales<'_, '_> {
    pub(super) fn price(&self, token: TokenId) -> f64 {
        self.prices.get(token as usize).copied().unwrap_or_default()
    }

    /// What a swap costs that weighs as much as what is bought: fees take a part of
    /// that, and none of gas.
    fn cost(&self, cost: f64) -> f64 {
        cost / (1.0 - self.goal.costs.fee_many)
    }

    /// What a hop between two tokens is worth.
    pub(super) fn worth_of(&self, hop: &Hop<'_>, [from, to]: [TokenId; 2]) -> f64 {
        let prices = [self.price(from), self.price(to)];
        let (kept, _) = kept(hop.rungs, self.there.get(from), prices);
        kept - self.cost(hop.cost)
    }

    /// What the pools are worth that sell a token along a link, if one may be worth
    /// more than this.
    pub(super) fn worths(
        &self,
        token: TokenId,
        link: &Link,
        least: f64,
        mut each: impl FnMut(Weighed),
    ) {
        let [sold, bought] = self.ends;
        // No route sells what it buys, or buys what it sells.
        if token == bought || link.to == sold {
            return;
        }
        let there = self.there.get(token);
        let prices @ [from, to] = [self.price(token), self.price(link.to)];
        let front = self.lens.front(link.sale);
        let most = front.surplus(from, to).min(front.edge(there, from, to));
        if front.rate <= 0.0 || most - self.cost(self.goal.costs.cheapest()) <= least {
            return;
        }
        for pool in self.lens.pools(link.sale) {
            let rungs = pool.rungs(link.sale.direction);
            if !rungs.is_empty() {
                let cost = self.cost(self.goal.costs.swap_at(pool.venue));
                let (kept, flow) = kept(rungs, there, prices);
                each(Weighed {
                    worth: kept - cost,
                    venue: pool.venue,
                    flow,
                });
            }
        }
    }

    /// Gives a token the price, of a few, at which its pools are worth least.
    pub(super) fn settle(&mut self, token: TokenId, [ask, bid]: [f64; 2]) {
        let (mut best, mut least) = (bid, f64::INFINITY);
        for price in [(ask * bid).sqrt(), bid, ask] {
            self.set(token, price);
            let worth = self.worth_through(token);
            if worth < least {
                (best, least) = (price, worth);
            }
            if worth <= 0.0 {
                break;
            }
        }
        self.set(token, best);
    }

    /// Moves the prices of some tokens, one after the other, to where their pools are
    /// worth least in all.
    pub(super) fn descend(&mut self, tokens: &[TokenId]) {
        let [_, bought] = self.ends;
        for _ in 0..SWEEPS {
            for token in tokens.iter().filter(|token| **token != bought) {
                self.settle_between(*token);
            }
        }
    }

    /// Gives a token the price at which its pools are worth least in all, or the one
    /// nearest to that within reach: the slope says on which side it is (bisection).
    fn settle_between(&mut self, token: TokenId) {
        let before = self.price(token);
        if before <= 0.0 || self.slope(token) == 0.0 {
            return;
        }
        let (mut low, mut high) = (before / (1.0 + FARTHEST), before * (1.0 + FARTHEST));
        for _ in 0..HALVINGS {
            let price = (low * high).sqrt();
            self.set(token, price);
            if self.slope(token) > 0.0 {
                high = price;
            } else {
                low = price;
            }
        }
    }

    /// How fast what all pools of a token are worth, and what is sold of it, rises with
    /// its price.
    fn slope(&self, token: TokenId) -> f64 {
        let [sold, _] = self.ends;
        let mut slope = if token == sold {
            self.there.get(sold)
        } else {
            0.0
        };
        for link in self.lens.neighbours(token) {
            self.worths(token, link, 0.0, |pool| {
                if pool.worth > 0.0 {
                    slope -= pool.flow.sold;
                }
            });
            self.worths(link.to, &link.back(token), 0.0, |pool| {
                if pool.worth > 0.0 {
                    slope += pool.flow.bought;
                }
            });
        }
        slope
    }

    fn set(&mut self, token: TokenId, price: f64) {
        if let Some(slot) = self.prices.get_mut(token as usize) {
            *slot = price;
        }
    }

    /// What all pools of a token are worth that are worth anything.
    fn worth_through(&self, token: TokenId) -> f64 {
        let mut all = 0.0;
        let mut add = |pool: Weighed| all += pool.worth.max(0.0);
        for link in self.lens.neighbours(token) {
            self.worths(token, link, 0.0, &mut add);
            self.worths(link.to, &link.back(token), 0.0, &mut add);
        }
        all
    }

    /// The pools of some tokens, in order, that are worth anything, the best first.
    pub(super) fn best(&self, tokens: &[TokenId]) -> Vec<(f64, VenueId)> {
        let mut found = Vec::new();
        let mut add = |pool: Weighed| {
            if pool.worth > 0.0 {
                found.push((pool.worth, pool.venue));
            }
        };
        for token in tokens {
            for link in self.lens.neighbours(*token) {
                self.worths(*token, link, 0.0, &mut add);
                if tokens.binary_search(&link.to).is_err() {
                    self.worths(link.to, &link.back(*token), 0.0, &mut add);
                }
            }
        }
        found.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        found
    }

    /// What a route of two swaps or more has to pay for at least, or this much: swaps
    /// that cost more than their pools keep. It passes two pools between its ends, or
    /// those of a path over other tokens, of which the shortest is found by Bellman–Ford.
    pub(super) fn toll(&self, limit: f64) -> f64 {
        let ends @ [sold, bought] = self.ends;
        let mut direct = Vec::new();
        if let Some(sale) = self.lens.topology().sale(sold, bought) {
            let link = Link { to: bought, sale };
            self.worths(sold, &link, f64::NEG_INFINITY, |pool| {
                direct.push((-pool.worth).max(0.0));
            });
        }
        direct.sort_by(f64::total_cmp);
        let limit = match direct[..] {
            [first, second, ..] => limit.min(first + second),
            _ => limit,
        };
        let rounds = self.goal.max_swaps;
        let left = |token, left: f64, link: &Link, best: f64| {
            let mut most = best;
            if [token, link.to] != ends {
                // Whatever is worth less ends with less than the best.
                self.worths(token, link, best - left, |pool| {
                    most = most.max(left + pool.worth.min(0.0));
                });
            }
            most
        };
        let left = Closure::spread(self.lens, &[(sold, limit)], rounds, left);
        limit - left.get(bought)
    }
}

/// What a pool keeps at most that sells until its price is that of the tokens, or all
/// there is, and what it trades then.
fn kept(rungs: &[Rung], there: f64, prices @ [from, to]: [f64; 2]) -> (f64, Flow) {
    let most = there.min(ladder::most_sold(rungs));
    let free = ladder::flow_at(rungs, (to / from).sqrt());
    let flow = Some(free).filter(|flow| flow.sold <= most);
    let flow = flow.or_else(|| ladder::flow_for(rungs, most));
    let flow = flow.unwrap_or_default();
    let spared = ladder::spared_worth(rungs, &flow, prices);
    (to * flow.bought - from * flow.sold + spared, flow)
}
