//! Which pools there are: the hubs on every venue first, then ever smaller
//! tokens on fewer venues, with less and less in them.
//!
//! What pools hold has a long tail: most of it is in a handful of pools of hubs
//! with low fees, and hundreds of pools have next to nothing.

use super::asset::Asset;
use super::pool::{At, Pair, Pool, V2};
use crate::starknet::contracts::ekubo::{ORACLE, PoolKey};
use crate::starknet::contracts::jediswap_v2::PoolId;
use crate::starknet::contracts::pairs::{
    JEDISWAP, NOSTRA, PairId, SITHSWAP, STARKDEFI, TEN_K_SWAP, Venue,
};
use crate::starknet::hash::from_felt;
use primitives::Felt;
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use std::collections::HashSet;

/// Pairs of hubs by their places among the assets, the busiest first: ETH 0,
/// STRK 1, USDC 2, USDT 3, WBTC 4, DAI 6.
const HUB_PAIRS: [[usize; 2]; 12] = [
    [0, 2],
    [0, 1],
    [1, 2],
    [0, 3],
    [0, 4],
    [2, 4],
    [1, 3],
    [0, 6],
    [3, 4],
    [1, 4],
    [1, 6],
    [4, 6],
];

/// Pairs that are worth one for the other.
const STEADY_PAIRS: [[usize; 2]; 3] = [[2, 3], [2, 6], [3, 6]];

/// Places of the hubs, with how often smaller tokens are against them.
const HUBS: [usize; 10] = [0, 0, 0, 1, 1, 1, 2, 2, 3, 6];

/// Assets that are no hubs begin here, apart from DAI.
const FIRST_SMALL: usize = 5;
const DAI: usize = 6;

/// Of a token's pools, so many in a hundred are not against its home hub.
const ABROAD_PERCENT: u32 = 15;

/// No side of a pool has more than this share of what a token is worth.
const LARGEST_SHARE: f64 = 0.12;

/// What all pools of the busiest pair begin with, in dollars. The next ones have
/// less by this power of their rank.
const BUSIEST_USD: f64 = 25_000_000.0;
const FALLING: f64 = 0.8;

/// The parts of it in the pool of Ekubo with the lowest fee, and in any other
/// pool.
const MAIN_PART: f64 = 0.6;
const OTHER_PART: f64 = 0.04;

/// An extension of which nobody knows what it does.
const UNKNOWN: Felt = Felt::from_hex_unchecked("0x07e4e57e5109");

/// A kind of pool.
#[derive(Debug, Clone, Copy)]
enum Slot {
    Volatile(&'static Venue),
    Stable(&'static Venue),
    /// With a fee of its own, in the venue's scale and as a share.
    Priced(&'static Venue, u64, f64),
    MySwap,
    /// Hundredths of a per cent, spacing, extension.
    Ekubo(u32, u32, Felt),
    /// Millionths.
    V2(u32),
}

const EKUBO: Slot = Slot::Ekubo(5, 1_000, Felt::ZERO);

/// Every venue, once.
const EVERYWHERE: [Slot; 8] = [
    EKUBO,
    Slot::Volatile(&JEDISWAP),
    Slot::Volatile(&TEN_K_SWAP),
    Slot::Volatile(&SITHSWAP),
    Slot::Volatile(&STARKDEFI),
    Slot::Priced(&NOSTRA, 0, 0.003),
    Slot::MySwap,
    Slot::V2(3_000),
];

/// What pairs of tokens of the same worth have.
const STEADY: [Slot; 4] = [
    Slot::Stable(&SITHSWAP),
    Slot::Stable(&STARKDEFI),
    Slot::Ekubo(1, 200, Felt::ZERO),
    Slot::Volatile(&JEDISWAP),
];

/// What the busiest pairs have besides.
const MORE: [Slot; 5] = [
    Slot::Ekubo(30, 5_982, Felt::ZERO),
    Slot::Priced(&NOSTRA, 500_000_000_000_000, 0.000_5),
    Slot::Ekubo(100, 19_802, Felt::ZERO),
    Slot::Ekubo(0, 354_892, ORACLE),
    Slot::Ekubo(30, 5_982, UNKNOWN),
];

/// How many of the busiest pairs have each of [`MORE`].
const HOW_MANY: [usize; 5] = [12, 4, 6, 2, 2];

/// Where small tokens trade.
const SMALL: [Slot; 10] = [
    Slot::Volatile(&JEDISWAP),
    Slot::Volatile(&JEDISWAP),
    Slot::Volatile(&TEN_K_SWAP),
    Slot::Volatile(&SITHSWAP),
    Slot::Volatile(&STARKDEFI),
    Slot::Priced(&NOSTRA, 0, 0.003),
    Slot::MySwap,
    Slot::V2(10_000),
    Slot::Ekubo(30, 5_982, Felt::ZERO),
    Slot::Ekubo(100, 19_802, Felt::ZERO),
];

/// Pools of tokens that take more than they give: the hub, the venue, and what
/// the token costs there of its price outside.
const BAITS: [(usize, Slot, f64); 2] = [
    (0, Slot::Volatile(&JEDISWAP), 0.8),
    (2, Slot::Volatile(&TEN_K_SWAP), 1.25),
];

/// What each of these begins with, in dollars.
const BAIT_USD: f64 = 8_000.0;

/// The first `count` pools of a world.
pub(super) fn pools(assets: &[Asset], count: usize, rng: &mut ChaCha8Rng) -> Vec<Pool> {
    let mut listing = Listing {
        assets,
        pools: Vec::new(),
        known: HashSet::new(),
    };
    listing.hubs(rng);
    // Draws that were there before are passed over.
    for _ in 0..count.saturating_mul(8) {
        if listing.pools.len() >= count {
            break;
        }
        listing.small(rng);
    }
    listing.pools.truncate(count);
    listing.pools
}

/// The pools of tokens that take more than they give: one that sells them for
/// too little, and one that promises too much for them.
pub(super) fn baits(assets: &[Asset]) -> Vec<Pool> {
    let mut listing = Listing {
        assets,
        pools: Vec::new(),
        known: HashSet::new(),
    };
    let snares = assets.iter().enumerate();
    for (place, _) in snares.filter(|(_, asset)| asset.is_snare()) {
        for (hub, slot, price) in BAITS {
            listing.add([hub, place], slot, BAIT_USD);
            if let Some(pool) = listing.pools.last_mut() {
                // Prices are those of the first token.
                let is_first = pool.assets[0] == place;
                pool.bait = Some(if is_first { price } else { 1.0 / price });
            }
        }
    }
    listing.pools
}

struct Listing<'l> {
    assets: &'l [Asset],
    pools: Vec<Pool>,
    known: HashSet<String>,
}

impl Listing<'_> {
    fn hubs(&mut self, rng: &mut ChaCha8Rng) {
        let mut steady = STEADY_PAIRS.into_iter();
        for (rank, pair) in HUB_PAIRS.into_iter().enumerate() {
            for slot in EVERYWHERE {
                self.add(pair, slot, hub_worth(rank, slot, rng));
            }
            if rank % 2 == 0
                && let Some(pair) = steady.next()
            {
                for slot in STEADY {
                    self.add(pair, slot, hub_worth(rank, slot, rng));
                }
            }
        }
        for (slot, count) in MORE.into_iter().zip(HOW_MANY) {
            for (rank, pair) in HUB_PAIRS.into_iter().take(count).enumerate() {
                self.add(pair, slot, hub_worth(rank, slot, rng) / 3.0);
            }
        }
    }

    /// A pool of one small token against a hub.
    fn small(&mut self, rng: &mut ChaCha8Rng) {
        let token = rng.random_range(FIRST_SMALL..self.assets.len());
        let is_snare = self.assets.get(token).is_some_and(Asset::is_snare);
        if token == DAI || is_snare {
            return;
        }
        let home = HUBS.get(token % HUBS.len()).copied();
        let abroad = rng.random_range(0..100) < ABROAD_PERCENT;
        let hub = if abroad {
            HUBS.choose(rng).copied()
        } else {
            home
        };
        // Of what has no small units there is one pool: amounts are never quite
        // fair there, and a second pool would make a way to gain of it.
        let coarse = self.assets.get(token).is_some_and(Asset::is_coarse);
        if coarse && self.pools.iter().any(|pool| pool.assets.contains(&token)) {
            return;
        }
        if let (Some(hub), Some(slot)) = (hub, SMALL.choose(rng)) {
            self.add([hub, token], *slot, small_worth(rng));
        }
    }

    /// Adds a pool, unless it is there already.
    fn add(&mut self, [a, b]: [usize; 2], slot: Slot, worth: f64) {
        let (Some(one), Some(other)) = (self.assets.get(a), self.assets.get(b)) else {
            return;
        };
        let ordered = from_felt(one.address) <= from_felt(other.address);
        let assets = if ordered { [a, b] } else { [b, a] };
        let id = PairId::new(one.address, other.address);
        let most = 2.0 * LARGEST_SHARE * one.capital.min(other.capital);
        let (at, fee) = place(slot, id);
        if self.known.insert(format!("{at:?}{assets:?}")) {
            self.pools.push(Pool {
                at,
                assets,
                tokens: id.tokens,
                fee,
                worth: worth.min(most),
                bait: None,
            });
        }
    }
}

fn place(slot: Slot, id: PairId) -> (At, f64) {
    match slot {
        Slot::Volatile(venue) => (At::Pair(Pair::new(venue, id)), 0.003),
        Slot::Stable(venue) => (At::Pair(Pair::new(venue, id.stable(true))), 0.000_4),
        Slot::Priced(venue, fee, share) => (At::Pair(Pair::new(venue, id.fee(fee))), share),
        Slot::MySwap => (At::MySwap, 0.003),
        Slot::Ekubo(points, tick_spacing, extension) => {
            let key = PoolKey {
                tokens: id.tokens,
                fee: u128::MAX / 10_000 * u128::from(points),
                tick_spacing,
                extension,
            };
            (At::Ekubo(key), f64::from(points) / 10_000.0)
        }
        Slot::V2(fee) => {
            let [low, high] = id.tokens;
            let at = At::V2(V2::new(PoolId::new(low, high, fee)));
            (at, f64::from(fee) / 1_000_000.0)
        }
    }
}

fn hub_worth(rank: usize, slot: Slot, rng: &mut ChaCha8Rng) -> f64 {
    let rank = f64::from(u32::try_from(rank).unwrap_or(u32::MAX));
    let part = match slot {
        Slot::Ekubo(1..=5, ..) => MAIN_PART,
        _ => OTHER_PART * power_law(rng).min(3.0) / 2.0,
    };
    BUSIEST_USD / (1.0 + rank).powf(FALLING) * part
}

/// Mostly little, seldom much, sometimes next to nothing or nothing at all.
fn small_worth(rng: &mut ChaCha8Rng) -> f64 {
    match rng.random_range(0..100) {
        0..4 => 0.0,
        4..10 => 4.0,
        _ => 900.0 * power_law(rng).min(400.0),
    }
}

/// At least 1; twice as much is about half as likely.
fn power_law(rng: &mut ChaCha8Rng) -> f64 {
    let rest: f64 = 1.0 - rng.random_range(0.0..1.0);
    rest.powf(-1.1)
}

#[cfg(test)]
mod tests {
    use super::super::asset;
    use super::*;
    use rand_chacha::rand_core::SeedableRng;

    fn listed(count: usize) -> Vec<Pool> {
        pools(&asset::all(), count, &mut ChaCha8Rng::seed_from_u64(1))
    }

    #[test]
    fn there_are_as_many_pools_as_were_asked_for_and_no_two_are_the_same() {
        for count in [0, 1, 24, 320, 1_000] {
            let pools = listed(count);
            assert_eq!(pools.len(), count);
            let names = pools
                .iter()
                .map(|pool| format!("{:?}{:?}", pool.at, pool.tokens));
            assert_eq!(names.collect::<HashSet<_>>().len(), count);
        }
    }

    #[test]
    fn a_tenth_of_the_pools_has_most_of_the_liquidity() {
        let mut worths: Vec<f64> = listed(320).iter().map(|pool| pool.worth).collect();
        worths.sort_by(|one, other| other.total_cmp(one));
        let all: f64 = worths.iter().sum();
        let largest: f64 = worths[..32].iter().sum();
        assert!(largest * 2.0 > all, "{largest} of {all}");
        let thin = worths.iter().filter(|worth| **worth < 10.0).count();
        assert!(thin >= 5, "{thin}");
    }

    #[test]
    fn ekubo_has_several_fees_the_oracle_and_an_unknown_extension() {
        let pools = listed(320);
        let keys = pools.iter().filter_map(|pool| match &pool.at {
            At::Ekubo(key) => Some(key),
            _ => None,
        });
        let keys: Vec<&PoolKey> = keys.collect();
        let fees: HashSet<u128> = keys.iter().map(|key| key.fee).collect();
        assert!(fees.len() >= 4, "{fees:?}");
        for extension in [ORACLE, UNKNOWN] {
            assert!(keys.iter().any(|key| key.extension == extension));
        }
    }
}
