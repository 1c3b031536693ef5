//! An order: holds what it sells, and sells a part of it in every cycle.

use super::plan::{Plan, felt, u64};
use super::terms::{OrderTerms, TERMS};
use crate::starknet::class::{
    ADDRESS, BOOL, Class, EventSignature, FELTS, Interface, Typed, U64, U256 as U256_TYPE,
};
use crate::starknet::contract::{Calldata, Contract, Env, Function, Kind, halves, run};
use crate::starknet::contracts::arithmetic::{ensure, sub};
use crate::starknet::contracts::erc20::{approve_call, balance_of, pay};
use crate::starknet::contracts::exchange::EXCHANGE;
use crate::starknet::failure::{Returned, Revert};
use crate::starknet::hash::{felt as to_felt, from_felt};
use crate::starknet::state::Variable;
use crate::starknet::transaction::Call;
use primitives::{Felt, OrImpossible as _, U256, selector};
use std::sync::LazyLock;

const FACTORY: Variable = Variable::felt("Order_factory");
const TRADER: Variable = Variable::felt("Order_trader");
const SOLD: Variable = Variable::felt("Order_sell_token");
const BOUGHT: Variable = Variable::felt("Order_buy_token");
const PER_CYCLE: Variable = Variable::u256("Order_sell_amount_per_cycle");
const MONTHS: Variable = Variable::felt("Order_cycle_months");
const SECONDS: Variable = Variable::felt("Order_cycle_seconds");
const START: Variable = Variable::felt("Order_start_date");
const CYCLES: Variable = Variable::felt("Order_cycles");
const LEAST: Variable = Variable::u256("Order_buy_amount_min");
const MOST: Variable = Variable::u256("Order_buy_amount_max");

/// The first cycle that nothing was done about.
const NEXT: Variable = Variable::felt("Order_next_cycle");

/// Whether it is over.
const CLOSED: Variable = Variable::felt("Order_closed");

type Entrypoint = Function<RecurringOrder>;

const CYCLE: &[Typed] = &[
    ("cycle", U64),
    ("buy_amount_min", U256_TYPE),
    ("swap", FELTS),
];

#[rustfmt::skip]
const FUNCTIONS: &[Entrypoint] = &[
    Entrypoint::external("execute_cycle", CYCLE, &[U256_TYPE], RecurringOrder::execute_cycle),
    Entrypoint::external("skip_cycle", &[("cycle", U64), ("buy_amount", U256_TYPE)], &[], RecurringOrder::skip_cycle),
    Entrypoint::external("cancel_order", &[], &[], RecurringOrder::cancel_order),
    Entrypoint::view("get_trader", &[], &[ADDRESS], RecurringOrder::trader),
    Entrypoint::view("get_next_cycle", &[], &[U64], RecurringOrder::next_cycle),
    Entrypoint::view("is_open", &[], &[BOOL], RecurringOrder::is_open),
];

#[rustfmt::skip]
const EVENTS: &[EventSignature] = &[
    EventSignature { name: "CycleExecuted", keys: &[("cycle", U64)], data: &[("sell_amount", U256_TYPE), ("buy_amount", U256_TYPE)] },
    EventSignature { name: "CycleSkipped", keys: &[("cycle", U64)], data: &[("buy_amount", U256_TYPE), ("bound", U256_TYPE)] },
    EventSignature { name: "OrderClosed", keys: &[], data: &[("refund", U256_TYPE)] },
    EventSignature { name: "OrderCancelled", keys: &[], data: &[("refund", U256_TYPE)] },
];

static KIND: LazyLock<Kind<RecurringOrder>> = LazyLock::new(|| {
    let constructor = [&[("trader_address", ADDRESS)], TERMS].concat();
    let interface = Interface {
        constructor: Some(&constructor),
        events: EVENTS,
        ..Interface::default()
    };
    Kind::new("DcaOrder", FUNCTIONS, interface)
});

/// An order; all of it is in its variables.
#[derive(Debug)]
pub(super) struct RecurringOrder;

impl Contract for RecurringOrder {
    fn class(&self) -> &'static Class {
        &KIND.class
    }

    fn call(&self, env: &mut Env<'_, '_>, selector: Felt, calldata: &[Felt]) -> Option<Returned> {
        KIND.entrypoints.run(self, env, selector, calldata)
    }

    fn construct(&self, env: &mut Env<'_, '_>, calldata: &[Felt]) -> Option<Returned> {
        Some(run(Self::begin, self, env, calldata))
    }
}

fn number(env: &Env<'_, '_>, variable: Variable) -> u64 {
    u64::try_from(env.read(variable, &[]))
        .or_impossible("what was written had 64 bits")
        .unwrap_or(u64::MAX)
}

fn plan(env: &Env<'_, '_>) -> Plan {
    Plan {
        start: number(env, START),
        months: number(env, MONTHS),
        seconds: number(env, SECONDS),
        cycles: number(env, CYCLES),
    }
}

fn word(env: &Env<'_, '_>, variable: Variable) -> Felt {
    to_felt(env.read(variable, &[]))
}

/// Only who may execute cycles, only the one that is due, and only once.
fn begin_cycle(env: &mut Env<'_, '_>, cycle: u64) -> Result<(), Revert> {
    let question = Call {
        to: word(env, FACTORY),
        selector: selector("is_executor"),
        calldata: vec![env.caller()],
    };
    let allowed = env.call(&question)?;
    ensure(allowed == [Felt::ONE], "Caller is not an executor")?;
    ensure(word(env, CLOSED) == Felt::ZERO, "Order is closed")?;
    ensure(
        plan(env).current(env.time()) == Some(cycle),
        "Cycle is not due",
    )?;
    ensure(number(env, NEXT) <= cycle, "Cycle is over")?;
    env.write(NEXT, &[], U256::from(cycle + 1));
    Ok(())
}

/// Pays back what is left after the last cycle.
fn end_cycle(env: &mut Env<'_, '_>, cycle: u64) -> Result<(), Revert> {
    if cycle + 1 < number(env, CYCLES) {
        return Ok(());
    }
    close(env, "OrderClosed")
}

fn close(env: &mut Env<'_, '_>, event: &str) -> Result<(), Revert> {
    env.write(CLOSED, &[], U256::ONE);
    let (sold, own) = (word(env, SOLD), env.address());
    let refund = balance_of(env, sold, own)?;
    if !refund.is_zero() {
        let trader = word(env, TRADER);
        pay(env, sold, trader, refund)?;
    }
    env.emit(&[selector(event)], &halves(refund));
    Ok(())
}

#[expect(
    clippy::unnecessary_wraps,
    clippy::unused_self,
    reason = "the shape of all entrypoints"
)]
impl RecurringOrder {
    fn begin(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let trader = calldata.felt()?;
        let terms = OrderTerms::read(calldata)?;
        let factory = env.caller();
        let [least, most] = terms.bounds;
        for (variable, value) in [
            (FACTORY, from_felt(factory)),
            (TRADER, from_felt(trader)),
            (SOLD, from_felt(terms.sold)),
            (BOUGHT, from_felt(terms.bought)),
            (PER_CYCLE, terms.per_cycle),
            (MONTHS, U256::from(terms.plan.months)),
            (SECONDS, U256::from(terms.plan.seconds)),
            (START, U256::from(terms.plan.start)),
            (CYCLES, U256::from(terms.plan.cycles)),
            (LEAST, least),
            (MOST, most),
        ] {
            env.write(variable, &[], value);
        }
        Ok(vec![])
    }

    /// Sells one part through the exchange, whose arguments the executor brings.
    /// What counts is what is there before and after.
    fn execute_cycle(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let (cycle, least) = (u64(calldata)?, calldata.u256()?);
        let swap = calldata.felts()?.to_vec();
        begin_cycle(env, cycle)?;
        let (sold, bought, own) = (word(env, SOLD), word(env, BOUGHT), env.address());
        let before = [balance_of(env, sold, own)?, balance_of(env, bought, own)?];
        let part = env.read(PER_CYCLE, &[]);
        env.call(&approve_call(sold, EXCHANGE, part))?;
        env.call(&Call {
            to: EXCHANGE,
            selector: selector("multi_route_swap"),
            calldata: swap,
        })?;
        let spent = sub(before[0], balance_of(env, sold, own)?)?;
        let received = sub(balance_of(env, bought, own)?, before[1])?;
        ensure(spent == part, "Sold another amount")?;
        ensure(received >= least, "Insufficient tokens received")?;
        let within = received >= env.read(LEAST, &[]) && received <= env.read(MOST, &[]);
        ensure(within, "Out of bounds")?;
        let trader = word(env, TRADER);
        pay(env, bought, trader, received)?;
        let data = [spent, received].map(halves).concat();
        env.emit(&[selector("CycleExecuted"), felt(cycle)], &data);
        end_cycle(env, cycle)?;
        Ok(halves(received).to_vec())
    }

    /// Lets a cycle pass that would buy too little or too much.
    fn skip_cycle(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let (cycle, amount) = (u64(calldata)?, calldata.u256()?);
        begin_cycle(env, cycle)?;
        let (least, most) = (env.read(LEAST, &[]), env.read(MOST, &[]));
        let bound = if amount < least { least } else { most };
        ensure(amount < least || amount > most, "Within bounds")?;
        let data = [amount, bound].map(halves).concat();
        env.emit(&[selector("CycleSkipped"), felt(cycle)], &data);
        end_cycle(env, cycle)?;
        Ok(vec![])
    }

    fn cancel_order(&self, env: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        ensure(
            env.caller() == word(env, TRADER),
            "Caller is not the trader",
        )?;
        ensure(word(env, CLOSED) == Felt::ZERO, "Order is closed")?;
        close(env, "OrderCancelled")?;
        Ok(vec![])
    }

    fn trader(&self, env: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        Ok(vec![word(env, TRADER)])
    }

    fn next_cycle(&self, env: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        Ok(vec![word(env, NEXT)])
    }

    fn is_open(&self, env: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        Ok(vec![Felt::from(word(env, CLOSED) == Felt::ZERO)])
    }
}
