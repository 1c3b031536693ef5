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
mod edge;
mod expansion;
mod graph;
mod guard;
mod median;
mod rules;
mod standing;
#[cfg(test)]
mod tests;

pub use anchor_list::{AnchorError, AnchorList};
pub use edge::{Anchors, Edge};
use expansion::{Expansion, Role};
use graph::Graph;
pub use rules::Rules;
pub use standing::{Before, Hub, Quote, Settled, Standing};

/// The version of the method: prices of different versions are not to be
/// compared to the last digit.
pub const METHOD: u32 = 1;

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
