//! Rules of recurring orders, on a chain with one pair.

use super::*;
use crate::starknet::contract::halves;
use crate::starknet::contracts::exchange::{self, Step, sell_calls};
use crate::starknet::contracts::pairs::{JEDISWAP, PairId};
use crate::starknet::contracts::test_chain::{
    ALICE, BOB, DAI, ETH, TestChain, call, event, numbers,
};
use crate::starknet::network::DEPLOYER;
use crate::starknet::transaction::Call;
use plan::Plan;
use primitives::{Felt, SignedDuration, Timestamp, U256, selector};
use proptest::prelude::*;

const KEEPER: Felt = Felt::from_hex_unchecked("0x4eeb");
const START: u64 = 1_800_000_000;
const HOUR: u64 = 3_600;

/// Lets somebody execute cycles, if the factory's owner calls.
fn allow_executor_call(executor: Felt) -> Call {
    call(FACTORY, "set_executor", &[executor, Felt::ONE])
}

/// A chain on which ALICE brought liquidity, KEEPER may execute, and BOB buys.
fn test_chain() -> TestChain {
    let mut chain = TestChain::new(|contracts| {
        JEDISWAP.install(contracts);
        exchange::install(contracts);
        install(contracts);
    });
    let much = U256::from(10_u128.pow(21));
    chain.approve(ALICE, JEDISWAP.rules.router, &[ETH, DAI]);
    let id = PairId::new(ETH, DAI);
    chain.run(
        ALICE,
        &JEDISWAP.rules.add_liquidity_call(&id, [much; 2], ALICE),
    );
    chain.run(DEPLOYER, &allow_executor_call(KEEPER));
    chain.approve(BOB, FACTORY, &[ETH]);
    chain.time = START;
    chain
}

/// An order of BOB's: ETH for DAI, a part every hour.
fn hourly(amount: u64, per_cycle: u64, [least, most]: [u64; 2]) -> Call {
    let mut terms = vec![ETH];
    terms.extend(
        [amount, per_cycle]
            .map(|it| halves(U256::from(it)))
            .concat(),
    );
    terms.extend([DAI, Felt::ZERO, Felt::from(HOUR), Felt::from(START)]);
    terms.extend([least, most].map(|it| halves(U256::from(it))).concat());
    call(FACTORY, "deploy_dca_order", &terms)
}

const ANY: [u64; 2] = [0, u64::MAX];

fn deploy(chain: &mut TestChain, amount: u64, per_cycle: u64, bounds: [u64; 2]) -> Felt {
    chain.run(BOB, &hourly(amount, per_cycle, bounds)).0[0]
}

/// Sells an amount in the name of an order.
fn execution(order: Felt, cycle: u64, amount: u64, least: u64) -> Call {
    let step = Step {
        tokens: [ETH, DAI],
        exchange: JEDISWAP.rules.router,
        params: vec![],
    };
    let calls = sell_calls([ETH, DAI], U256::from(amount), U256::ZERO, order, &[step]);
    let swap = &calls[1].calldata;
    let mut calldata = vec![Felt::from(cycle)];
    calldata.extend(halves(U256::from(least)));
    calldata.push(Felt::from(swap.len()));
    calldata.extend(swap);
    call(order, "execute_cycle", &calldata)
}

fn skip(order: Felt, cycle: u64, amount: u64) -> Call {
    let mut calldata = vec![Felt::from(cycle)];
    calldata.extend(halves(U256::from(amount)));
    call(order, "skip_cycle", &calldata)
}

#[test]
fn an_order_sells_its_parts_and_pays_the_rest_back() {
    let mut chain = test_chain();
    let [eth, dai] = [ETH, DAI].map(|token| chain.balance(token, BOB));
    let (returned, events) = chain.run(BOB, &hourly(1_000_010, 250_000, ANY));
    let order = returned[0];
    let told = event(&events, "DcaOrderDeployed");
    assert_eq!(told.keys[1..], [order, BOB]);
    assert_eq!(told.data.last(), Some(&Felt::from(START + 4 * HOUR)));
    assert_eq!(chain.balance(ETH, order), U256::from(1_000_010));
    assert_eq!(chain.view(order, "get_trader", &[]), [BOB]);
    let mut bought = U256::ZERO;
    for cycle in 0..4 {
        chain.time = START + cycle * HOUR + 7;
        let (_, events) = chain.run(KEEPER, &execution(order, cycle, 250_000, 240_000));
        let told = event(&events, "CycleExecuted");
        assert_eq!(told.keys[1], Felt::from(cycle));
        let [sold, received] = numbers(&told.data)[..] else {
            unreachable!()
        };
        assert_eq!(sold, U256::from(250_000));
        bought += received;
        let closed = events
            .iter()
            .any(|it| it.keys[0] == selector("OrderClosed"));
        assert_eq!(closed, cycle == 3);
    }
    assert_eq!(chain.balance(ETH, order), U256::ZERO);
    assert_eq!(chain.balance(ETH, BOB), eth - U256::from(1_000_000));
    assert_eq!(chain.balance(DAI, BOB), dai + bought);
    assert_eq!(chain.view(order, "is_open", &[]), [Felt::ZERO]);
    chain.refuses(BOB, &call(order, "cancel_order", &[]), "Order is closed");
}

#[test]
fn a_cycle_is_executed_once_in_its_time_by_who_may() {
    let mut chain = test_chain();
    let order = deploy(&mut chain, 1_000_000, 250_000, ANY);
    let at = |cycle| execution(order, cycle, 250_000, 1);
    chain.refuses(BOB, &at(0), "Caller is not an executor");
    chain.refuses(KEEPER, &at(1), "Cycle is not due");
    chain.run(KEEPER, &at(0));
    chain.refuses(KEEPER, &at(0), "Cycle is over");
    // The second one is missed, and never executed.
    chain.time = START + 2 * HOUR;
    chain.refuses(KEEPER, &at(1), "Cycle is not due");
    chain.run(KEEPER, &at(2));
    // So is the last one: the order stays open until its trader closes it.
    chain.time = START + 4 * HOUR;
    chain.refuses(KEEPER, &at(3), "Cycle is not due");
    chain.refuses(
        ALICE,
        &call(order, "cancel_order", &[]),
        "Caller is not the trader",
    );
    let (_, events) = chain.run(BOB, &call(order, "cancel_order", &[]));
    let refund = numbers(&event(&events, "OrderCancelled").data);
    assert_eq!(refund, [U256::from(500_000)]);
    chain.refuses(KEEPER, &at(3), "Order is closed");
}

#[test]
fn bounds_hold_and_a_skipped_cycle_says_which() {
    let mut chain = test_chain();
    let order = deploy(&mut chain, 500_000, 250_000, [300_000, 400_000]);
    chain.refuses(KEEPER, &execution(order, 0, 250_000, 1), "Out of bounds");
    chain.refuses(KEEPER, &skip(order, 0, 300_000), "Within bounds");
    let (_, events) = chain.run(KEEPER, &skip(order, 0, 299_999));
    let told = numbers(&event(&events, "CycleSkipped").data);
    assert_eq!(told, [299_999, 300_000].map(U256::from));
    chain.time = START + HOUR;
    let (_, events) = chain.run(KEEPER, &skip(order, 1, 400_001));
    let told = numbers(&event(&events, "CycleSkipped").data);
    assert_eq!(told, [400_001, 400_000].map(U256::from));
    // It was the last one.
    let refund = numbers(&event(&events, "OrderClosed").data);
    assert_eq!(refund, [U256::from(500_000)]);
}

#[test]
fn an_executor_cannot_sell_another_amount_or_for_less() {
    let mut chain = test_chain();
    let order = deploy(&mut chain, 1_000_000, 250_000, ANY);
    chain.refuses(
        KEEPER,
        &execution(order, 0, 249_999, 1),
        "Sold another amount",
    );
    let less = execution(order, 0, 250_000, 250_000);
    chain.refuses(KEEPER, &less, "Insufficient tokens received");
    let more = chain.try_run(KEEPER, &execution(order, 0, 250_001, 1));
    assert!(more.unwrap_err().contains("insufficient allowance"));
    assert_eq!(chain.balance(ETH, order), U256::from(1_000_000));
}

#[test]
fn orders_that_mean_nothing_are_not_deployed() {
    let mut chain = test_chain();
    let order = |change: fn(&mut [Felt])| {
        let mut call = hourly(1_000_000, 250_000, ANY);
        change(&mut call.calldata);
        call
    };
    for (wrong, words) in [
        (order(|it| it[5] = ETH), "Same token"),
        (order(|it| it[3] = Felt::ZERO), "Invalid amount per cycle"),
        (
            order(|it| it[3] = Felt::from(1_000_001)),
            "Invalid amount per cycle",
        ),
        (
            order(|it| it[3] = Felt::from(999)),
            "Invalid number of cycles",
        ),
        (order(|it| it[7] = Felt::from(59)), "Invalid frequency"),
        (order(|it| it[6] = Felt::from(100_000)), "Invalid frequency"),
        (order(|it| it[9] = Felt::MAX), "u128_from_felt252 Overflow"),
        (
            order(|it| it[8] = Felt::from(START - HOUR)),
            "Start date is too early",
        ),
        (
            order(|it| (it[9], it[11]) = (Felt::TWO, Felt::ONE)),
            "Invalid bounds",
        ),
    ] {
        chain.refuses(BOB, &wrong, words);
    }
    chain.refuses(
        DEPLOYER,
        &hourly(9, 3, ANY),
        "ERC20: insufficient allowance",
    );
    chain.refuses(BOB, &allow_executor_call(BOB), "Caller is not the owner");
}

/// The same by another calendar.
fn due(plan: Plan, cycle: u64) -> u64 {
    let start = Timestamp::from_second(i64::try_from(plan.start).unwrap()).unwrap();
    let start = start.to_zoned(jiff::tz::TimeZone::UTC);
    let months = i64::try_from(plan.months * cycle).unwrap();
    let moved = start.checked_add(jiff::Span::new().months(months)).unwrap();
    let seconds = i64::try_from(plan.seconds * cycle).unwrap();
    let moved = moved.timestamp() + SignedDuration::from_secs(seconds);
    u64::try_from(moved.as_second()).unwrap()
}

proptest! {
    #[test]
    fn cycles_are_due_as_the_calendar_says(
        start in 0_u64..20_000_000_000,
        months in 0_u64..40,
        seconds in 0_u64..10_000_000,
        cycle in 0_u64..300,
    ) {
        let plan = Plan { start, months, seconds, cycles: 1_000 };
        prop_assert_eq!(plan.due(cycle), due(plan, cycle));
    }

    #[test]
    fn a_cycle_is_current_from_its_time_to_the_next(
        months in 0_u64..3,
        seconds in 60_u64..10_000_000,
        cycle in 0_u64..20,
        cycles in 1_u64..20,
    ) {
        let plan = Plan { start: START, months, seconds, cycles };
        let expected = (cycle < cycles).then_some(cycle);
        prop_assert_eq!(plan.current(plan.due(cycle)), expected);
        prop_assert_eq!(plan.current(plan.due(cycle + 1) - 1), expected);
        prop_assert_eq!(plan.current(START - 1), None);
    }
}

#[test]
fn a_month_that_is_too_short_ends_the_step_and_a_leap_day_counts() {
    // 2028-01-31T00:00:00Z.
    let plan = Plan {
        start: 1_832_889_600,
        months: 1,
        seconds: 0,
        cycles: 14,
    };
    let day = 86_400;
    assert_eq!(plan.due(1) - plan.due(0), 29 * day);
    assert_eq!(plan.due(2) - plan.due(1), 31 * day);
    assert_eq!(plan.due(3) - plan.due(2), 30 * day);
    // February of 2029.
    assert_eq!(plan.due(13) - plan.due(12), 28 * day);
}
