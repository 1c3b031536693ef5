//! A pool whose users stay private: what they do in it is proven elsewhere, and
//! this one believes whoever calls. It shows what a paymaster sees of such a pool.

use crate::starknet::class::{ADDRESS, Class, FELTS, Interface, U128, U256 as U256_TYPE};
use crate::starknet::contract::{Calldata, Contract, Env, Function, Kind};
use crate::starknet::contracts::erc20::{collect, pay};
use crate::starknet::failure::{Returned, Revert};
use crate::starknet::network::STRK;
use primitives::{Felt, U256};
use std::sync::LazyLock;

/// Where the network's pool is.
pub(crate) const PRIVACY_POOL: Felt =
    Felt::from_hex_unchecked("0x73746f615f707269766163795f706f6f6c");

/// What the pool takes for a set of actions, in the smallest unit of STRK.
const FEE: u128 = 100_000_000_000_000_000;

/// The action that pays somebody: recipient, token, amount.
const TRANSFER_TO: Felt = Felt::THREE;

type Entrypoint = Function<PrivacyPool>;

#[rustfmt::skip]
const FUNCTIONS: &[Entrypoint] = &[
    Entrypoint::external("deposit", &[("token", ADDRESS), ("amount", U256_TYPE)], &[], PrivacyPool::deposit),
    Entrypoint::external("apply_actions", &[("actions", FELTS)], &[], PrivacyPool::apply_actions),
    Entrypoint::view("get_fee_amount", &[], &[U128], PrivacyPool::fee_amount),
];

static KIND: LazyLock<Kind<PrivacyPool>> =
    LazyLock::new(|| Kind::new("PrivacyPool", FUNCTIONS, Interface::default()));

/// The pool; all that it has are its balances.
#[derive(Debug)]
pub(super) struct PrivacyPool;

impl Contract for PrivacyPool {
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
impl PrivacyPool {
    fn deposit(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let (token, amount) = (calldata.felt()?, calldata.u256()?);
        collect(env, token, (env.caller(), env.address()), amount)?;
        Ok(vec![])
    }

    /// Takes the fee, which the caller must have allowed, and does one action
    /// after the other.
    fn apply_actions(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let mut actions = Calldata::new(calldata.felts()?);
        let caller = env.caller();
        collect(env, STRK, (caller, env.address()), U256::from(FEE))?;
        let count = actions.length()?;
        for _ in 0..count {
            if actions.felt()? != TRANSFER_TO {
                return Err(Revert::new("Unknown action"));
            }
            let (to, token, amount) = (actions.felt()?, actions.felt()?, actions.u256()?);
            pay(env, token, to, amount)?;
        }
        Ok(vec![])
    }

    fn fee_amount(&self, _: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        Ok(vec![Felt::from(FEE)])
    }
}
