//! Which tokens come first.

use crate::token_id::TokenId;

/// TVL of every token, and the order that it makes.
#[derive(Debug, Default)]
pub(super) struct Ranking {
    pub(super) tvl: Vec<Tvl>,
    pub(super) order: Vec<TokenId>,
}

/// What lies of a token in pools, in USD.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Tvl {
    /// TVL, by which tokens are ordered.
    pub(super) counted: f64,
    /// What does not, since nobody vouches for the token.
    pub(super) uncounted: f64,
}
