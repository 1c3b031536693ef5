//! The real clock and the operating system's randomness: made here, passed to
//! everything else.

use primitives::{Clock, Entropy, Timestamp};
use std::sync::Arc;

pub(crate) fn clock() -> Arc<dyn Clock> {
    Arc::new(SystemClock)
}

pub(crate) fn entropy() -> Arc<dyn Entropy> {
    Arc::new(SystemEntropy)
}

/// The time of the operating system.
#[derive(Debug)]
struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the real clock")]
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// The randomness of the operating system.
#[derive(Debug)]
struct SystemEntropy;

impl Entropy for SystemEntropy {
    #[expect(clippy::disallowed_methods, reason = "this is the real randomness")]
    #[expect(
        clippy::expect_used,
        reason = "a program that would go on with guessable keys must not"
    )]
    fn fill(&self, bytes: &mut [u8]) {
        getrandom::fill(bytes).expect("the operating system has randomness");
    }
}
