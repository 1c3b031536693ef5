//! Who takes which part of a trade.
//!
//! The exchange contract charges either what is sold, before the swaps, or what
//! is bought, after them: the token that weighs more pays, and the bought one
//! if both weigh the same. The platform and an integrator each take their part
//! of the same gross amount, each rounded down.

use primitives::{Address, Felt, U256};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// Ten thousandths of an amount, at most all of it.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(try_from = "u32", into = "u32")]
pub struct Bps(u32);

/// All of it.
const WHOLE: u32 = 10_000;

impl Bps {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// The most that the exchange contract lets an integrator take.
    pub const MOST_OF_AN_INTEGRATOR: Self = Self(500);

    /// So many ten thousandths; `None` if that is more than all.
    #[must_use]
    pub const fn new(points: u32) -> Option<Self> {
        if points <= WHOLE {
            Some(Self(points))
        } else {
            None
        }
    }

    /// How many.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }

    /// This part of an amount, rounded down.
    #[must_use]
    pub fn of(self, amount: U256) -> U256 {
        part(amount, self.0, WHOLE)
    }

    /// What this part adds to an amount, of the sum of both, rounded down: the
    /// fee within a sold amount when the bought one is fixed.
    #[must_use]
    pub fn within(self, sum: U256) -> U256 {
        part(sum, self.0, WHOLE + self.0)
    }

    /// The smallest sum of which [`Self::within`] leaves this much; `None` if
    /// that has more than 256 bits.
    #[must_use]
    pub fn around(self, rest: U256) -> Option<U256> {
        // What is left of a sum s is ⌈s · WHOLE / (WHOLE + points)⌉.
        let Some(below) = rest.checked_sub(U256::ONE) else {
            return Some(U256::ZERO);
        };
        let scale = U256::from(WHOLE);
        let most = amm::mul_div(below, U256::from(WHOLE + self.0), scale)?;
        most.checked_add(U256::ONE)
    }

    /// The part as a number from 0 to 1.
    #[must_use]
    pub fn as_f64(self) -> f64 {
        f64::from(self.0) / f64::from(WHOLE)
    }
}

/// `amount * points / scale`, rounded down, where points are at most the scale.
fn part(amount: U256, points: u32, scale: u32) -> U256 {
    let (points, scale) = (U256::from(points), U256::from(scale));
    // In two parts, since the product of a large amount would not fit.
    let (many, rest) = amount.div_rem(scale);
    many * points + rest * points / scale
}

impl TryFrom<u32> for Bps {
    type Error = &'static str;

    fn try_from(points: u32) -> Result<Self, Self::Error> {
        Self::new(points).ok_or("more than 10000 basis points")
    }
}

impl From<Bps> for u32 {
    fn from(bps: Bps) -> Self {
        bps.0
    }
}

/// What the exchange contract charges, as of a block.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FeeTerms {
    /// What the platform takes of a trade with one swap.
    pub one: Bps,
    /// The same with more swaps.
    pub many: Bps,
    /// What the platform aims at where a trade with a fixed bought amount has
    /// to sell more than was quoted.
    pub exact_out: Bps,
    /// How much tokens weigh; nothing where a token is missing.
    pub weights: BTreeMap<Address, u32>,
    /// Integrators for whom the platform takes nothing, if they take at least
    /// as much as it would.
    pub waived_for: BTreeSet<Address>,
}

/// Somebody who sends trades here and takes a part of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Integrator {
    fee: Bps,
    recipient: Address,
    name: String,
}

/// What is wrong with an integrator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum BadIntegrator {
    /// The part is larger than the exchange contract allows.
    #[error("integrator fees are at most {} basis points", Bps::MOST_OF_AN_INTEGRATOR.get())]
    TooMuch,
    /// Nobody could be paid.
    #[error("the recipient of integrator fees must not be zero")]
    NoRecipient,
    /// The name is empty.
    #[error("the integrator must have a name")]
    NoName,
}

impl Integrator {
    /// An integrator that the exchange contract accepts.
    pub fn new(fee: Bps, recipient: Address, name: String) -> Result<Self, BadIntegrator> {
        if fee > Bps::MOST_OF_AN_INTEGRATOR {
            return Err(BadIntegrator::TooMuch);
        }
        if recipient.felt() == Felt::ZERO {
            return Err(BadIntegrator::NoRecipient);
        }
        if name.is_empty() {
            return Err(BadIntegrator::NoName);
        }
        Ok(Self {
            fee,
            recipient,
            name,
        })
    }

    /// What they take.
    #[must_use]
    pub const fn fee(&self) -> Bps {
        self.fee
    }

    /// Who is paid.
    #[must_use]
    pub const fn recipient(&self) -> Address {
        self.recipient
    }

    /// What they call themselves.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// Which of the two tokens pays fees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FeeSide {
    /// The sold one, before the swaps.
    Sell,
    /// The bought one, after them.
    Buy,
}

/// The fees of a trade.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fees {
    /// Which token pays.
    pub side: FeeSide,
    /// The contract of that token.
    pub token: Address,
    /// What the platform gets of it. Where the bought amount is fixed the
    /// platform charges nothing; it gets what the swaps give beyond that amount,
    /// which is shown here if the bought token is the one that pays.
    pub platform: U256,
    /// The part that this is, as the contract has it.
    pub platform_bps: Bps,
    /// What the integrator gets.
    pub integrator: U256,
    /// The part that this is.
    pub integrator_bps: Bps,
}

/// Which parts are taken of a trade with a fixed sold amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rates {
    /// Of which token.
    pub side: FeeSide,
    /// What the platform takes; nothing where it is waived for the integrator.
    pub platform: Bps,
    /// What the integrator takes; nothing where there is none.
    pub integrator: Bps,
}

impl Rates {
    /// What platform and integrator take of a gross amount.
    #[must_use]
    pub fn of(&self, gross: U256) -> (U256, U256) {
        (self.platform.of(gross), self.integrator.of(gross))
    }

    /// What they leave of it; nothing if they ask for more than all.
    #[must_use]
    pub fn left_of(&self, gross: U256) -> U256 {
        let (platform, integrator) = self.of(gross);
        gross.saturating_sub(platform).saturating_sub(integrator)
    }

    /// The part that both take.
    #[must_use]
    pub fn as_f64(&self) -> f64 {
        f64::from(self.platform.0 + self.integrator.0) / f64::from(WHOLE)
    }
}

impl FeeTerms {
    /// Which of the sold and the bought token pays.
    #[must_use]
    pub fn side(&self, tokens: [Address; 2]) -> FeeSide {
        let weight = |token| self.weights.get(&token).copied().unwrap_or_default();
        let [sold, bought] = tokens.map(weight);
        if bought >= sold {
            FeeSide::Buy
        } else {
            FeeSide::Sell
        }
    }

    /// What is taken of a trade from one token to the other with so many swaps.
    #[must_use]
    pub fn rates(
        &self,
        tokens: [Address; 2],
        swaps: usize,
        integrator: Option<&Integrator>,
    ) -> Rates {
        let platform = if swaps > 1 { self.many } else { self.one };
        let waived = integrator.is_some_and(|integrator| {
            integrator.fee >= platform && self.waived_for.contains(&integrator.recipient)
        });
        Rates {
            side: self.side(tokens),
            platform: if waived { Bps::ZERO } else { platform },
            integrator: integrator.map_or(Bps::ZERO, Integrator::fee),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::{address, bought, bps, sold};
    use proptest::prelude::*;

    fn integrator(fee: u32) -> Integrator {
        Integrator::new(bps(fee), address(77), "somebody".to_owned()).unwrap()
    }

    fn terms() -> FeeTerms {
        FeeTerms {
            one: bps(2),
            many: bps(15),
            waived_for: BTreeSet::from([address(77)]),
            ..FeeTerms::default()
        }
    }

    #[test]
    fn the_heavier_token_pays_and_the_bought_one_if_both_weigh_the_same() {
        let side = |weight_sold, weight_bought| {
            let weights = BTreeMap::from([(sold(), weight_sold), (bought(), weight_bought)]);
            let terms = FeeTerms { weights, ..terms() };
            terms.side([sold(), bought()])
        };
        assert_eq!(side(1, 0), FeeSide::Sell);
        assert_eq!(side(1, 1), FeeSide::Buy);
        assert_eq!(side(1, 2), FeeSide::Buy);
        assert_eq!(FeeTerms::default().side([sold(), bought()]), FeeSide::Buy);
    }

    #[test]
    fn a_second_swap_is_a_step_of_the_platforms_fee() {
        let platform = |swaps| terms().rates([sold(), bought()], swaps, None).platform;
        assert_eq!([1, 2, 3].map(platform), [bps(2), bps(15), bps(15)]);
    }

    #[test]
    fn the_platform_takes_nothing_where_a_whitelisted_integrator_takes_as_much() {
        let platform = |terms: &FeeTerms, fee| {
            let integrator = integrator(fee);
            [1, 2].map(|swaps| {
                terms
                    .rates([sold(), bought()], swaps, Some(&integrator))
                    .platform
            })
        };
        assert_eq!(platform(&terms(), 1), [bps(2), bps(15)]);
        assert_eq!(platform(&terms(), 14), [Bps::ZERO, bps(15)]);
        assert_eq!(platform(&terms(), 15), [Bps::ZERO, Bps::ZERO]);
        let others = FeeTerms {
            waived_for: BTreeSet::from([address(78)]),
            ..terms()
        };
        assert_eq!(platform(&others, 500), [bps(2), bps(15)]);
    }

    #[test]
    fn integrators_that_the_contract_would_refuse_or_not_pay_are_refused() {
        let new = |fee, recipient, name: &str| {
            Integrator::new(bps(fee), address(recipient), name.to_owned()).err()
        };
        assert_eq!(new(500, 1, "a"), None);
        assert_eq!(new(501, 1, "a"), Some(BadIntegrator::TooMuch));
        assert_eq!(new(1, 0, "a"), Some(BadIntegrator::NoRecipient));
        assert_eq!(new(1, 1, ""), Some(BadIntegrator::NoName));
    }

    #[test]
    fn there_is_no_more_than_all() {
        assert_eq!(bps(10_000).of(U256::MAX), U256::MAX);
        assert_eq!(Bps::new(10_001), None);
    }

    proptest! {
        #[test]
        fn a_fee_is_the_plain_fraction_rounded_down(amount: u128, points in 0_u32..=10_000) {
            let (amount, points_wide) = (U256::from(amount), U256::from(points));
            let whole = U256::from(10_000);
            prop_assert_eq!(bps(points).of(amount), amount * points_wide / whole);
            let within = amount * points_wide / (whole + points_wide);
            prop_assert_eq!(bps(points).within(amount), within);
        }

        #[test]
        fn both_take_of_the_gross_amount(amount: u128, platform in 0_u32..=100, theirs in 0_u32..=500) {
            let rates = Rates { side: FeeSide::Buy, platform: bps(platform), integrator: bps(theirs) };
            let amount = U256::from(amount);
            let part = |points: u32| amount * U256::from(points) / U256::from(10_000);
            prop_assert_eq!(rates.left_of(amount), amount - part(platform) - part(theirs));
        }

        #[test]
        fn the_sum_around_a_rest_is_the_smallest_that_leaves_it(rest: u128, points in 0_u32..=500) {
            let (bps, rest) = (bps(points), U256::from(rest));
            let left = |sum: U256| sum - bps.within(sum);
            let sum = bps.around(rest).unwrap();
            prop_assert_eq!(left(sum), rest);
            if let Some(less) = sum.checked_sub(U256::ONE) {
                prop_assert!(left(less) < rest);
            }
        }
    }
}
