//! Whoever trades before and after a cycle in its block takes no more from it than
//! that costs. What else they gain or lose is between them and the pools: a large sale
//! moves prices, and others bring them back.

use crate::stage::{HOUR, Stage};
use primitives::{Address, U256};
use services::STRK;
use trading::{
    Call, Quote, Slippage,
    recurring::{BuyBounds, CycleOutcome, NewOrder, cycle_call, cycle_sale},
};
use world::Engine::Sqlite;

const ANY: BuyBounds = BuyBounds {
    least: None,
    most: None,
};

const ETHER: u128 = 10_u128.pow(18);

/// What a cycle sells: so much that prices move.
const PART: u128 = 20 * ETHER;

/// What is sold before it.
const FRONTS: [u128; 6] = [
    ETHER / 10,
    ETHER,
    5 * ETHER,
    20 * ETHER,
    60 * ETHER,
    200 * ETHER,
];

/// Who executes the cycle in the middle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Executor {
    Keeper,
    /// Who takes whatever there is.
    Careless,
}

/// What an attack came to, in ether.
#[derive(Debug)]
struct Attack {
    /// What the cycle sold for less than it was quoted, if it was executed.
    lost: Option<U256>,
    /// What gas of both trades cost.
    gas: U256,
}

impl Attack {
    fn pays(&self) -> bool {
        self.lost.is_some_and(|lost| lost > self.gas)
    }
}

async fn quoted(stage: &Stage, [sell, buy]: [Address; 2], amount: U256) -> Quote {
    let order = stage.all().first().unwrap().deployed.terms;
    let sale = NewOrder {
        sell,
        buy,
        per_cycle: amount,
        ..order
    };
    let swaps = stage.swaps();
    let snapshot = stage.station.snapshots.load().unwrap();
    let wanted = cycle_sale(&sale, swaps.max_swaps());
    let best = swaps.best(wanted, &snapshot).await;
    best.unwrap().unwrap().quote
}

/// The calls of a trade at any price.
fn trade(stage: &Stage, quote: &Quote, taker: Address, approves: bool) -> Vec<Call> {
    let exchange = stage.swaps().exchange().unwrap();
    trading::calls(quote, taker, Slippage::from_bps(10_000), approves, exchange)
}

/// A block with a trade, the cycle that is due, and the trade back.
async fn attack(stage: &mut Stage, order: Address, front: u128, executor: Executor) -> Attack {
    let attacker = stage.world.trader().address;
    let known = stage.find(order).unwrap();
    let NewOrder { sell, buy, .. } = known.deployed.terms;
    let had = stage.balance(STRK, attacker).await;
    let alone = quoted(stage, [sell, buy], U256::from(PART)).await;
    let there = quoted(stage, [sell, buy], U256::from(front)).await;
    let back = quoted(stage, [buy, sell], there.buy_amount).await;
    let calls = trade(stage, &there, attacker, true);
    stage.world.submit(&calls).await;
    match executor {
        Executor::Keeper => assert_eq!(stage.keeper().round().await.unwrap(), 1),
        Executor::Careless => {
            let cycle = known.due_cycle(stage.now()).unwrap();
            let quote = quoted(stage, [sell, buy], U256::from(PART)).await;
            let swap = trade(stage, &quote, order, false);
            let call = cycle_call(order, cycle, U256::ZERO, &swap.first().unwrap().calldata);
            let account = simnet::StarknetNode::keeper();
            stage.world.submit_as(&account, &[call]).await;
        }
    }
    let calls = trade(stage, &back, attacker, true);
    stage.world.submit(&calls).await;
    stage.mine().await;
    let paid = had - stage.balance(STRK, attacker).await;
    let past = stage.find(order).unwrap().past.clone();
    let cycle = past.get(known.past.len());
    let lost = cycle.map(|cycle| {
        let CycleOutcome::Executed { bought, .. } = cycle.outcome else {
            panic!("{cycle:?}");
        };
        alone.buy_amount.saturating_sub(bought) * alone.sell_amount / alone.buy_amount
    });
    Attack {
        lost,
        gas: quoted(stage, [STRK, sell], paid).await.buy_amount,
    }
}

async fn attacks(seed: u64, executor: Executor) -> Vec<Attack> {
    let mut stage = Stage::new(Sqlite, seed).await;
    let cycles = u32::try_from(FRONTS.len()).unwrap();
    let order = stage.order_parts(PART, cycles, ANY).await;
    let mut attacks = Vec::new();
    for front in FRONTS {
        attacks.push(attack(&mut stage, order, front, executor).await);
        stage.pass(HOUR).await;
        // Arbitrageurs bring prices together again.
        for _ in 0..12 {
            stage.mine().await;
        }
    }
    attacks
}

#[tokio::test]
async fn nobody_takes_more_from_a_cycle_of_the_keeper_than_that_costs() {
    let mut executed = 0;
    for seed in [18, 19, 28] {
        let attacks = attacks(seed, Executor::Keeper).await;
        for attack in &attacks {
            assert!(!attack.pays(), "{attacks:?}");
            executed += usize::from(attack.lost.is_some());
        }
    }
    assert!(executed > 0, "a cycle that waits loses nothing");
}

#[tokio::test]
async fn somebody_would_take_more_if_cycles_took_any_price() {
    let mut gains = 0;
    for seed in [18, 19] {
        let attacks = attacks(seed, Executor::Careless).await;
        gains += attacks.iter().filter(|it| it.pays()).count();
    }
    assert!(gains > 0, "the test above could not fail");
}
