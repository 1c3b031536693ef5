//! What no route can exceed: the Lagrangian bound (weak duality; Boyd &
//! Vandenberghe, *Convex Optimization*, section 5.2) with fixed costs.
//!
//! Give every token of the graph a price. A route buys no more than what it sells
//! is worth, and what its pools keep at these prices. It has at least two swaps
//! (single ones are all looked at) and at most so many as are allowed: so the
//! best two pools count, whatever they keep beyond the costs of their swaps, and
//! of the others those that keep something, as many as are allowed. Prices are
//! those of the best division, and for other tokens the ones at which their pools
//! keep least; what far pools keep is told by their fronts, which never say less.

use super::arena::{Arena, surplus};
use super::closure::Closure;
use super::division::Division;
use super::goal::Goal;
use super::prices::SOLD;
use crate::VenueSet;
use crate::graph::{Lens, Sale, TokenId};
use amm::book::VenueId;
use std::collections::BTreeMap;

/// Rounds in which prices spread; if they still change in the last, they do not settle.
const ROUNDS: usize = 12;

/// What pools may keep beyond their costs, as a share of what is traded: where cycles
/// gain, prices settle only if they may keep what those gain. The first counts for
/// which they do.
const SLACKS: [f64; 6] = [0.0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2];

/// A bound in the bought token.
#[derive(Debug)]
pub(super) struct Bound {
    /// The price of the sold token.
    pub(super) price: f64,
    /// What pools keep beyond the costs of their swaps, those first that keep most.
    /// Any two of a route may trade nothing; they belong to no venue.
    surpluses: Vec<(f64, Option<VenueId>)>,
    max_swaps: usize,
}

impl Bound {
    /// What is left of it for a goal, without the pools of some venues.
    pub(super) fn net(&self, goal: &Goal, avoid: VenueSet) -> f64 {
        let kept = 1.0 - goal.costs.fee_many;
        kept * (self.price * goal.many + self.kept(avoid))
    }

    /// What a purchase costs at least.
    pub(super) fn cost(&self, bought: f64) -> f64 {
        (bought - self.kept(VenueSet::NONE)) / self.price
    }

    /// What the pools of a route keep beyond the costs of their swaps, at most.
    fn kept(&self, avoid: VenueSet) -> f64 {
        let is_open = |venue: Option<VenueId>| venue.is_none_or(|venue| !avoid.has(venue));
        let open = self.surpluses.iter().filter(|(_, venue)| is_open(*venue));
        let most = open.take(self.max_swaps).enumerate();
        most.map(|(at, (kept, _))| if at < 2 { *kept } else { kept.max(0.0) })
            .sum()
    }
}

/// The bound at a division's prices; `None` where prices do not settle.
pub(super) fn bound(
    lens: &Lens<'_>,
    goal: &Goal,
    arena: &Arena<'_>,
    division: &Division,
) -> Option<Bound> {
    let [sold, bought] = arena.tokens.get(..2)? else {
        return None;
    };
    let ends = [*sold, *bought];
    let mut known: Vec<(TokenId, f64)> = Vec::new();
    let nodes = division
        .parts
        .iter()
        .filter_map(|part| arena.hops.get(part.hop));
    for node in nodes.flat_map(|hop| [hop.from, hop.to]) {
        let token = *arena.tokens.get(node)?;
        if known.iter().all(|(known, _)| *known != token) {
            known.push((token, division.prices[node]));
        }
    }
    let price = division.prices[SOLD];
    let kept = 1.0 - goal.costs.fee_many;
    let cheapest = goal.costs.cheapest() / kept;
    let settled = SLACKS.iter().find_map(|slack| {
        let slack = slack * price * goal.many;
        let most = |venue| goal.costs.swap_at(venue) / kept + slack;
        let bids = Closure::paying_bids(lens, &known, ROUNDS, cheapest + slack, most);
        bids.is_settled.then_some((bids, slack > 0.0))
    });
    let (bids, may_keep) = settled?;
    // At its bid no token is worth the swap that sells it for another, so that only
    // what known tokens buy is left to be looked at.
    let gaining = gaining(lens, &known, &bids, cheapest);
    let mut touched: Vec<TokenId> = known.iter().map(|(token, _)| *token).collect();
    if may_keep {
        touched = (0..)
            .zip(bids.all())
            .filter(|(_, bid)| **bid > 0.0)
            .map(|(token, _)| token)
            .collect();
    }
    let mut scales = Scales {
        lens,
        goal,
        ends,
        prices: bids.into_prices(),
    };
    for (token, inverse) in gaining {
        scales.settle(token, [inverse.recip(), scales.price(token)]);
        touched.push(token);
    }
    touched.sort_unstable();
    touched.dedup();
    Some(Bound {
        price,
        surpluses: scales.all_surpluses(&touched),
        max_swaps: goal.max_swaps,
    })
}

/// Tokens that known ones buy for more than the cheapest swap costs, at their bids, and
/// the inverse of the least that they can be bought for.
fn gaining(
    lens: &Lens<'_>,
    known: &[(TokenId, f64)],
    bids: &Closure,
    cheapest: f64,
) -> BTreeMap<TokenId, f64> {
    let mut gaining: BTreeMap<TokenId, f64> = BTreeMap::new();
    for (token, ask) in known {
        for link in lens.neighbours(*token) {
            let front = lens.front(link.sale);
            if front.surplus(*ask, bids.get(link.to)) > cheapest {
                let inverse = gaining.entry(link.to).or_default();
                *inverse = inverse.max(front.rate / ask);
            }
        }
    }
    for (token, _) in known {
        gaining.remove(token);
    }
    gaining
}

struct Scales<'a, 'g> {
    lens: &'a Lens<'g>,
    goal: &'a Goal,
    ends: [TokenId; 2],
    prices: Vec<f64>,
}

impl Scales<'_, '_> {
    fn price(&self, token: TokenId) -> f64 {
        self.prices.get(token as usize).copied().unwrap_or_default()
    }

    /// Gives a token the price, of a few, at which its pools keep least.
    fn settle(&mut self, token: TokenId, [ask, bid]: [f64; 2]) {
        let (mut best, mut least) = (bid, f64::INFINITY);
        for price in [(ask * bid).sqrt(), bid, ask] {
            let kept = self.kept_at(token, price);
            if kept < least {
                (best, least) = (price, kept);
            }
            if kept <= 0.0 {
                break;
            }
        }
        if let Some(slot) = self.prices.get_mut(token as usize) {
            *slot = best;
        }
    }

    /// Whether a route may sell the one token for the other: none sells what it
    /// buys, or buys what it sells.
    const fn is_passed(&self, [from, to]: [TokenId; 2]) -> bool {
        let [sold, bought] = self.ends;
        from != bought && to != sold
    }

    /// What the pools of a token keep at a price of it.
    fn kept_at(&self, token: TokenId, price: f64) -> f64 {
        let mut kept = 0.0;
        for link in self.lens.neighbours(token) {
            let other = self.price(link.to);
            if self.is_passed([token, link.to]) {
                self.surpluses(link.sale, [price, other], 0.0, |surplus, _| {
                    kept += surplus.max(0.0);
                });
            }
            if self.is_passed([link.to, token]) {
                self.surpluses(link.sale.back(), [other, price], 0.0, |surplus, _| {
                    kept += surplus.max(0.0);
                });
            }
        }
        kept
    }

    /// What the pools of a sale keep at prices of its tokens, costs taken off, if
    /// they trade at all and one may keep more than this.
    fn surpluses(
        &self,
        sale: Sale,
        [from, to]: [f64; 2],
        least: f64,
        mut each: impl FnMut(f64, VenueId),
    ) {
        // Fees take a part of what is bought, and none of what gas costs.
        let kept = 1.0 - self.goal.costs.fee_many;
        let most = self.lens.front(sale).surplus(from, to) - self.goal.costs.cheapest() / kept;
        if most <= least {
            return;
        }
        for pool in self.lens.pools(sale) {
            let surplus = surplus(pool.rungs(sale.direction), from, to);
            if surplus > 0.0 {
                let cost = self.goal.costs.swap_at(pool.venue) / kept;
                each(surplus - cost, pool.venue);
            }
        }
    }

    /// What the pools of some tokens keep, those first that keep most.
    fn all_surpluses(&self, tokens: &[TokenId]) -> Vec<(f64, Option<VenueId>)> {
        let idle = -self.goal.costs.cheapest() / (1.0 - self.goal.costs.fee_many);
        let mut found = vec![(idle, None); 2];
        for token in tokens {
            for link in self.lens.neighbours(*token) {
                let prices = [self.price(*token), self.price(link.to)];
                if self.is_passed([*token, link.to]) {
                    self.surpluses(link.sale, prices, idle, |surplus, venue| {
                        found.push((surplus, Some(venue)));
                    });
                }
                let is_other = tokens.binary_search(&link.to).is_err();
                if is_other && self.is_passed([link.to, *token]) {
                    let [here, there] = prices;
                    self.surpluses(link.sale.back(), [there, here], idle, |surplus, venue| {
                        found.push((surplus, Some(venue)));
                    });
                }
            }
        }
        found.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        found
    }
}
