//! All pools of a block, as routes are searched on them.

mod board;
#[cfg(test)]
mod tests;
mod topology;

pub(crate) use board::{BOARD, PairView, Slot, Way};
pub(crate) use topology::{Link, NONE, PairId, Sale, TokenId, Topology};

use crate::ladder;
use amm::Rung;
use amm::book::{PoolId, Pools};
use board::Board;
use primitives::Address;
use std::sync::Arc;

/// The fall of a price until which a pair's depth is counted.
const DEPTH_SHARE: f64 = 0.01;

/// All pools of a block that routes may pass. It never changes; a later one
/// shares with it what stays as it was.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    topology: Arc<Topology>,
    boards: Vec<Arc<Board>>,
    /// The price of the first unit of every sale, where a search finds it fast.
    rates: Arc<Vec<f64>>,
}

/// What changed since a graph was made, in order.
#[derive(Debug, Default)]
struct Changed {
    pools: Vec<PoolId>,
    pairs: Vec<PairId>,
}

impl Changed {
    fn new(topology: &Topology, pools: impl Iterator<Item = PoolId>) -> Self {
        let mut pools: Vec<PoolId> = pools.collect();
        pools.sort_unstable();
        let pairs = pools.iter().filter_map(|pool| topology.pair_of(*pool));
        let mut pairs: Vec<PairId> = pairs.collect();
        pairs.sort_unstable();
        pairs.dedup();
        Self { pools, pairs }
    }

    fn has_pool(&self, pool: PoolId) -> bool {
        self.pools.binary_search(&pool).is_ok()
    }

    fn has_pair(&self, pair: PairId) -> bool {
        self.pairs.binary_search(&pair).is_ok()
    }

    /// The boards of the pairs.
    fn boards(&self) -> impl Iterator<Item = usize> + '_ {
        let board = |pair: &PairId| *pair as usize / BOARD;
        let same = self.pairs.chunk_by(move |a, b| board(a) == board(b));
        same.filter_map(|pairs| pairs.first())
            .map(|pair| *pair as usize / BOARD)
    }
}

impl Graph {
    /// The graph of these pools. `worth` is the reference price of a token's
    /// smallest unit, in any currency, 0 where it is not known: it decides
    /// which tokens are worth passing, never what a route pays.
    #[must_use]
    pub fn new(pools: &Pools, worth: impl Fn(Address) -> f64) -> Self {
        let topology = Topology::new(pools);
        let pairs = topology.pair_count();
        let mut graph = Self {
            topology: Arc::default(),
            boards: Vec::with_capacity(pairs.div_ceil(BOARD)),
            rates: Arc::default(),
        };
        let mut merging = Vec::new();
        for board in 0..pairs.div_ceil(BOARD) {
            let changed = Changed::default();
            let made = graph.board(&topology, pools, board, &changed, &mut merging);
            // The copy takes no more memory than it needs.
            graph.boards.push(Arc::new(made.clone()));
        }
        graph.rate_all(0..pairs);
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
        let mut graph = self.clone();
        if pools.len() == known {
            graph.remake(&self.topology, pools, changed.iter().copied());
            return graph;
        }
        let topology = Topology::new(pools);
        let new = pools.iter().skip(known).map(|pool| pool.id);
        graph.remake(&topology, pools, changed.iter().copied().chain(new));
        graph.settle(topology, worth)
    }

    /// Makes the boards of changed pools anew.
    fn remake(
        &mut self,
        topology: &Topology,
        pools: &Pools,
        changed: impl Iterator<Item = PoolId>,
    ) {
        let changed = Changed::new(topology, changed);
        let mut merging = Vec::new();
        for number in changed.boards() {
            let made = self.board(topology, pools, number, &changed, &mut merging);
            let made = Arc::new(made);
            match self.boards.get_mut(number) {
                Some(board) => *board = made,
                None => self.boards.push(made),
            }
        }
        self.rate_all(changed.pairs.iter().map(|pair| *pair as usize));
    }

    /// Notes the rates of these pairs.
    fn rate_all(&mut self, pairs: impl Iterator<Item = usize>) {
        let mut rates = self.rates.as_ref().clone();
        rates.resize(2 * self.boards.len() * BOARD, 0.0);
        for pair in pairs {
            let view = self.boards.get(pair / BOARD);
            let view = view.and_then(|board| board.pair(pair % BOARD));
            let found = view.map_or([0.0; 2], |view| view.rates());
            if let Some(rates) = rates.get_mut(2 * pair..2 * pair + 2) {
                rates.copy_from_slice(&found);
            }
        }
        self.rates = Arc::new(rates);
    }

    /// A board, its pairs taken from the one before unless they are new.
    fn board(
        &self,
        topology: &Topology,
        pools: &Pools,
        number: usize,
        changed: &Changed,
        merging: &mut Vec<(f64, f64)>,
    ) -> Board {
        let before = self.boards.get(number).map(Arc::as_ref);
        let mut board = before.map_or_else(Board::default, Board::like);
        let begin = number * BOARD;
        let end = topology.pair_count().min(begin + BOARD);
        let pairs = begin..end;
        let mut kept = 0;
        for place in 0..pairs.len() {
            let pair = u32::try_from(begin + place).unwrap_or(NONE);
            let known = before.filter(|before| place < before.pair_count());
            if known.is_some() && !changed.has_pair(pair) {
                continue;
            }
            if let Some(before) = before {
                board.copy(before, kept..place);
            }
            kept = place + 1;
            let look = |pool: PoolId| {
                let pool = pools.get(pool)?;
                Some((pool, topology.is_flipped(pair, &pool)))
            };
            let has_changed = |pool| changed.has_pool(pool);
            let known = known.and_then(|before| before.pair(place));
            let known = known.map(|known| (known, &has_changed as &dyn Fn(PoolId) -> bool));
            board.add(topology.pools(pair), look, known, merging);
        }
        if let Some(before) = before {
            board.copy(before, kept..pairs.len());
        }
        board
    }

    fn settle(mut self, mut topology: Topology, worth: impl Fn(Address) -> f64) -> Self {
        let worths: Vec<f64> = (0..)
            .map_while(|token| topology.address(token))
            .map(worth)
            .collect();
        let worth = |token: TokenId| worths.get(token as usize).copied().unwrap_or_default();
        let ends: Vec<[TokenId; 2]> = (0..)
            .take(topology.pair_count())
            .map(|pair| topology.ends(pair))
            .collect();
        topology.choose_connectors(|pair, token| {
            let Some([a, b]) = ends.get(pair as usize).copied() else {
                return 0.0;
            };
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

    pub(crate) fn pair(&self, pair: PairId) -> Option<PairView<'_>> {
        let pair = pair as usize;
        self.boards.get(pair / BOARD)?.pair(pair % BOARD)
    }

    /// The price of the first unit of every sale; 0 where nothing can be sold.
    pub(crate) fn rates(&self) -> &[f64] {
        &self.rates
    }

    /// The merged curve of a pair.
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
        let boards: usize = self.boards.iter().map(|board| board.bytes()).sum();
        boards + self.topology.bytes() + size_of::<f64>() * self.rates.capacity()
    }
}
