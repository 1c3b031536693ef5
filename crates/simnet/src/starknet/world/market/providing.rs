//! Those who bring liquidity and take it away again, and open new pools.

use super::opening;
use super::permille::permille;
use super::pool::{At, Pool, V2};
use super::rehearsal::Rehearsal;
use super::scene::Scene;
use crate::starknet::contracts::ekubo::{self, POSITION_COUNT, POSITIONS, PoolKey};
use crate::starknet::contracts::erc20::{approve_call, balance_key};
use crate::starknet::contracts::jediswap_v2;
use crate::starknet::contracts::pairs::my_swap;
use crate::starknet::state::Key;
use crate::starknet::transaction::Deed;
use primitives::{Felt, U256};
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

/// Widths of the positions that providers open, in ticks before they are fitted
/// to the spacing.
const WIDTHS: [i32; 3] = [20_000, 80_000, 400_000];

/// Cells to both sides in which a provider looks for an old position.
const CELLS: i32 = 6;

/// Positions that a provider looks at to find one to close.
const LOOKED_AT: usize = 8;

/// Somebody adds to a pool.
pub(super) fn add(scene: Scene<'_>, rng: &mut ChaCha8Rng) -> Option<Deed> {
    let provider = *scene.market.providers.choose(rng)?;
    let pool = scene.any_pool(rng)?;
    let thousandths = rng.random_range(2..=40);
    let view = scene.view;
    let calls = match &pool.at {
        At::Ekubo(_) => return open_position(scene, provider, rng),
        At::Pair(pair) => {
            let amounts = pool.reserves(view)?.map(|held| permille(held, thousandths));
            let router = pair.venue.rules.router;
            let mut calls = opening::approvals(pool, router, amounts);
            calls.push(
                pair.venue
                    .rules
                    .add_liquidity_call(&pair.id, amounts, provider),
            );
            calls
        }
        At::MySwap => {
            let amounts = pool.reserves(view)?.map(|held| permille(held, thousandths));
            let mut calls = opening::approvals(pool, my_swap::MY_SWAP, amounts);
            calls.push(my_swap::add_liquidity_call(pool.tokens, amounts));
            calls
        }
        At::V2(v2) => {
            let now = jediswap_v2::snapshot(view, v2.address());
            let liquidity = permille(U256::from(now.liquidity), thousandths / 2 + 1);
            // Whatever that costs of each, the pool takes no more.
            let amounts = pool
                .tokens
                .map(|token| view.read(&balance_key(token, provider)));
            let bounds = widest(v2)?;
            let mut calls = opening::approvals(pool, v2.address(), amounts);
            let liquidity = u128::try_from(liquidity).ok()?;
            calls.push(jediswap_v2::mint_call(
                v2.address(),
                provider,
                bounds,
                liquidity,
            ));
            calls.extend(opening::approvals(pool, v2.address(), [U256::ZERO; 2]));
            calls
        }
    };
    Rehearsal::deed(view, provider, calls)
}

/// Somebody takes out a part of what they have in a pool.
pub(super) fn remove(scene: Scene<'_>, rng: &mut ChaCha8Rng) -> Option<Deed> {
    let provider = *scene.market.providers.choose(rng)?;
    let pool = scene.any_pool(rng)?;
    let thousandths = rng.random_range(5..=100);
    let view = scene.view;
    let calls = match &pool.at {
        At::Ekubo(_) => return close_position(scene, rng),
        At::Pair(pair) => {
            let held = view.read(&balance_key(pair.address(), provider));
            let shares = permille(held, thousandths);
            let router = pair.venue.rules.router;
            vec![
                approve_call(pair.address(), router, shares),
                pair.venue
                    .rules
                    .remove_liquidity_call(&pair.id, shares, provider),
            ]
        }
        At::MySwap => {
            let number = pool.number(view)?;
            let held = view.read(&my_swap::shares_key(number, provider));
            vec![my_swap::withdraw_call(number, permille(held, thousandths))]
        }
        At::V2(v2) => {
            let now = jediswap_v2::snapshot(view, v2.address());
            // Who has less than this in the pool takes nothing.
            let liquidity = permille(U256::from(now.liquidity), thousandths / 10 + 1);
            let (address, bounds) = (v2.address(), widest(v2)?);
            let liquidity = u128::try_from(liquidity).ok()?;
            vec![
                jediswap_v2::burn_call(address, bounds, liquidity),
                jediswap_v2::collect_call(address, provider, bounds),
            ]
        }
    };
    Rehearsal::deed(view, provider, calls)
}

/// Somebody opens a pool that was not there before.
pub(super) fn open(scene: Scene<'_>, rng: &mut ChaCha8Rng) -> Option<Deed> {
    let market = scene.market;
    let later = market
        .pools
        .get(market.first..market.first + market.later)?;
    opening::open(scene, later.choose(rng)?, rng)
}

fn widest(v2: &V2) -> Option<[i32; 2]> {
    let spacing = i32::try_from(v2.id.tick_spacing()?).ok()?;
    Some(opening::widest(spacing))
}

/// Positions of providers lie in cells of a grid, and their number says in which
/// pool and how wide they are: so the world finds them again without a list.
fn plan(scene: Scene<'_>, id: u64) -> Option<(&Pool, &PoolKey, i32)> {
    let pools = scene.market.pools.iter();
    let mut ranges: Vec<(&Pool, &PoolKey)> = pools
        .take(scene.market.first)
        .filter_map(|pool| match &pool.at {
            At::Ekubo(key) => Some((pool, key)),
            _ => None,
        })
        .collect();
    // The busiest ones get most of them.
    ranges.truncate(16);
    let number = usize::try_from(id).ok()?;
    let (pool, key) = *ranges.get(number % ranges.len().max(1))?;
    let width = *WIDTHS.get(number / ranges.len().max(1) % WIDTHS.len())?;
    let spacing = i32::try_from(key.tick_spacing).ok()?;
    let width = (width / spacing).max(1).checked_mul(spacing)?;
    Some((pool, key, width))
}

fn open_position(scene: Scene<'_>, provider: Felt, rng: &mut ChaCha8Rng) -> Option<Deed> {
    let count: u64 = scene
        .view
        .read(&Key::new(POSITIONS, POSITION_COUNT, &[]))
        .saturating_to();
    let (pool, key, width) = plan(scene, count.checked_add(1)?)?;
    let tick = ekubo::pool(scene.view, key).tick;
    let cell = tick.div_euclid(width) + rng.random_range(-1..=1);
    let bounds = [cell.checked_mul(width)?, (cell + 1).checked_mul(width)?];
    let usd = pool.worth / 2.0 * f64::from(rng.random_range(10_u32..=80)) / 1_000.0;
    let [low, high] = pool.assets;
    let amounts = [scene.units(low, usd)?, scene.units(high, usd)?];
    let calls = opening::position(pool, key, bounds, amounts);
    Rehearsal::deed(scene.view, provider, calls)
}

fn close_position(scene: Scene<'_>, rng: &mut ChaCha8Rng) -> Option<Deed> {
    let view = scene.view;
    let count: u64 = view
        .read(&Key::new(POSITIONS, POSITION_COUNT, &[]))
        .saturating_to();
    for _ in 0..LOOKED_AT {
        let id = rng.random_range(0..count.max(1)) + 1;
        let Some((_, key, width)) = plan(scene, id) else {
            continue;
        };
        let owner = ekubo::position_owner(view, id);
        if !scene.market.providers.contains(&owner) {
            continue;
        }
        let middle = ekubo::pool(view, key).tick.div_euclid(width);
        for cell in middle - CELLS..=middle + CELLS {
            let bounds = [cell.checked_mul(width)?, (cell + 1).checked_mul(width)?];
            let liquidity = ekubo::position_liquidity(view, key, id, bounds);
            if liquidity == 0 {
                continue;
            }
            let taken = if rng.random_bool(0.5) {
                liquidity
            } else {
                liquidity / 3
            };
            let calls = vec![ekubo::withdraw_call(id, key, bounds, taken)];
            return Rehearsal::deed(view, owner, calls);
        }
    }
    None
}
