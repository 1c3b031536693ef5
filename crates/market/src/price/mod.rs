//! Reference prices: one price per token and block, which no single pool can
//! move.

mod anchor_list;

use crate::token_id::TokenId;
use amm::book::PoolId;
pub use anchor_list::{AnchorError, AnchorList};
use serde::{Deserialize, Serialize};

/// A pool as a statement about the price between two tokens, in whole tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    /// Which pool.
    pub pool: PoolId,
    /// Its tokens.
    pub tokens: [TokenId; 2],
    /// Of the second token for one of the first, without the pool's fee.
    pub mid: f64,
    /// How much of either token moves the price by two per cent when it is sold.
    pub depth: [f64; 2],
}

/// The tokens that prices hang on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Anchors {
    /// Tokens that are meant to be worth a dollar.
    pub stables: Vec<TokenId>,
    /// Other tokens that many pools are with. The price of every token is a
    /// ratio to one of these, to a stable, or to the dollar.
    pub hubs: Vec<TokenId>,
}

/// What a price is a ratio to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Hub {
    /// The dollar itself.
    Usd,
    /// A stable or a hub, whose own price is a ratio to the dollar.
    Token(TokenId),
}

/// A price: so many of a hub. In USD it is `ratio` times the hub's price, one
/// floating-point multiplication.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Quote {
    /// What it is a ratio to.
    pub hub: Hub,
    /// The ratio.
    pub ratio: f64,
}

/// What is known of a token's price from block to block.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Standing {
    /// The published price.
    pub quote: Quote,
    /// USD that agreed with it when it was published, in the sense of
    /// [`Edge::depth`].
    pub support: f64,
    /// The pools that made it, the weightiest first.
    pub pools: [Option<PoolId>; 3],
    /// Whether enough supports it for other prices to be derived from it.
    pub is_trusted: bool,
    /// Blocks for which an unconfirmed jump has been held back.
    pub held: u8,
}
