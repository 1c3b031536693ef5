//! What a lease costs, and who gets how much of it.

use primitives::Lamports;
use thiserror::Error;

/// The platform's part of every payment, in basis points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FeeRate(u16);

/// A fee above the whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a fee is 0 to 9999 basis points: something must be left for the validator")]
pub struct FeeTooHigh;

/// What is to be paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bill {
    /// All of it.
    pub total: Lamports,
    /// The platform's part.
    pub fee: Lamports,
    /// The validator's part.
    pub share: Lamports,
}

/// The price times the epochs is beyond what is supported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the total is more than 9223372036854775807 lamports")]
pub struct TotalOverflow;

/// One, in basis points.
const WHOLE: u64 = 10_000;

/// The most that a total may be: amounts are signed 64-bit numbers at rest.
const MAX_TOTAL: u64 = i64::MAX.unsigned_abs();

impl FeeRate {
    /// The rate of so many basis points.
    pub fn new(basis_points: u16) -> Result<Self, FeeTooHigh> {
        if u64::from(basis_points) < WHOLE {
            Ok(Self(basis_points))
        } else {
            Err(FeeTooHigh)
        }
    }

    /// In hundredths of a per cent; always below 10,000.
    pub fn basis_points(self) -> u16 {
        self.0
    }

    /// Its part of an amount, rounded down.
    fn of(self, amount: u64) -> u64 {
        let (whole, rest) = (amount / WHOLE, amount % WHOLE);
        // Below the amount, for the rate is below one.
        whole.saturating_mul(self.0.into()) + rest * u64::from(self.0) / WHOLE
    }
}

impl Bill {
    /// The bill of `count` epochs at a price.
    pub fn new(price: Lamports, count: i32, rate: FeeRate) -> Result<Self, TotalOverflow> {
        let count = u64::try_from(count).map_err(|_| TotalOverflow)?;
        let total = price.get().checked_mul(count).ok_or(TotalOverflow)?;
        if total > MAX_TOTAL {
            return Err(TotalOverflow);
        }
        let fee = rate.of(total);
        Ok(Self {
            total: Lamports::new(total),
            fee: Lamports::new(fee),
            share: Lamports::new(total.saturating_sub(fee)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rate(basis_points: u16) -> FeeRate {
        FeeRate::new(basis_points).unwrap()
    }

    #[test]
    fn only_a_rest_is_lost_to_the_fee() {
        let bill = Bill::new(Lamports::new(3_333), 1, rate(250)).unwrap();
        // 2.5 per cent of 3,333 are 83.325.
        assert_eq!((bill.fee.get(), bill.share.get()), (83, 3_250));
    }

    #[test]
    fn a_total_beyond_63_bits_is_refused() {
        let price = Lamports::new(9_000_000_000_000_000_000);
        assert!(Bill::new(price, 1, rate(0)).is_ok());
        assert_eq!(Bill::new(price, 2, rate(0)), Err(TotalOverflow));
        assert_eq!(
            Bill::new(Lamports::new(u64::MAX), 1, rate(0)),
            Err(TotalOverflow)
        );
    }

    #[test]
    fn a_fee_leaves_something() {
        assert_eq!(FeeRate::new(10_000), Err(FeeTooHigh));
        assert!(FeeRate::new(9_999).is_ok());
    }

    proptest! {
        #[test]
        fn fee_and_share_are_the_total(price in 1..=MAX_TOTAL, count in 1..=30, bps in 0_u16..10_000) {
            let Ok(bill) = Bill::new(Lamports::new(price), count, rate(bps)) else {
                prop_assert!(u128::from(price) * u128::from(count.unsigned_abs()) > u128::from(MAX_TOTAL));
                return Ok(());
            };
            prop_assert_eq!(bill.fee.checked_add(bill.share), Some(bill.total));
            let exact = u128::from(bill.total.get()) * u128::from(bps) / 10_000;
            prop_assert_eq!(u128::from(bill.fee.get()), exact);
            prop_assert!(bill.share > Lamports::ZERO);
        }
    }
}
