//! What a global market-data aggregator says of tokens.
//!
//! One task asks, of one of several processes, and requests read. What was said is
//! forgotten when it is too old, so that nobody is shown a price of yesterday.

mod answer;
mod options;
mod poller;
mod shared;
mod source;
#[cfg(test)]
mod tests;

pub use options::{GlobalKey, GlobalOptions, GlobalPlan};
pub use poller::GlobalPoller;
pub use source::GlobalSetupError;

use arc_swap::ArcSwap;
use primitives::Timestamp;
use std::{collections::HashMap, sync::Arc};
use store::Saying;

/// What an aggregator says of one token.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GlobalMarket {
    /// The price in USD.
    pub usd: f64,
    /// What all tokens in circulation are worth; 0 if the aggregator does not say.
    pub market_cap: f64,
    /// What all tokens that there will be are worth; the same as those in
    /// circulation if the aggregator does not say.
    pub fdv: f64,
    /// By how much the market capitalisation changed in a day; 0 if the
    /// aggregator does not say.
    pub market_cap_change_24h: f64,
    /// The same in per cent.
    pub market_cap_change_percentage_24h: f64,
}

/// The newest answers of an aggregator; clones share them. Those that processes share
/// count from a block on, so that all of them show the same at a block.
#[derive(Debug, Clone, Default)]
pub struct GlobalFeed(Arc<ArcSwap<Vec<Version>>>);

/// Answers, and where they are shown.
#[derive(Debug, Clone)]
struct Version {
    saying: Saying,
    answers: Arc<Answers>,
}

/// What was said of tokens, by their names at the aggregator, and until when it
/// counts.
type Answers = HashMap<String, (GlobalMarket, Timestamp)>;

impl GlobalFeed {
    /// What was said of a token when a block was the newest, by its name at the
    /// aggregator; none once that is too old.
    pub fn get(&self, aggregator_id: &str, block: u64, now: Timestamp) -> Option<GlobalMarket> {
        let versions = self.0.load();
        let mut shown = versions.iter().filter(|it| it.saying.from_block <= block);
        // The newest is the first.
        let (market, until) = shown.next()?.answers.get(aggregator_id)?;
        (now <= *until).then_some(*market)
    }

    /// Takes over what was said of the tokens that were asked for, to be shown at
    /// once. Of those that nothing was said of, nothing is known any more.
    fn learn(&self, asked: &[String], said: &HashMap<String, GlobalMarket>, until: Timestamp) {
        let mut answers = Answers::clone(&self.newest());
        for id in asked {
            match said.get(id) {
                Some(market) => answers.insert(id.clone(), (*market, until)),
                None => answers.remove(id),
            };
        }
        let saying = Saying {
            from_block: 0,
            known_until: until,
        };
        self.0.store(Arc::new(vec![Version {
            saying,
            answers: Arc::new(answers),
        }]));
    }

    fn newest(&self) -> Arc<Answers> {
        let versions = self.0.load();
        let newest = versions.first().map(|version| Arc::clone(&version.answers));
        newest.unwrap_or_default()
    }

    /// Of how many tokens something is known.
    fn known(&self, now: Timestamp) -> usize {
        let answers = self.newest();
        answers.values().filter(|(_, until)| now <= *until).count()
    }
}
