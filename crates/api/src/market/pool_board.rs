//! The pools of a snapshot by TVL, with room for the lists that are made of
//! them.

use super::kept_pages::KeptPages;
use amm::book::{AnyCurve, Off, PoolId, PoolView};
use arc_swap::ArcSwapOption;
use services::Snapshot;
use std::sync::Arc;

/// The newest board.
#[derive(Default)]
pub(super) struct PoolBoards(ArcSwapOption<PoolBoard>);

/// All pools of a snapshot, the largest TVL first; those of which nothing is
/// known come last, the oldest first.
pub(super) struct PoolBoard {
    pub(super) snapshot: Arc<Snapshot>,
    pub(super) pools: Vec<RankedPool>,
    /// Pages of pools, by their queries.
    pub(super) pages: KeptPages,
    /// The venues, under one key.
    pub(super) venues: KeptPages,
}

pub(super) struct RankedPool {
    pub(super) id: PoolId,
    pub(super) tvl: Option<f64>,
}

impl PoolBoards {
    pub(super) fn of(&self, snapshot: &Arc<Snapshot>) -> Arc<PoolBoard> {
        let newest = self.0.load();
        let fits = |it: &&Arc<PoolBoard>| Arc::ptr_eq(&it.snapshot, snapshot);
        if let Some(board) = newest.as_ref().filter(fits) {
            return Arc::clone(board);
        }
        let board = Arc::new(PoolBoard::new(Arc::clone(snapshot)));
        self.0.store(Some(Arc::clone(&board)));
        board
    }
}

impl PoolBoard {
    fn new(snapshot: Arc<Snapshot>) -> Self {
        let figures = &snapshot.figures;
        let mut pools: Vec<_> = snapshot
            .pools
            .iter()
            .map(|view| RankedPool {
                id: view.id,
                tvl: figures.pool_tvl(&view),
            })
            .collect();
        // Stable: equals stay in the order in which they came into being.
        pools.sort_by(|a, b| {
            let [a, b] = [a, b].map(|pool| pool.tvl.unwrap_or(-1.0));
            b.total_cmp(&a)
        });
        Self {
            snapshot,
            pools,
            pages: KeptPages::default(),
            venues: KeptPages::default(),
        }
    }

    /// A pool's curve, and why no route passes it, if none does.
    pub(super) fn standing(&self, view: &PoolView<'_>) -> (Option<AnyCurve>, Option<String>) {
        let curve = view.curve();
        let reason = match &curve {
            Err(off) => Some(off.to_string()),
            Ok(_) if view.router().is_none() => Some(UNROUTED.to_owned()),
            Ok(_) => self.has_shunned(view).then(|| SHUNNED.to_owned()),
        };
        (curve.ok(), reason)
    }

    fn has_shunned(&self, view: &PoolView<'_>) -> bool {
        let shunned = &self.snapshot.shunned;
        view.tokens().iter().any(|token| shunned.contains(token))
    }
}

/// Why routes cannot pass a venue's pools at all; none if they may.
pub(super) fn unrouted(venue: &amm::book::Venue) -> Option<String> {
    if venue.is_routed() {
        None
    } else if venue.enabled {
        Some(UNROUTED.to_owned())
    } else {
        Some(Off::Venue.to_string())
    }
}

const UNROUTED: &str = "the exchange contract cannot use its venue";
const SHUNNED: &str = "one of its tokens does not do what it says";
