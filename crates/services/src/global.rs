//! What a global market-data aggregator says of tokens.

use arc_swap::ArcSwap;
use primitives::Timestamp;
use std::{collections::HashMap, sync::Arc};

/// What an aggregator says of one token.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GlobalMarket {
    /// The price in USD.
    pub usd: f64,
    /// What all tokens in circulation are worth.
    pub market_cap: f64,
    /// What all tokens that there will be are worth.
    pub fdv: f64,
    /// By how much the market capitalisation changed in a day.
    pub market_cap_change_24h: f64,
    /// The same in per cent.
    pub market_cap_change_percentage_24h: f64,
}

/// The newest answers of an aggregator; clones share them.
#[derive(Debug, Clone, Default)]
pub struct GlobalFeed(Arc<ArcSwap<Answers>>);

#[derive(Debug, Default)]
struct Answers {
    markets: HashMap<String, GlobalMarket>,
    valid_until: Option<Timestamp>,
}

impl GlobalFeed {
    /// What was last said of a token, by its name at the aggregator; none once
    /// that is too old.
    pub fn get(&self, aggregator_id: &str, now: Timestamp) -> Option<GlobalMarket> {
        let answers = self.0.load();
        let fresh = answers.valid_until.is_some_and(|until| now <= until);
        fresh.then(|| answers.markets.get(aggregator_id).copied())?
    }
}
