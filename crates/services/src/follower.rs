//! Serving without indexing: a replica that publishes what another one commits.
//!
//! It may have nodes to ask where the chain is, so that it knows how far behind
//! it the store is. Without any it knows only what is in the store.

use crate::{
    fault::Fault,
    indexer::{Doorbell, Nodes, Progress, State},
    known::Known,
    snapshot::Snapshots,
};
use primitives::{BlockRef, Clock};
use std::{sync::Arc, time::Duration};
use store::Store;
use tokio_util::sync::CancellationToken;

/// How long a look waits for nodes: the store's blocks do not.
const PATIENCE: Duration = Duration::from_secs(1);

/// Watches the store's cursor and publishes a snapshot when it has moved. Blocks
/// that were added are taken up, those that are gone are taken back.
#[derive(Debug)]
pub struct Follower {
    state: Option<State>,
    store: Store,
    nodes: Nodes,
    known: Known,
    snapshots: Snapshots,
    progress: Progress,
    clock: Arc<dyn Clock>,
    poll: Duration,
}

impl Follower {
    /// A follower that looks at the cursor every `poll`, or earlier when it is rung for.
    pub fn new(
        store: Store,
        nodes: Nodes,
        known: Known,
        snapshots: Snapshots,
        progress: Progress,
        clock: Arc<dyn Clock>,
        poll: Duration,
    ) -> Self {
        Self {
            state: None,
            store,
            nodes,
            known,
            snapshots,
            progress,
            clock,
            poll,
        }
    }

    /// Works until told to stop. A ring of the bell ends a pause.
    pub async fn run(mut self, bell: Doorbell, stop: CancellationToken) {
        while !stop.is_cancelled() {
            let looked = tokio::select! {
                looked = self.look() => looked,
                () = stop.cancelled() => return,
            };
            let has_failed = looked.is_err();
            match looked {
                Ok(()) => self.progress.recovered(),
                Err(fault) => {
                    tracing::warn!(error = fault.chain_text(), "cannot follow the store");
                    self.progress.failed(&fault.chain_text(), self.clock.now());
                }
            }
            tokio::select! {
                () = stop.cancelled() => {}
                () = bell.rung(), if !has_failed => {}
                () = tokio::time::sleep(self.poll) => {}
            }
        }
    }

    /// Publishes the store's newest block, if it is not yet published.
    pub async fn look(&mut self) -> Result<(), Fault> {
        let Some(tip) = self.store.chain().tip().await? else {
            return Ok(());
        };
        let published = self.snapshots.load().map(|snapshot| snapshot.head);
        let has_moved = published != Some(tip);
        self.known.global.refresh(self.store.chain()).await?;
        if has_moved {
            // Taken out: after a failure, however long, everything is loaded. The
            // store may have been filled anew meanwhile, for other venues.
            let state = match self.state.take() {
                Some(state) => state.follow(&self.store, &self.known, tip).await?,
                None => self.load().await?,
            };
            self.state = Some(state);
        }
        if let Some(state) = &mut self.state {
            let (store, known) = (&self.store, &self.known);
            if state.take_up_shunned(store, known).await? || has_moved {
                state.publish(&self.snapshots);
            }
        }
        self.look_at_nodes(tip).await;
        Ok(())
    }

    /// Notes where the chain is: the store's newest block if there is nobody
    /// else to ask.
    async fn look_at_nodes(&mut self, tip: BlockRef) {
        if self.nodes.is_empty() {
            return self.progress.answered(tip, Some(tip), self.clock.now());
        }
        let surveyed = tokio::time::timeout(PATIENCE, self.nodes.survey(self.clock.now()));
        if let Ok(Ok(chosen)) = surveyed.await {
            self.progress
                .answered(chosen.head, Some(tip), self.clock.now());
        }
        self.progress.surveyed(&self.nodes.views());
    }

    /// Everything, which readers may have seen otherwise.
    async fn load(&self) -> Result<State, Fault> {
        let mut state = State::load(&self.store, &self.known).await?;
        if let Some(snapshot) = self.snapshots.load() {
            state.figures.begin_epoch(snapshot.figures.epoch() + 1);
        }
        Ok(state)
    }
}
