//! Those who bring pools to the price of the market, and keep the difference.

use super::pool::{At, Order, Pool, Spot, slope};
use super::rehearsal::{Deed, Rehearsal};
use super::{Scene, permille};
use crate::starknet::contracts::erc20::balance_key;
use primitives::{Felt, U256};
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

/// Pools that an arbitrageur looks at before choosing one.
const LOOKED_AT: usize = 24;

/// Pools that one transaction brings back.
const AT_ONCE: usize = 4;

/// A difference that is worth a transaction, beyond the fee.
const WORTHWHILE: f64 = 0.000_5;

/// What an arbitrageur at least wants to sell, in dollars.
const LEAST_USD: f64 = 0.5;

/// What is tried of an amount.
const PARTS: [f64; 4] = [1.0, 0.5, 0.25, 0.1];

/// Halvings until an amount on a stable curve is good enough.
const HALVINGS: usize = 40;

/// Brings the pools that are furthest from the market back to it, several in
/// one transaction.
pub(super) fn correct(scene: Scene<'_>, rng: &mut ChaCha8Rng) -> Option<Deed> {
    let sender = *scene.market().arbitrageurs.choose(rng)?;
    let mut found: Vec<(&Pool, Gap)> = Vec::new();
    for _ in 0..LOOKED_AT {
        let pool = scene.popular_pool(rng)?;
        let known = found.iter().any(|(other, _)| std::ptr::eq(*other, pool));
        if let Some(gap) = gap(scene, pool).filter(|_| !known) {
            found.push((pool, gap));
        }
    }
    found.sort_by(|(_, one), (_, other)| other.profit.total_cmp(&one.profit));
    let deeds = found
        .into_iter()
        .take(AT_ONCE)
        .filter_map(|(pool, gap)| trade(scene, pool, gap, sender));
    // No two of them touch the same pool, and there is enough of every token.
    deeds.reduce(Deed::with)
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

fn gap(scene: Scene<'_>, pool: &Pool) -> Option<Gap> {
    let spot = scene.spot(pool)?;
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
fn trade(scene: Scene<'_>, pool: &Pool, gap: Gap, sender: Felt) -> Option<Deed> {
    let (sold, _) = pool.way(gap.first);
    let owned = permille(scene.view.read(&balance_key(sold, sender)), 100);
    let order = Order {
        route: &[pool],
        sender,
        sold,
        amount: owned,
    };
    if let At::Ekubo(_) = pool.at {
        // The exchange itself says how much reaches the limit.
        let limit = limit(pool, gap)?;
        let calls = order.calls(scene.view, U256::ZERO, limit)?;
        let mut rehearsal = Rehearsal::new(scene.view);
        let before = rehearsal.balance(sold, sender);
        rehearsal.make(sender, &calls).ok()?;
        let amount = before.checked_sub(rehearsal.balance(sold, sender))?;
        return profitable(scene, Order { amount, ..order }, gap.first, limit);
    }
    let most = amount(pool, gap);
    PARTS.into_iter().find_map(|part| {
        let amount = U256::try_from(most * part).ok()?.min(owned);
        profitable(scene, Order { amount, ..order }, gap.first, U256::ZERO)
    })
}

/// The trade, if it earns anything at the prices of the market.
fn profitable(scene: Scene<'_>, order: Order<'_>, first: bool, limit: U256) -> Option<Deed> {
    let (sold, bought) = order.route.first()?.asset_way(first);
    let worth = |asset, amount: U256| {
        let price = scene.unit_price(asset, scene.time)?;
        Some(f64::from(amount) * price)
    };
    let cost = worth(sold, order.amount)?;
    if cost < LEAST_USD {
        return None;
    }
    let calls = order.calls(scene.view, U256::ZERO, limit)?;
    let mut rehearsal = Rehearsal::new(scene.view);
    let gain = rehearsal.gain(order.sender, &calls, order.bought())?;
    if worth(bought, gain)? <= cost {
        return None;
    }
    let calls = order.calls(scene.view, gain, limit)?;
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
