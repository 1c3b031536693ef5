//! Prices of the tokens of an arena, in the bought token.

use std::ops::{Index, IndexMut};

/// The place of the sold token.
pub(super) const SOLD: usize = 0;
/// The place of the bought token.
pub(super) const BOUGHT: usize = 1;
/// Tokens of an arena at most: a route of twelve swaps passes no more than
/// eleven between its ends, so that this leaves a choice.
pub(super) const MAX_NODES: usize = 48;

/// A price for each place of an arena, 0 where none is known.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Prices([f64; MAX_NODES]);

impl Prices {
    /// These prices, and nothing known of the other tokens.
    pub(super) fn new(known: &[f64]) -> Self {
        let mut prices = [0.0; MAX_NODES];
        for (price, known) in prices.iter_mut().zip(known) {
            *price = *known;
        }
        Self(prices)
    }

    /// Gives the tokens at these places other prices.
    pub(super) fn extend(&mut self, prices: &[(usize, f64)]) {
        for (place, price) in prices {
            self[*place] = *price;
        }
    }

    /// The same prices, the bought token's being one.
    pub(super) fn in_bought(mut self) -> Self {
        let scale = self.0[BOUGHT].recip();
        for price in &mut self.0 {
            *price *= scale;
        }
        self
    }
}

#[expect(clippy::indexing_slicing, reason = "places are below MAX_NODES")]
impl Index<usize> for Prices {
    type Output = f64;

    fn index(&self, place: usize) -> &f64 {
        &self.0[place]
    }
}

#[expect(clippy::indexing_slicing, reason = "places are below MAX_NODES")]
impl IndexMut<usize> for Prices {
    fn index_mut(&mut self, place: usize) -> &mut f64 {
        &mut self.0[place]
    }
}
