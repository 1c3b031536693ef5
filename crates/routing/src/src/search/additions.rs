//! Which swaps would help a division, by their reduced gains at its prices: the
//! pricing step of column generation (Dantzig & Wolfe; Lübbecke & Desrosiers,
//! *Selected Topics in Column Generation*).
//!
//! At the prices of a division its own pools trade as much as pays. A pool that
//! does not take part would keep something if it traded until its price is
//! theirs; what that is beyond the cost of its swap, it may bring. Through tokens
//! that the division does not pass, a chain of swaps may: the cheapest way to buy
//! such a token from known ones and the best way to sell it to them are found by
//! Bellman–Ford, on prices at which a pool pays for its swap.

#![expect(
    clippy::indexing_slicing,
    reason = "places of tokens are below MAX_NODES, and hops are the arena's"
)]

use super::arena::{Arena, Hop};
use super::division::Division;
use super::prices::{BOUGHT, MAX_NODES, Prices, SOLD};
use crate::ladder;

/// Rounds of Bellman–Ford: tokens on either side of a chain's middle.
const ROUNDS: usize = 3;

/// Amounts that a chain is tried with, each half of the one before.
const HALVINGS: usize = 12;

/// A swap, or a chain of them through tokens that are not passed yet.
#[derive(Debug, Clone)]
pub(super) struct Addition {
    pub(super) hops: Vec<usize>,
    /// What they would bring about, their costs taken off.
    pub(super) gain: f64,
    /// Prices of the tokens that are not passed yet, to begin with.
    pub(super) prices: Vec<(usize, f64)>,
}

/// Swaps that would help a division, the most helpful first. Hops for which
/// `is_open` is false are left out; `value` is what the order is worth.
pub(super) fn additions(
    arena: &Arena<'_>,
    division: &Division,
    value: f64,
    is_open: impl Fn(usize) -> bool,
) -> Vec<Addition> {
    let mut known = [false; MAX_NODES];
    (known[SOLD], known[BOUGHT]) = (true, true);
    let used: Vec<_> = division
        .parts
        .iter()
        .map(|part| &arena.hops[part.hop])
        .collect();
    for hop in &used {
        (known[hop.from], known[hop.to]) = (true, true);
    }
    let is_used = |hop: &Hop<'_>| used.iter().any(|used| used.pool.id == hop.pool.id);
    let prices = &division.prices;
    let mut found = Vec::new();
    let mut outside = Vec::new();
    for (at, hop) in arena.hops.iter().enumerate() {
        if !known[hop.from] || !known[hop.to] {
            outside.push(at);
            continue;
        }
        let [from, to] = [hop.from, hop.to].map(|node| prices[node]);
        if to <= from * hop.threshold {
            continue;
        }
        let gain = hop.surplus(from, to) - hop.cost;
        if gain > 0.0 && !is_used(hop) && is_open(at) {
            found.push(Addition {
                hops: vec![at],
                gain,
                prices: Vec::new(),
            });
        }
    }
    outside.retain(|at| is_open(*at));
    let offers = Offers::new(arena, prices, &known, &outside);
    for node in (0..arena.tokens.len()).filter(|node| !known[*node]) {
        let chain = offers.chain(arena, &known, node);
        let is_new = |hops: &Vec<usize>| found.iter().all(|other: &Addition| other.hops != *hops);
        if let Some(hops) = chain.filter(is_new) {
            let gain = chain_gain(arena, prices, &hops, value);
            if gain > 0.0 {
                let prices = offers.priced(arena, &known, &hops);
                found.push(Addition { hops, gain, prices });
            }
        }
    }
    found.sort_by(|a, b| b.gain.total_cmp(&a.gain));
    found
}

/// What tokens that are not passed can be bought from known ones for, and sold to
/// them, as roots of prices, and the hop by which.
struct Offers {
    asks: [f64; MAX_NODES],
    bids: [f64; MAX_NODES],
    bought_by: [usize; MAX_NODES],
    sold_by: [usize; MAX_NODES],
}

impl Offers {
    fn new(arena: &Arena<'_>, prices: &Prices, known: &[bool; MAX_NODES], hops: &[usize]) -> Self {
        let mut offers = Self {
            asks: [f64::INFINITY; MAX_NODES],
            bids: [0.0; MAX_NODES],
            bought_by: [usize::MAX; MAX_NODES],
            sold_by: [usize::MAX; MAX_NODES],
        };
        for node in (0..arena.tokens.len()).filter(|node| known[*node]) {
            let root = prices[node].sqrt();
            (offers.asks[node], offers.bids[node]) = (root, root);
        }
        for _ in 0..ROUNDS {
            let mut is_changed = false;
            for at in hops {
                let hop = &arena.hops[*at];
                let ask = hop.ask(offers.asks[hop.from]);
                if ask < offers.asks[hop.to] && !known[hop.to] {
                    (offers.asks[hop.to], offers.bought_by[hop.to]) = (ask, *at);
                    is_changed = true;
                }
                let bid = hop.bid(offers.bids[hop.to]);
                if bid > offers.bids[hop.from] && !known[hop.from] {
                    (offers.bids[hop.from], offers.sold_by[hop.from]) = (bid, *at);
                    is_changed = true;
                }
            }
            if !is_changed {
                break;
            }
        }
        offers
    }

    /// The hops from a known token through this one to a known token, if that
    /// brings anything and passes no token twice.
    fn chain(
        &self,
        arena: &Arena<'_>,
        known: &[bool; MAX_NODES],
        through: usize,
    ) -> Option<Vec<usize>> {
        if self.asks[through] >= self.bids[through] {
            return None;
        }
        let mut passed = [false; MAX_NODES];
        passed[through] = true;
        let mut hops = Vec::with_capacity(4);
        let mut node = through;
        while !known[node] {
            let hop = *self.bought_by.get(node)?;
            hops.push(hop);
            node = arena.hops.get(hop)?.from;
            if std::mem::replace(&mut passed[node], true) {
                return None;
            }
        }
        hops.reverse();
        node = through;
        while !known[node] {
            let hop = *self.sold_by.get(node)?;
            hops.push(hop);
            node = arena.hops.get(hop)?.to;
            if std::mem::replace(&mut passed[node], true) {
                return None;
            }
        }
        Some(hops)
    }

    /// Prices of a chain's tokens: between ask and bid.
    fn priced(
        &self,
        arena: &Arena<'_>,
        known: &[bool; MAX_NODES],
        hops: &[usize],
    ) -> Vec<(usize, f64)> {
        let nodes = hops.iter().map(|hop| arena.hops[*hop].to);
        let price = |node: usize| {
            let [ask, bid] = [self.asks[node], self.bids[node]];
            if bid > 0.0 && ask.is_finite() {
                ask * bid
            } else {
                ask.min(bid).powi(2)
            }
        };
        let new = nodes.filter(|node| !known[*node]);
        new.map(|node| (node, price(node))).collect()
    }
}

/// The most that a chain brings at some prices of its ends, trying ever smaller
/// parts of the order.
fn chain_gain(arena: &Arena<'_>, prices: &Prices, hops: &[usize], value: f64) -> f64 {
    let hops: Vec<&Hop<'_>> = hops.iter().map(|at| &arena.hops[*at]).collect();
    let (Some(first), Some(last)) = (hops.first(), hops.last()) else {
        return 0.0;
    };
    let cost: f64 = hops.iter().map(|hop| hop.cost).sum();
    let [start, end] = [prices[first.from], prices[last.to]];
    let mut best = f64::NEG_INFINITY;
    let mut worth = value;
    for _ in 0..HALVINGS {
        let bought = hops.iter().try_fold(worth / start, |sold, hop| {
            Some(ladder::flow_for(hop.rungs, sold)?.bought)
        });
        let gain = bought.map_or(f64::NEG_INFINITY, |bought| bought * end - worth - cost);
        if gain < best {
            break;
        }
        best = gain;
        worth /= 2.0;
    }
    best
}
