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

pub(super) use opening::open;
pub(crate) use rehearsal::Deed;

use super::World;
use super::random_felt;
use crate::starknet::contracts::pairs::{VENUES, my_swap};
use crate::starknet::contracts::{ekubo, exchange, jediswap_v2, vault};
use crate::starknet::execution::{Contracts, View};
use amm::ekubo::Rounding;
use asset::Asset;
use pool::{Pool, Spot};
use primitives::{Felt, U256};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;

const PROVIDERS: usize = 4;
const ARBITRAGEURS: usize = 3;

/// Of a hundred transactions, so many are the market's.
const MARKET_PERCENT: u32 = 65;

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
    providers: Vec<Felt>,
    arbitrageurs: Vec<Felt>,
    attacker: Felt,
}

impl Market {
    /// The market of a seed with so many pools.
    pub(super) fn new(seed: u64, first: usize) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed.rotate_left(32) ^ 0x6d61_726b_6574);
        let mut people = |count| (0..count).map(|_| random_felt(&mut rng)).collect();
        let (providers, arbitrageurs) = (people(PROVIDERS), people(ARBITRAGEURS));
        let attacker = random_felt(&mut rng);
        let assets = asset::all();
        let all = first + first.div_ceil(LATER_POOLS);
        Self {
            pools: listing::pools(&assets, all, &mut rng),
            assets,
            first,
            providers,
            arbitrageurs,
            attacker,
        }
    }

    /// Whether anything trades.
    pub(super) fn is_open(&self) -> bool {
        self.first > 0
    }

    /// Of a hundred transactions, how many are the market's.
    pub(super) fn share(&self) -> u32 {
        if self.is_open() { MARKET_PERCENT } else { 0 }
    }

    /// Those who live on the exchanges: they have much of every token.
    pub(super) fn desks(&self) -> impl Iterator<Item = Felt> {
        let traders = self.arbitrageurs.iter().chain([&self.attacker]);
        self.providers.iter().chain(traders).copied()
    }

    /// Whether the market has a price for the token.
    pub(super) fn knows(&self, token: Felt) -> bool {
        self.place(token).is_some()
    }

    /// What a whole token is worth outside of the chain, in dollars.
    pub(super) fn outside_price(&self, token: Felt, seed: u64, time: u64) -> Option<f64> {
        asset::price(&self.assets, self.place(token)?, seed, time)
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

/// What one of the market's agents does next. Who has nothing to do leaves the
/// place to somebody who trades for no reason.
pub(super) fn plan(scene: Scene<'_>, rng: &mut ChaCha8Rng) -> Option<Vec<Deed>> {
    let one = |deed: Option<Deed>| deed.map(|deed| vec![deed]);
    let deeds = match rng.random_range(0..100) {
        0..46 => one(arbitrage::correct(scene, rng)),
        46..56 => one(trading::trend(scene, rng)),
        56..60 => sandwich::attack(scene, rng),
        60..65 => one(providing::add(scene, rng)),
        65..69 => one(providing::remove(scene, rng)),
        69 => one(providing::open(scene, rng)),
        _ => None,
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
}

impl<'a> Scene<'a> {
    fn market(&self) -> &'a Market {
        &self.world.market
    }

    /// What one unit of an asset is worth in dollars.
    fn unit_price(&self, asset: usize, time: u64) -> Option<f64> {
        let market = self.market();
        let price = asset::price(&market.assets, asset, self.world.seed, time)?;
        Some(price / market.assets.get(asset)?.whole)
    }

    /// So many dollars in units of an asset.
    fn units(&self, asset: usize, usd: f64) -> Option<U256> {
        U256::try_from(usd / self.unit_price(asset, self.time)?).ok()
    }

    /// What a pool's price would be outside: units of its second token for one
    /// of its first.
    fn outside_price(&self, pool: &Pool) -> Option<f64> {
        let [low, high] = pool.assets;
        Some(self.unit_price(low, self.time)? / self.unit_price(high, self.time)?)
    }

    fn spot(&self, pool: &Pool) -> Option<Spot> {
        let assets = &self.market().assets;
        let whole = |asset: usize| assets.get(asset).map(|asset| asset.whole);
        let [low, high] = pool.assets;
        pool.spot(self.view, [whole(low)?, whole(high)?])
    }

    /// One of the pools: the first ones far more often than the last ones.
    fn popular_pool(&self, rng: &mut ChaCha8Rng) -> Option<&'a Pool> {
        let pools = &self.market().pools;
        let ceiling = rng.random_range(0..pools.len().max(1));
        pools.get(rng.random_range(0..=ceiling))
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
