//! A graph of which some pools are left out.

use crate::graph::{Graph, PairView, Sale, Slot, Way};
use crate::{VenueSet, ladder};
use amm::Rung;
use amm::book::PoolId;
use std::sync::Arc;

/// A graph as one search sees it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lens<'a> {
    pub(super) graph: &'a Graph,
    /// No pool of these venues,
    pub(super) avoid: VenueSet,
    /// and not this one.
    pub(super) without: Option<PoolId>,
    /// The price of the first unit of every sale, or more.
    pub(super) rates: &'a [f64],
}

/// The rates of a graph of which some venues are left out; `None` if none is.
pub(super) fn rates(graph: &Graph, avoid: VenueSet, scratch: &mut Scratch) -> Option<Arc<[f64]>> {
    let is_any = avoid != VenueSet::NONE;
    is_any.then(|| graph.rates_without(avoid, || rates_without(graph, avoid, scratch)))
}

fn rates_without(graph: &Graph, avoid: VenueSet, scratch: &mut Scratch) -> Vec<f64> {
    let mut rates = graph.rates().to_vec();
    let lens = Lens {
        graph,
        avoid,
        without: None,
        rates: &[],
    };
    for pair in 0..graph.pair_count() {
        let Some(view) = graph.pair(pair).filter(|view| !lens.is_whole(view)) else {
            continue;
        };
        for way in [0, 1] {
            scratch.rungs.clear();
            let Scratch { rungs, merging } = scratch;
            lens.merge(&view, way, rungs, merging);
            if let Some(rate) = rates.get_mut(Sale::new(pair, way).index()) {
                *rate = ladder::first_price(rungs);
            }
        }
    }
    rates
}

impl<'a> Lens<'a> {
    pub(super) fn admits(&self, slot: &Slot) -> bool {
        !self.avoid.has(slot.venue) && self.without != Some(slot.pool)
    }

    /// Whether every pool of the pair is admitted.
    pub(super) fn is_whole(&self, pair: &PairView<'_>) -> bool {
        let is_plain = self.avoid == VenueSet::NONE && self.without.is_none();
        is_plain || pair.slots().iter().all(|slot| self.admits(slot))
    }

    /// The price of the first unit; 0 where nothing can be sold.
    pub(super) fn rate(&self, sale: Sale) -> f64 {
        self.rates.get(sale.index()).copied().unwrap_or_default()
    }

    /// Adds the merged curve of the admitted pools.
    pub(super) fn merge(
        &self,
        view: &PairView<'_>,
        way: Way,
        rungs: &mut Vec<Rung>,
        merging: &mut Vec<(f64, f64)>,
    ) {
        let kept = |slot: &&Slot| self.admits(slot);
        if let [alone] = view.slots() {
            if kept(&alone) {
                rungs.extend_from_slice(view.rungs(way));
            }
            return;
        }
        merging.clear();
        for slot in view.slots().iter().filter(kept) {
            merging.extend_from_slice(view.changes(slot, way));
        }
        ladder::merge(merging, rungs);
    }

    /// The merged curve of the admitted pools.
    pub(super) fn curve<'s>(&self, sale: Sale, scratch: &'s mut Scratch) -> &'s [Rung]
    where
        'a: 's,
    {
        let way = sale.way();
        let Some(view) = self.graph.pair(sale.pair()) else {
            return &[];
        };
        if self.is_whole(&view) {
            return view.rungs(way);
        }
        let Scratch { rungs, merging } = scratch;
        rungs.clear();
        self.merge(&view, way, rungs, merging);
        rungs
    }
}

/// The curve of one pool of a pair.
pub(super) fn pool<'s>(
    view: &PairView<'s>,
    slot: &Slot,
    way: Way,
    scratch: &'s mut Scratch,
) -> &'s [Rung] {
    if view.slots().len() == 1 {
        return view.rungs(way);
    }
    let Scratch { rungs, merging } = scratch;
    rungs.clear();
    merging.clear();
    merging.extend_from_slice(view.changes(slot, way));
    ladder::merge(merging, rungs);
    rungs
}

/// Memory for curves that are made while searching.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub(super) rungs: Vec<Rung>,
    pub(super) merging: Vec<(f64, f64)>,
}
