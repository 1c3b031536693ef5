//! The keys of an issuer, kept for a while.
//!
//! They are read anew when they are older than [`FRESH`] or a token names one
//! that is not there, by one request at a time and at most once in [`PAUSE`]. An
//! issuer that does not answer changes nothing until they are older than
//! [`LASTING`].

use super::{
    key::Key,
    provider::{IssuerError, Provider},
};
use crate::fault::{Fault, chain_text};
use arc_swap::ArcSwapOption;
use metrics::counter;
use primitives::{SignedDuration, Timestamp};
use std::{fmt, sync::Arc};
use tokio::sync::{Mutex, OwnedMutexGuard};

/// Older keys are read again before they are used.
const FRESH: SignedDuration = SignedDuration::from_mins(5);

/// Older keys are not used.
const LASTING: SignedDuration = SignedDuration::from_hours(1);

/// The time between two readings at least.
const PAUSE: SignedDuration = SignedDuration::from_secs(10);

/// The keys of an issuer. Clones share them.
#[derive(Clone)]
pub(super) struct KeyRing(Arc<Ring>);

struct Ring {
    provider: Provider,
    kept: ArcSwapOption<KeySet>,
    /// The last reading. Whoever reads holds it.
    last: Arc<Mutex<Option<Reading>>>,
}

struct KeySet {
    keys: Vec<Key>,
    read_at: Timestamp,
}

struct Reading {
    at: Timestamp,
    failure: Option<Arc<IssuerError>>,
}

/// The keys, if the one that was looked for is there.
pub(super) enum Found {
    /// It is one of these.
    Keys(FoundKeys),
    /// The issuer does not have it.
    NoSuchKey,
}

/// Keys of an issuer.
pub(super) struct FoundKeys(Arc<KeySet>);

impl FoundKeys {
    pub(super) fn iter(&self) -> impl Iterator<Item = &Key> {
        self.0.keys.iter()
    }
}

impl KeySet {
    fn is_younger(&self, than: SignedDuration, now: Timestamp) -> bool {
        now.duration_since(self.read_at) < than
    }

    fn has(&self, kid: &str) -> bool {
        self.keys.iter().any(|key| key.id() == kid)
    }
}

impl KeyRing {
    pub(super) fn new(provider: Provider) -> Self {
        Self(Arc::new(Ring {
            provider,
            kept: ArcSwapOption::empty(),
            last: Arc::default(),
        }))
    }

    pub(super) fn provider(&self) -> &Provider {
        &self.0.provider
    }

    /// The keys with one of this name among them. A fault if it is not there and
    /// the issuer cannot be asked.
    pub(super) async fn having(&self, kid: &str, now: Timestamp) -> Result<Found, Fault> {
        let found = |kept| Ok(Found::Keys(FoundKeys(kept)));
        let usable = self.usable(kid, LASTING, now);
        let fresh = self.usable(kid, FRESH, now);
        if let Some(kept) = fresh {
            return found(kept);
        }
        let guard = match (usable, Arc::clone(&self.0.last).try_lock_owned()) {
            (_, Ok(guard)) => guard,
            // Somebody reads them right now: meanwhile these will do.
            (Some(kept), Err(_)) => return found(kept),
            (None, Err(_)) => Arc::clone(&self.0.last).lock_owned().await,
        };
        // Whoever held the lock may have read them.
        if let Some(kept) = self.usable(kid, FRESH, now) {
            return found(kept);
        }
        let failure = self.read_unless_just_done(guard, now).await?;
        match (self.usable(kid, LASTING, now), failure) {
            (Some(kept), _) => found(kept),
            (None, None) => Ok(Found::NoSuchKey),
            (None, Some(failure)) => Err(Fault::Issuer(failure)),
        }
    }

    /// What is kept, if the key is there and it is young enough.
    fn usable(&self, kid: &str, age: SignedDuration, now: Timestamp) -> Option<Arc<KeySet>> {
        let kept = self.0.kept.load_full();
        kept.filter(|kept| kept.is_younger(age, now) && kept.has(kid))
    }

    /// Reads the keys, or leaves it at the last reading. Why that failed is told.
    async fn read_unless_just_done(
        &self,
        guard: OwnedMutexGuard<Option<Reading>>,
        now: Timestamp,
    ) -> Result<Option<Arc<IssuerError>>, Fault> {
        if let Some(last) = &*guard
            && now.duration_since(last.at) < PAUSE
        {
            return Ok(last.failure.clone());
        }
        // A caller who goes away must not keep the others from reading.
        let reading = tokio::spawn(read(Arc::clone(&self.0), guard, now));
        reading.await.map_err(Fault::Interrupted)
    }
}

async fn read(
    ring: Arc<Ring>,
    mut guard: OwnedMutexGuard<Option<Reading>>,
    now: Timestamp,
) -> Option<Arc<IssuerError>> {
    let read = ring.provider.keys().await;
    let outcome = if read.is_ok() { "read" } else { "failed" };
    counter!("stoa_oidc_key_reads_total", "outcome" => outcome).increment(1);
    let failure = match read {
        Ok(keys) => {
            let kept = KeySet { keys, read_at: now };
            ring.kept.store(Some(Arc::new(kept)));
            None
        }
        Err(error) => {
            let cause = chain_text(&error);
            tracing::warn!(cause, "the keys of the sessions' issuer could not be read");
            Some(Arc::new(error))
        }
    };
    *guard = Some(Reading {
        at: now,
        failure: failure.clone(),
    });
    failure
}

impl fmt::Debug for KeyRing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("KeyRing").field(&self.0.provider).finish()
    }
}
