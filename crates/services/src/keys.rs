//! API keys: made by the operator, shown once, stored as digests.

use crate::fault::Fault;
use primitives::{Clock, Entropy, SignedDuration, Timestamp, bytes_to_hex};
use sha2::{Digest, Sha256};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};
use store::{ApiKeyRow, Store};

/// The key of the simulated network's own sponsor.
pub const DEMO_SPONSOR_KEY: &str = "demo-sponsor-key";

/// What every key begins with, so that people and scanners recognise one.
const PREFIX: &str = "stoa_";

/// Digits after the prefix: 32 random bytes.
const DIGITS: usize = 64;

/// How long an answer of the store is believed, at most: a revoked key works
/// no longer than this.
const REMEMBERED: SignedDuration = SignedDuration::from_secs(10);

/// Answers remembered at most.
const MAX_REMEMBERED: usize = 10_000;

/// A key that was just made. Its secret cannot be read again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewKey {
    /// Public name of the key, for listing and revoking.
    pub id: String,
    /// What callers send.
    pub secret: String,
}

/// Whose request it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyCaller {
    /// The key's public name.
    pub id: String,
}

/// What is remembered of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recollection {
    /// Nothing: only the store knows.
    Nothing,
    /// It is no living key.
    Stranger,
    /// It is this caller's.
    Caller(KeyCaller),
    /// It was a living key not long ago, and has to be looked at again.
    Former,
}

/// Makes, lists, revokes and recognises keys.
#[derive(Debug, Clone)]
pub struct ApiKeys {
    store: Store,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    remembered: Arc<Mutex<HashMap<[u8; 32], Remembered>>>,
}

#[derive(Debug, Clone)]
struct Remembered {
    caller: Option<KeyCaller>,
    until: Timestamp,
}

impl ApiKeys {
    /// Keys kept in `store`.
    pub fn new(store: Store, clock: Arc<dyn Clock>, entropy: Arc<dyn Entropy>) -> Self {
        Self {
            store,
            clock,
            entropy,
            remembered: Arc::default(),
        }
    }

    /// Makes a key.
    pub async fn create(&self, name: &str) -> Result<NewKey, Fault> {
        let id = format!("key_{}", bytes_to_hex(&self.entropy.bytes::<8>()));
        let secret = new_secret(&*self.entropy);
        let row = ApiKeyRow {
            id: id.clone(),
            name: name.to_owned(),
            digest: digest(&secret),
            created_at: self.clock.now(),
            revoked_at: None,
        };
        self.store.ledger().insert_key(&row).await?;
        Ok(NewKey { id, secret })
    }

    /// Every key, revoked ones too, oldest first.
    pub async fn list(&self) -> Result<Vec<ApiKeyRow>, Fault> {
        Ok(self.store.ledger().list_keys().await?)
    }

    /// Ends a key. Returns whether there was a living one of that id.
    pub async fn revoke(&self, id: &str) -> Result<bool, Fault> {
        Ok(self.store.ledger().revoke_key(id, self.clock.now()).await?)
    }

    /// What is remembered of a key, without asking the store. A text that
    /// cannot be a key is a stranger's.
    pub fn recall(&self, secret: &str) -> Recollection {
        if !looks_like_a_key(secret) {
            return Recollection::Stranger;
        }
        let now = self.clock.now();
        let remembered = self.lock();
        let Some(entry) = remembered.get(&digest(secret)) else {
            return Recollection::Nothing;
        };
        // The second half holds when the clock was set back.
        let fresh = now < entry.until && entry.until.duration_since(now) <= REMEMBERED;
        match (&entry.caller, fresh) {
            (Some(caller), true) => Recollection::Caller(caller.clone()),
            (Some(_), false) => Recollection::Former,
            (None, true) => Recollection::Stranger,
            (None, false) => Recollection::Nothing,
        }
    }

    /// Whose key this is, if it is a living one.
    pub async fn recognise(&self, secret: &str) -> Result<Option<KeyCaller>, Fault> {
        match self.recall(secret) {
            Recollection::Caller(caller) => return Ok(Some(caller)),
            Recollection::Stranger => return Ok(None),
            Recollection::Former | Recollection::Nothing => {}
        }
        let digest = digest(secret);
        let caller = self.caller(&digest).await?;
        let until = self.clock.now().checked_add(REMEMBERED);
        let mut remembered = self.lock();
        if remembered.len() >= MAX_REMEMBERED {
            remembered.clear();
        }
        remembered.insert(
            digest,
            Remembered {
                caller: caller.clone(),
                until: until.unwrap_or(Timestamp::MAX),
            },
        );
        Ok(caller)
    }

    /// A client's key, or a sponsor's, which counts as one.
    async fn caller(&self, digest: &[u8; 32]) -> Result<Option<KeyCaller>, Fault> {
        let ledger = self.store.ledger();
        if let Some(row) = ledger.find_key(digest).await? {
            let living = row.revoked_at.is_none();
            return Ok(living.then_some(KeyCaller { id: row.id }));
        }
        let sponsor = ledger.find_sponsor(digest).await?;
        let living = sponsor.filter(|row| row.disabled_at.is_none());
        Ok(living.map(|row| KeyCaller { id: row.id }))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<[u8; 32], Remembered>> {
        self.remembered
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// A key that nobody can guess.
pub(crate) fn new_secret(entropy: &(dyn Entropy + 'static)) -> String {
    format!("{PREFIX}{}", bytes_to_hex(&entropy.bytes::<32>()))
}

pub(crate) fn looks_like_a_key(secret: &str) -> bool {
    let is_random = secret.strip_prefix(PREFIX).is_some_and(|digits| {
        digits.len() == DIGITS && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
    });
    is_random || secret == DEMO_SPONSOR_KEY
}

/// A key has 256 random bits: a plain digest cannot be searched.
pub(crate) fn digest(secret: &str) -> [u8; 32] {
    Sha256::digest(secret.as_bytes()).into()
}
