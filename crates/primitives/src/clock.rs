//! Time, passed in.

use jiff::{SignedDuration, Timestamp};
use std::{fmt, sync::Mutex};

/// Where the time comes from. The binary has the real one, tests a
/// [`ManualClock`].
pub trait Clock: fmt::Debug + Send + Sync {
    /// The time now, in UTC.
    fn now(&self) -> Timestamp;
}

/// A clock that moves only when told to.
#[derive(Debug)]
pub struct ManualClock(Mutex<Timestamp>);

impl ManualClock {
    /// A clock that stands at `start`.
    pub fn new(start: Timestamp) -> Self {
        Self(Mutex::new(start))
    }

    /// Moves the clock by `step`, which may be negative. The clock stops at the
    /// ends of the calendar.
    pub fn advance(&self, step: SignedDuration) {
        let mut now = self.lock();
        let end = if step.is_negative() {
            Timestamp::MIN
        } else {
            Timestamp::MAX
        };
        *now = now.checked_add(step).unwrap_or(end);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Timestamp> {
        self.0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        *self.lock()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manual_clock_moves_only_when_told() {
        let clock = ManualClock::new(Timestamp::UNIX_EPOCH);
        assert_eq!(clock.now(), Timestamp::UNIX_EPOCH);
        clock.advance(SignedDuration::from_secs(2));
        assert_eq!(clock.now().as_second(), 2);
        clock.advance(SignedDuration::MAX);
        assert_eq!(clock.now(), Timestamp::MAX);
    }
}
