//! Positions of people: each has a number, and an owner who may change it.

use super::addresses::POSITIONS;
use super::clear;
use super::core::update_position;
use super::maths::position_amounts;
use super::pool::Pool;
use super::pool_key::PoolKey;
use super::wire::{BOUNDS, Bounds, POOL_KEY, STRUCTURES, read_key};
use crate::starknet::class::{
    ADDRESS, BOOL, Class, Interface, Typed, U64, U128, U256 as U256_TYPE,
};
use crate::starknet::contract::{Calldata, Contract, Env, Function, Kind};
use crate::starknet::contracts::arithmetic::ensure;
use crate::starknet::contracts::erc20::{balance_of, pay};
use crate::starknet::contracts::signed::Signed;
use crate::starknet::execution::View;
use crate::starknet::failure::{Returned, Revert};
use crate::starknet::hash::{felt, from_felt};
use crate::starknet::state::{Key, Variable};
use primitives::{Felt, U256};
use std::sync::LazyLock;

const OWNERS: Variable = Variable::felt("owners");
/// How many there are.
pub(crate) const COUNT: Variable = Variable::felt("next_token_id");

type Entrypoint = Function<Positions>;

const DEPOSIT: &[Typed] = &[
    ("pool_key", POOL_KEY),
    ("bounds", BOUNDS),
    ("min_liquidity", U128),
];

#[rustfmt::skip]
const FUNCTIONS: &[Entrypoint] = &[
    Entrypoint::external("mint_and_deposit", DEPOSIT, &["(core::integer::u64, core::integer::u128)"], Positions::mint_and_deposit),
    Entrypoint::external("mint_and_deposit_and_clear_both", DEPOSIT, &["(core::integer::u64, core::integer::u128, core::integer::u256, core::integer::u256)"], Positions::mint_and_deposit_and_clear_both),
    Entrypoint::external("deposit", &[("id", U64), ("pool_key", POOL_KEY), ("bounds", BOUNDS), ("min_liquidity", U128)], &[U128], Positions::deposit),
    Entrypoint::external("withdraw", &[("id", U64), ("pool_key", POOL_KEY), ("bounds", BOUNDS), ("liquidity", U128), ("min_token0", U128), ("min_token1", U128), ("collect_fees", BOOL)], &["(core::integer::u128, core::integer::u128)"], Positions::withdraw),
    Entrypoint::view("owner_of", &[("id", U64)], &[ADDRESS], Positions::owner_of),
    Entrypoint::external("clear", &[("token", ADDRESS)], &[U256_TYPE], clear::clear),
    Entrypoint::external("clear_minimum", &[("token", ADDRESS), ("minimum", U256_TYPE)], &[U256_TYPE], clear::clear_minimum),
    Entrypoint::external("clear_minimum_to_recipient", &[("token", ADDRESS), ("minimum", U256_TYPE), ("recipient", ADDRESS)], &[U256_TYPE], clear::clear_minimum_to_recipient),
];

static KIND: LazyLock<Kind<Positions>> = LazyLock::new(|| {
    let interface = Interface {
        structures: STRUCTURES,
        ..Interface::default()
    };
    Kind::new("Ekubo positions", FUNCTIONS, interface)
});

/// The contract of all positions.
#[derive(Debug)]
pub(super) struct Positions;

impl Contract for Positions {
    fn class(&self) -> &'static Class {
        &KIND.class
    }

    fn call(&self, env: &mut Env<'_, '_>, selector: Felt, calldata: &[Felt]) -> Option<Returned> {
        KIND.entrypoints.run(self, env, selector, calldata)
    }
}

/// The owner of a position as the state has it; zero where there is none.
pub(crate) fn position_owner(view: View<'_>, id: u64) -> Felt {
    felt(view.read(&Key::new(POSITIONS, OWNERS, &[Felt::from(id)])))
}

/// The most liquidity that both amounts are enough for, found by halving.
fn max_liquidity(ratio: U256, bounds: Bounds, held: [u128; 2]) -> u128 {
    let affordable = |liquidity: u128| {
        i128::try_from(liquidity)
            .ok()
            .and_then(|change| position_amounts(ratio, [bounds.lower, bounds.upper], change))
            .is_some_and(|amounts| {
                amounts
                    .iter()
                    .zip(&held)
                    .all(|(amount, held)| amount <= held)
            })
    };
    let bits = (0..127).rev().map(|bit| 1_u128 << bit);
    bits.fold(0, |found, bit| {
        if affordable(found | bit) {
            found | bit
        } else {
            found
        }
    })
}

#[expect(clippy::unused_self, reason = "the shape of all entrypoints")]
impl Positions {
    fn owner_of(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let id = calldata.felt()?;
        Ok(vec![felt(env.read(OWNERS, &[id]))])
    }

    fn mint_and_deposit(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let (key, bounds, least) = read_deposit(calldata)?;
        let id = mint(env);
        let liquidity = deposit(env, id, &key, bounds, least)?;
        Ok(vec![id, Felt::from(liquidity)])
    }

    fn mint_and_deposit_and_clear_both(
        &self,
        env: &mut Env<'_, '_>,
        calldata: &mut Calldata<'_>,
    ) -> Returned {
        let (key, bounds, least) = read_deposit(calldata)?;
        let id = mint(env);
        let liquidity = deposit(env, id, &key, bounds, least)?;
        let mut returned = vec![id, Felt::from(liquidity)];
        let to = env.caller();
        for token in key.tokens {
            returned.extend(clear::clear_to(env, token, U256::ZERO, to)?);
        }
        Ok(returned)
    }

    fn deposit(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let id = calldata.felt()?;
        let (key, bounds, least) = read_deposit(calldata)?;
        only_owner(env, id)?;
        let liquidity = deposit(env, id, &key, bounds, least)?;
        Ok(vec![Felt::from(liquidity)])
    }

    /// Pays the caller. Fees stay in the core, whether they are asked for or not.
    fn withdraw(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let (id, key) = (calldata.felt()?, read_key(calldata)?);
        let bounds = Bounds::read(calldata)?;
        let liquidity = calldata.u128()?;
        let least = [calldata.u128()?, calldata.u128()?];
        let _collect_fees = calldata.bool()?;
        only_owner(env, id)?;
        let delta = update_position(env, &key, id, bounds, Signed::minus(liquidity))?;
        let amounts = delta.0.map(|amount| amount.size);
        let enough = amounts
            .iter()
            .zip(&least)
            .all(|(amount, least)| amount >= least);
        ensure(enough, "MIN_AMOUNTS")?;
        let to = env.caller();
        for (token, amount) in key.tokens.into_iter().zip(amounts) {
            if amount > 0 {
                pay(env, token, to, U256::from(amount))?;
            }
        }
        Ok(amounts.map(Felt::from).to_vec())
    }
}

fn read_deposit(calldata: &mut Calldata<'_>) -> Result<(PoolKey, Bounds, u128), Revert> {
    Ok((
        read_key(calldata)?,
        Bounds::read(calldata)?,
        calldata.u128()?,
    ))
}

fn only_owner(env: &Env<'_, '_>, id: Felt) -> Result<(), Revert> {
    let owner = felt(env.read(OWNERS, &[id]));
    ensure(owner != Felt::ZERO && owner == env.caller(), "UNAUTHORIZED")
}

/// A new position of the caller; the first has number 1.
fn mint(env: &mut Env<'_, '_>) -> Felt {
    let number = env.read(COUNT, &[]).saturating_add(U256::ONE);
    env.write(COUNT, &[], number);
    let owner = from_felt(env.caller());
    env.write(OWNERS, &[felt(number)], owner);
    felt(number)
}

/// Puts as much as possible of what the contract was given into a position.
fn deposit(
    env: &mut Env<'_, '_>,
    id: Felt,
    key: &PoolKey,
    bounds: Bounds,
    least: u128,
) -> Result<u128, Revert> {
    let ratio = Pool::new(key).initialized(env.syscalls)?.sqrt_ratio;
    let own = env.address();
    let [token0, token1] = key.tokens;
    let held = [balance_of(env, token0, own)?, balance_of(env, token1, own)?];
    let held = held.map(|amount| u128::try_from(amount).unwrap_or(u128::MAX));
    let liquidity = max_liquidity(ratio, bounds, held);
    ensure(liquidity >= least, "MIN_LIQUIDITY")?;
    update_position(env, key, id, bounds, Signed::plus(liquidity))?;
    Ok(liquidity)
}
