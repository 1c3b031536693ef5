//! The share of the amount sold that a pool sets aside before it trades the rest.

use crate::wide::{mul_div, mul_div_up};
use primitives::U256;

/// Which way a fee that is no whole number of units is rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rounding {
    Down,
    Up,
}

/// A fee of `share` units in each `scale` units sold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fee {
    kept: U256,
    scale: U256,
    rounding: Rounding,
}

impl Fee {
    /// `None` for a fee that leaves nothing to trade.
    pub(crate) fn new(share: u64, scale: u64, rounding: Rounding) -> Option<Self> {
        let kept = scale.checked_sub(share).filter(|kept| *kept > 0)?;
        Some(Self {
            kept: U256::from(kept),
            scale: U256::from(scale),
            rounding,
        })
    }

    /// What is left of an amount to trade. A fee rounded down leaves a rest
    /// rounded up, and the other way round.
    pub(crate) fn net(self, amount: U256) -> Option<U256> {
        match self.rounding {
            Rounding::Down => mul_div_up(amount, self.kept, self.scale),
            Rounding::Up => mul_div(amount, self.kept, self.scale),
        }
    }

    /// The smallest amount that leaves at least this much to trade.
    pub(crate) fn gross(self, net: U256) -> Option<U256> {
        match self.rounding {
            Rounding::Down => {
                let Some(below) = net.checked_sub(U256::ONE) else {
                    return Some(U256::ZERO);
                };
                mul_div(below, self.scale, self.kept)?.checked_add(U256::ONE)
            }
            Rounding::Up => mul_div_up(net, self.scale, self.kept),
        }
    }

    /// The largest amount that leaves at most this much to trade.
    pub(crate) fn most(self, net: U256) -> U256 {
        let more = net
            .checked_add(U256::ONE)
            .and_then(|above| self.gross(above));
        more.map_or(U256::MAX, |more| more.saturating_sub(U256::ONE))
    }

    /// The share of an amount that is left to trade.
    pub(crate) fn kept(self) -> f64 {
        f64::from(self.kept) / f64::from(self.scale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_fee_of_everything_is_none() {
        assert_eq!(Fee::new(10, 10, Rounding::Up), None);
        assert_eq!(Fee::new(11, 10, Rounding::Down), None);
        assert!(Fee::new(0, 10, Rounding::Down).is_some());
    }

    proptest! {
        #[test]
        fn gross_and_most_are_the_ends_of_what_leaves_an_amount(
            share in 0..10_000_u64,
            net in 1..u128::MAX,
            down: bool,
        ) {
            let rounding = if down { Rounding::Down } else { Rounding::Up };
            let fee = Fee::new(share, 10_000, rounding).unwrap();
            let net = U256::from(net);
            let gross = fee.gross(net).unwrap();
            prop_assert!(fee.net(gross).unwrap() >= net);
            prop_assert!(fee.net(gross - U256::ONE).unwrap() < net);
            let most = fee.most(net);
            prop_assert!(fee.net(most).unwrap() <= net);
            prop_assert!(fee.net(most + U256::ONE).unwrap() > net);
        }
    }
}
