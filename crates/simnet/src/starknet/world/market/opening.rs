//! How pools come to be: created by a provider through the exchange's own
//! entrypoints, with the first liquidity at the price of the time.

use super::exchanges::AmmMarket;
use super::pool::{At, Pool, V2};
use super::scene::Scene;
use crate::starknet::contracts::ekubo::{self, POSITIONS, PoolKey};
use crate::starknet::contracts::erc20::{approve_call, transfer_call};
use crate::starknet::contracts::jediswap_v2;
use crate::starknet::contracts::pairs::my_swap;
use crate::starknet::gas::Work;
use crate::starknet::transaction::{Call, Deed};
use primitives::{Felt, OrImpossible as _, U256};
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

/// The block in which baits open, when the market is there.
const BAITS_BLOCK: u64 = 100;

/// Pools that open in one block.
const A_BLOCK: usize = 64;

/// More than the opening of a pool leads to, or a trade.
pub(super) const MOST_WORK: Work = Work {
    calls: 100,
    reads: 400,
    writes: 200,
    variables: 100,
    events: 50,
    felts: 500,
};

/// A pool begins with at least so many units of either token: some have no
/// smaller ones than whole tokens.
const LEAST_UNITS: f64 = 10.0;

/// Those who open a pool are wrong about its price by such parts of its fee:
/// nobody gains from that.
const MISTAKES: std::ops::Range<f64> = -0.6..0.6;

/// The fee of new pools of mySwap, in its scale.
const MY_SWAP_FEE: u64 = 300;

/// How far the first positions of a pool reach to both sides, in ticks, and
/// their parts of what it begins with.
const RANGES: [(i32, f64); 4] = [
    (3_000_000, 0.15),
    (300_000, 0.45),
    (60_000, 0.25),
    (15_000, 0.15),
];

/// How far the second position of a pool of `JediSwap` v2 reaches, in its ticks.
const V2_REACH: i32 = 2_000;

/// The root of the price of one of them.
const V2_TICK_ROOT: f64 = 1.000_049_998_750_062_5;

/// The pools that open in block `number`.
pub(crate) fn of_block(market: &AmmMarket, number: u64) -> &[Pool] {
    if number == BAITS_BLOCK {
        let baits = market.pools.get(market.first + market.later..);
        return of_list(baits);
    }
    let first = of_list(market.pools.get(..market.first));
    let skipped = number
        .checked_sub(1)
        .and_then(|block| usize::try_from(block).ok()?.checked_mul(A_BLOCK));
    let left = skipped.and_then(|skipped| first.get(skipped..));
    let left = left.unwrap_or_default();
    left.get(..A_BLOCK).unwrap_or(left)
}

/// A part of all pools, which were listed in this order.
fn of_list(part: Option<&[Pool]>) -> &[Pool] {
    part.or_impossible("a market lists as many pools as it says")
        .unwrap_or_default()
}

/// Blocks until all have opened.
pub(crate) fn blocks(market: &AmmMarket) -> usize {
    market.first.div_ceil(A_BLOCK)
}

/// Opens a pool that is not there yet. Creating a contract takes long, and is
/// therefore not tried out before.
pub(crate) fn open(scene: Scene<'_>, pool: &Pool, rng: &mut ChaCha8Rng) -> Option<Deed> {
    let provider = if pool.bait.is_some() {
        scene.market.founder()
    } else {
        *scene.market.providers.choose(rng)?
    };
    if pool.exists(scene.view) {
        return None;
    }
    let calls = match &pool.at {
        At::Pair(pair) if pool.worth == 0.0 => vec![pair.venue.rules.create_pair_call(&pair.id)],
        At::Pair(pair) => {
            let amounts = first_amounts(scene, pool, rng)?;
            let mut calls = approvals(pool, pair.venue.rules.router, amounts);
            let added = pair
                .venue
                .rules
                .add_liquidity_call(&pair.id, amounts, provider);
            calls.push(added);
            calls
        }
        // There is no empty pool at mySwap.
        At::MySwap => {
            let amounts = first_amounts(scene, pool, rng)?;
            let mut calls = approvals(pool, my_swap::MY_SWAP, amounts);
            let created = my_swap::create_pool_call(pool.tokens, amounts, MY_SWAP_FEE);
            calls.push(created);
            calls
        }
        At::Ekubo(key) => initialized(scene, pool, key, rng)?,
        At::V2(v2) => created(scene, pool, v2, provider)?,
    };
    Some(Deed {
        sender: provider,
        calls,
        work: MOST_WORK,
    })
}

pub(super) fn approvals(pool: &Pool, spender: Felt, amounts: [U256; 2]) -> Vec<Call> {
    let sides = pool.tokens.into_iter().zip(amounts);
    sides
        .map(|(token, amount)| approve_call(token, spender, amount))
        .collect()
}

/// Amounts of the same worth, with less of a mistake than the pool's fee.
fn first_amounts(scene: Scene<'_>, pool: &Pool, rng: &mut ChaCha8Rng) -> Option<[U256; 2]> {
    let [low, high] = pool.assets;
    let usd = pool.worth.max(2.0) / 2.0;
    if pool.is_stable() {
        // Both worth a dollar, whatever the market says.
        let assets = &scene.market.assets;
        let dollars = U256::try_from(usd).ok()?;
        let amount = |asset: usize| {
            let whole = U256::try_from(assets.get(asset)?.whole).ok()?;
            whole.checked_mul(dollars)
        };
        return Some([amount(low)?, amount(high)?]);
    }
    let off = pool.bait.unwrap_or(1.0) * (1.0 + pool.fee * rng.random_range(MISTAKES));
    let [of_low, of_high] = [scene.unit_price(low)?, scene.unit_price(high)?];
    let units = |price: f64| (usd / price).floor().max(LEAST_UNITS);
    let (low, high) = (units(of_low), units(of_high));
    // Units of one of the tokens may be so large that their number is not quite
    // what it should be: the other amount follows from it.
    let (low, high) = if low * of_low > high * of_high {
        (low, low * of_low / of_high * off)
    } else {
        (high * of_high / of_low / off, high)
    };
    Some([U256::try_from(low).ok()?, U256::try_from(high).ok()?])
}

/// A pool of ranges with its first positions, each narrower than the one before.
fn initialized(
    scene: Scene<'_>,
    pool: &Pool,
    key: &PoolKey,
    rng: &mut ChaCha8Rng,
) -> Option<Vec<Call>> {
    let price = scene.outside_price(pool)? * (1.0 + pool.fee * rng.random_range(MISTAKES));
    let tick = tick_of(price)?;
    let mut calls = vec![ekubo::initialize_call(key, tick)];
    if pool.worth == 0.0 {
        return Some(calls);
    }
    for (reach, part) in RANGES {
        // Some pools have no narrow positions, and some leave gaps.
        if reach < 100_000 && rng.random_range(0..4) == 0 {
            continue;
        }
        let usd = pool.worth * part;
        let middle = tick + rng.random_range(-reach / 8..=reach / 8);
        let bounds = around(key, middle, reach)?;
        let [low, high] = pool.assets;
        let amounts = [scene.units(low, usd / 2.0)?, scene.units(high, usd / 2.0)?];
        calls.extend(position(pool, key, bounds, amounts));
        // A spacing as wide as the range has room for one position only.
        if i64::from(key.tick_spacing) > i64::from(reach) {
            break;
        }
    }
    Some(calls)
}

/// A pool of `JediSwap` v2 with a position over all prices and one around its
/// own.
fn created(scene: Scene<'_>, pool: &Pool, v2: &V2, provider: Felt) -> Option<Vec<Call>> {
    let address = v2.address();
    let root = scene.outside_price(pool)?.sqrt();
    let ratio = U256::try_from(root * 96_f64.exp2()).ok()?;
    let mut calls = vec![
        jediswap_v2::create_pool_call(&v2.id),
        jediswap_v2::initialize_call(address, ratio),
    ];
    if pool.worth == 0.0 {
        return Some(calls);
    }
    let tick = jediswap_v2::tick_at(ratio)?;
    let spacing = i32::try_from(v2.id.tick_spacing()?).ok()?;
    let near = [tick - V2_REACH, tick + V2_REACH].map(|tick| tick / spacing * spacing);
    for bounds in [widest(spacing), near] {
        let usd = pool.worth / 4.0;
        let [low, high] = pool.assets;
        let least = U256::try_from(LEAST_UNITS).ok()?;
        let amounts =
            [scene.units(low, usd)?, scene.units(high, usd)?].map(|amount| amount.max(least));
        calls.extend(approvals(pool, address, amounts));
        let liquidity = affordable(root, bounds, amounts)?;
        calls.push(jediswap_v2::mint_call(address, provider, bounds, liquidity));
    }
    Some(calls)
}

/// The bounds of a position over all prices.
pub(super) fn widest(spacing: i32) -> [i32; 2] {
    let last = jediswap_v2::MAX_TICK / spacing * spacing;
    [-last, last]
}

/// A little less liquidity than the amounts are enough for.
fn affordable(root: f64, bounds: [i32; 2], amounts: [U256; 2]) -> Option<u128> {
    let [low, high] = bounds.map(|tick| V2_TICK_ROOT.powi(tick));
    let [of_low, of_high] = amounts.map(f64::from);
    let liquidity = (of_low * root * high / (high - root)).min(of_high / (root - low));
    u128::try_from(U256::try_from(liquidity * 0.999).ok()?).ok()
}

/// Pays the positions, and opens one with what they were given.
pub(super) fn position(
    pool: &Pool,
    key: &PoolKey,
    bounds: [i32; 2],
    amounts: [U256; 2],
) -> Vec<Call> {
    let sides = pool.tokens.into_iter().zip(amounts);
    let mut calls: Vec<Call> = sides
        .map(|(token, amount)| transfer_call(token, POSITIONS, amount))
        .collect();
    calls.push(ekubo::mint_position_call(key, bounds, 1));
    calls
}

/// Bounds that a pool allows, about so far to both sides.
fn around(key: &PoolKey, middle: i32, reach: i32) -> Option<[i32; 2]> {
    let spacing = i32::try_from(key.tick_spacing).ok()?;
    let usable = |tick: i32| tick.div_euclid(spacing).checked_mul(spacing);
    let lower = usable(middle.checked_sub(reach)?)?;
    let upper = usable(middle.checked_add(reach)?)?.max(lower.checked_add(spacing)?);
    Some([lower, upper])
}

/// The tick of a price.
pub(super) fn tick_of(price: f64) -> Option<i32> {
    let root = price.sqrt() * 128_f64.exp2();
    ekubo::tick_at(U256::try_from(root).ok()?)
}
