//! Prices under honest and under hostile pools.

mod adversarial;
mod baselines;
mod basket;
mod hops;
mod over_time;
mod properties;

use super::*;
use crate::token_id::TokenId;
use amm::book::PoolId;

// The tokens of a small market.
const USDC: TokenId = TokenId(0);
const USDT: TokenId = TokenId(1);
const DAI: TokenId = TokenId(2);
const ETH: TokenId = TokenId(3);
const STRK: TokenId = TokenId(4);
/// The first of the ordinary tokens, the one that tests are about.
const T: TokenId = TokenId(5);
const TOKENS: u32 = 400;

fn ordinary(n: u32) -> TokenId {
    TokenId(T.0 + n)
}

fn anchors() -> Anchors {
    Anchors {
        stables: vec![USDC, USDT, DAI],
        hubs: vec![ETH, STRK],
    }
}

/// Pools have no other way to get a number outside of their book.
fn pool_id(n: usize) -> PoolId {
    serde_json::from_value(n.into()).unwrap()
}

/// A pool that is equally deep to both sides: `price` of the second token for
/// one of the first, so many of the second token deep.
fn pool(tokens: [TokenId; 2], price: f64, depth: f64) -> Edge {
    Edge {
        pool: pool_id(0),
        tokens,
        mid: price,
        depth: [depth / price, depth],
    }
}

/// Numbers pools in their order.
fn numbered(edges: impl IntoIterator<Item = Edge>) -> Vec<Edge> {
    let number = |(n, edge)| Edge {
        pool: pool_id(n),
        ..edge
    };
    edges.into_iter().enumerate().map(number).collect()
}

/// Deep and honest pools between the anchors: ETH at 3,000 and STRK at 0.5.
fn honest_anchors() -> Vec<Edge> {
    vec![
        pool([USDT, USDC], 1.0, 500_000.0),
        pool([DAI, USDC], 1.0, 200_000.0),
        pool([DAI, USDT], 1.0, 100_000.0),
        pool([ETH, USDC], 3_000.0, 900_000.0),
        pool([ETH, USDT], 3_000.0, 600_000.0),
        pool([STRK, USDC], 0.5, 300_000.0),
        pool([STRK, ETH], 0.5 / 3_000.0, 100.0),
    ]
}

/// Block after block.
struct TestMarket {
    anchors: Anchors,
    rules: Rules,
    settled: Vec<Option<Settled>>,
}

impl TestMarket {
    fn new() -> Self {
        Self::with(anchors())
    }

    fn with(anchors: Anchors) -> Self {
        Self {
            anchors,
            rules: Rules::default(),
            settled: Vec::new(),
        }
    }

    /// A market after one block.
    fn of(edges: &[Edge]) -> Self {
        let mut market = Self::new();
        market.block(edges);
        market
    }

    fn block(&mut self, edges: &[Edge]) -> &mut Self {
        self.settled = self.next(edges);
        self
    }

    fn next(&self, edges: &[Edge]) -> Vec<Option<Settled>> {
        let of = |settled: &Option<Settled>| settled.map(|settled| settled.standing);
        let standings: Vec<_> = self.settled.iter().map(of).collect();
        let usd: Vec<_> = self
            .settled
            .iter()
            .map(|settled| settled.map(|settled| settled.usd))
            .collect();
        let before = Before {
            tokens: usize::try_from(TOKENS).unwrap(),
            standings: &standings,
            usd: &usd,
        };
        settle(edges, &self.anchors, before, &self.rules)
    }

    fn price(&self, token: TokenId) -> Option<Settled> {
        self.settled[token.index()]
    }

    fn usd(&self, token: TokenId) -> f64 {
        self.price(token).unwrap().usd
    }

    fn standing(&self, token: TokenId) -> Standing {
        self.price(token).unwrap().standing
    }

    fn is_trusted(&self, token: TokenId) -> bool {
        self.price(token)
            .is_some_and(|settled| settled.standing.is_trusted)
    }
}

/// By how much a price is wrong, in either direction: 1 for twice or half.
fn error(usd: f64, truth: f64) -> f64 {
    (usd / truth).max(truth / usd) - 1.0
}

#[track_caller]
fn assert_near(usd: f64, truth: f64) {
    assert!(error(usd, truth) < 1e-9, "{usd} instead of {truth}");
}
