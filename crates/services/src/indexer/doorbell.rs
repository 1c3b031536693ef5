//! What wakes indexers and followers before their next poll.

use crate::{duty::Duty, fault::Fault};
use chain::ring_at_heads;
use std::{sync::Arc, time::Duration};
use store::Commits;
use tokio::{sync::Notify, time::Instant};
use tokio_util::sync::CancellationToken;
use url::Url;

/// Pauses between two attempts to hear somebody double from the first to the
/// second.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_mins(1);

/// A bell that never rings loses nothing: polling finds every block.
#[derive(Debug, Clone, Default)]
pub struct Doorbell(Arc<Notify>);

impl Doorbell {
    /// Ends the pause of somebody who waits, or the next pause if nobody does.
    pub fn ring(&self) {
        self.0.notify_one();
    }

    pub(crate) async fn rung(&self) {
        self.0.notified().await;
    }

    /// Rings whenever the node at `url` announces a head, until told to stop.
    /// A lost connection is made anew.
    pub async fn ring_at_heads(self, url: Url, stop: CancellationToken) {
        let mut attempts = Attempts::default();
        loop {
            let heads = Box::pin(ring_at_heads(&url, &self.0));
            let Some(reason) = stop.run_until_cancelled(heads).await else {
                return;
            };
            tracing::debug!(%reason, "new heads are not announced, polling goes on");
            if stop.run_until_cancelled(attempts.pause()).await.is_none() {
                return;
            }
        }
    }

    /// Rings whenever another process has committed blocks, until told to stop. Who
    /// is on duty commits them itself. A lost connection is made anew.
    pub async fn ring_at_commits(
        self,
        commits: Commits,
        duty: Option<Duty>,
        stop: CancellationToken,
    ) {
        let ring = || {
            if !duty.as_ref().is_some_and(Duty::is_held) {
                self.ring();
            }
        };
        let mut attempts = Attempts::default();
        loop {
            let listening = Box::pin(commits.listen(ring));
            let Some(ended) = stop.run_until_cancelled(listening).await else {
                return;
            };
            let reason = ended.err().map(|error| Fault::from(error).chain_text());
            tracing::debug!(reason, "commits are not announced, polling goes on");
            if stop.run_until_cancelled(attempts.pause()).await.is_none() {
                return;
            }
        }
    }
}

/// Attempts to hear somebody, each ending with a loss.
#[derive(Debug)]
struct Attempts {
    begun: Instant,
    pause: Duration,
}

impl Default for Attempts {
    fn default() -> Self {
        Self {
            begun: Instant::now(),
            pause: FIRST_PAUSE,
        }
    }
}

impl Attempts {
    /// Waits until it is time for the next one.
    async fn pause(&mut self) {
        metrics::counter!("stoa_doorbell_losses_total").increment(1);
        if self.begun.elapsed() > LONGEST_PAUSE {
            self.pause = FIRST_PAUSE;
        }
        tokio::time::sleep(self.pause).await;
        self.pause = self.pause.saturating_mul(2).min(LONGEST_PAUSE);
        self.begun = Instant::now();
    }
}
