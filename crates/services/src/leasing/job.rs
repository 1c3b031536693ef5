//! Background work: rounds, again and again, until told to stop.

use super::{
    audit_chain::AuditChain, block_watch::BlockWatch, epoch_watch::EpochWatch,
    settlement::Settlement, sweeper::Sweeper, webhooks::WebhookFeed, webhooks::WebhookSender,
};
use crate::fault::Fault;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Tells of a failure when it begins and when it ends, not at every round.
struct Trouble {
    job: &'static str,
    problem: Option<String>,
}

impl Trouble {
    fn note(&mut self, failed: Option<&Fault>) {
        let job = self.job;
        let problem = failed.map(Fault::chain_text);
        if failed.is_some() {
            metrics::counter!("stoa_leasing_failures_total", "job" => job).increment(1);
        }
        match (&self.problem, &problem) {
            (_, Some(error)) if self.problem.as_ref() != Some(error) => {
                tracing::warn!(job, error, "the lease market is held up");
            }
            (Some(_), None) => tracing::info!(job, "the lease market goes on"),
            _ => {}
        }
        self.problem = problem;
    }
}

/// Makes rounds of a job, `poll` apart. A round that is cut off by `stop` is
/// made again at the next start.
macro_rules! job {
    ($name:ident, $word:literal) => {
        impl $name {
            /// Works until told to stop.
            pub async fn run(mut self, poll: Duration, stop: CancellationToken) {
                let mut trouble = Trouble {
                    job: $word,
                    problem: None,
                };
                while let Some(done) = stop.run_until_cancelled(self.round()).await {
                    trouble.note(done.err().as_ref());
                    let slept = stop.run_until_cancelled(tokio::time::sleep(poll));
                    if slept.await.is_none() {
                        return;
                    }
                }
            }
        }
    };
}

job!(AuditChain, "audit");
job!(BlockWatch, "blocks");
job!(EpochWatch, "epochs");
job!(Settlement, "settlement");
job!(Sweeper, "sweeper");
job!(WebhookFeed, "webhook feed");

impl WebhookSender {
    /// Sends until told to stop.
    pub async fn run(mut self, poll: Duration, stop: CancellationToken) {
        let mut trouble = Trouble {
            job: "webhook sender",
            problem: None,
        };
        loop {
            trouble.note(self.round().await.err().as_ref());
            let slept = stop.run_until_cancelled(tokio::time::sleep(poll));
            if slept.await.is_none() {
                return self.leave().await;
            }
        }
    }
}
