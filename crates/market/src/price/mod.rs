//! Reference prices: one price per token and block, which no single pool can
//! move.
//!
//! Pools count with what it costs to move them, as they are at the end of the
//! block. Prices spread from a basket of stables over trusted tokens, where most
//! stands behind them first; each is the weighted median of what all pools to
//! trusted tokens say. So a price is wrong only where more than half of what
//! stands behind it is. A token that little stands behind has a price that is
//! not trusted: nothing is derived from it.
//!
//! The same pools in any order give the same bits.

mod anchor_list;
mod basket;
mod expansion;
mod graph;
mod guard;
mod median;
#[cfg(test)]
mod tests;

use crate::token_id::TokenId;
use amm::book::PoolId;
pub use anchor_list::{AnchorError, AnchorList};
use expansion::{Expansion, Role};
use graph::Graph;
use serde::{Deserialize, Serialize};

/// The version of the method: prices of different versions are not to be
/// compared to the last digit.
pub const METHOD: u32 = 1;

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

/// The price of a token in a block.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settled {
    /// How it came about.
    pub standing: Standing,
    /// In USD.
    pub usd: f64,
}

/// What the block before published, in the order of tokens.
#[derive(Debug, Clone, Copy)]
pub struct Before<'a> {
    /// How many tokens there are now.
    pub tokens: usize,
    /// How the prices came about.
    pub standings: &'a [Option<Standing>],
    /// In USD.
    pub usd: &'a [Option<f64>],
}

/// The figures of the method.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rules {
    /// USD of support from which on a token is trusted.
    pub enter_usd: f64,
    /// USD of support below which a token is trusted no longer.
    pub leave_usd: f64,
    /// What a USD of depth counts that is seen through one more token.
    pub per_hop: f64,
    /// The relative distance up to which a pool agrees with a price.
    pub agreement: f64,
    /// A price that changes by more than this factor jumps.
    pub jump: f64,
    /// The part of its former support that confirms a jump.
    pub confirmation: f64,
    /// Blocks for which a jump that is not confirmed is held back, at most.
    pub held_blocks: u8,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            enter_usd: 1_000.0,
            leave_usd: 500.0,
            per_hop: 0.9,
            agreement: 0.02,
            jump: 1.3,
            confirmation: 0.5,
            held_blocks: 5,
        }
    }
}

/// The prices of a block, in the order of tokens: from its pools and what the
/// block before published. A standing differs from the one before only if its
/// quote, its trust or its holding back changed.
pub fn settle(
    edges: &[Edge],
    anchors: &Anchors,
    before: Before<'_>,
    rules: &Rules,
) -> Vec<Option<Settled>> {
    let graph = Graph::new(edges, before.tokens);
    let mut work = Expansion::new(&graph, anchors, before, rules);
    basket::settle(&mut work);
    // Hubs first: the prices of the others may be ratios to them.
    let volatile = [work.tokens(Role::Hub), work.tokens(Role::Ordinary)].concat();
    work.settle_trusted(&volatile);
    work.settle_rest(&volatile);
    work.settled
}
