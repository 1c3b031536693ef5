//! A start on a long chain: serving from near its head while its history is
//! indexed from the beginning.
//!
//! Two indexers work at once, each with a store of its own. One takes pools over
//! near the head and follows from there; what it publishes is provisional. The
//! other one is the ordinary indexer on the ordinary store, which publishes where
//! nobody looks until there is nothing left to do. Then it takes the place of the
//! first, whose store goes. So what is served in the end was never touched by the
//! head start: it is what it would have been without one.

use super::{
    Doorbell, HistoryView, Indexer, IndexerOptions, Nodes, Progress, gauge::lossy, leap::SETTLED,
    progress::seconds_left, run::Until,
};
use crate::{fault::Fault, known::Known, snapshot::Snapshots};
use primitives::Timestamp;
use std::{io, path::PathBuf, sync::Arc, time::Duration};
use store::{Location, Store, StoreError};
use tokio::task::JoinError;
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};

/// How often it is told how far the history is.
const TELL_EVERY: Duration = Duration::from_secs(1);

/// One in so many of these is also logged.
const LOG_EVERY: u32 = 30;

/// The store of what is indexed near the head: files in a folder that nobody else
/// uses, and that may go at any time.
#[derive(Debug, Clone)]
pub struct NearStore {
    dir: PathBuf,
    store: Store,
}

impl NearStore {
    /// Opens it, made if it is not there. One that cannot be used is made anew:
    /// nothing in it is worth keeping.
    pub async fn open(dir: PathBuf) -> Result<Self, StoreError> {
        let location = Location::Sqlite { dir: dir.clone() };
        let store = match migrated(&location).await {
            Ok(store) => store,
            Err(error) => {
                tracing::warn!(%error, "what was indexed near the head cannot be used");
                Self::remove(&dir).map_err(|source| StoreError::Folder {
                    path: dir.clone(),
                    source,
                })?;
                migrated(&location).await?
            }
        };
        Ok(Self { dir, store })
    }

    /// Removes what a head start left, if there is anything.
    pub fn remove(dir: &PathBuf) -> io::Result<()> {
        match std::fs::remove_dir_all(dir) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    async fn discard(self) {
        self.store.close().await;
        if let Err(error) = Self::remove(&self.dir) {
            tracing::warn!(%error, "what was indexed near the head cannot be removed");
        }
    }
}

async fn migrated(location: &Location) -> Result<Store, StoreError> {
    let store = Store::open(location).await?;
    match store.migrate().await {
        Ok(_) => Ok(store),
        Err(error) => {
            store.close().await;
            Err(error)
        }
    }
}

/// An indexer near the head, and one of the whole chain that takes its place in the end.
#[derive(Debug)]
pub struct HeadStart {
    near: Indexer,
    near_store: NearStore,
    history: Indexer,
    /// Where requests look: the one near the head publishes here, until the other one does.
    served: Snapshots,
    progress: Progress,
}

impl HeadStart {
    /// Serves from near the head of `nodes` until `history`, an indexer that was
    /// just opened, is complete. Further than `leap` blocks behind, what was indexed
    /// near the head is left for another beginning.
    pub async fn open(
        mut history: Indexer,
        nodes: Nodes,
        near_store: NearStore,
        leap: u64,
    ) -> Result<Self, Fault> {
        let served = history.snapshots.clone();
        let progress = history.progress.clone();
        history.behind().await?;
        let head = progress.view().node_head;
        progress.remembers(Some(&HistoryView {
            block: history.state.tip.map(|tip| tip.block.number),
            of: head.map_or(0, |head| head.number),
            seconds_left: None,
            error: None,
        }));
        let known = Known {
            // The past of what is followed is the history's.
            following: Arc::default(),
            ..history.known.clone()
        };
        let options = IndexerOptions {
            // Its store is nobody else's.
            duty: None,
            keep_details: None,
            leap: Some(leap),
            ..history.options.clone()
        };
        let mut near = Indexer::open(
            nodes,
            near_store.store.clone(),
            known,
            Snapshots::default(),
            Progress::default(),
            Arc::clone(&history.clock),
            options,
        )
        .await?;
        near.judge_by(history.store.clone());
        history.publish_to(Snapshots::default(), Progress::default(), false);
        near.publish_to(served.provisional(), progress.clone(), true);
        Ok(Self {
            near,
            near_store,
            history,
            served,
            progress,
        })
    }

    /// Serves from near the head, and from the whole chain once that is indexed, until told
    /// to stop.
    pub async fn run(self, bell: Doorbell, stop: CancellationToken) {
        let Self {
            near,
            near_store,
            mut history,
            served,
            progress,
        } = self;
        let replaced = stop.child_token();
        let near = tokio::spawn(near.run(bell.clone(), replaced.clone()));
        let mut near = AbortOnDropHandle::new(near);
        let teller = Teller::new(&history, progress.clone());
        tokio::select! {
            () = complete(&mut history, &served, &stop) => {}
            () = teller.run() => {}
            () = failure(&mut near) => {}
        }
        replaced.cancel();
        if !near.is_finished() {
            failure_or_end(near.await);
        }
        if stop.is_cancelled() {
            return;
        }
        // What came meanwhile: nobody is to see the chain go back.
        complete(&mut history, &served, &stop).await;
        if !stop.is_cancelled() {
            history.publish_to(served, progress.clone(), true);
            forget_gauges();
            progress.remembers(None);
            near_store.discard().await;
            tracing::info!("the history is complete");
        }
        history.run(bell, stop).await;
    }
}

/// Indexes until there is nothing left to do, with a node that is not far behind
/// what is served.
async fn complete(history: &mut Indexer, served: &Snapshots, stop: &CancellationToken) {
    // The bell wakes whoever serves.
    let quiet = Doorbell::default();
    while !stop.is_cancelled() {
        history.work(&quiet, stop, Until::CaughtUp).await;
        let reached = history.state.tip.map_or(0, |tip| tip.block.number);
        let shown = served.load().map_or(0, |shown| shown.head.number);
        if reached.saturating_add(SETTLED) >= shown {
            return;
        }
        let pause = tokio::time::sleep(history.options.poll);
        stop.run_until_cancelled(pause).await;
    }
}

/// Fails as the task does, and never ends otherwise.
async fn failure(task: &mut AbortOnDropHandle<()>) {
    failure_or_end(task.await);
    std::future::pending::<()>().await;
}

/// A task that panicked takes along whoever waits for it.
fn failure_or_end(ended: Result<(), JoinError>) {
    if let Err(error) = ended
        && let Ok(panic) = error.try_into_panic()
    {
        std::panic::resume_unwind(panic);
    }
}

/// Tells how far the history is.
struct Teller {
    snapshots: Snapshots,
    history: Progress,
    shown: Progress,
    clock: Arc<dyn primitives::Clock>,
    begun: Option<(Timestamp, u64)>,
}

impl Teller {
    fn new(history: &Indexer, shown: Progress) -> Self {
        Self {
            snapshots: history.snapshots.clone(),
            history: history.progress.clone(),
            shown,
            clock: Arc::clone(&history.clock),
            begun: None,
        }
    }

    /// Never ends.
    async fn run(mut self) {
        let mut turn = 0_u32;
        loop {
            if let Some(view) = self.view() {
                self.shown.remembers(Some(&view));
                gauge(&view);
                if turn.is_multiple_of(LOG_EVERY) {
                    let HistoryView {
                        block,
                        of,
                        seconds_left,
                        ..
                    } = view;
                    tracing::info!(block, of, seconds_left, "indexing the history");
                }
            }
            turn = turn.wrapping_add(1);
            tokio::time::sleep(TELL_EVERY).await;
        }
    }

    fn view(&mut self) -> Option<HistoryView> {
        let seen = self.history.view();
        let of = seen.node_head?.number;
        let block = self.snapshots.load().map(|newest| newest.head.number);
        let now = self.clock.now();
        if let (None, Some(block)) = (self.begun, block) {
            self.begun = Some((now, block));
        }
        Some(HistoryView {
            block,
            of,
            seconds_left: self.begun.zip(block).and_then(|((since, first), block)| {
                let (done, left) = (block.checked_sub(first)?, of.saturating_sub(block));
                seconds_left(now.duration_since(since), done, left)
            }),
            error: seen.error.clone(),
        })
    }
}

fn gauge(view: &HistoryView) {
    let block = view.block.unwrap_or(0);
    metrics::gauge!("stoa_history_block").set(lossy(block));
    metrics::gauge!("stoa_history_blocks_left").set(lossy(view.of.saturating_sub(block)));
    if let Some(seconds) = view.seconds_left {
        metrics::gauge!("stoa_history_seconds_left").set(lossy(seconds));
    }
}

fn forget_gauges() {
    metrics::gauge!("stoa_history_blocks_left").set(0);
    metrics::gauge!("stoa_history_seconds_left").set(0);
}
