//! Requests that may be repeated: the second one gets the answer of the first.

use super::Leasing;
use crate::fault::Fault;
use primitives::{SignedDuration, Timestamp, Ulid};
use store::{
    Store,
    leasing::{KeyClaim, KeyName, LedgerTx},
};

pub use store::leasing::StoredAnswer;

/// How long an answer is kept.
const LIFETIME: SignedDuration = SignedDuration::from_hours(24);

/// A request that has not been answered after so long never will be: its
/// process died.
const ABANDONED: SignedDuration = SignedDuration::from_secs(60);

/// What a key is to a request.
#[derive(Debug)]
pub enum Claim {
    /// It is this request's now. The guard must be finished or released.
    Fresh(KeyGuard),
    /// The request was answered before, like this.
    Replay(StoredAnswer),
    /// The same request is being answered just now.
    InFlight,
    /// The key belongs to a request with another body.
    OtherBody,
}

/// Holds a key while its request is answered. Dropped without an answer it
/// frees the key.
#[derive(Debug)]
pub struct KeyGuard {
    store: Store,
    name: KeyName,
    holder: [u8; 16],
    holds: bool,
}

impl KeyGuard {
    /// Frees the key, because the request failed.
    pub async fn release(mut self) -> Result<(), Fault> {
        self.holds = false;
        Ok(self
            .store
            .ledger()
            .free_key(&self.name, &self.holder)
            .await?)
    }

    /// Keeps the answer, in the transaction of what was asked.
    pub(super) async fn answer(
        &self,
        tx: &mut LedgerTx,
        answer: &StoredAnswer,
    ) -> Result<(), Fault> {
        if tx.answer_key(&self.name, &self.holder, answer).await? {
            Ok(())
        } else {
            Err(Fault::KeyLost)
        }
    }

    /// The transaction with the answer is committed.
    pub(super) fn answered(mut self) {
        self.holds = false;
    }
}

impl Drop for KeyGuard {
    /// The request was cut off. An answer that was committed stays.
    fn drop(&mut self) {
        if !self.holds {
            return;
        }
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        let (store, name, holder) = (self.store.clone(), self.name.clone(), self.holder);
        runtime.spawn(async move {
            if let Err(error) = store.ledger().free_key(&name, &holder).await {
                let error = Fault::from(error).chain_text();
                tracing::warn!(error, "an idempotency key stays held for a minute");
            }
        });
    }
}

impl Leasing {
    /// Takes a key for a request of a user. `body` is the SHA-256 of the body.
    pub async fn claim(
        &self,
        user: Ulid,
        method: &str,
        path: &str,
        key: Ulid,
        body: [u8; 32],
    ) -> Result<Claim, Fault> {
        let inner = &*self.0;
        let name = KeyName {
            user,
            method: method.to_owned(),
            path: path.to_owned(),
            key,
        };
        let holder = inner.entropy.bytes();
        let now = inner.now();
        let abandoned = now.checked_sub(ABANDONED).unwrap_or(Timestamp::MIN);
        let expires_at = inner.in_future(LIFETIME);
        let ledger = inner.store.ledger();
        let claim = ledger.claim_key(&name, &body, &holder, now, abandoned, expires_at);
        Ok(match claim.await? {
            KeyClaim::Taken => Claim::Fresh(KeyGuard {
                store: inner.store.clone(),
                name,
                holder,
                holds: true,
            }),
            KeyClaim::Answered(answer) => Claim::Replay(answer),
            KeyClaim::Held => Claim::InFlight,
            KeyClaim::OtherBody => Claim::OtherBody,
        })
    }
}
