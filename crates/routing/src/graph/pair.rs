//! Two tokens and the pools between them.
//!
//! Pairs and curves are immutable and shared by the graphs of many blocks: a
//! block makes anew the curves of the pools that it changed, and the pairs of
//! those.

use super::topology::PairDirection;
use crate::{VenueSet, ladder};
use amm::book::{PoolId, PoolView, VenueId};
use amm::{Curve as _, Pieces, Rung, Side};
use std::sync::Arc;

/// The pools of a pair that can be traded with, in the order of their numbers.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Pair {
    pools: Box<[Arc<Pool>]>,
}

/// What the pools of a sale offer at most, as one curve of even depth: it takes
/// nowhere less than any of them.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Front {
    /// The best price of a first unit; 0 where nothing can be sold.
    pub(crate) rate: f64,
    /// How much is taken until the inverse root of the price has doubled.
    pub(crate) depth: f64,
}

impl Front {
    fn new(rungs: &[Rung]) -> Self {
        Self {
            rate: ladder::first_price(rungs),
            depth: ladder::depth(rungs),
        }
    }

    /// What a pool keeps at most that trades until its price is that of the tokens.
    #[inline]
    pub(crate) fn surplus(self, from: f64, to: f64) -> f64 {
        let root = ((self.rate * to).sqrt() - from.sqrt()).max(0.0);
        self.depth * root * root
    }

    /// What a pool keeps at most that sells this, however deep it is.
    #[inline]
    pub(crate) fn edge(self, sold: f64, from: f64, to: f64) -> f64 {
        sold * (self.rate * to - from).max(0.0)
    }

    /// A price of the sold token, of which so much is there, at which no pool keeps
    /// more than this.
    #[inline]
    pub(crate) fn paying_bid(self, there: f64, to: f64, most: f64) -> f64 {
        let root = ((self.rate * to).sqrt() - (most / self.depth).sqrt()).max(0.0);
        let all = (self.rate * to - most / there).max(0.0);
        (root * root).min(all)
    }
}

/// A pool as routes are searched on it.
#[derive(Debug, PartialEq)]
pub(crate) struct Pool {
    pub(crate) id: PoolId,
    pub(crate) venue: VenueId,
    /// Whether rungs are ticks, which cost gas when they are passed.
    pub(crate) has_ticks: bool,
    /// Whether its first token is the pair's second.
    flipped: bool,
    /// The curves of selling the pair's first token, and its second.
    rungs: [Box<[Rung]>; 2],
    /// What each of these curves offers at most, as one of even depth.
    fronts: [Front; 2],
}

impl Pool {
    /// The pool, unless nothing can be traded with it.
    fn new(view: &PoolView<'_>, flipped: bool, pieces: &mut Pieces) -> Option<Arc<Self>> {
        if !view.venue.is_routed() {
            return None;
        }
        let curve = view.curve().ok()?;
        let mut rungs = |side| {
            pieces.clear();
            curve.pieces(side, pieces);
            ladder::rungs(pieces)
        };
        let [first, second] = Side::BOTH.map(&mut rungs);
        let rungs = if flipped {
            [second, first]
        } else {
            [first, second]
        };
        let is_empty = rungs.iter().all(|rungs| rungs.is_empty());
        (!is_empty).then(|| {
            Arc::new(Self {
                id: view.id,
                venue: view.pool.venue(),
                has_ticks: view.venue.kind.is_concentrated(),
                flipped,
                fronts: rungs.each_ref().map(|rungs| Front::new(rungs)),
                rungs,
            })
        })
    }

    /// Which of the pool's own tokens is sold.
    pub(crate) const fn side(&self, direction: PairDirection) -> Side {
        if self.flipped == (direction as usize == 0) {
            Side::Token1
        } else {
            Side::Token0
        }
    }

    /// Its curve in a direction of the pair.
    #[inline]
    pub(crate) const fn rungs(&self, direction: PairDirection) -> &[Rung] {
        let [first, second] = &self.rungs;
        match direction {
            PairDirection::Forth => first,
            PairDirection::Back => second,
        }
    }

    /// What it offers at most in a direction of the pair.
    pub(crate) const fn front(&self, direction: PairDirection) -> Front {
        let [first, second] = self.fronts;
        match direction {
            PairDirection::Forth => first,
            PairDirection::Back => second,
        }
    }
}

impl Pair {
    /// The pair after some of its pools, in the order of their numbers, changed
    /// or came; `look` gives such a pool, and whether its tokens stand in the
    /// other order than the pair's.
    pub(super) fn with<'a>(
        &self,
        changed: &[PoolId],
        look: impl Fn(PoolId) -> Option<(PoolView<'a>, bool)>,
        pieces: &mut Pieces,
    ) -> Self {
        let is_changed = |pool: &&Arc<Pool>| changed.binary_search(&pool.id).is_ok();
        let kept = self.pools.iter().filter(|pool| !is_changed(pool)).cloned();
        let mut pools: Vec<Arc<Pool>> = kept.collect();
        for id in changed {
            let new = look(*id).and_then(|(view, flipped)| Pool::new(&view, flipped, pieces));
            pools.extend(new);
        }
        pools.sort_unstable_by_key(|pool| pool.id);
        Self {
            pools: pools.into_boxed_slice(),
        }
    }

    /// Its pools, those of some venues left out.
    pub(crate) fn pools(&self, avoid: VenueSet) -> impl Iterator<Item = &Arc<Pool>> {
        self.pools.iter().filter(move |pool| !avoid.has(pool.venue))
    }

    /// What its pools offer in a direction, those of some venues left out.
    pub(crate) fn front(&self, direction: PairDirection, avoid: VenueSet) -> Front {
        self.pools(avoid).fold(Front::default(), |most, pool| {
            let Front { rate, depth } = pool.front(direction);
            Front {
                rate: most.rate.max(rate),
                depth: most.depth.max(depth),
            }
        })
    }
}
