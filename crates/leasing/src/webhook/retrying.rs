//! How often a delivery is tried, and how long it waits in between.

use primitives::SignedDuration;

/// Attempts at a delivery; it has failed after the last.
pub const MAX_ATTEMPTS: u32 = 15;

/// How long an endpoint may take nothing before it is disabled, when a delivery
/// has failed.
pub const FAILING_FOR: SignedDuration = SignedDuration::from_hours(72);

const FIRST_PAUSE_MS: i64 = 10_000;
const LONGEST_PAUSE_MS: i64 = 6 * 60 * 60 * 1_000;

/// The pause after this many attempts: 10 seconds, three times as long after
/// each further one, six hours at most; and by chance up to a quarter more, so
/// that what failed together is not tried together again. `None` if there is no
/// further attempt.
pub fn pause(attempts: u32, chance: u16) -> Option<SignedDuration> {
    if attempts >= MAX_ATTEMPTS {
        return None;
    }
    let factor = 3_i64.checked_pow(attempts.saturating_sub(1));
    let pause = factor.and_then(|factor| FIRST_PAUSE_MS.checked_mul(factor));
    let pause = pause.unwrap_or(LONGEST_PAUSE_MS).min(LONGEST_PAUSE_MS);
    let more = (pause / 4).saturating_mul(i64::from(chance)) / i64::from(u16::MAX);
    Some(SignedDuration::from_millis(pause.saturating_add(more)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_six_hours_and_end_after_the_last_attempt() {
        let pauses = (1..MAX_ATTEMPTS).map(|attempts| pause(attempts, 0).unwrap().as_secs());
        let expected = [10, 30, 90, 270, 810, 2_430, 7_290];
        let longest = std::iter::repeat_n(21_600, 7);
        let expected: Vec<i64> = expected.into_iter().chain(longest).collect();
        assert_eq!(pauses.collect::<Vec<_>>(), expected);
        assert_eq!(pause(MAX_ATTEMPTS, 0), None);
        assert_eq!(pause(u32::MAX, 0), None);
    }

    #[test]
    fn chance_adds_a_quarter_at_most() {
        for attempts in 1..MAX_ATTEMPTS {
            let [none, some, most] =
                [0, 40_000, u16::MAX].map(|chance| pause(attempts, chance).unwrap());
            assert!(none < some && some < most);
            assert_eq!(most - none, none / 4);
        }
    }
}
