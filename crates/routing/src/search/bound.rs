//! What no route can exceed: the Lagrangian bound (weak duality; Boyd &
//! Vandenberghe, *Convex Optimization*, section 5.2) with fixed costs.
//!
//! Give every token of the graph a price. A route buys no more than what it sells
//! is worth, and what its pools keep at these prices beyond the costs of their swaps.
//! None sells more than there can be of its token, at the best prices of first units.
//! Those that keep most count, as many as swaps are allowed; and what has to be paid
//! for where pools keep less than their swaps cost, on the shortest path. Single swaps
//! are all looked at, so that a route has two or more.
//!
//! Prices are those of the best division, and for other tokens the ones at which their
//! pools keep least; what far pools keep is told by their fronts, which never say less.
//! Where cycles gain, something is kept at any prices: then all of them are moved to
//! where it is less ([`Scales::descend`]).

use super::arena::Arena;
use super::closure::Closure;
use super::division::Division;
use super::goal::Goal;
use super::prices::SOLD;
use super::scales::Scales;
use crate::VenueSet;
use crate::graph::{Lens, TokenId};
use amm::book::VenueId;
use std::collections::BTreeMap;

/// Rounds in which prices spread; if they still change in the last, they do not settle.
const ROUNDS: usize = 12;

/// What pools may keep beyond their costs, as a share of what is traded: where cycles
/// gain, prices settle only if they may keep what those gain. Descent begins at the
/// first for which they do, or at the last.
pub(super) const SLACKS: &[f64] = &[0.0, 1e-5, 1e-4, 1e-3, 1e-2];

/// For a bound that is there only where no cycle gains, and is quickly found.
pub(super) const NO_SLACK: &[f64] = &[0.0];

/// A bound in the bought token.
#[derive(Debug)]
pub(super) struct Bound {
    /// The price of the sold token.
    pub(super) price: f64,
    /// What is sold at most: about more nothing is said.
    most: f64,
    /// What a route has to pay for at least.
    toll: f64,
    /// What pools keep beyond the costs of their swaps, those first that keep most.
    surpluses: Vec<(f64, VenueId)>,
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
        let cost = (bought - self.kept(VenueSet::NONE)) / self.price;
        cost.min(self.most)
    }

    /// What the pools of a route keep beyond the costs of their swaps, at most.
    fn kept(&self, avoid: VenueSet) -> f64 {
        let surpluses = self.surpluses.iter();
        let open = surpluses.filter(|(_, venue)| !avoid.has(*venue));
        let most = open.take(self.max_swaps).map(|(kept, _)| kept);
        most.sum::<f64>() - self.toll
    }
}

/// The bound from a division's prices on for routes that sell no more than `most`; `None`
/// where prices do not settle and none of these slacks is more than nothing, or where
/// nothing is bought, since there are no prices then.
pub(super) fn bound(
    lens: &Lens<'_>,
    goal: &Goal,
    most: f64,
    (arena, division): &(Arena<'_>, Division),
    slacks: &[f64],
) -> Option<Bound> {
    if division.bought <= 0.0 {
        return None;
    }
    let ends = *arena.tokens.first_chunk()?;
    let known = known(arena, division)?;
    let price = division.prices[SOLD];
    let kept = 1.0 - goal.costs.fee_many;
    let cheapest = goal.costs.cheapest() / kept;
    let there = Closure::amounts(lens, ends, most, goal.max_swaps);
    let mut settled = None;
    for slack in slacks {
        let slack = slack * price * goal.many;
        let most = |venue| goal.costs.swap_at(venue) / kept + slack;
        let bids = Closure::paying_bids(lens, &known, ROUNDS, &there, cheapest + slack, most);
        let is_settled = bids.is_settled;
        settled = Some((bids, slack > 0.0));
        if is_settled {
            break;
        }
    }
    // Any prices will do as long as what is kept at them is counted.
    let (bids, may_keep) = settled.filter(|(bids, may_keep)| *may_keep || bids.is_settled)?;
    let bids = bids.raised(&Closure::inverse_asks(lens, &known, ROUNDS));
    // At its bid no token is worth the swap that sells it for another, so that only
    // what known tokens buy is left to be looked at.
    let gaining = gaining(lens, &known, &bids, &there, cheapest);
    let mut touched: Vec<TokenId> = known.iter().map(|(token, _)| *token).collect();
    if may_keep {
        let bids = (0..).zip(bids.all()).filter(|(_, bid)| **bid > 0.0);
        touched = bids.map(|(token, _)| token).collect();
    }
    let mut scales = Scales {
        lens,
        goal,
        ends,
        there,
        prices: bids.into_prices(),
    };
    for (token, inverse) in gaining {
        scales.settle(token, [inverse.recip(), scales.price(token)]);
        touched.push(token);
    }
    touched.sort_unstable();
    touched.dedup();
    if may_keep {
        scales.descend(&touched);
    }
    let mut bound = Bound {
        price: scales.price(ends[SOLD]),
        most,
        toll: 0.0,
        surpluses: scales.best(&touched),
        max_swaps: goal.max_swaps,
    };
    // With more to pay for than the bound exceeds the division by, no route is better.
    let excess = (bound.net(goal, VenueSet::NONE) - division.net(goal)) / kept;
    bound.toll = scales.toll(excess.min(paid_for(&scales, arena, division)?).max(0.0));
    Some(bound)
}

/// The tokens that a division passes, and their prices.
fn known(arena: &Arena<'_>, division: &Division) -> Option<Vec<(TokenId, f64)>> {
    let mut known: Vec<(TokenId, f64)> = Vec::new();
    for part in &division.parts {
        for node in arena.hops.get(part.hop)?.ends() {
            let token = *arena.tokens.get(node)?;
            if known.iter().all(|(known, _)| *known != token) {
                known.push((token, division.prices[node]));
            }
        }
    }
    Some(known)
}

/// What a division of several swaps pays for, all its swaps together.
fn paid_for(scales: &Scales<'_, '_>, arena: &Arena<'_>, division: &Division) -> Option<f64> {
    if division.parts.len() < 2 {
        return Some(f64::INFINITY);
    }
    let paid = division.parts.iter().map(|part| {
        let hop = arena.hops.get(part.hop)?;
        let [from, to] = hop.ends().map(|node| arena.tokens.get(node).copied());
        Some((-scales.worth_of(hop, [from?, to?])).max(0.0))
    });
    paid.sum()
}

/// Tokens that known ones buy for more than the cheapest swap costs, at their bids, and
/// the inverse of the least that they can be bought for.
fn gaining(
    lens: &Lens<'_>,
    known: &[(TokenId, f64)],
    bids: &Closure,
    there: &Closure,
    cheapest: f64,
) -> BTreeMap<TokenId, f64> {
    let mut gaining: BTreeMap<TokenId, f64> = BTreeMap::new();
    for (token, ask) in known {
        for link in lens.neighbours(*token) {
            let front = lens.front(link.sale);
            let bid = bids.get(link.to);
            let most = front
                .surplus(*ask, bid)
                .min(front.edge(there.get(*token), *ask, bid));
            if most > cheapest {
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
