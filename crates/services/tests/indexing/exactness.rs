//! Every swap of a simulated history against what the maths predict from the
//! state before it.

use amm::book::{AnyCurve, Book, Change, Movement, PoolId};
use amm::ekubo::{self, Amount, MAX_SQRT_RATIO, MIN_SQRT_RATIO, SKIP_AHEAD};
use amm::{Curve, Side};
use primitives::U256;
use std::collections::{BTreeMap, HashMap};
use world::World;

/// Fewer than blocks between checkpoints, so that every change is at hand.
const BLOCKS: usize = 1_000;

/// What was found, by venue.
#[derive(Debug, Default)]
struct Tally {
    exact: usize,
    /// Trades in the block in which the pool came into being, before its
    /// contract was asked.
    unread: usize,
}

#[tokio::test]
async fn every_swap_pays_what_the_maths_predict() {
    let world = World::with_history(7, BLOCKS).await;
    let mut station = world.station("store").await;
    station.sync().await;
    let history = station.contents().await.2;
    assert!(history.checkpoint.is_none());
    let mut book = Book::new(world.known.venues.clone());
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    for (block, changes) in &history.changes {
        book.begin(*block);
        let mut before: HashMap<PoolId, Option<AnyCurve>> = HashMap::new();
        for change in changes {
            if let Change::Moved { pool, movement } = change {
                let view = book.pools().get(*pool).unwrap();
                let tally = tallies.entry(view.venue.name.clone()).or_default();
                match movement {
                    // The trade that led to these reserves is told after them.
                    Movement::Reserves(_) => {
                        before.insert(*pool, view.curve().ok());
                    }
                    Movement::Traded { sold, amounts } => match &before[pool] {
                        Some(curve) => {
                            assert_trade(curve, *sold, *amounts, *block);
                            tally.exact += 1;
                        }
                        None => tally.unread += 1,
                    },
                    Movement::Swapped { .. } => match view.curve() {
                        Ok(curve) => {
                            assert_swap(&curve, movement, *block);
                            tally.exact += 1;
                        }
                        Err(_) => tally.unread += 1,
                    },
                    _ => {}
                }
            }
            book.apply(change);
        }
    }
    let exact: usize = tallies.values().map(|tally| tally.exact).sum();
    let unread: usize = tallies.values().map(|tally| tally.unread).sum();
    assert!(exact >= 500, "{tallies:?}");
    assert!(unread * 50 <= exact, "{tallies:?}");
    assert!(
        tallies.values().filter(|tally| tally.exact > 0).count() >= 7,
        "{tallies:?}"
    );
}

/// The trade sold an exact amount, or bought one.
fn assert_trade(curve: &AnyCurve, sold: Side, [paid, got]: [u128; 2], block: u64) {
    let (paid, got) = (U256::from(paid), U256::from(got));
    let sale = curve.exact_in(sold, paid).map(|fill| fill.bought);
    if sale == Ok(got) {
        return;
    }
    let purchase = curve.exact_out(sold, got).map(|fill| fill.sold);
    assert_eq!(
        purchase,
        Ok(paid),
        "block {block}: {curve:?} gave {got} for {paid}, predicted {sale:?}"
    );
}

/// The swap ended where the maths end it, and paid as much.
fn assert_swap(curve: &AnyCurve, movement: &Movement, block: u64) {
    let Movement::Swapped {
        delta: [delta0, delta1],
        price,
        liquidity,
    } = movement
    else {
        panic!("not a swap");
    };
    let [moved0, moved1] = [delta0, delta1].map(|delta| delta.magnitude());
    let (sold, paid, got) = if moved0 > 0 && !delta0.is_negative() {
        (Side::Token0, moved0, moved1)
    } else {
        (Side::Token1, moved1, moved0)
    };
    let AnyCurve::Ekubo(pool) = curve else {
        return assert_trade(curve, sold, [paid, got], block);
    };
    let farthest = match sold {
        Side::Token0 => MIN_SQRT_RATIO,
        Side::Token1 => MAX_SQRT_RATIO,
    };
    // The amount was used up, or a limit of the price was reached before.
    let ends = [
        (Amount::In(paid), farthest),
        (Amount::In(u128::MAX >> 1), price.sqrt_ratio),
    ];
    let swaps = ends.map(|(amount, limit)| pool.swap(sold, amount, limit, SKIP_AHEAD));
    let is_this = |swap: &ekubo::Swapped| {
        (swap.sold, swap.bought) == (paid, got)
            && swap.sqrt_ratio_after == price.sqrt_ratio
            && (swap.tick_after, swap.liquidity_after) == (price.tick, *liquidity)
    };
    assert!(
        swaps.iter().flatten().any(is_this),
        "block {block}: {movement:?}, predicted {swaps:?}"
    );
}
