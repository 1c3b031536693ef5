//! The exchanges as the world uses them: which pools there are, what tokens are
//! worth, and those who trade.
//!
//! Everything that the market needs to know is in the chain's state or follows
//! from the seed and the time. Its agents try their calls out before they send
//! them, as wallets do, so that only those fail that are meant to.

mod arbitrage;
mod asset;
mod listing;
mod opening;
mod pool;
mod providing;
mod rehearsal;
mod sandwich;
mod trading;
mod watch;

pub(super) use arbitrage::settle;
pub(super) use opening::open;
pub(crate) use watch::Watch;

use super::random_felt;
use super::{Genesis, World};
use crate::starknet::contracts::pairs::{VENUES, my_swap};
use crate::starknet::contracts::{ekubo, exchange, jediswap_v2, vault};
use crate::starknet::execution::{Contracts, View};
use crate::starknet::transaction::Deed;
use amm::ekubo::Rounding;
use asset::{Asset, Prices};
use pool::{Pool, Spot};
use primitives::{Felt, U256};
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;

const PROVIDERS: usize = 4;
const ARBITRAGEURS: usize = 3;

/// Of a hundred transactions, so many are the market's.
const MARKET_PERCENT: u32 = 75;

/// Markets of at least so many pools have baits.
const LARGE_MARKET: usize = 100;

/// A pool is chosen by its worth to this power, and some more.
const POPULARITY: f64 = 0.8;
const LEAST_POPULARITY: f64 = 500.0;

/// Nobody moves a pool by more than twice this share of what it holds.
const BEARABLE: f64 = 0.005;

/// Beyond the pools that open at the beginning, providers open more now and
/// then: at most one for so many.
const LATER_POOLS: usize = 8;

/// All exchanges and those who live on them.
#[derive(Debug)]
pub(super) struct Market {
    assets: Vec<Asset>,
    /// The busiest first; behind the first ones those that may come later.
    pools: Vec<Pool>,
    /// Pools that open at the beginning.
    first: usize,
    /// Pools behind these that providers may open later; baits follow.
    later: usize,
    /// For each pool how often it is chosen, and all before it.
    popularity: Vec<f64>,
    /// Whether there is nobody who keeps prices together.
    wild: bool,
    providers: Vec<Felt>,
    arbitrageurs: Vec<Felt>,
    attacker: Felt,
    /// For whom there are tokens that take more than they give. Does nothing but
    /// open their pools.
    founder: Felt,
}

impl Market {
    /// The market of a world.
    pub(super) fn new(Genesis { seed, pools, wild }: Genesis) -> Self {
        let first = pools;
        let mut rng = ChaCha8Rng::seed_from_u64(seed.rotate_left(32) ^ 0x6d61_726b_6574);
        let mut people = |count| (0..count).map(|_| random_felt(&mut rng)).collect();
        let (providers, arbitrageurs) = (people(PROVIDERS), people(ARBITRAGEURS));
        let (attacker, founder) = (random_felt(&mut rng), random_felt(&mut rng));
        let assets = asset::all();
        let later = first.div_ceil(LATER_POOLS);
        let mut pools = listing::pools(&assets, first + later, &mut rng);
        if first >= LARGE_MARKET {
            pools.extend(listing::baits(&assets));
        }
        let mut sum = 0.0;
        let popularity = pools.iter().map(|pool| {
            // Who trades with snares knows no better: that is a matter of its own.
            if pool.bait.is_none() {
                sum += LEAST_POPULARITY + pool.worth.powf(POPULARITY);
            }
            sum
        });
        Self {
            popularity: popularity.collect(),
            pools,
            assets,
            first,
            later,
            wild,
            providers,
            arbitrageurs,
            attacker,
            founder,
        }
    }

    /// Whether anything trades.
    pub(super) fn is_open(&self) -> bool {
        self.first > 0
    }

    /// Whether arbitrageurs keep the prices of all pools together.
    pub(super) fn is_settled(&self) -> bool {
        self.is_open() && !self.wild
    }

    /// Of a hundred transactions, how many are the market's.
    pub(super) fn share(&self) -> u32 {
        if self.is_open() { MARKET_PERCENT } else { 0 }
    }

    /// Those who live on the exchanges: they have much of every token.
    pub(super) fn desks(&self) -> impl Iterator<Item = Felt> {
        let others = [&self.attacker, &self.founder];
        let traders = self.arbitrageurs.iter().chain(others);
        self.providers.iter().chain(traders).copied()
    }

    /// Who owns the tokens that take more than they give.
    pub(super) fn founder(&self) -> Felt {
        self.founder
    }

    /// Whether the market has a price for the token.
    pub(super) fn knows(&self, token: Felt) -> bool {
        self.place(token).is_some()
    }

    /// What a whole token is worth outside of the chain, in dollars.
    pub(super) fn outside_price(&self, token: Felt, seed: u64, time: u64) -> Option<f64> {
        self.prices(seed).usd(self.place(token)?, time)
    }

    /// What one unit of each asset is worth in dollars.
    pub(super) fn unit_prices(&self, seed: u64, time: u64) -> Vec<f64> {
        let prices = self.prices(seed);
        let each = self.assets.iter().enumerate();
        each.map(|(index, asset)| prices.usd(index, time).unwrap_or_default() / asset.whole)
            .collect()
    }

    fn prices(&self, seed: u64) -> Prices<'_> {
        Prices {
            assets: &self.assets,
            seed,
            wild: self.wild,
        }
    }

    /// How much of a token's supply anybody can trade.
    pub(super) fn circulating_share(&self, token: Felt) -> Option<f64> {
        Some(self.assets.get(self.place(token)?)?.circulating_share())
    }

    fn place(&self, token: Felt) -> Option<usize> {
        self.assets.iter().position(|asset| asset.address == token)
    }
}

/// The pools that open in block `number`.
pub(super) fn opening(world: &World, number: u64) -> &[Pool] {
    opening::of_block(&world.market, number)
}

/// The blocks in which the exchanges open, from the first one on.
pub(super) fn opening_blocks(market: &Market) -> usize {
    opening::blocks(market)
}

/// What one of the market's agents does next. Who has nothing to do leaves the
/// place to somebody who trades for no reason.
pub(super) fn plan(scene: Scene<'_>, rng: &mut ChaCha8Rng) -> Option<Vec<Deed>> {
    let one = |deed: Option<Deed>| deed.map(|deed| vec![deed]);
    let draw = rng.random_range(0..100);
    let deeds = if scene.market().wild {
        match draw {
            0..46 => one(arbitrage::correct(scene, rng)),
            46..56 => one(trading::trend(scene, rng)),
            56..60 => sandwich::attack(scene, rng),
            60..65 => one(providing::add(scene, rng)),
            65..69 => one(providing::remove(scene, rng)),
            69 => one(providing::open(scene, rng)),
            70 => one(trading::taken_in(scene, rng)),
            _ => None,
        }
    } else {
        match draw {
            0..16 => one(trading::trend(scene, rng)),
            16..23 => one(providing::add(scene, rng)),
            23..29 => one(providing::remove(scene, rng)),
            29 => one(providing::open(scene, rng)),
            30 => one(trading::taken_in(scene, rng)),
            _ => None,
        }
    };
    deeds.or_else(|| one(trading::noise(scene, rng)))
}

/// Puts all exchanges where they belong. They are deployed only where there is
/// a market.
pub(super) fn install(contracts: &mut Contracts) {
    for venue in VENUES {
        venue.install(contracts);
    }
    my_swap::install(contracts);
    jediswap_v2::install(contracts);
    ekubo::install(contracts, Rounding::Exact);
    vault::install(contracts);
    exchange::install(contracts);
}

/// What an agent sees: the world, the chain so far, and the time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scene<'a> {
    pub(super) world: &'a World,
    pub(super) view: View<'a>,
    pub(super) time: u64,
    /// What one unit of each asset is worth outside at that time, in dollars.
    pub(super) prices: &'a [f64],
}

impl<'a> Scene<'a> {
    fn market(&self) -> &'a Market {
        &self.world.market
    }

    /// What one unit of an asset is worth in dollars.
    fn unit_price(&self, asset: usize) -> Option<f64> {
        self.prices.get(asset).copied()
    }

    /// What one unit of an asset was worth at an earlier time.
    fn earlier_price(&self, asset: usize, time: u64) -> Option<f64> {
        let market = self.market();
        let whole = market.assets.get(asset)?.whole;
        Some(market.prices(self.world.seed).usd(asset, time)? / whole)
    }

    /// So many dollars in units of an asset.
    fn units(&self, asset: usize, usd: f64) -> Option<U256> {
        U256::try_from(usd / self.unit_price(asset)?).ok()
    }

    /// What a pool's price would be outside: units of its second token for one
    /// of its first.
    fn outside_price(&self, pool: &Pool) -> Option<f64> {
        let [low, high] = pool.assets;
        Some(self.unit_price(low)? / self.unit_price(high)?)
    }

    /// How many dollars somebody sells at most who looks at what they get. In a
    /// wild world nobody looks, nor where no amount is fair.
    fn bearable_usd(&self, pool: &Pool) -> Option<f64> {
        let market = self.market();
        let is_coarse = |asset: &usize| market.assets.get(*asset).is_some_and(Asset::is_coarse);
        if market.wild || pool.assets.iter().any(is_coarse) {
            return Some(f64::INFINITY);
        }
        let [low, _] = self.spot(pool)?.holdings();
        Some(BEARABLE * low * self.unit_price(pool.assets[0])?)
    }

    fn spot(&self, pool: &Pool) -> Option<Spot> {
        let assets = &self.market().assets;
        let whole = |asset: usize| assets.get(asset).map(|asset| asset.whole);
        let [low, high] = pool.assets;
        pool.spot(self.view, [whole(low)?, whole(high)?])
    }

    /// One of the pools, whatever is in it.
    fn any_pool(&self, rng: &mut ChaCha8Rng) -> Option<&'a Pool> {
        let pools = &self.market().pools;
        pools.choose(rng).filter(|pool| pool.bait.is_none())
    }

    /// One of the pools: those with much in them far more often than others.
    fn popular_pool(&self, rng: &mut ChaCha8Rng) -> Option<&'a Pool> {
        let market = self.market();
        let all = *market.popularity.last()?;
        let drawn = rng.random_range(0.0..all);
        let place = market.popularity.partition_point(|sum| *sum <= drawn);
        market.pools.get(place)
    }
}

/// A factor around 1 of which the logarithm is normal with this deviation.
fn log_normal(deviation: f64, rng: &mut ChaCha8Rng) -> f64 {
    let radius: f64 = 1.0 - rng.random_range(0.0..1.0);
    let angle = rng.random_range(0.0..std::f64::consts::TAU);
    (deviation * (-2.0 * radius.ln()).sqrt() * angle.cos()).exp()
}

/// A share of an amount, in thousandths.
fn permille(amount: U256, thousandths: u32) -> U256 {
    let thousand = U256::from(1_000);
    amount
        .checked_mul(U256::from(thousandths))
        .map_or(amount / thousand * U256::from(thousandths), |product| {
            product / thousand
        })
}

#[cfg(test)]
mod tests;
