//! Serving without indexing: a replica that publishes what another one commits.

use crate::{
    fault::Fault,
    indexer::{Progress, State},
    known::Known,
    snapshot::Snapshots,
};
use primitives::Clock;
use std::{sync::Arc, time::Duration};
use store::Store;
use tokio_util::sync::CancellationToken;

/// Watches the store's cursor and publishes a snapshot when it has moved.
#[derive(Debug)]
pub struct Follower {
    store: Store,
    known: Known,
    snapshots: Snapshots,
    progress: Progress,
    clock: Arc<dyn Clock>,
    poll: Duration,
}

impl Follower {
    /// A follower that looks at the cursor every `poll`.
    pub fn new(
        store: Store,
        known: Known,
        snapshots: Snapshots,
        progress: Progress,
        clock: Arc<dyn Clock>,
        poll: Duration,
    ) -> Self {
        Self {
            store,
            known,
            snapshots,
            progress,
            clock,
            poll,
        }
    }

    /// Works until told to stop.
    pub async fn run(self, stop: CancellationToken) {
        while !stop.is_cancelled() {
            match self.look().await {
                Ok(()) => self.progress.recovered(),
                Err(fault) => {
                    tracing::warn!(error = fault.chain_text(), "cannot follow the store");
                    self.progress.failed(fault.chain_text());
                }
            }
            tokio::select! {
                () = stop.cancelled() => {}
                () = tokio::time::sleep(self.poll) => {}
            }
        }
    }

    /// Publishes the store's newest block, if it is not yet published.
    pub async fn look(&self) -> Result<(), Fault> {
        let Some(tip) = self.store.chain().tip().await? else {
            return Ok(());
        };
        let published = self.snapshots.load().map(|snapshot| snapshot.head);
        if published != Some(tip) {
            State::load(&self.store, &self.known)
                .await?
                .publish(&self.snapshots);
        }
        self.progress.answered(tip, self.clock.now());
        Ok(())
    }
}
