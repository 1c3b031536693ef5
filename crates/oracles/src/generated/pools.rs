//! The pools of a market.

use super::stage::{PoolHome, Ranges, Stage, price, somewhere, whole};
use super::tokens::{Role, SMALL, Token, of_role, share};
use super::{Plan, Variant};
use crate::Draws;
use amm::book::Facts;

/// Pools between tokens of two roles.
struct Class {
    roles: [Role; 2],
    /// How many of all pools.
    share: f64,
    /// The worth of the smallest ones.
    worth: f64,
    /// How many have their liquidity in ranges.
    in_ranges: f64,
    /// How many have each of [`FEES`].
    fees: [f64; 4],
}

/// The last one has the rest of the pools.
const CLASSES: [Class; 5] = [
    Class {
        roles: [Role::Hub, Role::Hub],
        share: 0.03,
        worth: 60_000.0,
        in_ranges: 0.75,
        fees: [0.3, 0.4, 0.25, 0.05],
    },
    Class {
        roles: [Role::Middle, Role::Hub],
        share: 0.15,
        worth: 15_000.0,
        in_ranges: 0.6,
        fees: [0.05, 0.2, 0.6, 0.15],
    },
    Class {
        roles: [Role::Middle, Role::Middle],
        share: 0.06,
        worth: 5_000.0,
        in_ranges: 0.4,
        fees: [0.0, 0.2, 0.6, 0.2],
    },
    Class {
        roles: [Role::Tail, Role::Middle],
        share: 0.06,
        worth: 4_000.0,
        in_ranges: 0.2,
        fees: [0.0, 0.05, 0.6, 0.35],
    },
    Class {
        roles: [Role::Tail, Role::Hub],
        share: 1.0,
        worth: 6_000.0,
        in_ranges: 0.3,
        fees: [0.0, 0.05, 0.6, 0.35],
    },
];

/// Fees in basis points, and the spacing of ticks that goes with each.
const FEES: [(u32, u32); 4] = [(1, 200), (5, 1_000), (30, 5_982), (100, 19_802)];

/// Markets of usual size have at least so many pools between hubs.
const BETWEEN_HUBS: usize = 60;

/// How far a price may be from the reference, as a part of the fee.
const NOISE: f64 = 0.85;

/// The largest pool is so much larger than the smallest of its class.
const SPREAD: f64 = 10_000.0;

/// Draws until another token must have come.
const TRIES: u32 = 64;

/// Ticks to the end of liquidity at any price: a million times the price.
const FAR: i32 = 13_815_511;

/// The ranges of a pool.
const RANGES: i32 = 12;

/// Every pool in its turn.
pub(super) fn fill(stage: &mut Stage, draws: &Draws, plan: &Plan, tokens: &[Token]) {
    for class in &CLASSES {
        let mut count = share(plan.pools, class.share);
        if class.roles == [Role::Hub; 2] {
            count = count.max(BETWEEN_HUBS.min(plan.pools / 4));
        }
        if plan.pools <= SMALL {
            count = plan.pools;
        }
        let [first, second] = class.roles.map(|role| of_role(tokens, role));
        for turn in 0..count.min(plan.pools - stage.ids.len()) {
            if let Some(mut pair) = pair(draws, turn, first, second) {
                pair.sort_by_key(|token| token.address.to_bytes());
                pool(stage, draws, plan.variant, class, &pair);
            }
        }
    }
}

/// Two tokens of two lists. Each of the first list has its turn before any has
/// a second one, and so has a pool if there are enough.
fn pair(draws: &Draws, turn: usize, firsts: &[Token], seconds: &[Token]) -> Option<[Token; 2]> {
    let is_tail = |token: &&Token| token.role == Role::Tail;
    let first = firsts.get(turn).filter(is_tail);
    let first = first.or_else(|| some(draws, firsts))?;
    let mut others = (0..TRIES).filter_map(|_| some(draws, seconds));
    let second = others.find(|token| *token != first)?;
    Some([*first, *second])
}

/// One of the tokens, by their weights.
fn some<'a>(draws: &Draws, tokens: &'a [Token]) -> Option<&'a Token> {
    let is_weighted = tokens.first()?.role == Role::Hub;
    let place = if is_weighted {
        let weights: Vec<f64> = tokens.iter().map(|token| token.weight).collect();
        draws.weighted(&weights)
    } else {
        draws.place(tokens.len())
    };
    tokens.get(place)
}

/// Adds a pool between two tokens; what it holds, its fee and its price are drawn.
fn pool(stage: &mut Stage, draws: &Draws, variant: Variant, class: &Class, pair: &[Token; 2]) {
    let alpha = draws.between(0.7, 1.0);
    let larger = (1.0 - draws.unit()).powf(-1.0 / alpha).min(SPREAD);
    let weight = pair[0].weight * pair[1].weight;
    let worth = class.worth * weight * larger;
    let Some((fee, tick_spacing)) = FEES.get(draws.weighted(&class.fees)).copied() else {
        return;
    };
    let part = f64::from(fee) / 10_000.0;
    let mut noise = draws.between(-NOISE, NOISE) * part;
    if variant == Variant::Arbitrage && draws.happens(0.02) {
        noise = (part + draws.between(0.005, 0.03)) * draws.one_of(&[-1.0, 1.0]);
    }
    let addresses = pair.map(|token| token.address);
    // What is worth the same of both tokens, and moves the price a little.
    let amounts = pair.map(|token| worth / 2.0 / token.worth);
    let amounts = [amounts[0], amounts[1] * (1.0 + noise)];
    let hollow = (variant == Variant::Hollow).then(|| draws.unit());
    if hollow.is_some_and(|lot| lot < 0.05) {
        stage.product(somewhere(draws), addresses, [0, 0], fee * 10);
        return;
    }
    if variant == Variant::Stable && pair.iter().all(|token| token.stable) && draws.happens(0.5) {
        stable(stage, draws, pair, amounts.map(whole), fee);
        return;
    }
    let in_ranges = variant != Variant::ConstantProduct && draws.happens(class.in_ranges);
    if !in_ranges {
        stage.product(somewhere(draws), addresses, amounts.map(whole), fee * 10);
        return;
    }
    let one_sided = hollow.is_some_and(|lot| lot < 0.15);
    if let Some(ranges) = ranges(draws, amounts, fee, tick_spacing, one_sided) {
        stage.ranges(addresses, &ranges);
    }
}

fn stable(stage: &mut Stage, draws: &Draws, pair: &[Token; 2], reserves: [u128; 2], fee: u32) {
    let addresses = pair.map(|token| token.address);
    let decimals = pair.map(|token| token.decimals);
    let (place, scale) = draws.one_of(&[
        (PoolHome::Flat, 1),
        (PoolHome::Amplified, 100_000_000_000_000),
    ]);
    let facts = Facts {
        fees: [u64::from(fee.min(5)) * scale; 2],
        decimals,
        amplification: draws.one_of(&[50_000, 100_000, 400_000]),
    };
    stage.stable(place, addresses, reserves, facts);
}

/// Ranges side by side around the price, some of them without liquidity.
fn ranges(
    draws: &Draws,
    amounts: [f64; 2],
    fee: u32,
    tick_spacing: u32,
    one_sided: bool,
) -> Option<Ranges> {
    let price = price(amounts[1] / amounts[0])?;
    // So much deeper than the same amounts over all prices; all ranges together
    // reach as far as goes with it.
    let depth = draws.log_between(4.0, 25.0);
    let reach = -2.0 * (1.0 - 1.0 / depth).ln() * 1e6;
    let spacing = i32::try_from(tick_spacing).ok()?;
    let width = (reach / f64::from(RANGES / 2) / f64::from(spacing)).round();
    let width = i32::try_from(whole(width.max(1.0))).ok()? * spacing;
    let shift = i32::try_from(draws.below(width.unsigned_abs().into())).ok()?;
    let lowest = price.tick - RANGES / 2 * width + shift;
    let lowest = lowest.div_euclid(spacing) * spacing;
    let liquidity = (amounts[0] * amounts[1]).sqrt() * depth;
    let upper_half = draws.happens(0.5);
    let mut ranges = Vec::new();
    // Some never end: a little lies at any price.
    if !one_sided && draws.happens(0.5) {
        let far = FAR.div_euclid(spacing) * spacing;
        let liquidity = whole(liquidity * draws.between(0.02, 0.1));
        let middle = price.tick.div_euclid(spacing) * spacing;
        ranges.push((middle - far, middle + far, liquidity));
    }
    for range in 0..RANGES {
        let lower = lowest + range * width;
        let upper = lower + width;
        let holds_price = (lower..upper).contains(&price.tick);
        let empty = if one_sided {
            holds_price || (lower > price.tick) != upper_half
        } else {
            !holds_price && draws.happens(0.12)
        };
        if !empty {
            let liquidity = liquidity * draws.between(0.3, 1.7);
            ranges.push((lower, upper, whole(liquidity)));
        }
    }
    Some(Ranges {
        fee: u128::MAX / 10_000 * u128::from(fee),
        tick_spacing,
        price,
        positions: ranges,
        held: amounts.map(whole),
    })
}
