//! A keeper executes every due cycle once, whoever else does and whenever it dies.

use crate::stage::{HOUR, Stage};
use primitives::{Address, U256};
use trading::recurring::{BuyBounds, CycleState, Order, OrderStatus};
use world::Engine::{Postgres, Sqlite};

const ANY: BuyBounds = BuyBounds {
    least: None,
    most: None,
};

fn executed(order: &Order) -> usize {
    order.past.len()
}

#[tokio::test]
async fn every_cycle_is_executed_and_the_rest_is_paid_back() {
    let mut stage = Stage::new(Sqlite, 5).await;
    let trader = stage.world.trader().address;
    let had = stage.ether(trader).await;
    let order = stage.order(3, ANY).await;
    let mut keeper = stage.keeper();
    for cycle in 1..=3 {
        keeper.round().await.unwrap();
        stage.mine().await;
        assert_eq!(executed(&stage.find(order).unwrap()), cycle);
        // Nothing more is due, however often it looks.
        keeper.round().await.unwrap();
        stage.mine().await;
        assert_eq!(executed(&stage.find(order).unwrap()), cycle);
        stage.pass(HOUR).await;
    }
    let known = stage.find(order).unwrap();
    assert_eq!(known.status(stage.now()), OrderStatus::Closed);
    let sold = known.traded().sold;
    assert_eq!(sold, known.deployed.terms.per_cycle * U256::from(3));
    assert_eq!(stage.ether(order).await, U256::ZERO);
    assert_eq!(stage.ether(trader).await, had - sold);
}

#[tokio::test]
async fn a_cycle_out_of_bounds_is_skipped_with_amount_and_bound() {
    let mut stage = Stage::new(Sqlite, 6).await;
    let bounds = BuyBounds {
        least: Some(U256::from(10_u64.pow(18))),
        most: None,
    };
    let order = stage.order(2, bounds).await;
    let mut keeper = stage.keeper();
    keeper.round().await.unwrap();
    stage.mine().await;
    let known = stage.find(order).unwrap();
    let cycles = known.cycles(stage.now());
    let states: Vec<&CycleState> = cycles.iter().map(|cycle| &cycle.state).collect();
    let [
        CycleState::Skipped { offered, bound, .. },
        CycleState::Pending,
    ] = *states.as_slice()
    else {
        panic!("{states:?}");
    };
    assert_eq!(Some(*bound), bounds.least);
    assert!(!offered.is_zero() && offered < bound);
    assert_eq!(stage.ether(order).await, known.deployed.terms.amount);
}

#[tokio::test]
async fn orders_of_one_pair_are_executed_block_by_block_and_none_spoils_another() {
    // In this world the best route of then has room for one of them only.
    let mut stage = Stage::new(Sqlite, 16).await;
    let mut orders: Vec<Address> = Vec::new();
    for _ in 0..4 {
        orders.push(stage.order(3, ANY).await);
    }
    stage.pass(HOUR).await;
    let mut keeper = stage.keeper();
    for served in 1..=4 {
        assert_eq!(keeper.round().await.unwrap(), 1);
        stage.mine().await;
        let executed = |order: &&Address| executed(&stage.find(**order).unwrap()) == 1;
        assert_eq!(orders.iter().filter(executed).count(), served);
    }
    let keeper = simnet::StarknetNode::keeper().address;
    let head = stage.world.node.head();
    let nonces = stage.world.client.nonces(&[keeper], head).await.unwrap();
    assert_eq!(nonces, [Some(4)], "no transaction came to nothing");
}

#[tokio::test]
async fn two_keepers_at_once_execute_a_cycle_once() {
    let mut stage = Stage::new(Postgres, 7).await;
    let mut orders: Vec<Address> = Vec::new();
    for _ in 0..3 {
        orders.push(stage.order(2, ANY).await);
    }
    let (mut one, mut other) = (stage.keeper(), stage.keeper());
    for cycle in 1..=2 {
        for _ in &orders {
            let (left, right) = tokio::join!(one.round(), other.round());
            left.unwrap();
            right.unwrap();
            stage.mine().await;
        }
        for order in &orders {
            assert_eq!(executed(&stage.find(*order).unwrap()), cycle);
        }
        stage.pass(HOUR).await;
    }
    let keeper = simnet::StarknetNode::keeper().address;
    let head = stage.world.node.head();
    let nonces = stage.world.client.nonces(&[keeper], head).await.unwrap();
    assert_eq!(nonces, [Some(6)], "as many transactions as cycles");
}

#[tokio::test]
async fn a_keeper_that_died_after_sending_is_followed_by_one_that_knows() {
    let mut stage = Stage::new(Sqlite, 8).await;
    let order = stage.order(2, ANY).await;
    stage.keeper().round().await.unwrap();
    // It is gone before any block; the next one finds what was sent.
    stage.restart().await;
    stage.sync().await;
    let mut next = stage.keeper();
    next.round().await.unwrap();
    stage.mine().await;
    next.round().await.unwrap();
    stage.mine().await;
    let known = stage.find(order).unwrap();
    assert_eq!(executed(&known), 1);
    assert_eq!(known.traded().sold, known.deployed.terms.per_cycle);
}

#[tokio::test]
async fn cycles_that_were_missed_stay_missed_and_the_current_one_is_executed() {
    let mut stage = Stage::new(Sqlite, 9).await;
    let order = stage.order(4, ANY).await;
    stage.pass(2 * HOUR).await;
    let mut keeper = stage.keeper();
    keeper.round().await.unwrap();
    stage.mine().await;
    let known = stage.find(order).unwrap();
    let cycles = known.cycles(stage.now());
    let states: Vec<bool> = cycles
        .iter()
        .map(|cycle| matches!(cycle.state, CycleState::Executed { .. }))
        .collect();
    assert_eq!(states, [false, false, true, false]);
    assert_eq!(known.counts(stage.now()).cancelled, 2);
    // Nobody executes the last one: it is closed by time, and still pays back.
    stage.pass(2 * HOUR).await;
    let known = stage.find(order).unwrap();
    assert_eq!(known.status(stage.now()), OrderStatus::Closed);
    assert!(stage.ether(order).await > U256::ZERO);
    stage.cancel(order).await;
    assert_eq!(stage.ether(order).await, U256::ZERO);
}
