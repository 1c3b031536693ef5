//! All market figures of a chain as of one block.

mod kept;

pub use kept::{CutFigures, KeptFigures, KeptPage};

use crate::{
    price::Standing,
    series::{Bucket, Resolution, Span},
    token_id::TokenId,
};
use amm::book::VenueId;
use primitives::Address;

/// USD in integers: hundred-millionths of a dollar.
pub type UsdE8 = u128;

/// Prices, candles, volumes and TVL of every token, as of one block. It never
/// changes; clones are cheap and share everything.
#[derive(Debug, Clone, Default)]
pub struct Figures(());

/// A price of now.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    /// In USD.
    pub usd: f64,
    /// How it came about.
    pub standing: Standing,
}

/// The course of a price in one bucket.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candle {
    /// Which bucket.
    pub bucket: Bucket,
    /// At its beginning, which is the close of the bucket before.
    pub open: f64,
    /// The highest.
    pub high: f64,
    /// The lowest.
    pub low: f64,
    /// At its end, or now.
    pub close: f64,
    /// Traded volume in hundred-millionths of what prices are quoted in.
    pub volume: u128,
}

/// An amount of a token that moved, and what it was worth then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Amount {
    /// Smallest units of the token.
    pub units: u128,
    /// Its worth.
    pub usd: UsdE8,
}

/// An amount of a token that lies in pools.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Locked {
    /// Smallest units of the token.
    pub units: u128,
    /// Its worth at that time.
    pub usd: f64,
}

/// By how much a price changed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PriceChange {
    /// In USD; 0 where there was no price before.
    pub usd: f64,
    /// Per cent of the price before, if there was one.
    pub percentage: Option<f64>,
}

/// What is said of a token in one breath.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// The price of now.
    pub usd: f64,
    /// What lies of it in pools; a token that is not trusted counts at most as
    /// much as what lies beside it.
    pub tvl_usd: f64,
    /// Over one hour.
    pub change_1h: PriceChange,
    /// Over a day.
    pub change_24h: PriceChange,
    /// Over seven days.
    pub change_7d: PriceChange,
    /// Every leg of every trade of the last 24 hours.
    pub volume_24h: UsdE8,
    /// The same without what only passed through.
    pub net_volume_24h: UsdE8,
    /// Smallest units that exist, if the token says so.
    pub supply: Option<u128>,
}

#[expect(clippy::unused_self, reason = "the shape comes before the content")]
impl Figures {
    /// The time of the newest block, in seconds since 1970. Buckets that ended
    /// before it do not change any more, unless the chain is reorganised.
    pub fn head_time(&self) -> i64 {
        0
    }

    /// Grows whenever closed buckets may have changed.
    pub fn epoch(&self) -> u64 {
        0
    }

    /// The token at an address, if the chain has shown it.
    pub fn token(&self, _address: Address) -> Option<TokenId> {
        None
    }

    /// The address of a token.
    pub fn address(&self, _token: TokenId) -> Option<Address> {
        None
    }

    /// The price of now.
    pub fn price(&self, _token: TokenId) -> Option<Price> {
        None
    }

    /// When the token had its first price, in seconds since 1970.
    pub fn first_price(&self, _token: TokenId) -> Option<i64> {
        None
    }

    /// Everything at once; none without a price.
    pub fn summary(&self, _token: TokenId, _now: i64) -> Option<Summary> {
        None
    }

    /// Tokens that have a price, the largest TVL first.
    pub fn by_tvl(&self) -> &[TokenId] {
        &[]
    }

    /// Candles in USD, or in another token; one for every bucket of the span
    /// from the first price (of both) on.
    pub fn candles(
        &self,
        _token: TokenId,
        _quote: Option<TokenId>,
        _resolution: Resolution,
        _span: Span,
    ) -> Vec<Candle> {
        Vec::new()
    }

    /// The closes of [`Figures::candles`].
    pub fn closes(
        &self,
        _token: TokenId,
        _quote: Option<TokenId>,
        _resolution: Resolution,
        _span: Span,
    ) -> Vec<(Bucket, f64)> {
        Vec::new()
    }

    /// What was transferred of a token; one amount for every bucket of the span
    /// from its first transfer on.
    pub fn transferred(
        &self,
        _token: TokenId,
        _resolution: Resolution,
        _span: Span,
    ) -> Vec<(Bucket, Amount)> {
        Vec::new()
    }

    /// What was traded of a token at each exchange, in the order of venues; one
    /// amount for every bucket of the span from its first trade there on.
    pub fn traded(
        &self,
        _token: TokenId,
        _resolution: Resolution,
        _span: Span,
    ) -> Vec<(VenueId, Vec<(Bucket, Amount)>)> {
        Vec::new()
    }

    /// What lay of a token in each exchange's pools at the end of each bucket,
    /// in the order of venues, from the first that lay there on.
    pub fn locked(
        &self,
        _token: TokenId,
        _resolution: Resolution,
        _span: Span,
    ) -> Vec<(VenueId, Vec<(Bucket, Locked)>)> {
        Vec::new()
    }

    /// What lay of a token in each exchange's pools at a time, in seconds since
    /// 1970, to the minute.
    pub fn locked_at(&self, _token: TokenId, _time: i64) -> Vec<(VenueId, Locked)> {
        Vec::new()
    }
}
