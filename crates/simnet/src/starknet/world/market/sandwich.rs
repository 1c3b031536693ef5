//! The attacker, who trades before and after a large trade of somebody else.

use super::permille::permille;
use super::pool::{At, PoolTrade};
use super::rehearsal::Rehearsal;
use super::scene::Scene;
use super::trading::seller;
use crate::starknet::contracts::erc20::balance_key;
use crate::starknet::transaction::{Call, Deed};
use primitives::{Felt, U256};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// The victim sells so many thousandths of what a pool has.
const SIZES: std::ops::RangeInclusive<u32> = 5..=20;

/// The victim accepts so many thousandths less than expected.
const TOLERANCES: std::ops::RangeInclusive<u32> = 10..=50;

/// More than anybody has, in dollars.
const ALL_USD: f64 = 1e12;

/// What the attacker tries to sell first: times the victim's amount, in
/// thousandths.
const TRIES: [u32; 5] = [2_000, 1_000, 500, 250, 100];

/// Three transactions in a row, if the attacker finds a victim worth it. The
/// victim trades in any case.
pub(super) fn attack(scene: Scene<'_>, rng: &mut ChaCha8Rng) -> Option<Vec<Deed>> {
    let view = scene.view;
    let pool = scene.popular_pool(rng)?;
    if matches!(pool.at, At::Ekubo(_) | At::V2(_)) {
        return None;
    }
    let first = rng.random_bool(0.5);
    let [low, high] = pool.reserves(view)?;
    let reserve = if first { low } else { high };
    let size = permille(reserve, rng.random_range(SIZES));
    let (victim, affordable) = seller(scene, pool, first, ALL_USD, rng)?;
    let route = [pool];
    let (sold, bought) = pool.way(first);
    let order = PoolTrade {
        route: &route,
        sender: victim,
        sold,
        amount: size.min(affordable),
    };
    let calls = order.calls(view, U256::ZERO, U256::ZERO)?;
    let expected = Rehearsal::new(view).gain(victim, &calls, bought)?;
    let least = expected - permille(expected, rng.random_range(TOLERANCES));
    let victims = order.calls(view, least, U256::ZERO)?;
    let attacker = scene.market.attacker;
    let owned = view.read(&balance_key(sold, attacker));
    let before = TRIES.iter().find_map(|thousandths| {
        let amount = permille(order.amount, *thousandths).min(owned);
        let front = PoolTrade {
            sender: attacker,
            amount,
            ..order
        };
        surround(scene, front, (victim, &victims))
    });
    match before {
        Some([front, back]) => {
            let deed = Rehearsal::deed(view, victim, victims)?;
            Some(vec![front, deed, back])
        }
        None => Some(vec![Rehearsal::deed(view, victim, victims)?]),
    }
}

/// The attacker's two transactions, if the victim still gets enough between
/// them and the attacker more than before.
fn surround(
    scene: Scene<'_>,
    front: PoolTrade<'_>,
    (victim, victims): (Felt, &[Call]),
) -> Option<[Deed; 2]> {
    let (attacker, bought) = (front.sender, front.bought());
    let mut rehearsal = Rehearsal::new(scene.view);
    let calls = front.calls(scene.view, U256::ZERO, U256::ZERO)?;
    let gain = rehearsal.gain(attacker, &calls, bought)?;
    let first = rehearsal.done(attacker, calls);
    rehearsal.make(victim, victims).ok()?;
    let back = PoolTrade {
        sold: bought,
        amount: gain,
        ..front
    };
    let calls = back.calls(scene.view, U256::ZERO, U256::ZERO)?;
    let returned = rehearsal.gain(attacker, &calls, front.sold)?;
    let second = rehearsal.done(attacker, calls);
    (returned > front.amount).then_some([first, second])
}
