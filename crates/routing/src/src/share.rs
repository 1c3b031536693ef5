//! Shares of a balance, as the exchange contract counts them.

use primitives::U256;
use serde::{Deserialize, Serialize};

/// A part of what is there at that moment, in units of 10⁻¹².
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Share(u64);

impl Share {
    /// All of a balance, to the last unit.
    pub const WHOLE: Self = Self(1_000_000_000_000);

    /// The nearest share to this part of one, but never nothing.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "rounded and within bounds"
    )]
    pub fn nearest(part: f64) -> Self {
        let units = (part * 1e12).round().clamp(1.0, 1e12);
        Self(units as u64)
    }

    /// Units of 10⁻¹², as the exchange contract is told.
    #[must_use]
    pub const fn units(self) -> u64 {
        self.0
    }

    /// This share of a balance, rounded down.
    #[must_use]
    pub fn of(self, balance: U256) -> U256 {
        if self == Self::WHOLE {
            return balance;
        }
        let whole = U256::from(Self::WHOLE.0);
        let share = U256::from(self.0);
        // In two parts, since the product of a large balance would not fit.
        let (many, rest) = balance.div_rem(whole);
        many * share + rest * share / whole
    }

    /// The share as a number from 0 to 1.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / 1e12
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_share_is_never_nothing_and_never_more_than_all() {
        for part in [-1.0, 0.0, 1e-13, f64::NAN] {
            assert!(Share::nearest(part).units() <= 1, "{part}");
        }
        assert_eq!(Share::nearest(2.0), Share::WHOLE);
        assert_eq!(Share::nearest(0.55).units(), 550_000_000_000);
    }

    proptest! {
        #[test]
        fn a_share_rounds_down(balance: u128, units in 1_u64..=1_000_000_000_000) {
            let exact = U256::from(balance) * U256::from(units) / U256::from(1_000_000_000_000_u64);
            prop_assert_eq!(Share(units).of(U256::from(balance)), exact);
        }

        #[test]
        fn no_balance_is_too_large(low: u128, high: u128) {
            let balance = U256::from(low) | (U256::from(high) << 128);
            prop_assert_eq!(Share::WHOLE.of(balance), balance);
            prop_assert!(Share(1).of(balance) <= balance);
        }
    }
}
