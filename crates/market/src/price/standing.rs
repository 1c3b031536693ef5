//! What prices are, from block to block.

use crate::token_id::TokenId;
use amm::book::PoolId;
use serde::{Deserialize, Serialize};

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
    /// How many of the hub one whole token is worth.
    pub ratio: f64,
}

/// What is known of a token's price from block to block.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Standing {
    /// The published price.
    pub quote: Quote,
    /// USD that agreed with it when it was published, in the sense of
    /// [`Edge::depth`](super::Edge::depth).
    pub support: f64,
    /// The pools that made it, the weightiest first.
    pub pools: [Option<PoolId>; 3],
    /// Whether enough supports it for other prices to be derived from it.
    pub is_trusted: bool,
    /// Blocks for which an unconfirmed jump has been held back.
    pub held: u8,
}

/// The price of a token in a block.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settled {
    /// How it came about.
    pub standing: Standing,
    /// The ratio of the quote, times what its hub is worth in this block.
    pub usd: f64,
}

/// What the block before published, in the order of tokens.
#[derive(Debug, Clone, Copy)]
pub struct Before<'a> {
    /// How many tokens there are now.
    pub tokens: usize,
    /// How the prices came about.
    pub standings: &'a [Option<Standing>],
    /// The same prices in USD; `None` where there was none.
    pub usd: &'a [Option<f64>],
}
