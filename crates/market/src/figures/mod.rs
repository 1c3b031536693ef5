//! All market figures of a chain as of one block: prices, candles, volumes,
//! TVL.
//!
//! What a block does to them is a [`Delta`]: an [`Appraiser`] makes it from
//! what happened in the block, [`Figures::apply`] takes it up, and it is kept
//! with the block, so that the same figures can be made again from what is
//! kept. Readers get a clone, which never changes.

mod appraiser;
mod delta;
mod kept;
mod legs;
mod ranking;
mod read;
mod state;
mod summary;
#[cfg(test)]
mod tests;
mod token;
mod trade;

pub use appraiser::{Appraised, Appraiser, Happened};
pub use delta::{Delta, DeltaError};
pub use kept::{CutFigures, KeptError, KeptFigures, KeptPage};
pub use state::{Figures, Taken};
pub use trade::Trade;

use crate::price::Standing;

/// USD in integers: hundred-millionths of a dollar.
pub type UsdE8 = u128;

/// A price of now.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    /// What one whole token is worth.
    pub usd: f64,
    /// How it came about.
    pub standing: Standing,
}

/// The course of a price in one bucket.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candle {
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
    /// What lies of it in pools beyond that; 0 for a token that is trusted.
    pub uncounted_tvl_usd: f64,
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
