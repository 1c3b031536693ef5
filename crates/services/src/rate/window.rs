//! Fixed-window counters: requests of a caller since its window began.

use primitives::{SignedDuration, Timestamp};

/// A limit on requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// Requests admitted in one window; what a bucket holds.
    pub limit: u32,
    /// Length of a window in seconds; how long an empty bucket takes to fill.
    pub window_s: u32,
}

impl Policy {
    pub(super) fn length(self) -> SignedDuration {
        SignedDuration::from_secs(i64::from(self.window_s))
    }
}

/// The answer to one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decision {
    /// Whether the request is admitted.
    pub admitted: bool,
    /// The policy's limit.
    pub limit: u32,
    /// Requests left.
    pub remaining: u32,
    /// When the window ends, or the bucket is full.
    pub reset_at: Timestamp,
    /// When a request that is not admitted would be.
    pub retry_at: Timestamp,
}

impl Decision {
    pub(super) fn after(used: u32, policy: Policy, reset_at: Timestamp) -> Self {
        Self {
            admitted: used <= policy.limit,
            limit: policy.limit,
            remaining: policy.limit.saturating_sub(used),
            reset_at,
            retry_at: reset_at,
        }
    }

    /// Whole seconds until asking again makes sense, at least one.
    pub fn retry_after_s(&self, now: Timestamp) -> u64 {
        let left = self.retry_at.duration_since(now);
        let whole = left
            .as_secs()
            .saturating_add(i64::from(left.subsec_nanos() > 0));
        u64::try_from(whole).unwrap_or(0).max(1)
    }
}

/// The requests of one caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Window {
    ends_at: Timestamp,
    used: u32,
}

impl Window {
    /// The window after one more request, and whether that one is admitted.
    pub(super) fn take(before: Option<Self>, policy: Policy, now: Timestamp) -> (Self, Decision) {
        let begun = before.filter(|window| {
            // A clock that was set back must not hold a caller for longer than a window.
            now < window.ends_at && window.ends_at.duration_since(now) <= policy.length()
        });
        let window = match begun {
            Some(window) => Self {
                used: window.used.saturating_add(1),
                ..window
            },
            None => Self {
                ends_at: now.checked_add(policy.length()).unwrap_or(Timestamp::MAX),
                used: 1,
            },
        };
        (window, Decision::after(window.used, policy, window.ends_at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const POLICY: Policy = Policy {
        limit: 3,
        window_s: 10,
    };

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millisecond(millis).unwrap()
    }

    #[test]
    fn the_limit_is_admitted_and_not_one_more_until_the_window_ends() {
        let mut window = None;
        let mut take = |millis| {
            let (after, decision) = Window::take(window, POLICY, at(millis));
            window = Some(after);
            (decision.admitted, decision.remaining)
        };
        assert_eq!(take(0), (true, 2));
        assert_eq!(take(1), (true, 1));
        assert_eq!(take(9_999), (true, 0));
        assert_eq!(take(9_999), (false, 0));
        assert_eq!(take(10_000), (true, 2));
    }

    #[test]
    fn retry_after_is_rounded_up_and_never_zero() {
        let (_, decision) = Window::take(None, POLICY, at(500));
        assert_eq!(decision.retry_after_s(at(500)), 10);
        assert_eq!(decision.retry_after_s(at(501)), 10);
        assert_eq!(decision.retry_after_s(at(10_499)), 1);
        assert_eq!(decision.retry_after_s(at(20_000)), 1);
    }

    #[test]
    fn a_clock_set_back_starts_a_new_window() {
        let (window, _) = Window::take(None, POLICY, at(1_000_000));
        let (_, decision) = Window::take(Some(window), POLICY, at(0));
        assert_eq!(decision.reset_at, at(10_000));
    }

    proptest! {
        #[test]
        fn no_window_admits_more_than_its_limit(steps in proptest::collection::vec(0_i64..4_000, 1..200)) {
            let (mut window, mut now, mut admitted) = (None::<Window>, 0, Vec::new());
            for step in steps {
                now += step;
                let (after, decision) = Window::take(window, POLICY, at(now));
                window = Some(after);
                if decision.admitted {
                    admitted.push((decision.reset_at, now));
                }
            }
            for (reset_at, _) in &admitted {
                prop_assert!(admitted.iter().filter(|(other, _)| other == reset_at).count() <= 3);
            }
        }
    }
}
