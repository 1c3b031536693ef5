//! Two tokens and the pools between them.
//!
//! Pairs and curves are immutable and shared by the graphs of many blocks: a
//! block makes anew the curves of the pools that it changed, and the pairs of
//! those.

use super::topology::Way;
use crate::{VenueSet, ladder};
use amm::book::{PoolId, PoolView, VenueId};
use amm::{Curve as _, Pieces, Rung, Side};
use std::sync::Arc;

/// The pools of a pair that can be traded with, in the order of their numbers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pair {
    pools: Box<[Arc<Pool>]>,
}

/// A pool as routes are searched on it.
#[derive(Debug)]
pub(crate) struct Pool {
    pub(crate) id: PoolId,
    pub(crate) venue: VenueId,
    /// Whether rungs are ticks, which cost gas when they are passed.
    pub(crate) has_ticks: bool,
    /// Whether its first token is the pair's second.
    flipped: bool,
    /// The curves of selling the pair's first token, and its second.
    rungs: [Box<[Rung]>; 2],
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
                rungs,
            })
        })
    }

    /// Which of the pool's own tokens is sold.
    pub(crate) const fn side(&self, way: Way) -> Side {
        if self.flipped == (way as usize == 0) {
            Side::Token1
        } else {
            Side::Token0
        }
    }

    /// Its curve in a direction of the pair.
    #[inline]
    pub(crate) const fn rungs(&self, way: Way) -> &[Rung] {
        let [first, second] = &self.rungs;
        match way {
            Way::Forth => first,
            Way::Back => second,
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

    /// The best price of the first unit in a direction; 0 where nothing can be
    /// sold.
    pub(crate) fn first_price(&self, way: Way, avoid: VenueSet) -> f64 {
        let prices = self
            .pools(avoid)
            .map(|pool| ladder::first_price(pool.rungs(way)));
        prices.fold(0.0, f64::max)
    }
}
