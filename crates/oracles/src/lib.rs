//! Holds the exact maths and the search for routes against what others wrote, or
//! against another language. The tests are the content; here is what they share
//! with each other and with the measurements: numbers drawn from a seed, and
//! [`generated`] markets, and plain [`rivals`].

pub mod export;
pub mod generated;
pub mod measured;
pub mod rivals;

use primitives::{Entropy, SeededEntropy};

/// How many random cases a test takes: `STOA_ORACLE_CASES`, or 20,000.
///
/// # Panics
///
/// If that is no number: whoever asks for more gets them.
#[must_use]
pub fn cases() -> usize {
    let Ok(asked) = std::env::var("STOA_ORACLE_CASES") else {
        return 20_000;
    };
    let cases = asked.parse();
    cases.unwrap_or_else(|_| panic!("STOA_ORACLE_CASES is no number: {asked}"))
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

    /// A number from 0 up to, and without, 1.
    #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
    pub fn unit(&self) -> f64 {
        (self.any() >> 75) as f64 / 53.0_f64.exp2()
    }

    /// A number between two others.
    pub fn between(&self, low: f64, high: f64) -> f64 {
        low + self.unit() * (high - low)
    }

    /// A number between two others, each of whose magnitudes is as likely.
    pub fn log_between(&self, low: f64, high: f64) -> f64 {
        self.between(low.ln(), high.ln()).exp()
    }

    /// Whether something happens that happens so often.
    pub fn happens(&self, chance: f64) -> bool {
        self.unit() < chance
    }

    /// A place in a list of so many, 0 if there are none.
    pub fn place(&self, count: usize) -> usize {
        usize::try_from(self.below(count as u128)).unwrap_or(0)
    }

    /// A place in a list, each as likely as its weight is high.
    pub fn weighted(&self, weights: &[f64]) -> usize {
        let mut left = self.unit() * weights.iter().sum::<f64>();
        let passed = weights.iter().take_while(|weight| {
            left -= **weight;
            left >= 0.0
        });
        passed.count().min(weights.len().saturating_sub(1))
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
