//! Those who bring pools to the price of the market, and keep the difference.
//!
//! A pool whose price is within its fee of what tokens are worth outside takes
//! no more than it gives. Where all pools are, no way through them gains,
//! however many it passes: what there is to gain on a way is at most what there
//! is to gain at its pools against the outside. So it is enough to look at every
//! pool by itself, and to close those where most is to be gained first.

use super::permille::permille;
use super::pool::{At, Pool, PoolTrade, Spot, slope};
use super::rehearsal::Rehearsal;
use super::scene::Scene;
use super::watch::Watch;
use crate::starknet::contracts::erc20::balance_key;
use crate::starknet::transaction::Deed;
use primitives::{Felt, U256};
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

/// Pools that an arbitrageur of a wild world looks at before choosing one.
const LOOKED_AT: usize = 24;

/// Pools that one transaction brings back.
const AT_ONCE: usize = 6;

/// A difference that is worth a transaction, beyond the fee.
const WORTHWHILE: f64 = 0.000_1;

/// What an arbitrageur at least wants to sell, and to gain at a pool, in
/// dollars: some times what a transaction costs.
const LEAST_USD: f64 = 0.5;
const LEAST_GAIN: f64 = 0.04;

/// Where liquidity lies in ranges there may be so many times as much to gain as
/// it seems.
const HIDDEN: f64 = 3.0;

/// What is tried of an amount.
const PARTS: [f64; 4] = [1.0, 0.5, 0.25, 0.1];

/// Halvings until an amount on a stable curve is good enough.
const HALVINGS: usize = 40;

/// What arbitrageurs do at the end of a block, in at most so many transactions:
/// they close the largest gaps of all pools. No two touch the same pool, and
/// there is enough of every token.
pub(crate) fn settle(
    scene: Scene<'_>,
    watch: &mut Watch,
    most: usize,
    rng: &mut ChaCha8Rng,
) -> Vec<Deed> {
    let mut found = largest(scene, watch).into_iter();
    let mut deeds = Vec::new();
    while let Some(sender) = scene.market.arbitrageurs.choose(rng)
        && deeds.len() < most
    {
        let closed = found.by_ref().filter_map(|(place, pool, gap)| {
            let deed = trade(scene, pool, gap, *sender, LEAST_GAIN)?;
            watch.forget(place);
            Some(deed)
        });
        let Some(deed) = closed.take(AT_ONCE).reduce(Deed::with) else {
            break;
        };
        deeds.push(deed);
    }
    deeds
}

/// Brings some pools of a wild world back that are far from the market, several
/// in one transaction.
pub(super) fn correct(scene: Scene<'_>, rng: &mut ChaCha8Rng) -> Option<Deed> {
    let sender = *scene.market.arbitrageurs.choose(rng)?;
    let mut found: Vec<(&Pool, Gap)> = Vec::new();
    for _ in 0..LOOKED_AT {
        let pool = scene.popular_pool(rng)?;
        let known = found.iter().any(|(other, _)| std::ptr::eq(*other, pool));
        let gap = scene.spot(pool).and_then(|spot| gap(scene, pool, spot));
        if let Some(gap) = gap.filter(|_| !known) {
            found.push((pool, gap));
        }
    }
    found.sort_by(|(_, one), (_, other)| other.profit.total_cmp(&one.profit));
    let deeds = found
        .into_iter()
        .take(AT_ONCE)
        .filter_map(|(pool, gap)| trade(scene, pool, gap, sender, 0.0));
    // No two of them touch the same pool, and there is enough of every token.
    deeds.reduce(Deed::with)
}

/// The gaps that are worth closing, those first where most is to be gained.
fn largest<'a>(scene: Scene<'a>, watch: &Watch) -> Vec<(usize, &'a Pool, Gap)> {
    let spots = watch.spots(scene);
    // They know better than to touch a snare.
    let spots = spots.filter(|(_, pool, _)| pool.bait.is_none());
    let gaps = spots.filter_map(|(place, pool, spot)| {
        let gap = gap(scene, pool, spot)?;
        let gain = gap.gain(scene, pool)?;
        (gain > LEAST_GAIN).then_some((gain, place, pool, gap))
    });
    let mut gaps: Vec<_> = gaps.collect();
    gaps.sort_by(|(one, ..), (other, ..)| other.total_cmp(one));
    let gaps = gaps.into_iter();
    gaps.map(|(_, place, pool, gap)| (place, pool, gap))
        .collect()
}

/// How far a pool is from the market.
#[derive(Debug, Clone, Copy)]
struct Gap {
    spot: Spot,
    /// The price of the market.
    outside: f64,
    /// Whether the pool pays too much for its first token.
    first: bool,
    /// What the first unit earns, as a share, after the fee.
    profit: f64,
}

impl Gap {
    /// About what closing it earns, in dollars: the last unit earns nothing.
    fn gain(self, scene: Scene<'_>, pool: &Pool) -> Option<f64> {
        let (sold, _) = pool.asset_way(self.first);
        let usd = amount(pool, self) * scene.unit_price(sold)?;
        let hidden = if let Spot::Ranges(..) = self.spot {
            HIDDEN
        } else {
            1.0
        };
        Some(hidden * usd * self.profit / 2.0)
    }
}

fn gap(scene: Scene<'_>, pool: &Pool, spot: Spot) -> Option<Gap> {
    let outside = scene.outside_price(pool)?;
    let difference = (spot.price() / outside).ln();
    let profit = difference.abs() - pool.fee;
    (profit > WORTHWHILE).then_some(Gap {
        spot,
        outside,
        first: difference > 0.0,
        profit,
    })
}

/// Sells until the next unit would earn nothing. Where liquidity ends sooner
/// than it seemed, less does.
fn trade(scene: Scene<'_>, pool: &Pool, gap: Gap, sender: Felt, least: f64) -> Option<Deed> {
    let (sold, _) = pool.way(gap.first);
    let owned = permille(scene.view.read(&balance_key(sold, sender)), 100);
    let order = PoolTrade {
        route: &[pool],
        sender,
        sold,
        amount: owned,
    };
    if let At::Ekubo(_) = pool.at {
        // The exchange itself says how much reaches the limit.
        return profitable(scene, order, gap, limit(pool, gap)?, least);
    }
    let most = amount(pool, gap);
    PARTS.into_iter().find_map(|part| {
        let amount = U256::try_from(most * part).ok()?.min(owned);
        profitable(scene, PoolTrade { amount, ..order }, gap, U256::ZERO, least)
    })
}

/// The trade, if it earns enough at the prices of the market.
fn profitable(
    scene: Scene<'_>,
    order: PoolTrade<'_>,
    gap: Gap,
    limit: U256,
    least: f64,
) -> Option<Deed> {
    let (sold, bought) = order.route.first()?.asset_way(gap.first);
    let worth = |asset, amount: U256| Some(f64::from(amount) * scene.unit_price(asset)?);
    let calls = order.calls(scene.view, U256::ZERO, limit)?;
    let mut rehearsal = Rehearsal::new(scene.view);
    let before = rehearsal.balance(order.sold, order.sender);
    let gain = rehearsal.gain(order.sender, &calls, order.bought())?;
    let amount = before.checked_sub(rehearsal.balance(order.sold, order.sender))?;
    let cost = worth(sold, amount)?;
    if cost < LEAST_USD || worth(bought, gain)? <= cost + least {
        return None;
    }
    // Where a limit ended the trade, rounding may take a unit more.
    let expected = gain - gain / U256::from(1_000);
    let calls = PoolTrade { amount, ..order }.calls(scene.view, expected, limit)?;
    Some(rehearsal.done(order.sender, calls))
}

/// What a unit of the sold token is worth outside, in the bought one.
fn wanted(gap: Gap) -> f64 {
    if gap.first {
        gap.outside
    } else {
        1.0 / gap.outside
    }
}

/// The amount after which a pool pays no more than the market, as long as its
/// liquidity stays what it is.
fn amount(pool: &Pool, gap: Gap) -> f64 {
    let kept = 1.0 - pool.fee;
    let wanted = wanted(gap);
    let turned = |[a, b]: [f64; 2]| if gap.first { [a, b] } else { [b, a] };
    let of_product = |reserves| {
        let [from, to] = turned(reserves);
        ((from * to * kept / wanted).sqrt() - from) / kept
    };
    match gap.spot {
        Spot::Product(reserves) => of_product(reserves),
        Spot::Ranges(price, liquidity) => {
            let root = price.sqrt();
            of_product([liquidity / root, liquidity * root])
        }
        Spot::Stable(reserves, wholes) => {
            let ([from, to], [whole_from, whole_to]) = (turned(reserves), turned(wholes));
            let wanted = wanted * whole_from / whole_to / kept;
            let k = from * to * (from * from + to * to);
            let (mut low, mut high) = (0.0, from + to);
            for _ in 0..HALVINGS {
                let sold = f64::midpoint(low, high);
                let x = from + sold;
                if slope(x, stable_y(x, k, to)) > wanted {
                    low = sold;
                } else {
                    high = sold;
                }
            }
            low * whole_from / kept
        }
    }
}

/// The y for which the stable curve is worth k, from above by Newton's steps.
fn stable_y(x: f64, k: f64, mut y: f64) -> f64 {
    for _ in 0..32 {
        let value = x * y * (x * x + y * y) - k;
        y -= value / (x * x * x + 3.0 * x * y * y);
    }
    y
}

/// The ratio at which the exchange pays no more than the market.
fn limit(pool: &Pool, gap: Gap) -> Option<U256> {
    let kept = 1.0 - pool.fee;
    let price = if gap.first {
        gap.outside / kept
    } else {
        gap.outside * kept
    };
    U256::try_from(price.sqrt() * 128_f64.exp2()).ok()
}
