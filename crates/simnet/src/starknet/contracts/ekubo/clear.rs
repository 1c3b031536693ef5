//! Taking out of a contract what was left in it: whoever asks first gets all.

use crate::starknet::contract::{Calldata, Env, halves};
use crate::starknet::contracts::arithmetic::ensure;
use crate::starknet::contracts::erc20::{balance_of, pay};
use crate::starknet::failure::Returned;
use primitives::{Felt, U256};

pub(super) fn clear<C>(_: &C, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
    let token = calldata.felt()?;
    let to = env.caller();
    clear_to(env, token, U256::ZERO, to)
}

pub(super) fn clear_minimum<C>(
    _: &C,
    env: &mut Env<'_, '_>,
    calldata: &mut Calldata<'_>,
) -> Returned {
    let (token, least) = (calldata.felt()?, calldata.u256()?);
    let to = env.caller();
    clear_to(env, token, least, to)
}

pub(super) fn clear_minimum_to_recipient<C>(
    _: &C,
    env: &mut Env<'_, '_>,
    calldata: &mut Calldata<'_>,
) -> Returned {
    let (token, least, to) = (calldata.felt()?, calldata.u256()?, calldata.felt()?);
    clear_to(env, token, least, to)
}

pub(super) fn clear_to(env: &mut Env<'_, '_>, token: Felt, least: U256, to: Felt) -> Returned {
    let own = env.address();
    let balance = balance_of(env, token, own)?;
    ensure(balance >= least, "CLEAR_AT_LEAST_MINIMUM")?;
    if !balance.is_zero() {
        pay(env, token, to, balance)?;
    }
    Ok(halves(balance).to_vec())
}
