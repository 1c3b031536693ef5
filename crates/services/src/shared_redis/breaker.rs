//! When something that fails is asked, and when it is left alone: a pure state
//! machine, told the time and how asking went.
//!
//! Closed, everyone asks. After [`FAILURES`] failures in a row it opens, and
//! nobody does for [`PAUSE`]. Then it is half-open: one asks, and everyone else
//! goes on without. An answer closes it, a failure opens it again. Whoever asks
//! on trial may be cut off and never tell: after another pause the next one
//! tries.

use primitives::{SignedDuration, Timestamp};

/// Failures in a row after which nobody asks.
pub(super) const FAILURES: u32 = 3;

/// How long nobody asks.
pub(super) const PAUSE: SignedDuration = SignedDuration::from_secs(2);

/// Who may ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Breaker {
    /// Everyone; so many failed since the last answer.
    Closed { failures: u32 },
    /// Nobody since then.
    Open { since: Timestamp },
    /// One has been let through then.
    HalfOpen { since: Timestamp },
}

/// What an outcome changed for everyone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    Opened,
    Closed,
}

impl Default for Breaker {
    fn default() -> Self {
        Self::Closed { failures: 0 }
    }
}

impl Breaker {
    /// Whether this one may ask.
    pub(super) fn admit(&mut self, now: Timestamp) -> bool {
        match *self {
            Self::Closed { .. } => true,
            Self::Open { since } | Self::HalfOpen { since } if is_over(since, now) => {
                *self = Self::HalfOpen { since: now };
                true
            }
            Self::Open { .. } | Self::HalfOpen { .. } => false,
        }
    }

    /// There was an answer.
    pub(super) fn answered(&mut self) -> Option<Turn> {
        let was_closed = self.is_closed();
        *self = Self::default();
        (!was_closed).then_some(Turn::Closed)
    }

    /// There was none.
    pub(super) fn failed(&mut self, now: Timestamp) -> Option<Turn> {
        match *self {
            Self::Closed { failures } if failures + 1 < FAILURES => {
                *self = Self::Closed {
                    failures: failures + 1,
                };
                None
            }
            Self::Closed { .. } => {
                *self = Self::Open { since: now };
                Some(Turn::Opened)
            }
            Self::HalfOpen { .. } => {
                *self = Self::Open { since: now };
                None
            }
            // Of one who asked before it opened.
            Self::Open { .. } => None,
        }
    }

    pub(super) fn is_closed(self) -> bool {
        matches!(self, Self::Closed { .. })
    }
}

/// A clock that was set back does not make a pause longer.
fn is_over(since: Timestamp, now: Timestamp) -> bool {
    now < since || now.duration_since(since) >= PAUSE
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millisecond(millis).unwrap()
    }

    fn opened(now: Timestamp) -> Breaker {
        let mut breaker = Breaker::default();
        for _ in 0..FAILURES {
            breaker.failed(now);
        }
        breaker
    }

    #[test]
    fn it_opens_after_failures_in_a_row_and_not_before() {
        let mut breaker = Breaker::default();
        for _ in 0..10 {
            assert_eq!(breaker.failed(at(0)), None);
            assert_eq!(breaker.failed(at(0)), None);
            assert_eq!(breaker.answered(), None);
            assert!(breaker.admit(at(0)));
        }
        assert_eq!(breaker.failed(at(0)), None);
        assert_eq!(breaker.failed(at(0)), None);
        assert_eq!(breaker.failed(at(0)), Some(Turn::Opened));
        assert!(!breaker.admit(at(0)));
        assert_eq!(breaker.failed(at(0)), None);
    }

    #[test]
    fn after_a_pause_one_asks_and_decides_for_everyone() {
        let mut breaker = opened(at(0));
        assert!(!breaker.admit(at(1_999)));
        assert!(breaker.admit(at(2_000)));
        assert!(!breaker.admit(at(2_000)));
        assert_eq!(breaker.failed(at(2_250)), None);
        assert!(!breaker.admit(at(4_249)));
        assert!(breaker.admit(at(4_250)));
        assert_eq!(breaker.answered(), Some(Turn::Closed));
        assert!(breaker.admit(at(4_250)) && breaker.admit(at(4_250)));
    }

    #[test]
    fn one_who_asks_and_never_tells_holds_nobody_up_for_longer_than_a_pause() {
        let mut breaker = opened(at(0));
        assert!(breaker.admit(at(2_000)));
        assert!(!breaker.admit(at(3_999)));
        assert!(breaker.admit(at(4_000)));
    }

    #[test]
    fn a_clock_that_is_set_back_does_not_prolong_a_pause() {
        let mut breaker = opened(at(1_000_000));
        assert!(breaker.admit(at(0)));
    }

    proptest! {
        /// Whatever happens, while nothing answers no more ask than a few and
        /// one for each pause, and one answer lets everyone ask.
        #[test]
        fn asking_what_never_answers_is_bounded(
            steps in proptest::collection::vec((0_i64..700, any::<bool>()), 1..200),
        ) {
            let (mut breaker, mut now, mut asked) = (Breaker::default(), 0, 0_i64);
            for (step, tells) in steps {
                now += step;
                let was_closed = breaker.is_closed();
                if breaker.admit(at(now)) {
                    asked += 1;
                    // On trial one may be cut off; before, each is told of.
                    if was_closed || tells {
                        breaker.failed(at(now));
                    }
                }
            }
            let pauses = now / 2_000;
            prop_assert!(asked <= i64::from(FAILURES) + pauses, "{asked} in {now} ms");
            breaker.answered();
            prop_assert!(breaker.admit(at(now)) && breaker.admit(at(now)));
        }
    }
}
