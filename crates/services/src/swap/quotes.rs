//! Quotes that were given, until they expire: in memory, and in Redis when
//! replicas share them.

use crate::{
    generational_cache::GenerationalCache,
    shared_redis::{SharedRedis, Unanswered},
};
use primitives::Timestamp;
use redis::aio::ConnectionManager;
use serde::{Deserialize, Serialize};
use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use trading::Quote;
use uuid::Uuid;

/// Quotes after which a generation is full; two of them are kept.
const GENERATION_QUOTES: usize = 32_768;

/// A quote and its end, in memory and in Redis alike.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct KeptQuote {
    /// When it ends, in seconds since 1970.
    pub(super) expiry: i64,
    pub(super) quote: Quote,
}

impl KeptQuote {
    fn lives_at(&self, now: Timestamp) -> bool {
        now < Timestamp::from_second(self.expiry).unwrap_or(Timestamp::MIN)
    }
}

/// Where quotes are kept.
#[derive(Clone)]
pub struct QuoteStore {
    local: Arc<Mutex<LocalQuotes>>,
    shared: Option<SharedRedis>,
}

/// The quotes of this process.
struct LocalQuotes {
    quotes: GenerationalCache<Uuid, Arc<KeptQuote>>,
    /// When the young generation began, in seconds since 1970.
    since: i64,
}

impl fmt::Debug for QuoteStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QuoteStore")
            .field("shared", &self.shared.is_some())
            .finish_non_exhaustive()
    }
}

impl QuoteStore {
    /// Quotes of this process alone.
    pub fn local() -> Self {
        Self::with_capacity(GENERATION_QUOTES)
    }

    /// Quotes shared by every replica that uses the same Redis.
    pub fn shared(redis: SharedRedis) -> Self {
        Self {
            shared: Some(redis),
            ..Self::local()
        }
    }

    fn with_capacity(capacity: usize) -> Self {
        let local = LocalQuotes {
            quotes: GenerationalCache::counted(capacity),
            since: 0,
        };
        Self {
            local: Arc::new(Mutex::new(local)),
            shared: None,
        }
    }

    /// Keeps quotes until they expire. When Redis does not answer, only this
    /// process knows them.
    pub(super) async fn keep(&self, quotes: Vec<(Uuid, KeptQuote)>, now: Timestamp) {
        if let Some(redis) = &self.shared
            && let Err(reason) = share(redis, &quotes, now).await
        {
            note_failure(&reason);
        }
        let mut local = self.lock();
        for (id, kept) in quotes {
            local.keep(id, kept, now);
        }
    }

    /// The quote of an id, unless it has expired or is not known.
    pub(super) async fn find(&self, id: Uuid, now: Timestamp) -> Option<Arc<KeptQuote>> {
        let local = self.find_here(id);
        let kept = match (local, &self.shared) {
            (None, Some(redis)) => match fetch(redis, id).await {
                Ok(found) => found.map(Arc::new),
                Err(reason) => {
                    note_failure(&reason);
                    None
                }
            },
            (local, _) => local,
        };
        kept.filter(|kept| kept.lives_at(now))
    }

    fn find_here(&self, id: Uuid) -> Option<Arc<KeptQuote>> {
        self.lock().quotes.peek(&id).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, LocalQuotes> {
        self.local.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LocalQuotes {
    /// A generation turns at the latest when it is as old as a quote becomes, so
    /// that memory is given back when nobody asks any more.
    fn keep(&mut self, id: Uuid, kept: KeptQuote, now: Timestamp) {
        let now = now.as_second();
        let is_over = now - self.since > kept.expiry - now;
        if is_over {
            self.quotes.turn();
        }
        if self.quotes.put(id, Arc::new(kept)) || is_over {
            self.since = now;
        }
    }
}

fn key(id: Uuid) -> String {
    format!("stoa:quote:{id}")
}

async fn share(
    redis: &SharedRedis,
    quotes: &[(Uuid, KeptQuote)],
    now: Timestamp,
) -> Result<(), Unanswered> {
    let mut pipe = redis::pipe();
    for (id, kept) in quotes {
        // A quote that cannot be written is one that only we know.
        let Ok(text) = serde_json::to_string(kept) else {
            continue;
        };
        let left = u64::try_from(kept.expiry - now.as_second()).unwrap_or(0);
        pipe.set_ex(key(*id), text, left.max(1)).ignore();
    }
    let question = async |redis: &mut ConnectionManager| pipe.query_async(redis).await;
    redis.ask(question).await
}

async fn fetch(redis: &SharedRedis, id: Uuid) -> Result<Option<KeptQuote>, Unanswered> {
    let mut get = redis::cmd("GET");
    get.arg(key(id));
    let question = async |redis: &mut ConnectionManager| get.query_async(redis).await;
    let text: Option<String> = redis.ask(question).await?;
    // A quote that another version wrote is one that we do not know.
    Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
}

fn note_failure(reason: &Unanswered) {
    metrics::counter!("stoa_swap_redis_failures_total").increment(1);
    tracing::debug!(%reason, "redis does not keep quotes, keeping them here");
}

#[cfg(test)]
mod tests {
    use super::*;
    use primitives::{Address, Felt, U256};
    use trading::{Bps, Exact, FeeSide, Fees, Gas};

    fn kept(expiry: i64) -> KeptQuote {
        let token = Address::new(Felt::ONE);
        let fees = Fees {
            side: FeeSide::Buy,
            token,
            platform: U256::ZERO,
            platform_bps: Bps::ZERO,
            integrator: U256::ZERO,
            integrator_bps: Bps::ZERO,
        };
        let quote = Quote {
            sell: Address::new(Felt::TWO),
            buy: token,
            sell_amount: U256::MAX,
            buy_amount: U256::ONE,
            exact: Exact::In,
            fees,
            hops: Vec::new(),
            taker: None,
            integrator: None,
            gas: Gas::default(),
            block: 7,
        };
        KeptQuote { expiry, quote }
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn held(store: &QuoteStore) -> usize {
        store.lock().quotes.weight()
    }

    #[tokio::test]
    async fn a_quote_is_found_until_it_expires() {
        let store = QuoteStore::local();
        let id = Uuid::from_u128(1);
        store.keep(vec![(id, kept(30))], at(0)).await;
        assert_eq!(store.find(id, at(29)).await.as_deref(), Some(&kept(30)));
        assert!(store.find(id, at(30)).await.is_none());
        assert!(store.find(Uuid::from_u128(2), at(0)).await.is_none());
    }

    #[tokio::test]
    async fn memory_is_bounded_by_number_and_by_time() {
        let store = QuoteStore::with_capacity(10);
        for n in 0..1_000 {
            store
                .keep(vec![(Uuid::from_u128(n), kept(30))], at(0))
                .await;
        }
        assert!((10..=20).contains(&held(&store)), "{}", held(&store));
        let store = QuoteStore::with_capacity(1_000);
        for second in 0..300 {
            let id = Uuid::from_u128(u128::try_from(second).unwrap());
            store.keep(vec![(id, kept(second + 30))], at(second)).await;
            assert!(store.find(id, at(second + 29)).await.is_some());
            if second >= 30 {
                let before = Uuid::from_u128(u128::try_from(second - 29).unwrap());
                assert!(store.find(before, at(second)).await.is_some());
            }
        }
        assert!(held(&store) <= 65, "{}", held(&store));
    }

    #[test]
    fn a_quote_survives_its_text() {
        let text = serde_json::to_string(&kept(30)).unwrap();
        assert_eq!(serde_json::from_str::<KeptQuote>(&text).unwrap(), kept(30));
    }
}
