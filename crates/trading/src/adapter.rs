//! How a route names a pool to the exchange contract.

use amm::Side;
use amm::book::{Kind, PoolView, Shape, Spot};
use amm::ekubo::MAX_SQRT_RATIO;
use primitives::{Address, Felt, U256};
use serde::{Deserialize, Serialize};

/// What tells a pool from its venue's other pools of the same two tokens, in the
/// form that the venue's adapter takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Params {
    /// Nothing: there is one pool for two tokens, or the token that is bought is
    /// the pool.
    None,
    /// Its contract (Nostra).
    Pair(Address),
    /// Its number (mySwap).
    Number(u64),
    /// Whether it is stable (`SithSwap`).
    Stable(bool),
    /// Whether it is stable, and the default tier of fees (`StarkDefi`).
    Tiered {
        /// Whether it is.
        stable: bool,
    },
    /// Its key (Ekubo).
    Keyed {
        /// Its tokens, in its own order.
        tokens: [Address; 2],
        /// The fee as a fraction of 2^128.
        fee: u128,
        /// Positions begin and end at multiples of this.
        tick_spacing: u32,
        /// A contract that the pool calls, or zero.
        extension: Address,
    },
}

/// The tier of `StarkDefi` pairs that were created without naming one. What tier
/// another pair was created with is not known here.
const DEFAULT_TIER: Felt = Felt::ZERO;

impl Params {
    /// Those of a pool; `None` if the exchange contract has no adapter for it.
    #[must_use]
    pub fn of(view: &PoolView<'_>) -> Option<Self> {
        let stable = view.pool.shape() == Shape::Stable;
        Some(match (view.venue.kind, view.spot()) {
            (Kind::JediSwap | Kind::TenKSwap | Kind::Endur, _) => Self::None,
            (Kind::SithSwap, _) => Self::Stable(stable),
            (Kind::StarkDefi, _) => Self::Tiered { stable },
            (Kind::Nostra, Spot::Contract(pair)) => Self::Pair(pair),
            (Kind::MySwap, Spot::Numbered(number)) => Self::Number(number),
            (
                Kind::Ekubo,
                Spot::Keyed {
                    fee,
                    tick_spacing,
                    extension,
                },
            ) => Self::Keyed {
                tokens: view.tokens(),
                fee,
                tick_spacing,
                extension,
            },
            (Kind::Nostra | Kind::MySwap | Kind::Ekubo | Kind::JediSwapV2, _) => return None,
        })
    }

    /// As the adapter reads them.
    #[must_use]
    pub fn felts(&self) -> Vec<Felt> {
        match *self {
            Self::None => vec![],
            Self::Pair(pair) => vec![pair.felt()],
            Self::Number(number) => vec![Felt::from(number)],
            Self::Stable(stable) => vec![Felt::from(stable)],
            Self::Tiered { stable } => vec![Felt::from(stable), DEFAULT_TIER],
            Self::Keyed {
                tokens: [token0, token1],
                fee,
                tick_spacing,
                extension,
            } => vec![
                token0.felt(),
                token1.felt(),
                Felt::from(fee),
                Felt::from(tick_spacing),
                extension.felt(),
                farthest(),
            ],
        }
    }
}

/// A distance of square roots of prices that reaches the end of all prices from
/// everywhere. A swap that ended earlier would leave tokens behind.
fn farthest() -> Felt {
    Felt::from_bytes_be(&MAX_SQRT_RATIO.to_be_bytes())
}

/// The token that a swap sells to the pool, and the one that it buys.
pub(crate) fn traded(view: &PoolView<'_>, sold: Side) -> (Address, Address) {
    sold.of(view.tokens())
}

/// A number of 256 bits as the two that contracts read: the low half first.
pub(crate) fn halves(amount: U256) -> [Felt; 2] {
    let [first, second, third, fourth] = *amount.as_limbs();
    let half = |low: u64, high: u64| Felt::from(u128::from(low) | u128::from(high) << 64);
    [half(first, second), half(third, fourth)]
}

/// The number that two halves are; `None` if one of them is none.
pub(crate) fn joined([low, high]: [Felt; 2]) -> Option<U256> {
    let half = |felt: Felt| u128::try_from(felt).ok().map(U256::from);
    Some(half(low)? | half(high)? << 128)
}
