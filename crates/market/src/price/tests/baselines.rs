//! The usual ways to price a token, to compare with: what they do under attack.

use super::*;

/// A pool of the token in question, as a plain observer sees it.
#[derive(Clone, Copy)]
pub(super) struct Seen {
    /// The token is its first.
    pub(super) edge: Edge,
    /// What the observer takes the other token to be worth.
    pub(super) other_usd: f64,
    /// What lies in the pool, as the observer counts it.
    pub(super) liquidity: f64,
}

impl Seen {
    fn usd(&self) -> f64 {
        self.edge.mid * self.other_usd
    }
}

/// The usual methods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    /// The price of the last trade, wherever it was.
    LastTrade,
    /// The pool with the most liquidity.
    TopPool,
    /// The mean of all pools by their liquidity.
    WeightedMean,
}

pub(super) const METHODS: [Method; 3] = [Method::LastTrade, Method::TopPool, Method::WeightedMean];

impl Method {
    pub(super) fn usd(self, pools: &[Seen], last_trade: f64) -> f64 {
        let by_liquidity = |one: &&Seen, other: &&Seen| one.liquidity.total_cmp(&other.liquidity);
        match self {
            Self::LastTrade => last_trade,
            Self::TopPool => pools.iter().max_by(by_liquidity).unwrap().usd(),
            Self::WeightedMean => {
                let weighted = pools.iter().map(|pool| pool.usd() * pool.liquidity);
                let liquidity = pools.iter().map(|pool| pool.liquidity);
                weighted.sum::<f64>() / liquidity.sum::<f64>()
            }
        }
    }
}
