//! Executed cycles are measured against the best route before their block.

use crate::stage::Stage;
use primitives::{Address, U256};
use rstest::rstest;
use trading::{
    Slippage,
    recurring::{BuyBounds, CycleOutcome, NewOrder, cycle_sale, shortfall_bps},
};
use world::Engine::{self, Postgres, Sqlite};

const ANY: BuyBounds = BuyBounds {
    least: None,
    most: None,
};

/// What the last cycle of an order bought, and what it is measured against.
fn last(stage: &Stage, order: Address) -> (U256, Option<U256>) {
    let order = stage.find(order).unwrap();
    let past = order.past.last().unwrap();
    let CycleOutcome::Executed { bought, .. } = past.outcome else {
        panic!("{past:?}");
    };
    (bought, order.benchmark(past.cycle))
}

fn shortfall((bought, benchmark): (U256, Option<U256>)) -> f64 {
    shortfall_bps(bought, benchmark.unwrap()).unwrap()
}

#[rstest]
#[case::sqlite(Sqlite)]
#[case::postgres(Postgres)]
#[tokio::test]
async fn a_cycle_that_was_executed_as_quoted_falls_short_of_nothing(#[case] engine: Engine) {
    let mut stage = Stage::new(engine, 15).await;
    let order = stage.order(3, ANY).await;
    let (mut keeper, mut benchmarks) = (stage.keeper(), stage.benchmarks());
    keeper.round().await.unwrap();
    stage.mine().await;
    assert_eq!(last(&stage, order).1, None, "nobody has measured it");
    assert_eq!(benchmarks.round().await.unwrap(), 1);
    assert_eq!(benchmarks.round().await.unwrap(), 0, "the block was seen");
    stage.mine().await;
    assert!(shortfall(last(&stage, order)).abs() < 1e-9);
    assert_eq!(benchmarks.round().await.unwrap(), 0, "it is measured");
    // What is measured survives a restart, and goes with its block.
    assert_eq!(stage.all(), stage.all_afresh().await);
    stage.restart().await;
    stage.sync().await;
    assert!(last(&stage, order).1.is_some());
    stage.world.node.reorg(2).unwrap();
    stage.mine().await;
    assert_eq!(stage.all(), stage.all_afresh().await);
    let again = stage.find(order).unwrap();
    assert_eq!(again.benchmarks, []);
}

#[tokio::test]
async fn a_trade_before_it_in_its_block_makes_a_cycle_fall_short() {
    let mut stage = Stage::new(Sqlite, 16).await;
    let order = stage.order(3, ANY).await;
    let terms = stage.find(order).unwrap().deployed.terms;
    let smaller = NewOrder {
        per_cycle: terms.per_cycle / U256::from(20),
        ..terms
    };
    // Somebody sells a little of the same before the cycle.
    let (swaps, trader) = (stage.swaps(), stage.world.trader().address);
    let wanted = cycle_sale(&smaller, swaps.max_swaps());
    let snapshot = stage.station.snapshots.load().unwrap();
    let quote = swaps.best(wanted, &snapshot).await.unwrap().unwrap().quote;
    let exchange = swaps.exchange().unwrap();
    let sale = trading::calls(&quote, trader, Slippage::from_bps(500), true, exchange);
    stage.world.submit(&sale).await;
    stage.keeper().round().await.unwrap();
    stage.mine().await;
    assert_eq!(stage.benchmarks().round().await.unwrap(), 1);
    stage.mine().await;
    let shortfall = shortfall(last(&stage, order));
    assert!(shortfall > 1e-4 && shortfall <= 10.0, "{shortfall}");
}

#[tokio::test]
async fn what_is_measured_is_what_a_quote_says() {
    let mut stage = Stage::new(Sqlite, 17).await;
    let order = stage.order(2, ANY).await;
    let swaps = stage.swaps();
    let terms = stage.find(order).unwrap().deployed.terms;
    let wanted = cycle_sale(&terms, swaps.max_swaps());
    let snapshot = stage.station.snapshots.load().unwrap();
    let quote = swaps.best(wanted, &snapshot).await.unwrap().unwrap().quote;
    stage.keeper().round().await.unwrap();
    stage.mine().await;
    // Blocks later it is still measured by the pools of then.
    for _ in 0..5 {
        stage.mine().await;
    }
    stage.benchmarks().round().await.unwrap();
    stage.mine().await;
    let (bought, benchmark) = last(&stage, order);
    assert_eq!(benchmark, Some(quote.buy_amount));
    let least = Slippage::from_bps(10).least(quote.buy_amount);
    assert!(bought >= least && least > U256::ZERO);
}
