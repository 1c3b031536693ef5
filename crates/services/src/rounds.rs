//! What a task keeps in mind that does the same again and again: each failure is
//! told once, however often it repeats, and pauses grow while it does (exponential
//! backoff).

use crate::fault::Fault;
use std::time::Duration;

/// How the rounds of a task have ended so far.
#[derive(Debug, Default)]
pub(crate) struct Rounds {
    /// What went wrong in the last one.
    problem: Option<String>,
    /// Failures in a row.
    failures: u32,
}

impl Rounds {
    /// Takes note of how a round ended. Returns what went wrong if that is news. What a
    /// reorganisation took away once is none: the next round knows another block.
    pub(crate) fn ended<T>(&mut self, round: Result<T, Fault>) -> Option<&str> {
        let Err(fault) = round else {
            *self = Self::default();
            return None;
        };
        self.failures = self.failures.saturating_add(1);
        if self.failures == 1 && fault.is_of_a_gone_block() {
            return None;
        }
        let problem = Some(fault.chain_text());
        let is_news = self.problem != problem;
        self.problem = problem;
        self.problem.as_deref().filter(|_| is_news)
    }

    /// The pause before the next one: this long, and twice as long after each
    /// failure, up to the longest.
    pub(crate) fn pause(&self, usual: Duration, longest: Duration) -> Duration {
        let times = 1_u32.checked_shl(self.failures).unwrap_or(u32::MAX);
        usual.saturating_mul(times).min(longest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chain::{NodeError, RpcError};

    fn failed() -> Result<(), Fault> {
        Err(Fault::NoNode)
    }

    #[test]
    fn a_failure_is_told_once_until_something_else_happens() {
        let mut rounds = Rounds::default();
        assert!(rounds.ended(failed()).is_some());
        assert!(rounds.ended(failed()).is_none());
        let other = Fault::Unlinked { number: 7 };
        assert!(rounds.ended::<()>(Err(other)).is_some());
        assert!(rounds.ended(failed()).is_some());
        assert!(rounds.ended(Ok(())).is_none());
        assert!(rounds.ended(failed()).is_some());
    }

    #[test]
    fn a_block_that_is_gone_is_told_when_the_next_one_is_gone_too() {
        let gone = || -> Result<(), Fault> {
            Err(Fault::Node(RpcError::Node {
                method: "starknet_call",
                source: NodeError {
                    code: 24,
                    message: "Block not found".to_owned(),
                    data: None,
                    reason: None,
                },
            }))
        };
        let mut rounds = Rounds::default();
        assert!(rounds.ended(gone()).is_none());
        assert!(rounds.ended(Ok(())).is_none());
        assert!(rounds.ended(gone()).is_none());
        assert!(rounds.ended(gone()).is_some());
        assert!(rounds.ended(gone()).is_none());
        assert!(rounds.ended(failed()).is_some());
        assert!(rounds.ended(gone()).is_some());
    }

    #[test]
    fn pauses_double_while_it_fails_and_have_an_end() {
        let (second, minute) = (Duration::from_secs(1), Duration::from_mins(1));
        let mut rounds = Rounds::default();
        assert_eq!(rounds.pause(second, minute), second);
        for seconds in [2, 4, 8, 16, 32, 60, 60] {
            let _ = rounds.ended(failed());
            let pause = rounds.pause(second, minute);
            assert_eq!(pause, Duration::from_secs(seconds));
        }
        for _ in 0..100 {
            let _ = rounds.ended(failed());
        }
        assert_eq!(rounds.pause(second, minute), minute);
        let _ = rounds.ended(Ok(()));
        assert_eq!(rounds.pause(second, minute), second);
    }
}
