//! The factory of orders: takes what is to be sold, deploys the order, and says
//! who may execute cycles.

use super::order::RecurringOrder;
use super::plan::felt;
use super::terms::{OrderTerms, TERMS};
use crate::starknet::class::{
    ADDRESS, BOOL, CLASS_HASH, Class, EventSignature, Interface, U64, U256 as U256_TYPE,
};
use crate::starknet::contract::{Calldata, Contract, Env, Function, Kind};
use crate::starknet::contracts::arithmetic::ensure;
use crate::starknet::contracts::erc20::{balance_of, collect};
use crate::starknet::failure::Returned;
use crate::starknet::hash::felt as to_felt;
use crate::starknet::network::DEPLOYER;
use crate::starknet::state::{Key, Variable};
use primitives::{Felt, U256, selector};
use std::sync::LazyLock;

/// Where the network's factory is.
pub(crate) const FACTORY: Felt = Felt::from_hex_unchecked("0x73746f615f6463615f666163746f7279");

const EXECUTORS: Variable = Variable::felt("Factory_executors");
const DEPLOYED: Variable = Variable::felt("Factory_deployed");

/// Where the network's factory keeps whether somebody may execute cycles.
pub(crate) fn executor_key(executor: Felt) -> Key {
    Key::new(FACTORY, EXECUTORS, &[executor])
}

type Entrypoint = Function<Factory>;

#[rustfmt::skip]
const FUNCTIONS: &[Entrypoint] = &[
    Entrypoint::external("deploy_dca_order", TERMS, &[ADDRESS], Factory::deploy_dca_order),
    Entrypoint::external("set_executor", &[("executor", ADDRESS), ("allowed", BOOL)], &[], Factory::set_executor),
    Entrypoint::view("is_executor", &[("executor", ADDRESS)], &[BOOL], Factory::is_executor),
    Entrypoint::view("get_order_class_hash", &[], &[CLASS_HASH], Factory::order_class_hash),
];

const EVENTS: &[EventSignature] = &[EventSignature {
    name: "DcaOrderDeployed",
    keys: &[("order_address", ADDRESS), ("trader_address", ADDRESS)],
    data: &[
        ("order_class_hash", CLASS_HASH),
        ("sell_token_address", ADDRESS),
        ("sell_amount", U256_TYPE),
        ("sell_amount_per_cycle", U256_TYPE),
        ("buy_token_address", ADDRESS),
        ("cycle_months", U64),
        ("cycle_seconds", U64),
        ("start_date", U64),
        ("buy_amount_min", U256_TYPE),
        ("buy_amount_max", U256_TYPE),
        ("end_date", U64),
    ],
}];

static KIND: LazyLock<Kind<Factory>> = LazyLock::new(|| {
    let interface = Interface {
        events: EVENTS,
        ..Interface::default()
    };
    Kind::new("DcaFactory", FUNCTIONS, interface)
});

/// The factory; all of it is in its variables.
#[derive(Debug)]
pub(super) struct Factory;

impl Contract for Factory {
    fn class(&self) -> &'static Class {
        &KIND.class
    }

    fn call(&self, env: &mut Env<'_, '_>, selector: Felt, calldata: &[Felt]) -> Option<Returned> {
        KIND.entrypoints.run(self, env, selector, calldata)
    }
}

#[expect(
    clippy::unnecessary_wraps,
    clippy::unused_self,
    reason = "the shape of all entrypoints"
)]
impl Factory {
    fn deploy_dca_order(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let terms = OrderTerms::read(calldata)?;
        let trader = env.caller();
        ensure(env.time() < terms.plan.due(1), "Start date is too early")?;
        let number = env.read(DEPLOYED, &[]) + U256::ONE;
        env.write(DEPLOYED, &[], number);
        let class_hash = RecurringOrder.class().hash;
        let mut arguments = vec![trader];
        arguments.extend(terms.felts());
        let salt = Felt::from_bytes_be(&number.to_be_bytes());
        let order = env.deploy(class_hash, salt, &arguments)?;
        collect(env, terms.sold, (trader, order), terms.amount)?;
        let received = balance_of(env, terms.sold, order)?;
        ensure(received >= terms.amount, "Received too little")?;
        let mut data = vec![class_hash];
        data.extend(terms.felts());
        data.push(felt(terms.plan.due(terms.plan.cycles)));
        env.emit(&[selector("DcaOrderDeployed"), order, trader], &data);
        Ok(vec![order])
    }

    fn set_executor(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let (executor, allowed) = (calldata.felt()?, calldata.bool()?);
        ensure(env.caller() == DEPLOYER, "Caller is not the owner")?;
        env.write(EXECUTORS, &[executor], U256::from(u8::from(allowed)));
        Ok(vec![])
    }

    fn is_executor(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let executor = calldata.felt()?;
        Ok(vec![to_felt(env.read(EXECUTORS, &[executor]))])
    }

    fn order_class_hash(&self, _: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        Ok(vec![RecurringOrder.class().hash])
    }
}
