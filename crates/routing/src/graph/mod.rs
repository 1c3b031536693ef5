//! All pools of a block, as routes are searched on them.

mod board;
mod boards;
mod order;
#[cfg(test)]
mod tests;
mod topology;

pub(crate) use board::{PairView, Slot, Way};
pub(crate) use topology::{Link, NONE, PairId, Sale, TokenId, Topology};

use crate::ladder;
use amm::Rung;
use amm::book::{PoolId, PoolView, Pools, State};
use board::Size;
use boards::{Boards, Edition};
use primitives::Address;
use std::ops::Add as _;
use std::sync::Arc;

/// Pairs that are looked at together before they are written.
const BATCH: usize = 128;

/// The fall of a price until which a pair's depth is counted.
const DEPTH_SHARE: f64 = 0.01;

/// All pools of a block that routes may pass. It never changes; a later one
/// shares with it what stays as it was.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    topology: Arc<Topology>,
    boards: Boards,
    /// The price of the first unit of every sale, where a search finds it fast.
    rates: Arc<Vec<f64>>,
}

impl Graph {
    /// The graph of these pools. `worth` is the reference price of a token's
    /// smallest unit, in any currency, 0 where it is not known: it decides
    /// which tokens are worth passing, never what a route pays.
    #[must_use]
    pub fn new(pools: &Pools, worth: impl Fn(Address) -> f64) -> Self {
        let topology = Topology::new(pools);
        let all = pools.iter().map(|pool| pool.id);
        let graph = Self::default().with(&topology, pools, all);
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
    ) -> Self {
        let known = self.topology.pool_count();
        if pools.len() < known {
            return Self::new(pools, worth);
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
        let changed = changed.filter_map(|pool| Some((topology.sale_in(pool)?.pair(), pool)));
        let mut changed: Vec<(PairId, PoolId)> = changed.collect();
        changed.sort_unstable();
        changed.dedup();
        let mut rates = Vec::with_capacity(2 * topology.pair_count());
        rates.extend_from_slice(&self.rates);
        rates.resize(2 * topology.pair_count(), 0.0);
        let mut edition = Edition::new(&self.boards, topology.pair_count());
        let mut numbers = Vec::new();
        let mut pairs = changed.chunk_by(|(a, _), (b, _)| a == b).peekable();
        while pairs.peek().is_some() {
            let batch: Vec<_> = pairs.by_ref().take(BATCH).collect();
            announce(&mut edition, pools, &batch);
            for changed in batch {
                let Some(&(pair, _)) = changed.first() else {
                    continue;
                };
                numbers.clear();
                numbers.extend(changed.iter().map(|(_, pool)| *pool));
                let look = |pool| Some((pools.get(pool)?, topology.sale_in(pool)?.way()));
                let found = edition.write(pair, &numbers, look);
                let begin = Sale::new(pair, 0).index();
                if let Some(rates) = rates.get_mut(begin..begin + 2) {
                    rates.copy_from_slice(&found);
                }
            }
        }
        Self {
            topology: Arc::clone(&self.topology),
            boards: edition.finish(),
            rates: Arc::new(rates),
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
        &self.rates
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
        let rates = size_of::<f64>() * self.rates.capacity();
        self.boards.bytes() + self.topology.bytes() + rates
    }
}

/// Announces pairs of which these pools changed.
fn announce(edition: &mut Edition<'_>, pools: &Pools, batch: &[&[(PairId, PoolId)]]) {
    let changed = batch.iter().copied().flatten();
    let found: Vec<_> = changed.map(|(_, pool)| pools.get(*pool)).collect();
    let mut found = found.iter();
    let pairs = batch.iter().filter_map(|changed| {
        let sizes = found.by_ref().take(changed.len()).flatten();
        let size = sizes.map(size_on_board).fold(Size::of_rows(1), Size::add);
        Some((changed.first()?.0, size))
    });
    edition.announce(&pairs.collect::<Vec<_>>());
}

/// What a pool adds to a board, or about so much.
fn size_on_board(pool: &PoolView<'_>) -> Size {
    let pieces = match pool.pool.state() {
        State::Reserves(_) => 2,
        // Counted one by one, they are at hand when the curve is read: a search
        // among them would wait for each that it visits.
        State::Concentrated(ranges) => {
            2 + ranges.ticks.iter().filter(|tick| tick.gross > 0).count()
        }
    };
    Size {
        rows: 0,
        rungs: pieces,
        slots: 1,
        changes: pieces,
    }
}
