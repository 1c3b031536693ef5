//! The real clock and the operating system's randomness: made here, passed to
//! everything else.

use primitives::{Clock, Entropy, Timestamp};

/// The time of the operating system.
#[derive(Debug)]
pub(crate) struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the real clock")]
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// The randomness of the operating system.
#[derive(Debug)]
pub(crate) struct SystemEntropy;

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
