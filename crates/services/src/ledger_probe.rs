//! Whether the ledger can be written to: asked every few seconds, so that a server
//! that is gone or a disk that is full shows before anybody's lease depends on it.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use store::{Store, StoreError, leasing::Parked};
use tokio::time::{MissedTickBehavior, interval, timeout};
use tokio_util::sync::CancellationToken;

/// How often it is asked.
const INTERVAL: Duration = Duration::from_secs(2);

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(2);

/// What the last attempt said. Clones share it.
#[derive(Debug, Clone)]
pub struct LedgerProbe {
    store: Store,
    last: Arc<Mutex<LedgerHealth>>,
}

/// The state of the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerHealth {
    /// Whether it was written to at the last attempt.
    pub ready: bool,
    /// What keeps it from being ready.
    pub problem: Option<&'static str>,
    /// What the database says of that.
    pub error: Option<String>,
    /// Transactions that wait for a node that can show them.
    pub parked: Parked,
}

impl LedgerHealth {
    fn failed(problem: &'static str, error: Option<String>) -> Self {
        Self {
            ready: false,
            problem: Some(problem),
            error,
            parked: Parked::default(),
        }
    }
}

impl LedgerProbe {
    /// A probe that has asked nothing yet.
    pub fn new(store: Store) -> Self {
        let unasked = LedgerHealth::failed("the ledger was not asked yet", None);
        Self {
            store,
            last: Arc::new(Mutex::new(unasked)),
        }
    }

    /// Asks until told to stop.
    pub async fn run(self, stop: CancellationToken) {
        let mut ticks = interval(INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while stop.run_until_cancelled(ticks.tick()).await.is_some() {
            self.ask().await;
        }
    }

    /// Asks once.
    pub async fn ask(&self) {
        let found = match timeout(PATIENCE, self.look()).await {
            Ok(Ok(parked)) => LedgerHealth {
                ready: true,
                problem: None,
                error: None,
                parked,
            },
            Ok(Err(error)) => LedgerHealth::failed(problem(&error), Some(error.to_string())),
            Err(_) => LedgerHealth::failed("the ledger does not answer", None),
        };
        let mut last = self.lock();
        if last.problem != found.problem {
            if let Some(problem) = found.problem {
                tracing::warn!(error = found.error, "{problem}");
            } else {
                tracing::info!("the ledger can be written to");
            }
        }
        *last = found;
    }

    async fn look(&self) -> Result<Parked, StoreError> {
        self.store.ledger().probe().await?;
        let parked = self.store.ledger().parked().await?;
        let count = u32::try_from(parked.count).unwrap_or(u32::MAX);
        metrics::gauge!("stoa_leasing_parked_transactions").set(count);
        Ok(parked)
    }

    /// What the last attempt said.
    pub fn health(&self) -> LedgerHealth {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, LedgerHealth> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

const fn problem(error: &StoreError) -> &'static str {
    match error {
        StoreError::DiskFull(_) => "the ledger's disk is full",
        StoreError::Busy(_) | StoreError::NoAnswer { .. } => "the ledger does not answer",
        _ => "the ledger cannot be written to",
    }
}
