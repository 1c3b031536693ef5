//! What the indexer works with.

use super::{IndexerOptions, Nodes, Progress, State, seldom::Seldom};
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
        if !store.chain().bind_venues(&known.digest()).await? {
            tracing::info!(
                "the list of venues or of anchors, or how events are read, is new: \
                 indexing from the first block"
            );
        }
        store.chain().bind_leads(&known.leads()).await?;
        let state = State::load(&store, &known).await?;
        state.publish(&snapshots);
        let indexer = Self {
            nodes,
            store,
            known,
            snapshots,
            progress,
            clock,
            options,
            state,
            looked_behind: None,
            malformed: Seldom::default(),
        };
        indexer.gauge_pools();
        Ok(indexer)
    }
}
