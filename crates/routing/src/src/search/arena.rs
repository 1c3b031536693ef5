//! The part of the graph that matters to an order: some tokens, and every swap
//! between two of them. All that follows is searched here.

use super::edges::Edge;
use super::goal::Goal;
use super::prices::{BOUGHT, MAX_NODES, SOLD};
use crate::graph::{Lens, Pool, Sale, TokenId};
use crate::ladder;
use amm::Rung;
use amm::book::PoolId;
use std::sync::Arc;

/// Pools that make one sale. A route has few swaps, so that no more of them
/// could matter.
const MAX_PARALLEL: usize = 12;

/// How much lower a price is taken to be when parallel pools are ranked, so that
/// depth counts.
const FARTHER: f64 = 0.98;

/// Tokens by their places (the sold one is 0, the bought one 1), and swaps.
#[derive(Debug, Clone, Default)]
pub(super) struct Arena<'g> {
    pub(super) tokens: Vec<TokenId>,
    pub(super) hops: Vec<Hop<'g>>,
}

/// A pool in one direction, between two places of the arena, at the costs of a goal.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hop<'g> {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) pool: &'g Arc<Pool>,
    pub(super) sale: Sale,
    pub(super) rungs: &'g [Rung],
    /// What is paid for the swap itself, ticks left out.
    pub(super) cost: f64,
    /// The first unit is traded once the price of what is bought is above this
    /// many times the price of what is sold.
    pub(super) threshold: f64,
    /// Where the curve begins: the root of the threshold.
    start: f64,
    /// How much the root of a price has to be off until the pool pays for its
    /// swap.
    drag: f64,
}

/// How far a curve is followed to see how deep a pool is, as a share of `z`.
const SHALLOW: f64 = 0.01;

impl<'g> Hop<'g> {
    pub(super) fn new(
        [from, to]: [usize; 2],
        pool: &'g Arc<Pool>,
        sale: Sale,
        goal: &Goal,
    ) -> Self {
        let rungs = pool.rungs(sale.direction);
        let start = rungs.first().map_or(f64::INFINITY, |rung| rung.z);
        let cost = goal.costs.swap_at(pool.venue);
        Self {
            from,
            to,
            pool,
            sale,
            rungs,
            cost,
            threshold: start * start,
            start,
            drag: drag(rungs, cost),
        }
    }

    /// The places of what it sells and of what it buys.
    pub(super) const fn ends(&self) -> Edge {
        [self.from, self.to]
    }

    /// The root of the price of the bought token from which on the pool pays for
    /// its swap, by the root of the sold token's.
    #[inline]
    pub(super) fn ask(&self, from: f64) -> f64 {
        self.start * (from + self.drag)
    }

    /// The root of the price of the sold token until which the pool pays for its
    /// swap, by the root of the bought token's.
    #[inline]
    pub(super) fn bid(&self, to: f64) -> f64 {
        to / self.start - self.drag
    }

    /// What the pool keeps if it trades until its price is that of the tokens.
    #[inline]
    pub(super) fn surplus(&self, from: f64, to: f64) -> f64 {
        if to <= from * self.threshold {
            return 0.0;
        }
        surplus(self.rungs, from, to)
    }
}

/// How much the root of a sold token's price has to be below the first that a pool
/// pays until the pool keeps this.
pub(super) fn drag(rungs: &[Rung], cost: f64) -> f64 {
    let start = rungs.first().map_or(f64::INFINITY, |rung| rung.z);
    let sold = ladder::flow_at(rungs, start * (1.0 + SHALLOW)).sold;
    // A curve of even depth that begins at `z` and takes `a` for a unit keeps
    // `a z (√from − √to / z)²` until its price is that of the tokens.
    (cost * SHALLOW / sold).sqrt()
}

/// What a pool keeps if it trades until its price is that of the tokens.
#[inline]
pub(super) fn surplus(rungs: &[Rung], from: f64, to: f64) -> f64 {
    let flow = ladder::flow_at(rungs, (to / from).sqrt());
    to * flow.bought - from * flow.sold
}

impl<'g> Arena<'g> {
    /// The swaps between these tokens, of which the first is sold and the second
    /// bought; `prices` say which of many parallel pools are the better ones, and
    /// `wanted` which of them are there in any case.
    pub(super) fn new(
        lens: &Lens<'g>,
        goal: &Goal,
        mut tokens: Vec<TokenId>,
        prices: &[f64],
        wanted: &[PoolId],
    ) -> Self {
        tokens.truncate(MAX_NODES);
        let mut hops = Vec::new();
        for (from, sold) in tokens.iter().enumerate().filter(|(at, _)| *at != BOUGHT) {
            for (to, bought) in tokens.iter().enumerate().filter(|(at, _)| *at != SOLD) {
                let sale = lens.topology().sale(*sold, *bought);
                let Some(sale) = sale.filter(|_| from != to) else {
                    continue;
                };
                let begin = hops.len();
                let pools = lens.pools(sale);
                let some = pools.map(|pool| Hop::new([from, to], pool, sale, goal));
                hops.extend(some.filter(|hop| hop.threshold.is_finite()));
                if hops.len() - begin > MAX_PARALLEL {
                    let price = |at: usize| prices.get(at).copied().unwrap_or(1.0);
                    let [from, to] = [price(from) * FARTHER, price(to)];
                    let rank = |hop: &Hop<'_>| {
                        let is_wanted = wanted.contains(&hop.pool.id);
                        (is_wanted, hop.surplus(from, to) - hop.cost)
                    };
                    let some = hops.get_mut(begin..).unwrap_or_default();
                    some.sort_by(|a, b| {
                        let [(a, gain), (b, other)] = [rank(a), rank(b)];
                        b.cmp(&a).then(other.total_cmp(&gain))
                    });
                    hops.truncate(begin + MAX_PARALLEL);
                }
            }
        }
        Self { tokens, hops }
    }

    /// The same, where swaps cost a part of what they do.
    pub(super) fn at_part_of_cost(&self, part: f64) -> Self {
        let hops = self.hops.iter().map(|hop| Hop {
            cost: hop.cost * part,
            drag: hop.drag * part.sqrt(),
            ..*hop
        });
        Self {
            tokens: self.tokens.clone(),
            hops: hops.collect(),
        }
    }

    /// The place among the hops of a pool's swap; `None` if it is not one of them.
    pub(super) fn find(&self, pool: &Pool, sale: Sale) -> Option<usize> {
        let mut hops = self.hops.iter();
        hops.position(|hop| hop.pool.id == pool.id && hop.sale == sale)
    }
}
