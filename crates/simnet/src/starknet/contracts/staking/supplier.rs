//! Who pays rewards. The public network mints them as they are earned; here they
//! are there from the beginning.

use super::terms::POOLS;
use crate::starknet::class::{Class, Interface, U128};
use crate::starknet::contract::{Calldata, Contract, Env, Function, Kind};
use crate::starknet::contracts::arithmetic::ensure;
use crate::starknet::contracts::erc20::pay;
use crate::starknet::failure::Returned;
use crate::starknet::network::STRK;
use primitives::{Felt, U256};
use std::sync::LazyLock;

type Entrypoint = Function<Supplier>;

const PAIR: &str = "(core::integer::u128, core::integer::u128)";

#[rustfmt::skip]
const FUNCTIONS: &[Entrypoint] = &[
    Entrypoint::external("claim_rewards", &[("amount", U128)], &[], Supplier::claim_rewards),
    Entrypoint::view("calculate_current_epoch_rewards", &[], &[PAIR], Supplier::epoch_rewards),
];

static KIND: LazyLock<Kind<Supplier>> =
    LazyLock::new(|| Kind::new("Reward supplier", FUNCTIONS, Interface::default()));

#[derive(Debug)]
pub(super) struct Supplier;

impl Contract for Supplier {
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
impl Supplier {
    /// Pays a pool, which knows what it owes to whom.
    fn claim_rewards(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let amount = calldata.u128()?;
        let pool = env.caller();
        let known = POOLS.iter().any(|terms| terms.pool == pool);
        ensure(known, "Caller is not a pool")?;
        pay(env, STRK, pool, U256::from(amount))?;
        Ok(vec![])
    }

    fn epoch_rewards(&self, _: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        let rewards = POOLS.iter().map(|terms| Felt::from(terms.epoch_rewards));
        Ok(rewards.collect())
    }
}
