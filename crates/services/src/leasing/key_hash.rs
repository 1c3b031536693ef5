//! The hash of lease keys: memory-hard, so that a stolen ledger is worth little,
//! and so few at once that nobody's guesses fill the memory.

use crate::fault::Fault;
use argon2::{Algorithm, Argon2, Params, Version};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::Semaphore;

/// Hashes that are computed at once.
const AT_ONCE: usize = 2;

/// Keys that are remembered at most.
const MAX_KNOWN: usize = 10_000;

/// What a hash costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyCost {
    /// Its memory, in KiB.
    pub memory_kib: u32,
    /// Its passes over that memory.
    pub passes: u32,
}

impl Default for KeyCost {
    /// The least that is advised.
    fn default() -> Self {
        Self {
            memory_kib: 19 * 1_024,
            passes: 2,
        }
    }
}

/// Computes hashes, and remembers keys that were good: a hash is worth a hundred
/// requests.
#[derive(Debug)]
pub(super) struct KeyHashes {
    places: Arc<Semaphore>,
    /// Plain digests of keys that were good, with their versions.
    known: Mutex<HashMap<[u8; 32], u64>>,
}

impl Default for KeyHashes {
    fn default() -> Self {
        Self {
            places: Arc::new(Semaphore::new(AT_ONCE)),
            known: Mutex::default(),
        }
    }
}

impl KeyHashes {
    /// What a key hashes to.
    pub(super) async fn digest(
        &self,
        key: &str,
        salt: [u8; 16],
        cost: KeyCost,
    ) -> Result<[u8; 32], Fault> {
        let params = Params::new(cost.memory_kib, cost.passes, 1, Some(32));
        let params = params.map_err(|error| Fault::Hashing(error.to_string()))?;
        let place = Arc::clone(&self.places).acquire_owned().await;
        let place = place.map_err(|_| Fault::Hashing("no place to hash in".to_owned()))?;
        let key = key.to_owned();
        let hashed = tokio::task::spawn_blocking(move || {
            let mut digest = [0; 32];
            let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
            let done = argon2.hash_password_into(key.as_bytes(), &salt, &mut digest);
            drop(place);
            done.map(|()| digest)
        });
        let hashed = hashed.await.map_err(Fault::Interrupted)?;
        hashed.map_err(|error| Fault::Hashing(error.to_string()))
    }

    /// Whether a key was good in this version.
    pub(super) fn is_known(&self, digest: &[u8; 32], version: u64) -> bool {
        self.lock().get(digest) == Some(&version)
    }

    /// Remembers that a key is good in this version.
    pub(super) fn remember(&self, digest: [u8; 32], version: u64) {
        let mut known = self.lock();
        if known.len() >= MAX_KNOWN {
            known.clear();
        }
        known.insert(digest, version);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<[u8; 32], u64>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
