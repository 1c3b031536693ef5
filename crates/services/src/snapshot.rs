//! What requests are answered from.

use crate::{recent_blocks::RecentBlocks, trail::Trail};
use amm::book::{Pools, Standing};
use arc_swap::ArcSwapOption;
use market::{TokenList, figures::Figures};
use primitives::{Address, BlockRef, Timestamp};
use routing::Graph;
use std::{collections::BTreeSet, sync::Arc};
use tokio::sync::watch;

/// Everything a request may need, as of one block. It never changes.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// The block.
    pub head: BlockRef,
    /// The time that its header carries.
    pub head_time: Timestamp,
    /// The tokens; shared with earlier snapshots until the list changes.
    pub tokens: Arc<TokenList>,
    /// The pools of all venues; those that did not change are shared with
    /// earlier snapshots.
    pub pools: Pools,
    /// The same pools, as routes are searched on them.
    pub graph: Arc<Graph>,
    /// The pools of the last few blocks.
    pub trail: Trail,
    /// The last blocks, and those that they replaced.
    pub recent: RecentBlocks,
    /// Prices, candles, volumes and TVL.
    pub figures: Figures,
    /// Tokens that do not do what they say: no route passes them.
    pub shunned: Arc<BTreeSet<Address>>,
    /// How many pools are traded with, and why others are not: as of the last
    /// block that did something else to a pool than to trade with it.
    pub standing: Arc<Standing>,
    /// Whether blocks before the first one here count and are still to be indexed:
    /// what has a memory is not yet what the chain says.
    pub provisional: bool,
}

impl Snapshot {
    /// The same with the pools as they were before a block; none if those are not
    /// remembered.
    #[must_use]
    pub fn before(&self, block: u64) -> Option<Self> {
        let pools = self.trail.at(block.checked_sub(1)?)?.clone();
        Some(Self {
            graph: Arc::new(Graph::new(&pools, &self.shunned)),
            pools,
            ..self.clone()
        })
    }
}

/// The place where the newest snapshot is published: one writer, any number of
/// readers, no lock.
#[derive(Debug, Clone, Default)]
pub struct Snapshots {
    newest: Arc<ArcSwapOption<Snapshot>>,
    announced: Arc<watch::Sender<()>>,
    provisional: bool,
}

impl Snapshots {
    /// The same place, for a writer that began in the middle of the chain.
    #[must_use]
    pub fn provisional(&self) -> Self {
        Self {
            newest: Arc::clone(&self.newest),
            announced: Arc::clone(&self.announced),
            provisional: true,
        }
    }

    /// The newest snapshot, or none before the first block.
    pub fn load(&self) -> Option<Arc<Snapshot>> {
        self.newest.load_full()
    }

    /// Whether the newest snapshot is that of such a writer.
    pub fn is_provisional(&self) -> bool {
        let newest = self.newest.load();
        newest.as_ref().is_some_and(|newest| newest.provisional)
    }

    /// Tells when there is a newer one.
    pub fn changes(&self) -> watch::Receiver<()> {
        self.announced.subscribe()
    }

    /// Makes a snapshot the newest. Its block must be committed.
    pub fn publish(&self, snapshot: Snapshot) {
        let recent = match &*self.newest.load() {
            Some(shown) => snapshot.recent.after(&shown.recent),
            None => snapshot.recent,
        };
        self.newest.store(Some(Arc::new(Snapshot {
            recent,
            provisional: self.provisional,
            ..snapshot
        })));
        self.announced.send_replace(());
    }
}
