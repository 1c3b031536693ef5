//! What a pool would pay: its state, read by the maths of its contract.

use super::change::{Shape, Spot};
use super::facts::Facts;
use super::pool::{Concentrated, State};
use super::venue::{Kind, Maths};
use super::view::{Off, PoolView};
use crate::ekubo::Rounding;
use crate::{Amplified, ConstantProduct, Curve, Deposit, Fill, Pieces, Refusal, Side, Solidly};
use crate::{constant_product, ekubo, solidly, v3};
use primitives::U256;

/// A pool of any kind, ready to be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnyCurve {
    /// `x·y = k`.
    ConstantProduct(ConstantProduct),
    /// `x³y + y³x = k`.
    Solidly(Solidly),
    /// Stable with an amplification.
    Amplified(Amplified),
    /// Ekubo's ranges.
    Ekubo(ekubo::Pool),
    /// Ranges of the Uniswap v3 type.
    V3(v3::Pool),
    /// A vault's deposits.
    Deposit(Deposit),
}

impl AnyCurve {
    /// The pool after a trade; `None` if it cannot make this trade.
    #[must_use]
    pub fn after(&self, sold: Side, fill: &Fill) -> Option<Self> {
        Some(match self {
            Self::ConstantProduct(pool) => Self::ConstantProduct(pool.after(sold, fill)?),
            Self::Solidly(pool) => Self::Solidly(pool.after(sold, fill)?),
            Self::Amplified(pool) => Self::Amplified(pool.after(sold, fill)?),
            Self::Ekubo(pool) => Self::Ekubo(pool.after(sold, fill)?),
            Self::V3(pool) => Self::V3(pool.after(sold, fill)?),
            Self::Deposit(vault) => Self::Deposit(vault.after(sold, fill)?),
        })
    }

    fn inner(&self) -> &dyn Curve {
        match self {
            Self::ConstantProduct(pool) => pool,
            Self::Solidly(pool) => pool,
            Self::Amplified(pool) => pool,
            Self::Ekubo(pool) => pool,
            Self::V3(pool) => pool,
            Self::Deposit(vault) => vault,
        }
    }
}

impl Curve for AnyCurve {
    fn exact_in(&self, sold: Side, amount: U256) -> Result<Fill, Refusal> {
        self.inner().exact_in(sold, amount)
    }

    fn exact_out(&self, sold: Side, amount: U256) -> Result<Fill, Refusal> {
        self.inner().exact_out(sold, amount)
    }

    fn price(&self, sold: Side) -> f64 {
        self.inner().price(sold)
    }

    fn pieces(&self, sold: Side, pieces: &mut Pieces) {
        self.inner().pieces(sold, pieces);
    }
}

impl PoolView<'_> {
    /// The pool's curve, or why nothing is traded with it.
    pub fn curve(&self) -> Result<AnyCurve, Off> {
        let maths = self.traded()?;
        let curve = match self.pool.state() {
            State::Reserves(reserves) => self.of_reserves(*reserves),
            State::Concentrated(concentrated) => self.of_ranges(concentrated, maths),
            State::Vault(vault) => vault.has_rate().then_some(AnyCurve::Deposit(*vault)),
        };
        curve.ok_or(Off::State)
    }

    /// Whether its tokens are meant to be worth the same: its venue said so, or it
    /// has an amplification.
    fn is_stable(&self) -> bool {
        let is_amplified = |facts: &Facts| facts.amplification > 0;
        self.pool.shape() == Shape::Stable
            || (self.venue.kind == Kind::Nostra && self.pool.facts().is_some_and(is_amplified))
    }

    pub(super) fn of_reserves(&self, reserves: [u128; 2]) -> Option<AnyCurve> {
        let facts = self.pool.facts().copied().unwrap_or_default();
        if self.is_stable() {
            return stable(self.venue.kind, reserves, &facts);
        }
        let [fee0, fee1] = facts.fees;
        let rule = match self.venue.kind {
            Kind::JediSwap => constant_product::Rule::JediSwap,
            Kind::TenKSwap => constant_product::Rule::TenKSwap,
            Kind::StarkDefi => constant_product::Rule::StarkDefi {
                fee: fee0.try_into().ok()?,
            },
            Kind::SithSwap => constant_product::Rule::SithSwap {
                fees: [fee0.try_into().ok()?, fee1.try_into().ok()?],
            },
            Kind::Nostra => constant_product::Rule::Nostra { fee: fee0 },
            Kind::MySwap => match self.pool.shape() {
                Shape::Charged { fee } => constant_product::Rule::MySwap { fee },
                _ => return None,
            },
            Kind::Ekubo | Kind::JediSwapV2 | Kind::Endur => return None,
        };
        ConstantProduct::new(reserves, rule).map(AnyCurve::ConstantProduct)
    }

    pub(super) fn of_ranges(&self, ranges: &Concentrated, maths: Maths) -> Option<AnyCurve> {
        match (self.venue.kind, self.spot(), self.pool.shape()) {
            (
                Kind::Ekubo,
                Spot::Keyed {
                    fee, tick_spacing, ..
                },
                _,
            ) => {
                let rounding = match maths {
                    Maths::EkuboOlder => Rounding::Older,
                    Maths::Usual | Maths::EkuboExact => Rounding::Exact,
                };
                let rules = ekubo::EkuboTerms { fee, rounding };
                Some(AnyCurve::Ekubo(ranges.pool(rules, tick_spacing)))
            }
            (Kind::JediSwapV2, _, Shape::Tiered { fee, tick_spacing }) => {
                Some(AnyCurve::V3(ranges.pool(v3::V3Terms { fee }, tick_spacing)))
            }
            // Another spot or shape, or a kind without ranges.
            (
                Kind::Ekubo
                | Kind::JediSwapV2
                | Kind::JediSwap
                | Kind::TenKSwap
                | Kind::SithSwap
                | Kind::StarkDefi
                | Kind::Nostra
                | Kind::MySwap
                | Kind::Endur,
                _,
                _,
            ) => None,
        }
    }
}

fn stable(kind: Kind, reserves: [u128; 2], facts: &Facts) -> Option<AnyCurve> {
    let [fee0, fee1] = facts.fees;
    let rule = match kind {
        Kind::SithSwap => solidly::Rule::SithSwap {
            fees: [fee0.try_into().ok()?, fee1.try_into().ok()?],
        },
        Kind::StarkDefi => solidly::Rule::StarkDefi {
            fee: fee0.try_into().ok()?,
        },
        Kind::Nostra => {
            let [rate0, rate1] = facts.decimals.map(rate);
            let amplification = facts.amplification;
            let pool = Amplified::new(reserves, [rate0?, rate1?], amplification, fee0);
            return pool.map(AnyCurve::Amplified);
        }
        Kind::JediSwap
        | Kind::TenKSwap
        | Kind::MySwap
        | Kind::Ekubo
        | Kind::JediSwapV2
        | Kind::Endur => return None,
    };
    Solidly::new(reserves, facts.decimals, rule).map(AnyCurve::Solidly)
}

/// What brings a token to 18 decimals, as a fraction of 10¹⁸.
fn rate(decimals: u8) -> Option<u128> {
    10_u128.checked_pow(36_u32.checked_sub(decimals.into())?)
}
