//! What the indexer works with.

use super::{IndexerOptions, Nodes, Progress, State, outlook::Outlook, seldom::Seldom};
use crate::{fault::Fault, known::Known, snapshot::Snapshots};
use primitives::{Clock, Timestamp};
use std::sync::Arc;
use store::Store;

/// The writer of the chain's part of the store.
#[derive(Debug)]
pub struct Indexer {
    pub(super) nodes: Nodes,
    pub(super) store: Store,
    pub(super) known: Known,
    pub(super) snapshots: Snapshots,
    pub(super) progress: Progress,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) options: IndexerOptions,
    pub(super) state: State,
    /// When more than a block's hash was last compared.
    pub(super) looked_behind: Option<Timestamp>,
    /// How often the log tells of malformed events.
    pub(super) malformed: Seldom,
    /// Which contracts get other code in settled blocks ahead.
    pub(super) outlook: Outlook,
    /// The first block that is indexed, or is to be.
    pub(super) first: u64,
    /// Where it is kept which tokens are shunned.
    pub(super) judged: Store,
    /// Whether requests are answered from what is published, so that gauges are
    /// about it.
    pub(super) serves: bool,
}

impl Indexer {
    /// Takes up the work where the store left it, and publishes what it holds.
    pub async fn open(
        mut nodes: Nodes,
        store: Store,
        known: Known,
        snapshots: Snapshots,
        progress: Progress,
        clock: Arc<dyn Clock>,
        options: IndexerOptions,
    ) -> Result<Self, Fault> {
        let chain_id = nodes.chain_id().await?;
        store.chain().bind_chain(chain_id).await?;
        let is_begun = store.chain().first_block().await?.is_some();
        if !store.chain().bind_venues(&known.digest()).await? && is_begun {
            tracing::info!(
                "the list of venues or of anchors, or how events are read, is new: \
                 indexing from the first block"
            );
        }
        store.chain().bind_leads(&known.leads()).await?;
        let state = State::load(&store, &known).await?;
        state.publish(&snapshots);
        let stored = store.chain().first_block().await?;
        let indexer = Self {
            nodes,
            judged: store.clone(),
            first: stored.map_or(options.start_block, |stored| stored.number),
            serves: true,
            store,
            known,
            snapshots,
            progress,
            clock,
            options,
            state,
            looked_behind: None,
            malformed: Seldom::default(),
            outlook: Outlook::default(),
        };
        indexer.gauge_pools();
        Ok(indexer)
    }

    /// How many blocks are missing until the head of a node.
    pub async fn behind(&mut self) -> Result<u64, Fault> {
        let head = self.nodes.survey(self.clock.now()).await?.head;
        self.progress
            .answered(head, self.state.tip.map(|tip| tip.block), self.clock.now());
        let next = match self.state.tip {
            Some(tip) => tip.block.number.saturating_add(1),
            None => self.options.start_block,
        };
        Ok(head.number.saturating_add(1).saturating_sub(next))
    }

    /// Publishes elsewhere from now on, and what is held at once.
    pub(super) fn publish_to(&mut self, snapshots: Snapshots, progress: Progress, serves: bool) {
        if let Some(shown) = snapshots.load() {
            // Whoever kept something of what was shown must not mix it with this.
            let epoch = self.state.figures.epoch().max(shown.figures.epoch());
            self.state.figures.begin_epoch(epoch + 1);
        }
        (self.snapshots, self.progress, self.serves) = (snapshots, progress, serves);
        self.state.publish(&self.snapshots);
        self.gauge_pools();
    }

    /// Learns from another store which tokens are shunned.
    pub(super) fn judge_by(&mut self, store: Store) {
        self.judged = store;
    }
}
