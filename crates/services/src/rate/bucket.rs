//! Token buckets, each kept as the one time at which it is full again: the generic
//! cell rate algorithm (GCRA; ITU-T Recommendation I.371, annex A).

use super::window::{Decision, Policy};
use primitives::{SignedDuration, Timestamp};

/// A caller's bucket. Only the time at which it is full again is kept: what is
/// missing follows from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bucket {
    full_at: Timestamp,
}

/// What one request found, in microseconds of filling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Drawn {
    /// How much was missing before.
    pub(super) missing: i64,
    /// How much one request takes.
    pub(super) price: i64,
    /// How much an empty bucket misses.
    pub(super) size: i64,
}

impl Drawn {
    /// A request at a bucket that misses so much.
    pub(super) fn at(missing: i64, policy: Policy) -> Self {
        let price = price_us(policy);
        Self {
            missing: missing.max(0),
            price,
            size: price.saturating_mul(i64::from(policy.limit)),
        }
    }

    fn after(self) -> i64 {
        self.missing.saturating_add(self.price)
    }

    /// What is missing once the request is admitted or not.
    fn left(self) -> i64 {
        if self.after() <= self.size {
            self.after()
        } else {
            self.missing
        }
    }

    /// The answer.
    pub(super) fn decision(self, policy: Policy, now: Timestamp) -> Decision {
        let left = self.left();
        let remaining = self.size.saturating_sub(left) / self.price.max(1);
        let wait = self.after().saturating_sub(self.size).max(0);
        Decision {
            admitted: self.after() <= self.size,
            limit: policy.limit,
            remaining: u32::try_from(remaining).unwrap_or(0),
            reset_at: later(now, left),
            retry_at: later(now, wait),
        }
    }
}

impl Bucket {
    /// The bucket after one more request, and whether that one is admitted.
    pub(super) fn draw(before: Option<Self>, policy: Policy, now: Timestamp) -> (Self, Decision) {
        let missing = before.map_or(SignedDuration::ZERO, |it| it.full_at.duration_since(now));
        let missing_us = i64::try_from(missing.as_micros()).unwrap_or(i64::MAX);
        let empty = Drawn::at(0, policy).size;
        // A clock that was set back leaves a caller an empty bucket at worst.
        let decision = Drawn::at(missing_us.min(empty), policy).decision(policy, now);
        let after = Self {
            full_at: decision.reset_at,
        };
        (after, decision)
    }
}

/// How long a bucket takes to fill by one request.
fn price_us(policy: Policy) -> i64 {
    i64::from(policy.window_s).saturating_mul(1_000_000) / i64::from(policy.limit.max(1))
}

fn later(now: Timestamp, us: i64) -> Timestamp {
    now.checked_add(SignedDuration::from_micros(us))
        .unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const POLICY: Policy = Policy {
        limit: 3,
        window_s: 30,
    };

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millisecond(millis).unwrap()
    }

    fn draws(times: &[i64]) -> Vec<Decision> {
        let mut bucket = None;
        let draw = |millis: &i64| {
            let (after, decision) = Bucket::draw(bucket, POLICY, at(*millis));
            bucket = Some(after);
            decision
        };
        times.iter().map(draw).collect()
    }

    #[test]
    fn a_full_bucket_is_drawn_at_once_and_fills_evenly() {
        let decisions = draws(&[0, 0, 0, 0, 9_999, 10_000, 10_000, 60_000]);
        let admitted: Vec<_> = decisions
            .iter()
            .map(|it| (it.admitted, it.remaining))
            .collect();
        let expected = [
            (true, 2),
            (true, 1),
            (true, 0),
            (false, 0),
            (false, 0),
            (true, 0),
            (false, 0),
            (true, 2),
        ];
        assert_eq!(admitted, expected);
    }

    #[test]
    fn it_is_told_when_the_next_request_fits_and_when_the_bucket_is_full() {
        let decisions = draws(&[0, 0, 500, 500]);
        assert_eq!(decisions[0].reset_at, at(10_000));
        assert_eq!(decisions[3].reset_at, at(30_000));
        assert_eq!(decisions[3].retry_at, at(10_000));
        assert_eq!(decisions[3].retry_after_s(at(500)), 10);
        assert_eq!(decisions[3].retry_after_s(at(9_999)), 1);
    }

    #[test]
    fn a_clock_set_back_leaves_an_empty_bucket_at_worst() {
        let decisions = draws(&[1_000_000, 0, 10_000]);
        assert!(!decisions[1].admitted);
        assert_eq!(decisions[1].reset_at, at(30_000));
        assert!(decisions[2].admitted);
    }

    #[test]
    fn a_limit_of_nothing_admits_nothing() {
        let none = Policy {
            limit: 0,
            window_s: 30,
        };
        assert!(!Bucket::draw(None, none, at(0)).1.admitted);
    }

    proptest! {
        #[test]
        fn any_stretch_of_time_admits_the_bucket_and_what_fills_it(
            steps in proptest::collection::vec(0_i64..20_000, 1..100),
        ) {
            let times: Vec<i64> = steps.iter().scan(0, |now, step| {
                *now += step;
                Some(*now)
            }).collect();
            let admitted: Vec<i64> = draws(&times).iter().zip(&times)
                .filter(|(decision, _)| decision.admitted)
                .map(|(_, time)| *time)
                .collect();
            for (n, first) in admitted.iter().enumerate() {
                for (count, last) in (1_i64..).zip(&admitted[n..]) {
                    prop_assert!(count <= 3 + (last - first) / 10_000);
                }
            }
        }
    }
}
