//! Bearers that were good when last seen.

use sha2::{Digest as _, Sha256};
use std::{
    collections::HashSet,
    sync::{Mutex, PoisonError},
};

/// Bearers remembered at most.
const MAX_KNOWN: usize = 10_000;

/// Digests of bearers that were good when last seen. It only decides who pays
/// for a look into the store, never who is let in.
#[derive(Debug, Default)]
pub(super) struct KnownBearers(Mutex<HashSet<[u8; 32]>>);

impl KnownBearers {
    pub(super) fn has(&self, token: &str) -> bool {
        let digest: [u8; 32] = Sha256::digest(token).into();
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.contains(&digest)
    }

    pub(super) fn note(&self, token: &str, is_good: bool) {
        let digest: [u8; 32] = Sha256::digest(token).into();
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !is_good {
            known.remove(&digest);
            return;
        }
        if known.len() >= MAX_KNOWN {
            known.clear();
        }
        known.insert(digest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bearer_is_known_until_it_fails() {
        let known = KnownBearers::default();
        assert!(!known.has("a"));
        known.note("a", true);
        assert!(known.has("a") && !known.has("b"));
        known.note("a", false);
        assert!(!known.has("a"));
        (0..MAX_KNOWN + 5).for_each(|n| known.note(&n.to_string(), true));
        assert!(known.0.lock().unwrap().len() <= MAX_KNOWN);
    }
}
