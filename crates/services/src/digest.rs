//! A short name for all that a snapshot says of its block: replicas at the same
//! block have the same one, or one of them is wrong.

use crate::snapshot::Snapshot;
use sha2::{Digest as _, Sha256};
use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError, Weak},
};

/// Half of a SHA-256: enough to tell replicas apart that nobody forges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SnapshotDigest([u8; 16]);

impl SnapshotDigest {
    /// Of the block, every pool, and the price and volume of every listed token.
    pub fn of(snapshot: &Snapshot) -> Self {
        let mut hash = Sha256::new();
        hash.update(snapshot.head.number.to_be_bytes());
        hash.update(snapshot.head.hash.to_bytes_be());
        hash.update(snapshot.pools.to_bytes());
        let figures = &snapshot.figures;
        for token in snapshot.tokens.tokens() {
            let price = figures.token(token.address);
            let price = price.and_then(|token| figures.price(token));
            hash.update(token.address.felt().to_bytes_be());
            hash.update(format!("{price:?}"));
            hash.update(figures.volume_24h_usd(token.address).to_be_bytes());
        }
        for token in snapshot.shunned.iter() {
            hash.update(token.felt().to_bytes_be());
        }
        let mut half = [0; 16];
        half.iter_mut()
            .zip(hash.finalize())
            .for_each(|(to, from)| *to = from);
        Self(half)
    }
}

impl fmt::Display for SnapshotDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The digest of the newest snapshot that somebody asked about.
#[derive(Debug, Default)]
pub(crate) struct NewestDigest(Mutex<Option<(Weak<Snapshot>, SnapshotDigest)>>);

impl NewestDigest {
    /// Computed once for each snapshot, however often it is asked for.
    pub(crate) fn of(&self, snapshot: &Arc<Snapshot>) -> SnapshotDigest {
        let mut newest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, digest)) = newest.as_ref()
            && std::ptr::eq(known.as_ptr(), Arc::as_ptr(snapshot))
        {
            return *digest;
        }
        let digest = SnapshotDigest::of(snapshot);
        *newest = Some((Arc::downgrade(snapshot), digest));
        digest
    }
}
