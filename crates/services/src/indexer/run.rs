//! One round after the other, with pauses.

use super::{Doorbell, Indexer, Round};
use crate::fault::Fault;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The longest pause after repeated failures.
const MAX_PAUSE: Duration = Duration::from_secs(15);

/// How long the block in hand may take once we are told to stop. Giving it up
/// is safe, since nothing of it is committed yet: it only costs fetching again.
const FINISH_WITHIN: Duration = Duration::from_secs(5);

/// When the work is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Until {
    /// Never by itself.
    Stopped,
    /// When there is nothing to do for now.
    CaughtUp,
}

impl Indexer {
    /// Works until told to stop; a block in hand is finished first. A ring of
    /// the bell ends a pause.
    pub async fn run(mut self, bell: Doorbell, stop: CancellationToken) {
        self.work(&bell, &stop, Until::Stopped).await;
    }

    /// The same, or until the work is done.
    pub(super) async fn work(&mut self, bell: &Doorbell, stop: &CancellationToken, until: Until) {
        let mut failures = 0_u32;
        let mut has_told = false;
        while !stop.is_cancelled() {
            let round = tokio::select! {
                round = self.round(stop) => round,
                () = too_late(stop) => return,
            };
            let pause = match round {
                Ok(Round::CaughtUp) if until == Until::CaughtUp => return,
                Ok(Round::CaughtUp) => {
                    failures = 0;
                    if !has_told {
                        self.tell_of_pools();
                        has_told = true;
                    }
                    self.options.poll
                }
                Ok(Round::Applied { .. } | Round::RolledBack { .. } | Round::Emptied) => {
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

    /// Tells the log, the metrics and whoever looks at the progress what is wrong.
    fn note_failure(&self, fault: &Fault) {
        let text = fault.chain_text();
        tracing::warn!(error = text, "indexing paused");
        metrics::counter!("stoa_indexer_failures_total").increment(1);
        self.progress.failed(&text, self.clock.now());
    }
}

async fn too_late(stop: &CancellationToken) {
    stop.cancelled().await;
    tokio::time::sleep(FINISH_WITHIN).await;
}
