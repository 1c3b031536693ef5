//! Keeps what is known of the staker: one task reads it, any number of requests
//! look at it without asking a node.

use super::{handle::Staking, rates::learn_rates, staker::Staker};
use crate::{fault::Fault, rounds::Rounds};
use std::{sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

/// Time between two looks at the staker, at most one for each block.
const INTERVAL: Duration = Duration::from_secs(2);

/// The same while nothing is known of it.
const FIRST_INTERVAL: Duration = Duration::from_millis(200);

impl Staking {
    /// Reads the staker again and again, until told to stop.
    pub async fn run(self, stop: CancellationToken) {
        let mut rounds = Rounds::default();
        while let Some(refreshed) = stop.run_until_cancelled(self.refresh()).await {
            if let Some(error) = rounds.ended(refreshed) {
                metrics::counter!("stoa_staking_failures_total").increment(1);
                tracing::warn!(error, "the staker cannot be read");
            }
            let pause = match self.staker() {
                Some(_) => INTERVAL,
                None => FIRST_INTERVAL,
            };
            let slept = stop.run_until_cancelled(tokio::time::sleep(pause));
            if slept.await.is_none() {
                return;
            }
        }
    }

    /// Reads the staker at the newest snapshot's block, and what some days of
    /// the past paid if that is not known yet.
    pub async fn refresh(&self) -> Result<(), Fault> {
        let inner = self.inner();
        let Some(snapshot) = inner.snapshots.load() else {
            return Ok(());
        };
        let head = snapshot.head;
        if self.staker().is_none_or(|known| known.at != head) {
            let answer = inner.ask(head).await?;
            // A staker that is gone has nothing more to say.
            let staker = answer.map(|answer| Staker::new(&inner.options, &answer, head));
            inner.staker.store(staker.map(Arc::new));
        }
        learn_rates(inner, &snapshot).await
    }
}
