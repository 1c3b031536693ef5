//! What the market of a default first start looks like to whoever opens it.

use super::super::pool::PoolTrade;
use super::super::rehearsal::Rehearsal;
use super::gains::best_circle;
use super::*;
use crate::{StarknetConfig, StarknetNode};
use primitives::{ManualClock, Timestamp};

/// Pairs of hubs: ETH and USDC, ETH and STRK, STRK and USDC, USDC and USDT.
const DEEP: [[usize; 2]; 4] = [[0, 2], [0, 1], [1, 2], [2, 3]];

/// In how many parts a large amount is sold, and what each is worth.
const PARTS: u32 = 20;
const PART_USD: f64 = 5_000.0;

fn first_start() -> StarknetNode {
    let now = i64::try_from(NOW).unwrap();
    let clock = ManualClock::new(Timestamp::from_second(now).unwrap());
    StarknetNode::new(StarknetConfig::default(), Arc::new(clock))
}

#[test]
fn the_market_of_a_first_start_is_alive_deep_and_fair() {
    let node = first_start();
    let ledger = node.read();
    let best = best_circle(&ledger);
    let losses = DEEP.map(|pair| loss(&ledger, pair));
    let (still, tips) = (still_minutes(&ledger), fewest_tips(&ledger));
    let (usual, most) = hourly_moves(&ledger);
    assert!(best.0 < 0.003, "{best:?}");
    assert!(losses.iter().all(|loss| *loss < 0.01), "{losses:?}");
    assert!(still <= 12, "{still} minutes of 60");
    assert!(tips >= 10, "{tips} tips in three blocks");
    assert!((0.002..0.008).contains(&usual), "{usual} an hour");
    assert!(most < 0.03, "{most} in an hour");
}

/// What is lost of $100,000 that is sold in parts, each where it brings most:
/// fees and the way that prices move together.
fn loss(chain: &Chain, pair: [usize; 2]) -> f64 {
    let look = Look::new(chain, chain.head().number);
    let scene = look.scene();
    let pools = scene.market.pools.iter();
    let pools = pools.filter(|pool| pair.iter().all(|asset| pool.assets.contains(asset)));
    // What each pool pays for one more part.
    let mut parts: Vec<f64> = pools
        .flat_map(|pool| {
            let brings = |parts: u32| paid(scene, pool, PART_USD * f64::from(parts));
            (0..PARTS).map_while(move |sold| Some(brings(sold + 1)? - brings(sold)?))
        })
        .collect();
    parts.sort_by(|one, other| other.total_cmp(one));
    let best = parts.iter().take(usize::try_from(PARTS).unwrap());
    1.0 - best.sum::<f64>() / (PART_USD * f64::from(PARTS))
}

/// Dollars that a pool pays for its first token.
fn paid(scene: Scene<'_>, pool: &Pool, usd: f64) -> Option<f64> {
    let sender = *scene.market.providers.last()?;
    let (sold, bought) = pool.asset_way(true);
    let order = PoolTrade {
        route: &[pool],
        sender,
        sold: pool.way(true).0,
        amount: scene.units(sold, usd)?,
    };
    if order.amount.is_zero() {
        return Some(0.0);
    }
    let calls = order.calls(scene.view, U256::ZERO, U256::ZERO)?;
    let mut rehearsal = Rehearsal::new(scene.view);
    let gain = rehearsal.gain(sender, &calls, order.bought())?;
    Some(f64::from(gain) * scene.unit_price(bought)?)
}

/// The price in the deepest pool of ETH after a block.
fn price(chain: &Chain, at: u64) -> f64 {
    let market = &chain.world().market;
    let pools = market.pools.iter().filter(|pool| pool.assets.contains(&0));
    let deepest = pools.max_by(|one, other| one.worth.total_cmp(&other.worth));
    let look = Look::new(chain, at);
    look.scene().spot(deepest.unwrap()).unwrap().price()
}

/// How far it moves from one hour to the next: usually, and at most.
fn hourly_moves(chain: &Chain) -> (f64, f64) {
    let blocks = chain.range(10, u64::MAX);
    let mut hourly: Vec<f64> = Vec::new();
    let mut hour = 0;
    for block in &blocks {
        if block.timestamp / HOUR > hour {
            hour = block.timestamp / HOUR;
            hourly.push(price(chain, block.number));
        }
    }
    let moves = hourly.windows(2).map(|pair| (pair[1] / pair[0]).ln());
    let moves: Vec<f64> = moves.map(f64::abs).collect();
    let squares: f64 = moves.iter().map(|step| step * step).sum();
    let count = f64::from(u32::try_from(moves.len()).unwrap());
    let most = moves.iter().copied().fold(0.0, f64::max);
    ((squares / count).sqrt(), most)
}

/// Minutes of the last hour in which it did not move.
fn still_minutes(chain: &Chain) -> usize {
    let price = |at| price(chain, at);
    let blocks = chain.range(chain.head().number - 360, u64::MAX);
    let has_moved =
        |block: &Arc<Block>| price(block.number).to_bits() != price(block.number - 1).to_bits();
    let trades = blocks.iter().filter(|block| has_moved(block));
    let minutes: HashSet<u64> = trades.map(|block| block.timestamp / MINUTE).collect();
    60_usize.saturating_sub(minutes.len())
}

/// The fewest transactions with a tip in any three blocks of the last hour.
fn fewest_tips(chain: &Chain) -> usize {
    let blocks = chain.range(chain.head().number - 359, u64::MAX);
    let tipped = |block: &Arc<Block>| {
        let sent = block.transactions.iter();
        sent.filter(|sent| sent.request.signed.terms.tip > 0)
            .count()
    };
    let tips: Vec<usize> = blocks.iter().map(tipped).collect();
    tips.windows(3)
        .map(|three| three.iter().sum())
        .min()
        .unwrap()
}
