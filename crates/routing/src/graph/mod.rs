//! All pools of a block, as routes are searched on them.

mod batch;
mod board;
mod boards;
mod index;
mod masked;
mod order;
#[cfg(test)]
mod tests;
mod topology;

pub(crate) use board::{PairView, Slot, Way};
pub(crate) use topology::{Link, NONE, PairId, Sale, TokenId, Topology};

use crate::{VenueSet, ladder};
use amm::Rung;
use amm::book::{PoolId, Pools};
use batch::Task;
use boards::{Boards, Edition};
use masked::Masked;
use primitives::Address;
use std::{collections::BTreeSet, sync::Arc};

/// The fall of a price until which a pair's depth is counted.
const DEPTH_SHARE: f64 = 0.01;

/// All pools of a block that routes may pass. It never changes; a later one
/// shares with it what stays as it was.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    topology: Arc<Topology>,
    boards: Boards,
    masked: Arc<Masked>,
    /// The tokens that no route passes.
    shunned: Arc<BTreeSet<Address>>,
}

impl Graph {
    /// The graph of these pools. `worth` is the reference price of a token's
    /// smallest unit, in any currency, 0 where it is not known: it decides
    /// which tokens are worth passing, never what a route pays. Pools of
    /// `shunned` tokens are left out.
    #[must_use]
    pub fn new(pools: &Pools, worth: impl Fn(Address) -> f64, shunned: &BTreeSet<Address>) -> Self {
        let topology = Topology::new(pools);
        let all = pools.iter().map(|pool| pool.id);
        let empty = Self {
            shunned: Arc::new(shunned.clone()),
            ..Self::default()
        };
        let graph = empty.with(&topology, pools, all);
        graph.settle(topology, worth)
    }

    /// The graph after some pools changed or came into being. Which tokens are
    /// worth passing is decided anew only when pools came.
    #[must_use]
    pub fn refreshed(
        &self,
        pools: &Pools,
        changed: &[PoolId],
        worth: impl Fn(Address) -> f64,
        shunned: &BTreeSet<Address>,
    ) -> Self {
        let known = self.topology.pool_count();
        if pools.len() < known || *self.shunned != *shunned {
            return Self::new(pools, worth, shunned);
        }
        let changed = changed.iter().copied();
        if pools.len() == known {
            return self.with(&self.topology, pools, changed);
        }
        let topology = Topology::new(pools);
        let new = pools.iter().skip(known).map(|pool| pool.id);
        let graph = self.with(&topology, pools, changed.chain(new));
        graph.settle(topology, worth)
    }

    /// The same with the pairs of these pools made anew.
    fn with(
        &self,
        topology: &Topology,
        pools: &Pools,
        changed: impl Iterator<Item = PoolId>,
    ) -> Self {
        let task = |pair, changed| Task {
            is_single: topology.is_single(pair),
            pair,
            changed,
        };
        let is_passed = |pool: PoolId| {
            let tokens = pools.get(pool).map(|view| view.tokens());
            tokens.is_some_and(|tokens| !tokens.iter().any(|it| self.shunned.contains(it)))
        };
        let changed = changed
            .filter(|pool| is_passed(*pool))
            .filter_map(|pool| Some(task(topology.sale_in(pool)?.pair(), Some(pool))));
        let mut tasks: Vec<Task> = changed.collect();
        let mut edition = Edition::new(&self.boards, topology.pair_count());
        for task in &tasks {
            edition.leave(task.pair);
        }
        tasks.extend(edition.tidy().into_iter().map(|pair| task(pair, None)));
        tasks.sort_unstable();
        tasks.dedup();
        let mut pairs = tasks.chunk_by(|a, b| a.pair == b.pair);
        loop {
            let batch = batch::next(&mut pairs, &self.boards, pools);
            if batch.is_empty() {
                break;
            }
            edition.write(&batch, |pool| {
                Some((pools.get(pool)?, topology.sale_in(pool)?.way()))
            });
        }
        Self {
            topology: Arc::clone(&self.topology),
            boards: edition.finish(),
            masked: Arc::default(),
            shunned: Arc::clone(&self.shunned),
        }
    }

    fn settle(mut self, mut topology: Topology, worth: impl Fn(Address) -> f64) -> Self {
        let worths: Vec<f64> = (0..)
            .map_while(|token| topology.address(token))
            .map(worth)
            .collect();
        let worth = |token: TokenId| worths.get(token as usize).copied().unwrap_or_default();
        topology.choose_connectors(|pair, [a, b], token| {
            let way = usize::from(token != a);
            let rungs = self.rungs(pair, way);
            let z = rungs.first().map_or(0.0, |rung| rung.z);
            let flow = ladder::flow_at(rungs, z / (1.0 - DEPTH_SHARE).sqrt(), &mut 0);
            let other = if token == a { b } else { a };
            (flow.sold * worth(token)).max(flow.bought * worth(other))
        });
        self.topology = Arc::new(topology);
        self
    }

    pub(crate) fn topology(&self) -> &Topology {
        &self.topology
    }

    pub(crate) fn pair_count(&self) -> PairId {
        u32::try_from(self.topology.pair_count()).unwrap_or(NONE)
    }

    #[inline]
    pub(crate) fn pair(&self, pair: PairId) -> Option<PairView<'_>> {
        self.boards.pair(pair)
    }

    /// The price of the first unit of every sale; 0 where nothing can be sold.
    pub(crate) fn rates(&self) -> &[f64] {
        self.boards.rates()
    }

    /// The same without the pools of some venues, as they are known or else made.
    pub(crate) fn rates_without(
        &self,
        venues: VenueSet,
        make: impl FnOnce() -> Vec<f64>,
    ) -> Arc<[f64]> {
        self.masked.get(venues, make)
    }

    /// The merged curve of a pair.
    #[inline]
    pub(crate) fn rungs(&self, pair: PairId, way: Way) -> &[Rung] {
        self.pair(pair).map_or(&[], |pair| pair.rungs(way))
    }

    /// How many pools it holds, those included that cannot be traded with.
    #[must_use]
    pub fn pools(&self) -> usize {
        self.topology.pool_count()
    }

    /// How many bytes it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.boards.bytes() + self.topology.bytes() + self.masked.bytes()
    }
}
