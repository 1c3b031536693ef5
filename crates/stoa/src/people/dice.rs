//! What people decide by.

use crate::registration::nonce;
use primitives::{Entropy, Timestamp, Ulid};
use std::sync::Arc;

/// Draws numbers.
#[derive(Debug, Clone)]
pub(super) struct Dice(Arc<dyn Entropy>);

impl Dice {
    pub(super) fn new(entropy: Arc<dyn Entropy>) -> Self {
        Self(entropy)
    }

    /// A number from 0 to below `sides`.
    pub(super) fn roll(&self, sides: u64) -> u64 {
        u64::from_le_bytes(self.0.bytes()) % sides.max(1)
    }

    /// One of these.
    pub(super) fn pick<'a, T>(&self, all: &'a [T]) -> Option<&'a T> {
        let count = u64::try_from(all.len()).unwrap_or(u64::MAX);
        all.get(usize::try_from(self.roll(count)).ok()?)
    }

    /// A fresh id.
    pub(super) fn id(&self, now: Timestamp) -> Ulid {
        Ulid::new(now, self.0.bytes())
    }

    /// A word that nobody has used.
    pub(super) fn nonce(&self) -> String {
        nonce(&*self.0)
    }
}
