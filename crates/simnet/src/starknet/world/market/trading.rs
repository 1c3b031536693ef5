//! People who trade for reasons of their own, and those who follow a trend.

use super::asset::Asset;
use super::opening::MOST_WORK;
use super::permille::permille;
use super::pool::{Pool, PoolTrade};
use super::rehearsal::Rehearsal;
use super::scene::Scene;
use crate::starknet::contracts::erc20::balance_key;
use crate::starknet::transaction::Deed;
use crate::starknet::world::durations::HOUR;
use crate::starknet::world::random::log_normal;
use primitives::{Felt, U256};
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

/// What a trade is usually worth, in dollars, and how much that varies.
const USUAL_USD: f64 = 150.0;
const DEVIATION: f64 = 1.6;

/// A trend is a price that has moved this far within [`TREND_TIME`].
const TREND: f64 = 0.01;
const TREND_TIME: u64 = 12 * HOUR;

/// One trade in so many asks for more than there is, and is reverted.
const GREEDY_ODDS: u32 = 40;

/// One trade in so many passes two pools, and one names what it buys.
const TWO_POOLS_ODDS: u32 = 6;
const EXACT_OUT_ODDS: u32 = 10;

/// Pools that are looked at for a second hop, or for a trend.
const LOOKED_AT: usize = 12;

/// One in so many of those who deal with a snare wants to be rid of it; nobody
/// puts more into one, in dollars.
const SALE_ODDS: u32 = 3;
const MOST_TAKEN_USD: f64 = 200.0;

/// Somebody trades something for something else.
pub(super) fn noise(scene: Scene<'_>, rng: &mut ChaCha8Rng) -> Option<Deed> {
    let pool = scene.popular_pool(rng)?;
    let first = rng.random_bool(0.5);
    let usd = USUAL_USD * log_normal(DEVIATION, rng);
    let mut route = vec![pool];
    if rng.random_range(0..TWO_POOLS_ODDS) == 0 {
        route.extend(second(scene, pool, first, rng));
    }
    let most = route.iter().map(|pool| scene.bearable_usd(pool));
    let usd = most
        .collect::<Option<Vec<f64>>>()?
        .into_iter()
        .fold(usd, f64::min);
    let (sender, amount) = seller(scene, pool, first, usd, rng)?;
    let order = PoolTrade {
        route: &route,
        sender,
        sold: pool.way(first).0,
        amount,
    };
    send(scene, order, rng)
}

/// Somebody buys what has risen, or sells what has fallen.
pub(super) fn trend(scene: Scene<'_>, rng: &mut ChaCha8Rng) -> Option<Deed> {
    let before = scene.time.saturating_sub(TREND_TIME);
    let (pool, change) = (0..LOOKED_AT).find_map(|_| {
        let pool = scene.popular_pool(rng)?;
        let change = |asset| {
            let then = scene.earlier_price(asset, before)?;
            Some(scene.unit_price(asset)? / then)
        };
        let [low, high] = pool.assets;
        let change = (change(low)? / change(high)?).ln();
        (change.abs() > TREND).then_some((pool, change))
    })?;
    let usd = 2.0 * USUAL_USD * log_normal(DEVIATION, rng);
    let usd = usd.min(scene.bearable_usd(pool)?);
    // The first token is sold if it has fallen against the second one.
    let first = change < 0.0;
    let (sender, amount) = seller(scene, pool, first, usd, rng)?;
    let order = PoolTrade {
        route: &[pool],
        sender,
        sold: pool.way(first).0,
        amount,
    };
    send(scene, order, rng)
}

/// Somebody who knows no better buys a snare, or finds out that it cannot be
/// sold for what was promised.
pub(super) fn taken_in(scene: Scene<'_>, rng: &mut ChaCha8Rng) -> Option<Deed> {
    let pools = scene.market.pools.iter();
    let baits: Vec<&Pool> = pools.filter(|pool| pool.bait.is_some()).collect();
    let pool = baits.choose(rng).filter(|pool| pool.exists(scene.view))?;
    let is_snare = |asset: usize| scene.market.assets.get(asset).is_some_and(Asset::is_snare);
    let sells = rng.random_range(0..SALE_ODDS) == 0;
    let first = is_snare(pool.assets[0]) == sells;
    let usd = (USUAL_USD * log_normal(1.0, rng)).min(MOST_TAKEN_USD);
    let (sender, amount) = seller(scene, pool, first, usd, rng)?;
    let order = PoolTrade {
        route: &[pool],
        sender,
        sold: pool.way(first).0,
        amount,
    };
    if !sells {
        return send(scene, order, rng);
    }
    Some(Deed {
        sender,
        calls: order.calls(scene.view, U256::ZERO, U256::ZERO)?,
        work: MOST_WORK,
    })
}

/// A holder who sells about so much, and what they sell.
pub(super) fn seller(
    scene: Scene<'_>,
    pool: &Pool,
    first: bool,
    usd: f64,
    rng: &mut ChaCha8Rng,
) -> Option<(Felt, U256)> {
    let (asset, _) = pool.asset_way(first);
    let token = scene.tokens.get(asset)?;
    let sender = *token.community.choose(rng)?;
    let balance = scene.view.read(&balance_key(token.address, sender));
    let amount = scene.units(asset, usd)?.min(permille(balance, 400));
    (!amount.is_zero()).then_some((sender, amount))
}

/// A pool that goes on from there, at this venue or another one.
fn second<'a>(
    scene: Scene<'a>,
    pool: &Pool,
    first: bool,
    rng: &mut ChaCha8Rng,
) -> Option<&'a Pool> {
    let (sold, bought) = pool.way(first);
    (0..LOOKED_AT).find_map(|_| {
        let next = scene.popular_pool(rng)?;
        let goes_on = next.tokens.contains(&bought) && !next.tokens.contains(&sold);
        (goes_on && pool.leads_to(next)).then_some(next)
    })
}

/// Tries an order out, and sends it with what it may at worst come to.
fn send(scene: Scene<'_>, order: PoolTrade<'_>, rng: &mut ChaCha8Rng) -> Option<Deed> {
    let calls = order.calls(scene.view, U256::ZERO, U256::ZERO)?;
    let mut rehearsal = Rehearsal::new(scene.view);
    let bought = rehearsal.gain(order.sender, &calls, order.bought())?;
    if bought.is_zero() {
        return None;
    }
    if rng.random_range(0..EXACT_OUT_ODDS) == 0 {
        // Rounding may ask for a little more than was tried.
        let calls = order.buying_calls(bought - permille(bought, 2));
        let deed = calls.and_then(|calls| Rehearsal::deed(scene.view, order.sender, calls));
        if deed.is_some() {
            return deed;
        }
    }
    let least = if rng.random_range(0..GREEDY_ODDS) == 0 {
        bought + permille(bought, 5) + U256::ONE
    } else {
        bought - permille(bought, rng.random_range(1..=20))
    };
    let calls = order.calls(scene.view, least, U256::ZERO)?;
    Some(rehearsal.done(order.sender, calls))
}
