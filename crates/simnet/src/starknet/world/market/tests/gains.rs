//! What there is to gain by trading in a circle.

use super::super::pool::PoolTrade;
use super::super::rehearsal::Rehearsal;
use super::*;
use crate::starknet::contracts::erc20::balance_key;

/// What is sold, in dollars.
const USD: f64 = 100.0;

/// The most that a circle of two or three pools brings, as a share of what is
/// sold, and its tokens.
pub(super) type Circle = (f64, [usize; 3]);

/// What the best pool pays for `USD` of one asset in another, at outside prices:
/// prices cancel out on the way around.
fn rates(scene: Scene<'_>) -> HashMap<(usize, usize), f64> {
    let mut best = HashMap::new();
    let pools = &scene.market.pools;
    for (pool, first) in pools.iter().flat_map(|pool| [(pool, true), (pool, false)]) {
        let way = pool.asset_way(first);
        let rate = rate(scene, pool, first).unwrap_or_default();
        let known = best.entry(way).or_insert(0.0);
        *known = rate.max(*known);
    }
    best
}

/// What a pool's contract really pays.
fn rate(scene: Scene<'_>, pool: &Pool, first: bool) -> Option<f64> {
    let sender = *scene.market.providers.first()?;
    let (sold, bought) = pool.asset_way(first);
    let token = pool.way(first).0;
    let amount = scene.units(sold, USD)?;
    let order = PoolTrade {
        route: &[pool],
        sender,
        sold: token,
        amount,
    };
    assert!(scene.view.read(&balance_key(token, sender)) >= amount);
    let calls = order.calls(scene.view, U256::ZERO, U256::ZERO)?;
    let mut rehearsal = Rehearsal::new(scene.view);
    let paid = rehearsal.gain(sender, &calls, order.bought())?;
    let worth = |asset, amount: U256| Some(f64::from(amount) * scene.unit_price(asset)?);
    Some(worth(bought, paid)? / worth(sold, amount)?)
}

pub(super) fn best_circle(chain: &Chain) -> Circle {
    let look = Look::new(chain, chain.head().number);
    let rates = rates(look.scene());
    let mut best = (-1.0, [0; 3]);
    let mut take = |product: f64, assets| {
        if product - 1.0 > best.0 {
            best = (product - 1.0, assets);
        }
    };
    for ((a, b), there) in &rates {
        if let Some(back) = rates.get(&(*b, *a)) {
            take(there * back, [*a, *b, *a]);
        }
        for ((_, c), on) in rates.iter().filter(|((from, _), _)| from == b) {
            if let Some(back) = rates.get(&(*c, *a)) {
                take(there * on * back, [*a, *b, *c]);
            }
        }
    }
    best
}

#[test]
fn a_new_world_has_no_circle_that_gains_more_than_gas() {
    for seed in [0, 1] {
        let best = best_circle(&opened(seed));
        assert!(best.0 < 0.000_1, "{best:?}");
    }
}

#[test]
fn arbitrageurs_leave_no_gain_above_thirty_hundredths_of_a_per_cent() {
    let mut chain = opened(0);
    let mut worst = Vec::new();
    for number in 1..=500 {
        chain.mine(NOW + 2 * number, 5);
        if [50, 100, 200, 300, 400, 500].contains(&number) {
            worst.push(best_circle(&chain));
        }
    }
    assert!(worst.iter().all(|best| best.0 < 0.003), "{worst:?}");
}

#[test]
fn a_wild_world_gives_money_away() {
    let genesis = Genesis {
        seed: 0,
        pools: 320,
        wild: true,
    };
    let best = best_circle(&chain_of(genesis, 100, 5));
    assert!(best.0 > 0.003, "{best:?}");
}

#[test]
fn ten_blocks_are_enough_after_an_hour_without_any() {
    let mut chain = opened(1);
    let mut time = NOW;
    for _ in 0..3 {
        time += HOUR;
        for _ in 0..10 {
            time += 2;
            chain.mine(time, 5);
        }
        let best = best_circle(&chain);
        assert!(best.0 < 0.003, "{best:?}");
    }
}
