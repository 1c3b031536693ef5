//! What the indexer works with.

use super::{
    IndexerOptions, Nodes, Progress, State, gauge::lossy, log_limiter::LogLimiter, outlook::Outlook,
};
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
    /// For which time the store was last made ours to write.
    pub(super) tenure: Option<i64>,
    /// The last block whose details were forgotten.
    pub(super) forgotten: Option<u64>,
    /// When more than a block's hash was last compared.
    pub(super) looked_behind: Option<Timestamp>,
    /// How often the log tells of malformed events.
    pub(super) malformed: LogLimiter,
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
        let tenure = options.tenure();
        if tenure.is_some() {
            bind(&store, &known).await?;
        }
        let state = State::load(&store, &known).await?;
        known.global.refresh(store.chain()).await?;
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
            tenure,
            forgotten: None,
            looked_behind: None,
            malformed: LogLimiter::default(),
            outlook: Outlook::default(),
        };
        indexer.gauge_pools();
        Ok(indexer)
    }

    /// Whether blocks may be written. When that begins, the store becomes one of the
    /// venues that are known here, and what another process kept is learned.
    pub(super) async fn takes_charge(&mut self) -> Result<bool, Fault> {
        let tenure = self.options.tenure();
        if tenure.is_some() && self.tenure != tenure {
            bind(&self.store, &self.known).await?;
            self.catch_up_with_others().await?;
            self.state.kept = self.store.chain().kept_figures().await?;
            let stored = self.store.chain().first_block().await?;
            self.first = stored.map_or(self.options.start_block, |stored| stored.number);
            self.outlook = Outlook::default();
        }
        self.tenure = tenure;
        Ok(tenure.is_some())
    }

    /// Takes up what another indexer has committed, and publishes it: who waits, or
    /// comes second with a block, serves the newest one all the same.
    pub(super) async fn catch_up_with_others(&mut self) -> Result<(), Fault> {
        let (store, known) = (&self.store, &self.known);
        let (ours, theirs) = (
            self.state.tip.map(|tip| tip.block),
            store.chain().tip().await?,
        );
        if ours == theirs {
            return Ok(());
        }
        self.state = match (ours, theirs) {
            (Some(_), Some(tip)) => self.state.clone().follow(store, known, tip).await?,
            _ => self.state.reload(store, known).await?,
        };
        self.state.look_anew(known);
        self.publish().await;
        self.gauge_tip();
        Ok(())
    }

    /// Publishes what is committed, with what the wider market says from this block on.
    pub(super) async fn publish(&self) {
        if let Err(fault) = self.known.global.refresh(self.judged.chain()).await {
            // The block is committed, and shown with what was said before.
            let error = fault.chain_text();
            tracing::debug!(error, "what the wider market says is not known");
        }
        self.state.publish(&self.snapshots);
    }

    /// Says which block is the newest, where requests are answered from it.
    pub(super) fn gauge_tip(&self) {
        if let Some(tip) = self.state.tip.filter(|_| self.serves) {
            metrics::gauge!("stoa_indexed_block").set(lossy(tip.block.number));
        }
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

/// Makes the store one of the venues and contracts that are followed here.
async fn bind(store: &Store, known: &Known) -> Result<(), Fault> {
    let is_begun = store.chain().first_block().await?.is_some();
    if !store.chain().bind_venues(&known.digest()).await? && is_begun {
        tracing::info!(
            "the list of venues or of anchors, or how events are read, is new: \
             indexing from the first block"
        );
    }
    Ok(store.chain().bind_leads(&known.leads()).await?)
}
