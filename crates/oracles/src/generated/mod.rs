//! Markets that a seed determines, as large as one likes.
//!
//! A few hubs trade with everything, some more tokens with hubs and with each
//! other, and most tokens have one or two pools. Sizes of pools spread over
//! magnitudes, fees are those that exchanges offer, and more or less of the
//! pools of each class have their liquidity in ranges with gaps among them. No
//! pool's price is farther from the reference than its fee, so that nothing is
//! earned by trading in a circle, except where a [`Variant`] wants it.

mod plan;
mod pools;
mod queries;
mod stage;
mod tokens;

pub use plan::{Plan, Variant};
pub use queries::{MAX_SWAPS, Query, SWAP};
pub use tokens::{Role, Token};

use crate::Draws;
use amm::book::{Book, PoolId, Pools};
use primitives::Address;
use stage::Stage;
use std::collections::HashMap;

/// Tokens and pools that follow from a plan and its seed alone.
#[derive(Debug, Clone)]
pub struct GeneratedMarket {
    book: Book,
    ids: Vec<PoolId>,
    tokens: Vec<Token>,
    by_address: HashMap<Address, usize>,
}

impl GeneratedMarket {
    /// The market of a plan.
    #[must_use]
    pub fn new(plan: Plan) -> Self {
        let draws = Draws::new(plan.seed);
        let tokens = tokens::tokens(&draws, &plan);
        let mut stage = Stage::new();
        pools::fill(&mut stage, &draws, &plan, &tokens);
        let by_address = tokens.iter().enumerate();
        let by_address = by_address.map(|(place, token)| (token.address, place));
        Self {
            by_address: by_address.collect(),
            book: stage.book,
            ids: stage.ids,
            tokens,
        }
    }

    /// The pools as they are now.
    #[must_use]
    pub const fn pools(&self) -> &Pools {
        self.book.pools()
    }

    /// The tokens: hubs, then those between, then the many small ones.
    #[must_use]
    pub fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// The place of a token in their list.
    #[must_use]
    pub fn place(&self, token: Address) -> Option<usize> {
        self.by_address.get(&token).copied()
    }

    /// The reference price of a token's smallest unit, 0 for one that is none
    /// of the market's.
    #[must_use]
    pub fn worth(&self, token: Address) -> f64 {
        let token = self.place(token).and_then(|place| self.tokens.get(place));
        token.map_or(0.0, |token| token.worth)
    }

    /// So many orders as people place them, by another seed.
    #[must_use]
    pub fn queries(&self, seed: u64, count: usize) -> Vec<Query> {
        let draws = Draws::new(seed);
        (0..count).filter_map(|_| self.query(&draws)).collect()
    }

    /// Lets a block pass in which liquidity came to so many pools, or left
    /// them; prices stay as they are.
    pub fn stir(&mut self, seed: u64, count: usize) -> Vec<PoolId> {
        let draws = Draws::new(seed);
        self.book.begin(seed);
        let mut stirred: Vec<PoolId> = (0..count)
            .filter_map(|_| self.ids.get(draws.place(self.ids.len())).copied())
            .collect();
        stirred.sort_unstable();
        stirred.dedup();
        for id in &stirred {
            if let Some(change) = stage::stirred(self.pools(), *id, draws.between(-0.3, 0.5)) {
                self.book.apply(&change);
            }
        }
        stirred
    }
}

#[cfg(test)]
mod tests;
