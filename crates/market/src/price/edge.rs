//! What prices are made of.

use crate::token_id::TokenId;
use amm::book::PoolId;

/// A pool as a statement about the price between two tokens, in whole tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    /// The pool that states it.
    pub pool: PoolId,
    /// In the pool's order, which `mid` and `depth` follow.
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
