//! Chance that a seed determines.

use primitives::{Entropy, SeededEntropy, U256};

pub(crate) struct Dice(pub(crate) SeededEntropy);

impl Dice {
    pub(crate) fn below(&self, end: usize) -> usize {
        let entropy: &dyn Entropy = &self.0;
        let number = u64::from_be_bytes(entropy.bytes());
        usize::try_from(number % u64::try_from(end).unwrap()).unwrap()
    }

    pub(crate) fn one_of<'a, T>(&self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    /// A number of any magnitude below that of the argument's digits.
    pub(crate) fn amount(&self, digits: usize) -> U256 {
        let power = U256::from(10).pow(U256::from(self.below(digits)));
        power * U256::from(1 + self.below(9_999)) / U256::from(1_000) + U256::ONE
    }
}
