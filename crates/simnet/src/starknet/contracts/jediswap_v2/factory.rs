//! The factory of pools.

use super::pool;
use super::pool_id::PoolId;
use crate::starknet::class::{ADDRESS, Class, EventSignature, Interface, Typed, U32};
use crate::starknet::contract::{Calldata, Contract, Env, Function, Kind};
use crate::starknet::contracts::arithmetic::ensure;
use crate::starknet::failure::{Returned, Revert};
use crate::starknet::hash::{felt, from_felt};
use crate::starknet::state::Variable;
use primitives::{Felt, selector};
use std::sync::LazyLock;

const POOL: Variable = Variable::felt("pool");

type Entrypoint = Function<Factory>;

const ID: &[Typed] = &[("token_a", ADDRESS), ("token_b", ADDRESS), ("fee", U32)];

const FUNCTIONS: &[Entrypoint] = &[
    Entrypoint::external("create_pool", ID, &[ADDRESS], Factory::create_pool),
    Entrypoint::view("get_pool", ID, &[ADDRESS], Factory::get_pool),
];

const EVENTS: &[EventSignature] = &[EventSignature {
    name: "PoolCreated",
    keys: &[],
    data: &[
        ("token0", ADDRESS),
        ("token1", ADDRESS),
        ("fee", U32),
        ("tick_spacing", U32),
        ("pool", ADDRESS),
    ],
}];

static KIND: LazyLock<Kind<Factory>> = LazyLock::new(|| {
    let interface = Interface {
        events: EVENTS,
        ..Interface::default()
    };
    Kind::new("JediSwap v2 factory", FUNCTIONS, interface)
});

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

fn read_id(calldata: &mut Calldata<'_>) -> Result<PoolId, Revert> {
    let (a, b) = (calldata.felt()?, calldata.felt()?);
    let fee = u32::try_from(calldata.u128()?).map_err(|_| Revert::new("invalid fee"))?;
    Ok(PoolId::new(a, b, fee))
}

#[expect(clippy::unused_self, reason = "the shape of all entrypoints")]
impl Factory {
    fn create_pool(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let id = read_id(calldata)?;
        let [token0, token1] = id.tokens;
        ensure(token0 != token1, "tokens must be different")?;
        ensure(token0 != Felt::ZERO, "tokens must be non zero")?;
        let spacing = id.tick_spacing();
        let spacing = spacing.ok_or_else(|| Revert::new("tick spacing not initialized"))?;
        ensure(
            env.read(POOL, &[id.salt()]).is_zero(),
            "pool already created",
        )?;
        let pool = env.deploy(pool::class_hash(), id.salt(), &id.constructor())?;
        env.write(POOL, &[id.salt()], from_felt(pool));
        let (fee, spacing) = (Felt::from(id.fee), Felt::from(spacing));
        let data = [token0, token1, fee, spacing, pool];
        env.emit(&[selector("PoolCreated")], &data);
        Ok(vec![pool])
    }

    fn get_pool(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let id = read_id(calldata)?;
        Ok(vec![felt(env.read(POOL, &[id.salt()]))])
    }
}
