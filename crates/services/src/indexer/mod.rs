//! Follows a chain: fetch, check, apply, commit, publish.
//!
//! One block comes in once. Its effects and the cursor are committed in one
//! transaction, and only then does it become visible. When the node has
//! replaced blocks that we hold, we go back to the last common one; the result
//! equals never having seen the others.

mod ancestor;
mod doorbell;
mod figures;
mod nodes;
mod pools;
mod progress;
mod round;
mod state;

use crate::{fault::Fault, known::Known, snapshot::Snapshots};
pub use doorbell::Doorbell;
pub use nodes::{NodeView, Nodes};
use primitives::Clock;
pub use progress::{Progress, ProgressView};
pub use round::Round;
pub(crate) use state::State;
use std::{sync::Arc, time::Duration};
use store::Store;
use tokio_util::sync::CancellationToken;

/// How the indexer works.
#[derive(Debug, Clone)]
pub struct IndexerOptions {
    /// The first block to index in an empty store.
    pub start_block: u64,
    /// How long to wait between two looks at the node's head.
    pub poll: Duration,
    /// Blocks fetched and committed together while catching up.
    pub batch: u64,
    /// Batches in flight while catching up.
    pub prefetch: usize,
    /// Pages of figures are kept every so many blocks: seldom, since the newest
    /// page of every series is written anew each time.
    pub keep_figures_every: u64,
}

impl Default for IndexerOptions {
    fn default() -> Self {
        Self {
            start_block: 0,
            poll: Duration::from_millis(500),
            batch: 128,
            prefetch: 3,
            keep_figures_every: 8_192,
        }
    }
}

/// The longest pause after repeated failures.
const MAX_PAUSE: Duration = Duration::from_secs(15);

/// How long the block in hand may take once we are told to stop. Giving it up
/// is safe, since nothing of it is committed yet: it only costs fetching again.
const FINISH_WITHIN: Duration = Duration::from_secs(5);

/// The writer of the chain's part of the store.
#[derive(Debug)]
pub struct Indexer {
    nodes: Nodes,
    store: Store,
    known: Known,
    snapshots: Snapshots,
    progress: Progress,
    clock: Arc<dyn Clock>,
    options: IndexerOptions,
    state: State,
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
                "the list of venues or of anchors is new: indexing from the first block"
            );
        }
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
        };
        indexer.gauge_pools();
        Ok(indexer)
    }

    /// Works until told to stop; a block in hand is finished first. A ring of
    /// the bell ends a pause.
    pub async fn run(mut self, bell: Doorbell, stop: CancellationToken) {
        let mut failures = 0_u32;
        while !stop.is_cancelled() {
            let round = tokio::select! {
                round = self.round(&stop) => round,
                () = too_late(&stop) => return,
            };
            let pause = match round {
                Ok(Round::CaughtUp) => {
                    failures = 0;
                    self.options.poll
                }
                Ok(Round::Applied { .. } | Round::RolledBack { .. }) => {
                    failures = 0;
                    continue;
                }
                Err(fault) => {
                    failures = failures.saturating_add(1);
                    self.note_failure(&fault);
                    let factor = 2_u32.saturating_pow(failures.min(10));
                    self.options.poll.saturating_mul(factor).min(MAX_PAUSE)
                }
            };
            tokio::select! {
                () = stop.cancelled() => {}
                () = bell.rung(), if failures == 0 => {}
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    /// Says what is wrong.
    fn note_failure(&self, fault: &Fault) {
        let text = fault.chain_text();
        tracing::warn!(error = text, "indexing paused");
        metrics::counter!("stoa_indexer_failures_total").increment(1);
        self.progress.failed(text);
    }
}

async fn too_late(stop: &CancellationToken) {
    stop.cancelled().await;
    tokio::time::sleep(FINISH_WITHIN).await;
}
