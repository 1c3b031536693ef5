//! How long to wait before the next attempt.

use super::RpcOptions;
use primitives::Entropy;
use std::time::Duration;

/// A random part of a wait that doubles with every attempt, so that clients
/// which failed together do not return together; at least what the node asked
/// for, at most the cap.
pub(super) fn delay(
    options: &RpcOptions,
    attempt: u32,
    retry_after: Option<Duration>,
    entropy: &(dyn Entropy + 'static),
) -> Duration {
    let doublings = attempt.saturating_sub(1).min(31);
    let longest = options
        .backoff_base
        .saturating_mul(1 << doublings)
        .min(options.backoff_cap);
    let asked = retry_after.unwrap_or_default().min(options.backoff_cap);
    fraction(longest, u64::from_be_bytes(entropy.bytes())).max(asked)
}

/// `whole * numerator / 2^64`.
fn fraction(whole: Duration, numerator: u64) -> Duration {
    let nanos = u64::try_from(whole.as_nanos()).unwrap_or(u64::MAX);
    let part = (u128::from(nanos) * u128::from(numerator)) >> 64;
    Duration::from_nanos(u64::try_from(part).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use primitives::SeededEntropy;
    use proptest::prelude::*;

    #[derive(Debug)]
    struct Highest;

    impl Entropy for Highest {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(0xff);
        }
    }

    #[test]
    fn the_longest_wait_doubles_up_to_the_cap() {
        let options = RpcOptions::default();
        let waits: Vec<_> = (1..=8)
            .map(|attempt| delay(&options, attempt, None, &Highest).as_millis())
            .collect();
        assert_eq!(waits, [99, 199, 399, 799, 1_599, 2_999, 2_999, 2_999]);
    }

    #[test]
    fn the_node_may_ask_for_a_longer_wait_up_to_the_cap() {
        let options = RpcOptions::default();
        let wait = |seconds| {
            let asked = Some(Duration::from_secs(seconds));
            delay(&options, 1, asked, &SeededEntropy::new(1))
        };
        assert_eq!(wait(2), Duration::from_secs(2));
        assert_eq!(wait(86_400), options.backoff_cap);
    }

    proptest! {
        #[test]
        fn no_wait_exceeds_the_cap(
            attempt in any::<u32>(), seed in any::<u64>(), base in any::<u64>(), cap in any::<u64>(),
            asked in proptest::option::of(any::<u64>()),
        ) {
            let options = RpcOptions {
                backoff_base: Duration::from_millis(base),
                backoff_cap: Duration::from_millis(cap),
                ..RpcOptions::default()
            };
            let asked = asked.map(Duration::from_secs);
            prop_assert!(delay(&options, attempt, asked, &SeededEntropy::new(seed)) <= options.backoff_cap);
        }
    }
}
