//! Randomness, passed in.

use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::{
    fmt,
    sync::{Mutex, PoisonError},
};

/// Where random bytes come from. The binary asks the operating system, tests a
/// [`SeededEntropy`].
pub trait Entropy: fmt::Debug + Send + Sync {
    /// Overwrites `bytes` with random ones.
    fn fill(&self, bytes: &mut [u8]);
}

impl dyn Entropy {
    /// Random bytes as an array.
    pub fn bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        self.fill(&mut bytes);
        bytes
    }
}

/// Random bytes that a seed determines.
#[derive(Debug)]
pub struct SeededEntropy(Mutex<ChaCha12Rng>);

impl SeededEntropy {
    /// The sequence of `seed`.
    pub fn new(seed: u64) -> Self {
        Self(Mutex::new(ChaCha12Rng::seed_from_u64(seed)))
    }
}

impl Entropy for SeededEntropy {
    fn fill(&self, bytes: &mut [u8]) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .fill_bytes(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_determines_the_bytes() {
        let draw = |seed| {
            let entropy: &dyn Entropy = &SeededEntropy::new(seed);
            entropy.bytes::<16>()
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
    }
}
