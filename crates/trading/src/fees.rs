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
    /// That token.
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
    /// By the platform.
    pub platform: Bps,
    /// By the integrator.
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
        self.platform.as_f64() + self.integrator.as_f64()
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
