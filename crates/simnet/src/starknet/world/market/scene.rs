//! What those who trade see before they decide.

use super::asset::Asset;
use super::exchanges::AmmMarket;
use super::pool::{Pool, Spot};
use crate::starknet::execution::View;
use crate::starknet::world::traded::Traded;
use primitives::U256;
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

/// Nobody moves a pool by more than twice this share of what it holds.
const BEARABLE: f64 = 0.005;

/// What an agent sees: the market, the chain so far, and the time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scene<'a> {
    pub(crate) market: &'a AmmMarket,
    /// What prices follow from.
    pub(crate) seed: u64,
    /// All tokens, each with its holders.
    pub(crate) tokens: &'a [Traded],
    pub(crate) view: View<'a>,
    pub(crate) time: u64,
    /// What one unit of each asset is worth outside at that time, in dollars.
    pub(crate) prices: &'a [f64],
}

impl<'a> Scene<'a> {
    /// What one unit of an asset is worth in dollars.
    pub(super) fn unit_price(&self, asset: usize) -> Option<f64> {
        self.prices.get(asset).copied()
    }

    /// What one unit of an asset was worth at an earlier time.
    pub(super) fn earlier_price(&self, asset: usize, time: u64) -> Option<f64> {
        let market = self.market;
        let whole = market.assets.get(asset)?.whole;
        Some(market.prices(self.seed).usd(asset, time)? / whole)
    }

    /// So many dollars in units of an asset.
    pub(super) fn units(&self, asset: usize, usd: f64) -> Option<U256> {
        U256::try_from(usd / self.unit_price(asset)?).ok()
    }

    /// What a pool's price would be outside: units of its second token for one
    /// of its first.
    pub(super) fn outside_price(&self, pool: &Pool) -> Option<f64> {
        let [low, high] = pool.assets;
        Some(self.unit_price(low)? / self.unit_price(high)?)
    }

    /// How many dollars somebody sells at most who looks at what they get. In a
    /// wild world nobody looks, nor where no amount is fair.
    pub(super) fn bearable_usd(&self, pool: &Pool) -> Option<f64> {
        let market = self.market;
        let is_coarse = |asset: &usize| market.assets.get(*asset).is_some_and(Asset::is_coarse);
        if market.wild || pool.assets.iter().any(is_coarse) {
            return Some(f64::INFINITY);
        }
        let [low, _] = self.spot(pool)?.holdings();
        Some(BEARABLE * low * self.unit_price(pool.assets[0])?)
    }

    pub(super) fn spot(&self, pool: &Pool) -> Option<Spot> {
        let assets = &self.market.assets;
        let whole = |asset: usize| assets.get(asset).map(|asset| asset.whole);
        let [low, high] = pool.assets;
        pool.spot(self.view, [whole(low)?, whole(high)?])
    }

    /// One of the pools, whatever is in it.
    pub(super) fn any_pool(&self, rng: &mut ChaCha8Rng) -> Option<&'a Pool> {
        let pools = &self.market.pools;
        pools.choose(rng).filter(|pool| pool.bait.is_none())
    }

    /// One of the pools: those with much in them far more often than others.
    pub(super) fn popular_pool(&self, rng: &mut ChaCha8Rng) -> Option<&'a Pool> {
        let market = self.market;
        let all = *market.popularity.last()?;
        let drawn = rng.random_range(0.0..all);
        let place = market.popularity.partition_point(|sum| *sum <= drawn);
        market.pools.get(place)
    }
}
