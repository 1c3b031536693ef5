//! What wakes the indexer before its next poll.

use chain::ring_at_heads;
use std::{sync::Arc, time::Duration};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use url::Url;

/// Pauses between two attempts to hear a node double from the first to the
/// second.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_mins(1);

/// A bell that never rings loses nothing: polling finds every block.
#[derive(Debug, Clone, Default)]
pub struct Doorbell(Arc<Notify>);

impl Doorbell {
    /// Rings it.
    pub fn ring(&self) {
        self.0.notify_one();
    }

    pub(super) async fn rung(&self) {
        self.0.notified().await;
    }

    /// Rings whenever the node at `url` announces a head, until told to stop.
    /// A lost connection is made anew.
    pub async fn ring_at_heads(self, url: Url, stop: CancellationToken) {
        let mut pause = FIRST_PAUSE;
        loop {
            let begun = tokio::time::Instant::now();
            let heads = Box::pin(ring_at_heads(&url, &self.0));
            let Some(reason) = stop.run_until_cancelled(heads).await else {
                return;
            };
            tracing::debug!(%reason, "new heads are not announced, polling goes on");
            metrics::counter!("stoa_doorbell_losses_total").increment(1);
            if begun.elapsed() > LONGEST_PAUSE {
                pause = FIRST_PAUSE;
            }
            if stop
                .run_until_cancelled(tokio::time::sleep(pause))
                .await
                .is_none()
            {
                return;
            }
            pause = pause.saturating_mul(2).min(LONGEST_PAUSE);
        }
    }
}
