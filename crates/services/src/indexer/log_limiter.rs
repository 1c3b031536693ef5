//! Lines of the log that strangers could call forth without end.

use primitives::{SignedDuration, Timestamp};

/// The shortest time between two of them.
const PAUSE: SignedDuration = SignedDuration::from_secs(60);

/// Says when a line is due that is not written more often than once a minute.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LogLimiter {
    said: Option<Timestamp>,
    unsaid: u64,
}

impl LogLimiter {
    /// How many went unsaid before this one, if this one is to be said.
    pub(super) fn due(&mut self, now: Timestamp) -> Option<u64> {
        let waits = self
            .said
            .map(|said| now.duration_since(said))
            // A clock that was set back must not silence anything.
            .is_some_and(|since| !since.is_negative() && since < PAUSE);
        if waits {
            self.unsaid = self.unsaid.saturating_add(1);
            return None;
        }
        self.said = Some(now);
        Some(std::mem::take(&mut self.unsaid))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_said_once_a_minute_with_the_number_of_those_before() {
        let at = |second| Timestamp::from_second(second).unwrap_or_default();
        let mut limiter = LogLimiter::default();
        assert_eq!(limiter.due(at(100)), Some(0));
        assert_eq!(limiter.due(at(100)), None);
        assert_eq!(limiter.due(at(159)), None);
        assert_eq!(limiter.due(at(160)), Some(2));
        assert_eq!(limiter.due(at(50)), Some(0));
    }
}
