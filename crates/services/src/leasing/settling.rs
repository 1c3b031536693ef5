//! Since when payments cannot be looked for, for everybody in this process.

use primitives::Timestamp;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Since when rounds of settlement fail, if they do. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Settling {
    failing_since: Arc<Mutex<Option<Timestamp>>>,
}

impl Settling {
    /// When the first of the rounds ended that have failed without a break.
    pub fn failing_since(&self) -> Option<Timestamp> {
        *self.lock()
    }

    /// Notes how a round ended.
    pub(super) fn note(&self, is_done: bool, now: Timestamp) {
        let mut since = self.lock();
        *since = (!is_done).then(|| since.unwrap_or(now));
    }

    fn lock(&self) -> MutexGuard<'_, Option<Timestamp>> {
        let since = self.failing_since.lock();
        since.unwrap_or_else(PoisonError::into_inner)
    }
}
