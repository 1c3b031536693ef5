//! All exchanges, and those who live on them.

use super::asset::{self, Asset, Prices};
use super::listing;
use super::pool::Pool;
use crate::starknet::contracts::ekubo::Rounding;
use crate::starknet::contracts::pairs::{VENUES, my_swap};
use crate::starknet::contracts::{
    ekubo, exchange, jediswap_v2, paymaster, recurring, staking, vault,
};
use crate::starknet::execution::Contracts;
use crate::starknet::world::genesis::Genesis;
use crate::starknet::world::random::random_felt;
use primitives::{Felt, OrImpossible as _};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

const PROVIDERS: usize = 4;
const ARBITRAGEURS: usize = 3;

/// Of a hundred transactions, so many are the market's.
const MARKET_PERCENT: u32 = 75;

/// Markets of at least so many pools have baits.
const LARGE_MARKET: usize = 100;

/// A pool is chosen by its worth to this power, and some more.
const POPULARITY: f64 = 0.8;
const LEAST_POPULARITY: f64 = 500.0;

/// Beyond the pools that open at the beginning, providers open more now and
/// then: at most one for so many.
const LATER_POOLS: usize = 8;

/// The pools, what their tokens are worth, and who trades for a living.
#[derive(Debug)]
pub(crate) struct AmmMarket {
    pub(super) assets: Vec<Asset>,
    /// The busiest first; behind the first ones those that may come later.
    pub(super) pools: Vec<Pool>,
    /// Pools that open at the beginning.
    pub(super) first: usize,
    /// Pools behind these that providers may open later; baits follow.
    pub(super) later: usize,
    /// For each pool how often it is chosen, and all before it.
    pub(super) popularity: Vec<f64>,
    /// Whether there is nobody who keeps prices together.
    pub(super) wild: bool,
    pub(super) providers: Vec<Felt>,
    pub(super) arbitrageurs: Vec<Felt>,
    pub(super) attacker: Felt,
    /// For whom there are tokens that take more than they give. Does nothing but
    /// open their pools.
    pub(super) founder: Felt,
}

impl AmmMarket {
    /// The market of a world.
    pub(crate) fn new(Genesis { seed, pools, wild }: Genesis) -> Self {
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
    pub(crate) fn is_open(&self) -> bool {
        self.first > 0
    }

    /// Whether arbitrageurs keep the prices of all pools together.
    pub(crate) fn is_settled(&self) -> bool {
        self.is_open() && !self.wild
    }

    /// Of a hundred transactions, how many are the market's.
    pub(crate) fn share(&self) -> u32 {
        if self.is_open() { MARKET_PERCENT } else { 0 }
    }

    /// Those who live on the exchanges: they have much of every token.
    pub(crate) fn desks(&self) -> impl Iterator<Item = Felt> {
        let others = [&self.attacker, &self.founder];
        let traders = self.arbitrageurs.iter().chain(others);
        self.providers.iter().chain(traders).copied()
    }

    /// Who owns the tokens that take more than they give.
    pub(crate) fn founder(&self) -> Felt {
        self.founder
    }

    /// Whether the market has a price for the token.
    pub(crate) fn knows(&self, token: Felt) -> bool {
        self.place(token).is_some()
    }

    /// What a whole token is worth outside of the chain, in dollars.
    pub(crate) fn outside_price(&self, token: Felt, seed: u64, time: u64) -> Option<f64> {
        self.prices(seed).usd(self.place(token)?, time)
    }

    /// What one unit of each asset is worth in dollars.
    pub(crate) fn unit_prices(&self, seed: u64, time: u64) -> Vec<f64> {
        let prices = self.prices(seed);
        let each = self.assets.iter().enumerate();
        let usd = |index| {
            let usd = prices.usd(index, time);
            usd.or_impossible("every asset has a price")
                .unwrap_or_default()
        };
        each.map(|(index, asset)| usd(index) / asset.whole)
            .collect()
    }

    pub(super) fn prices(&self, seed: u64) -> Prices<'_> {
        Prices {
            assets: &self.assets,
            seed,
            wild: self.wild,
        }
    }

    /// How much of a token's supply anybody can trade.
    pub(crate) fn circulating_share(&self, token: Felt) -> Option<f64> {
        Some(self.assets.get(self.place(token)?)?.circulating_share())
    }

    fn place(&self, token: Felt) -> Option<usize> {
        self.assets.iter().position(|asset| asset.address == token)
    }
}

/// Puts all exchanges where they belong. They are deployed only where there is
/// a market.
pub(crate) fn install(contracts: &mut Contracts) {
    for venue in VENUES {
        venue.install(contracts);
    }
    my_swap::install(contracts);
    jediswap_v2::install(contracts);
    ekubo::install(contracts, Rounding::Exact);
    vault::install(contracts);
    exchange::install(contracts);
    recurring::install(contracts);
    staking::install(contracts);
    paymaster::install(contracts);
}
