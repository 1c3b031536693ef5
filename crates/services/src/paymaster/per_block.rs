//! What is known as of one block, and forgotten with the next.

use primitives::{BlockRef, Felt};
use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Values that are kept of a block; what comes after them is asked for each time.
const MAX_KEPT: usize = 4_096;

/// Values of the block that was asked about last; the next one clears them.
#[derive(Debug)]
pub(super) struct PerBlock<K, V>(Mutex<Kept<K, V>>);

#[derive(Debug)]
struct Kept<K, V> {
    block: Felt,
    values: HashMap<K, V>,
}

impl<K, V> Default for PerBlock<K, V> {
    fn default() -> Self {
        Self(Mutex::new(Kept {
            block: Felt::ZERO,
            values: HashMap::new(),
        }))
    }
}

impl<K: Hash + Eq, V: Copy> PerBlock<K, V> {
    pub(super) fn get(&self, at: BlockRef, key: &K) -> Option<V> {
        self.lock(at).values.get(key).copied()
    }

    pub(super) fn put(&self, at: BlockRef, key: K, value: V) {
        let mut kept = self.lock(at);
        if kept.values.len() < MAX_KEPT {
            kept.values.insert(key, value);
        }
    }

    /// Nothing of another block is kept.
    fn lock(&self, at: BlockRef) -> MutexGuard<'_, Kept<K, V>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.block != at.hash {
            kept.values.clear();
            kept.block = at.hash;
        }
        kept
    }
}
