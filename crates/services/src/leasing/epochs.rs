//! Which epoch it is, for everybody in this process.

use leasing::{EpochClock, EpochPosition};
use primitives::{Clock, SignedDuration, Timestamp};
use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, Ordering},
};

/// Which epoch it is. Clones share everything.
#[derive(Debug, Clone)]
pub struct Epochs {
    clock: Arc<dyn Clock>,
    /// What nodes have said.
    known: Arc<Mutex<Option<EpochClock>>>,
    /// Whether the node is of another cluster, by its last answer.
    is_foreign: Arc<AtomicBool>,
}

/// Where the chain is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EpochView {
    /// Where, as far as one can tell.
    pub position: EpochPosition,
    /// When the epoch ends, as far as one can tell.
    pub ends_at: Option<Timestamp>,
    /// How long no node has said anything new.
    pub silence: SignedDuration,
    /// How long the chain has stood still, by what nodes say.
    pub standstill: SignedDuration,
    /// Whether the node that answers now is of another cluster.
    pub is_foreign: bool,
}

impl Epochs {
    pub(super) fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            known: Arc::default(),
            is_foreign: Arc::default(),
        }
    }

    /// Where the chain is; `None` until a node has said so once.
    pub fn current(&self) -> Option<EpochView> {
        let now = self.clock.now();
        let mut clock = self.lock();
        let clock = clock.as_mut()?;
        Some(EpochView {
            position: clock.position(now),
            ends_at: clock.epoch_end(now),
            silence: clock.silence(now),
            standstill: clock.standstill(now),
            is_foreign: self.is_foreign.load(Ordering::Relaxed),
        })
    }

    /// The current epoch as leases count them, if a node ever said.
    pub(super) fn number(&self) -> Option<i32> {
        let position = self.lock().as_mut()?.position(self.clock.now());
        i32::try_from(position.epoch).ok()
    }

    /// Takes up what a node says.
    pub(super) fn observe(&self, position: EpochPosition) {
        let now = self.clock.now();
        match &mut *self.lock() {
            Some(clock) => clock.observe(position, now),
            none => *none = Some(EpochClock::new(position, now)),
        }
    }

    /// Notes whether it was a node of another cluster that answered last.
    pub(super) fn note_foreign(&self, is_foreign: bool) {
        self.is_foreign.store(is_foreign, Ordering::Relaxed);
    }

    fn lock(&self) -> MutexGuard<'_, Option<EpochClock>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
