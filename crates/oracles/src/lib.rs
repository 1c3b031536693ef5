//! Holds the exact maths against what others wrote, or against exact arithmetic
//! in another language. The tests are the content; here is what they share.

use primitives::{Entropy, SeededEntropy};

/// How many random cases a test takes: `STOA_ORACLE_CASES`, or 100,000.
#[must_use]
pub fn cases() -> usize {
    let asked = std::env::var("STOA_ORACLE_CASES").ok();
    asked
        .and_then(|cases| cases.parse().ok())
        .unwrap_or(100_000)
}

/// Random numbers that a seed determines, many of them at edges.
#[derive(Debug)]
pub struct Draws(SeededEntropy);

impl Draws {
    /// The sequence of `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(SeededEntropy::new(seed))
    }

    /// Any number.
    pub fn any(&self) -> u128 {
        let mut bytes = [0; 16];
        self.0.fill(&mut bytes);
        u128::from_le_bytes(bytes)
    }

    /// A number below `end`.
    pub fn below(&self, end: u128) -> u128 {
        self.any() % end.max(1)
    }

    /// A number of any magnitude up to `bits`. One in eight is a power of two or
    /// of ten, or next to one.
    pub fn magnitude(&self, bits: u32) -> u128 {
        let bits = u32::try_from(self.below(u128::from(bits) + 1)).unwrap_or(0);
        let mask = 1_u128
            .checked_shl(bits)
            .map_or(u128::MAX, |power| power - 1);
        let edge = match self.below(16) {
            0 => mask,
            1 => 10_u128.pow(bits * 3 / 10),
            _ => return self.any() & mask,
        };
        match self.below(3) {
            0 => edge.saturating_sub(1),
            1 => edge,
            _ => edge.saturating_add(1).min(mask.max(1)),
        }
    }

    /// One of some values.
    ///
    /// # Panics
    ///
    /// If there are none.
    pub fn one_of<T: Copy>(&self, values: &[T]) -> T {
        let index = self.below(values.len() as u128);
        let value = usize::try_from(index)
            .ok()
            .and_then(|index| values.get(index));
        *value.unwrap_or_else(|| panic!("nothing to draw from"))
    }
}
