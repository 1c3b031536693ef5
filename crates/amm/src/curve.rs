//! The face that every family of curves shows.

use crate::{Ladder, Pieces};
use primitives::U256;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// One of a pool's two tokens, in the pool's own order. A trade is named by the
/// side that is sold to the pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Side {
    /// The first token.
    Token0,
    /// The second token.
    Token1,
}

impl Side {
    /// Both, in order.
    pub const BOTH: [Self; 2] = [Self::Token0, Self::Token1];

    /// The token that a trade buys when it sells this one.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Token0 => Self::Token1,
            Self::Token1 => Self::Token0,
        }
    }

    /// The values of this side and of the other one.
    pub fn of<T>(self, [value0, value1]: [T; 2]) -> (T, T) {
        match self {
            Self::Token0 => (value0, value1),
            Self::Token1 => (value1, value0),
        }
    }
}

/// What a pool takes and gives in one swap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fill {
    /// What the pool takes, its fee included.
    pub sold: U256,
    /// What the pool gives.
    pub bought: U256,
    /// Initialised ticks that the price passes; 0 for curves without ticks.
    pub ticks: u32,
}

/// Why a pool does not make a trade.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Refusal {
    /// A trade of nothing.
    #[error("the amount is zero")]
    Nothing,
    /// The pool, or its contract's arithmetic, cannot take or give as much.
    #[error("the pool can trade at most {most}")]
    TooMuch {
        /// The largest amount, sold or bought as the caller named it, that
        /// would be traded; 0 for an empty pool.
        most: U256,
    },
    /// The contract's own iteration finds no answer for this amount.
    #[error("the curve has no solution for this amount")]
    Unsolved,
}

/// A pool that trades one token for another.
///
/// Exact amounts equal those of the pool's contract. Prices are units of the
/// bought token for one unit of the sold token, the fee included, at the
/// smallest scale: decimals of tokens are not known here.
pub trait Curve {
    /// The trade that sells exactly `amount`.
    fn exact_in(&self, sold: Side, amount: U256) -> Result<Fill, Refusal>;

    /// The trade that the contract makes to give exactly `amount`: selling
    /// [`Fill::sold`] buys at least as much.
    fn exact_out(&self, sold: Side, amount: U256) -> Result<Fill, Refusal>;

    /// The price of the next unit; 0 where nothing can be bought.
    fn price(&self, sold: Side) -> f64;

    /// The whole curve from the next unit on, for the search of routes, added to
    /// an empty list.
    fn pieces(&self, sold: Side, pieces: &mut Pieces);

    /// The same with what is taken and given until each piece.
    fn ladder(&self, sold: Side) -> Ladder {
        let mut pieces = Pieces::default();
        self.pieces(sold, &mut pieces);
        Ladder::from(&pieces)
    }

    /// The amount that can be sold until the price has fallen by this share
    /// (0.01 is one per cent), or until the pool ends.
    fn depth(&self, sold: Side, share: f64) -> f64 {
        let ladder = self.ladder(sold);
        let floor = self.price(sold) * (1.0 - share);
        ladder.until(1.0 / floor.sqrt()).0
    }
}
