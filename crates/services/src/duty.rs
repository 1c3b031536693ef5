//! Work that one process does at a time: holding it, and waiting for it.
//!
//! Whoever holds a duty says so every second; who has not for [`TERM`] may be
//! replaced, and finds in its next write that it was ([`store::Fence`]). So there is
//! somebody else within twice that time, and never two who write.

use crate::{fault::Fault, rounds::Rounds};
use primitives::{Clock, SignedDuration, Timestamp};
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use store::{Fence, StoreError};
use tokio_util::task::AbortOnDropHandle;

/// How long a duty is held that nobody renews.
pub const TERM: SignedDuration = SignedDuration::from_secs(4);

/// How often it is renewed, or asked for.
const EVERY: Duration = Duration::from_secs(1);

/// The same while the store fails, at most.
const SELDOM: Duration = Duration::from_secs(2);

/// How long the store is waited for when the duty is given back.
const PARTING: Duration = Duration::from_secs(1);

/// A duty of this process. Clones share it.
#[derive(Debug, Clone)]
pub struct Duty(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    fence: Fence,
    /// What this process is called.
    holder: String,
    clock: Arc<dyn Clock>,
    /// Until when it is held, as the store was told.
    until: Mutex<Option<Timestamp>>,
}

impl Duty {
    /// A duty that somebody may hold already.
    pub fn new(fence: Fence, holder: String, clock: Arc<dyn Clock>) -> Self {
        Self(Arc::new(Inner {
            fence,
            holder,
            clock,
            until: Mutex::default(),
        }))
    }

    /// Whether it is held, as far as this process knows. What is written is checked
    /// once more, by the store.
    pub fn is_held(&self) -> bool {
        self.number().is_some()
    }

    /// The number under which it is held.
    pub fn number(&self) -> Option<i64> {
        let until = (*self.until()).filter(|until| self.0.clock.now() < *until);
        until.and(self.0.fence.number())
    }

    /// Takes it if nobody has it, or holds it for longer. Says whether it is held.
    pub async fn look(&self) -> Result<bool, StoreError> {
        let Inner {
            fence,
            holder,
            clock,
            ..
        } = &*self.0;
        let now = clock.now();
        let until = now.checked_add(TERM).unwrap_or(Timestamp::MAX);
        let had = fence.number();
        let held = fence.renew(until).await? || fence.take(holder, now, until).await?;
        *self.until() = held.then_some(until);
        let duty = fence.duty();
        metrics::gauge!("stoa_duty_held", "duty" => duty).set(if held { 1.0 } else { 0.0 });
        match (had, fence.number()) {
            (_, Some(number)) if had != Some(number) => {
                tracing::info!(duty, number, holder, "this process has taken over");
            }
            (Some(number), None) => {
                tracing::warn!(duty, number, holder, "another process has taken over");
            }
            _ => {}
        }
        Ok(held)
    }

    /// Takes it at a start, if nobody has it. A store that cannot be written to keeps
    /// nobody from starting.
    pub async fn begin(&self) {
        if let Err(error) = self.look().await {
            self.note(&Fault::from(error).chain_text());
        }
    }

    /// Holds it, or waits for it, as long as work is done that asks whether it is
    /// held. Then lets others have it.
    pub async fn during(&self, work: impl Future<Output = ()>) {
        // A task of its own: work that keeps a processor busy does not lose the duty.
        let keeping = AbortOnDropHandle::new(tokio::spawn(self.clone().keep()));
        work.await;
        keeping.abort();
        *self.until() = None;
        let given_back = tokio::time::timeout(PARTING, self.0.fence.give_back()).await;
        if !matches!(given_back, Ok(Ok(()))) {
            // Others wait until its time is over.
            let duty = self.0.fence.duty();
            tracing::info!(duty, "a duty was not given back");
        }
    }

    /// Never ends.
    async fn keep(self) {
        let mut rounds = Rounds::default();
        loop {
            let looked = self.look().await.map_err(Into::into);
            if let Some(error) = rounds.ended(looked) {
                self.note(error);
            }
            tokio::time::sleep(rounds.pause(EVERY, SELDOM)).await;
        }
    }

    fn note(&self, error: &str) {
        let duty = self.0.fence.duty();
        tracing::warn!(duty, error, "the store does not say whose duty it is");
    }

    fn until(&self) -> std::sync::MutexGuard<'_, Option<Timestamp>> {
        self.0.until.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
