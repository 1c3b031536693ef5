//! What an aggregator said, shared through the store: one process asks, and all show
//! the same at a block.

use super::{Answers, GlobalFeed, GlobalMarket, Version};
use crate::{duty::Duty, fault::Fault};
use primitives::{Impossible, OrImpossible as _, Timestamp};
use std::{collections::BTreeMap, sync::Arc};
use store::{ChainStore, Store};

/// The form of what follows it.
const FORM: u8 = 1;

/// A token's numbers in the order of [`GlobalMarket`], and until when they count, in
/// microseconds.
type Words = BTreeMap<String, ([f64; 5], i64)>;

/// Where the process on duty writes what it was told.
#[derive(Debug)]
pub(super) struct Share {
    pub(super) duty: Duty,
    /// Fenced by the duty.
    pub(super) store: Store,
}

impl Share {
    /// Shows answers to all processes.
    pub(super) async fn say(&self, answers: &Answers, now: Timestamp) -> Result<(), Fault> {
        let until = answers.values().map(|(_, until)| *until).max();
        let words = to_bytes(answers)?;
        let chain = self.store.chain();
        Ok(chain.say(&words, until.unwrap_or(now), now).await?)
    }
}

impl GlobalFeed {
    /// Takes up what another process was told. Comes before a block is published, so
    /// that what counts from that block on is known.
    pub(crate) async fn refresh(&self, chain: &ChainStore) -> Result<(), Fault> {
        let said = chain.sayings().await?;
        let shown = self.0.load_full();
        let is_shown = |version: &Version| said.contains(&version.saying);
        // Nothing is shared: what this process was told itself stays.
        if said.is_empty() || shown.len() == said.len() && shown.iter().all(is_shown) {
            return Ok(());
        }
        let mut versions = Vec::with_capacity(said.len());
        for saying in said {
            let known = shown.iter().find(|version| version.saying == saying);
            let answers = match known {
                Some(version) => Some(Arc::clone(&version.answers)),
                None => chain.said(saying).await?.map(|words| from_bytes(&words)),
            };
            versions.extend(answers.map(|answers| Version { saying, answers }));
        }
        self.0.store(Arc::new(versions));
        Ok(())
    }
}

fn to_bytes(answers: &Answers) -> Result<Vec<u8>, Impossible> {
    let words = answers.iter().map(|(id, (market, until))| {
        let numbers = [
            market.usd,
            market.market_cap,
            market.fdv,
            market.market_cap_change_24h,
            market.market_cap_change_percentage_24h,
        ];
        (id.clone(), (numbers, until.as_microsecond()))
    });
    let words: Words = words.collect();
    postcard::to_extend(&words, vec![FORM]).or_impossible("numbers and names can be written")
}

/// Of bytes that another version of the program wrote, nothing is known.
fn from_bytes(bytes: &[u8]) -> Arc<Answers> {
    let words = match bytes.split_first() {
        Some((&FORM, rest)) => postcard::from_bytes::<Words>(rest).ok(),
        _ => None,
    };
    let answers = words.unwrap_or_default().into_iter();
    let answers = answers.filter_map(|(id, (numbers, until))| {
        let [usd, market_cap, fdv, change, percentage] = numbers;
        let market = GlobalMarket {
            usd,
            market_cap,
            fdv,
            market_cap_change_24h: change,
            market_cap_change_percentage_24h: percentage,
        };
        let until = Timestamp::from_microsecond(until).ok()?;
        numbers
            .iter()
            .all(|number| number.is_finite())
            .then_some((id, (market, until)))
    });
    Arc::new(answers.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_as_they_were_written_and_others_say_nothing() {
        let market = GlobalMarket {
            usd: 0.1,
            market_cap: 2.0,
            fdv: 3.5,
            market_cap_change_24h: -4.0,
            market_cap_change_percentage_24h: -0.25,
        };
        let until = Timestamp::from_second(7).unwrap();
        let answers: Answers = [("a".to_owned(), (market, until))].into();
        let bytes = to_bytes(&answers).unwrap();
        assert_eq!(*from_bytes(&bytes), answers);
        for other in [&[][..], &[2, 0], &bytes[..bytes.len() - 1]] {
            assert!(from_bytes(other).is_empty(), "{other:?}");
        }
    }
}
