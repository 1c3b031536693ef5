//! The router: sells for people who let it spend.

use super::calls::get_pool_call;
use super::maths::{MAX_SQRT_RATIO, MIN_SQRT_RATIO};
use super::pool::{SwapArguments, swap};
use super::pool_id::PoolId;
use crate::starknet::class::{ADDRESS, Class, Interface, Structure, U32, U64, U256 as U256_TYPE};
use crate::starknet::contract::{Calldata, Contract, Env, Function, Kind, halves};
use crate::starknet::contracts::arithmetic::ensure;
use crate::starknet::contracts::erc20::{approve_call, collect};
use crate::starknet::contracts::signed::Signed;
use crate::starknet::failure::{Returned, Revert};
use primitives::{Felt, U256};
use std::sync::LazyLock;

type Entrypoint = Function<Router>;

const PARAMETERS: &str = "stoa::jediswap_v2::ExactInputSingleParams";
const STRUCTURES: &[Structure] = &[(
    PARAMETERS,
    &[
        ("token_in", ADDRESS),
        ("token_out", ADDRESS),
        ("fee", U32),
        ("recipient", ADDRESS),
        ("deadline", U64),
        ("amount_in", U256_TYPE),
        ("amount_out_minimum", U256_TYPE),
        ("sqrt_price_limit_X96", U256_TYPE),
    ],
)];

const FUNCTIONS: &[Entrypoint] = &[Entrypoint::external(
    "exact_input_single",
    &[("params", PARAMETERS)],
    &[U256_TYPE],
    Router::exact_input_single,
)];

static KIND: LazyLock<Kind<Router>> = LazyLock::new(|| {
    let interface = Interface {
        structures: STRUCTURES,
        ..Interface::default()
    };
    Kind::new("JediSwap v2 router", FUNCTIONS, interface)
});

#[derive(Debug)]
pub(super) struct Router;

impl Contract for Router {
    fn class(&self) -> &'static Class {
        &KIND.class
    }

    fn call(&self, env: &mut Env<'_, '_>, selector: Felt, calldata: &[Felt]) -> Option<Returned> {
        KIND.entrypoints.run(self, env, selector, calldata)
    }
}

#[expect(clippy::unused_self, reason = "the shape of all entrypoints")]
impl Router {
    fn exact_input_single(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let (sold, bought) = (calldata.felt()?, calldata.felt()?);
        let fee = u32::try_from(calldata.u128()?).map_err(|_| Revert::new("invalid fee"))?;
        let (to, _deadline) = (calldata.felt()?, calldata.felt()?);
        let (amount, least) = (calldata.u256()?, calldata.u256()?);
        let limit = calldata.u256()?;
        let id = PoolId::new(sold, bought, fee);
        let falling = id.tokens[0] == sold;
        let limit = match (limit.is_zero(), falling) {
            (false, _) => limit,
            (true, true) => MIN_SQRT_RATIO + U256::ONE,
            (true, false) => MAX_SQRT_RATIO - U256::ONE,
        };
        let size = u128::try_from(amount).map_err(|_| Revert::new("amount overflow"))?;
        let known = env.call(&get_pool_call(&id))?;
        let pool = Calldata::new(&known).felt()?;
        let (from, own) = (env.caller(), env.address());
        collect(env, sold, (from, own), amount)?;
        env.call(&approve_call(sold, pool, amount))?;
        let order = SwapArguments {
            to,
            falling,
            amount: Signed::plus(size),
            limit,
        };
        let paid = swap(env, pool, order)?;
        ensure(paid >= least, "too little received")?;
        Ok(halves(paid).to_vec())
    }
}
