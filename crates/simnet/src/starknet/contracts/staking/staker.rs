//! The network's staking contract, as far as it tells of the one staker that is
//! simulated: nothing of it ever changes but what is in the pools.

use super::terms::{
    COMMISSION, EPOCH_BLOCKS, EPOCH_SECONDS, EXIT_SECONDS, OPERATOR, OWN_STAKE, POOLS, PoolTerms,
    STAKER, STAKER_REWARDS, SUPPLIER,
};
use crate::starknet::class::{
    ADDRESS, CLASS_HASH, Class, Interface, Structure, Typed, U32, U64, U128,
};
use crate::starknet::contract::{Calldata, Contract, Env, Function, Kind};
use crate::starknet::contracts::arithmetic::{add, mul};
use crate::starknet::failure::{Returned, Revert};
use crate::starknet::hash::felt;
use crate::starknet::network::STRK;
use crate::starknet::transaction::Call;
use primitives::{Felt, U256, selector};
use std::sync::LazyLock;

type Entrypoint = Function<Staking>;

const COMMISSION_TYPE: &str = "core::option::Option::<core::integer::u16>";
const TIME: &str = "core::option::Option::<core::integer::u64>";
const INFO: &str = "stoa::staking::StakerInfoV1";
const PERHAPS_INFO: &str = "core::option::Option::<stoa::staking::StakerInfoV1>";
const POOL_OF_INFO: &str = "stoa::staking::StakerPoolInfoV1";
const PERHAPS_POOL_OF_INFO: &str = "core::option::Option::<stoa::staking::StakerPoolInfoV1>";
const POOLS_INFO: &str = "stoa::staking::StakerPoolInfoV2";
const POOL: &str = "stoa::staking::PoolInfo";
const POOL_LIST: &str = "core::array::Span::<stoa::staking::PoolInfo>";
const PARAMETERS: &str = "stoa::staking::StakingContractInfoV1";
const EPOCHS: &str = "stoa::staking::EpochInfo";
const PAIR: &str = "(core::integer::u128, core::integer::u128)";

const OF_STAKER: &[Typed] = &[("staker_address", ADDRESS)];

#[rustfmt::skip]
const FUNCTIONS: &[Entrypoint] = &[
    Entrypoint::view("staker_info_v1", OF_STAKER, &[INFO], Staking::staker_info),
    Entrypoint::view("get_staker_info_v1", OF_STAKER, &[PERHAPS_INFO], Staking::perhaps_staker_info),
    Entrypoint::view("staker_pool_info", OF_STAKER, &[POOLS_INFO], Staking::pool_info),
    Entrypoint::view("contract_parameters_v1", &[], &[PARAMETERS], Staking::parameters),
    Entrypoint::view("get_epoch_info", &[], &[EPOCHS], Staking::epoch_info),
    Entrypoint::view("get_current_total_staking_power", &[], &[PAIR], Staking::total_power),
    Entrypoint::view("get_total_stake", &[], &[U128], Staking::total_stake),
];

#[rustfmt::skip]
const STRUCTURES: &[Structure] = &[
    (POOL_OF_INFO, &[("pool_contract", ADDRESS), ("amount", U128), ("commission", "core::integer::u16")]),
    (INFO, &[
        ("reward_address", ADDRESS), ("operational_address", ADDRESS), ("unstake_time", TIME),
        ("amount_own", U128), ("unclaimed_rewards_own", U128), ("pool_info", PERHAPS_POOL_OF_INFO),
    ]),
    (POOL, &[("pool_contract", ADDRESS), ("token_address", ADDRESS), ("amount", U128)]),
    (POOLS_INFO, &[("commission", COMMISSION_TYPE), ("pools", POOL_LIST)]),
    (PARAMETERS, &[
        ("min_stake", U128), ("token_address", ADDRESS), ("attestation_contract", ADDRESS),
        ("pool_contract_class_hash", CLASS_HASH), ("reward_supplier", ADDRESS), ("exit_wait_window", U64),
    ]),
    (EPOCHS, &[
        ("epoch_duration", U32), ("length", U32), ("starting_block", U64),
        ("starting_epoch", U64), ("previous_length", U32), ("previous_epoch_duration", U32),
    ]),
];

static KIND: LazyLock<Kind<Staking>> = LazyLock::new(|| {
    let interface = Interface {
        structures: STRUCTURES,
        ..Interface::default()
    };
    Kind::new("Staking", FUNCTIONS, interface)
});

/// The staking contract.
#[derive(Debug)]
pub(super) struct Staking;

impl Contract for Staking {
    fn class(&self) -> &'static Class {
        &KIND.class
    }

    fn call(&self, env: &mut Env<'_, '_>, selector: Felt, calldata: &[Felt]) -> Option<Returned> {
        KIND.entrypoints.run(self, env, selector, calldata)
    }
}

/// What a pool's members have staked.
fn delegated(env: &mut Env<'_, '_>, terms: &PoolTerms) -> Result<U256, Revert> {
    let returned = env.call(&Call {
        to: terms.pool,
        selector: selector("get_delegated_stake"),
        calldata: vec![],
    })?;
    Ok(U256::from(Calldata::new(&returned).u128()?))
}

/// Everything of a pool's token that anybody has staked, with 18 decimals.
fn all_stakes(env: &mut Env<'_, '_>, terms: &PoolTerms) -> Result<U256, Revert> {
    let all = add(delegated(env, terms)?, U256::from(terms.elsewhere))?;
    mul(all, U256::from(terms.normal))
}

/// What there is to say of the staker; `None` of anybody else.
fn info(env: &mut Env<'_, '_>, staker: Felt) -> Result<Option<Vec<Felt>>, Revert> {
    if staker != STAKER {
        return Ok(None);
    }
    let [strk, _] = &POOLS;
    let (stake, nothing) = (delegated(env, strk)?, Felt::ONE);
    let own = [Felt::from(OWN_STAKE), Felt::ZERO];
    let mut felts = vec![STAKER_REWARDS, OPERATOR, nothing];
    felts.extend(own);
    felts.extend([Felt::ZERO, strk.pool, felt(stake), Felt::from(COMMISSION)]);
    Ok(Some(felts))
}

fn no_staker() -> Revert {
    Revert::new("Staker does not exist")
}

#[expect(
    clippy::unnecessary_wraps,
    clippy::unused_self,
    reason = "the shape of all entrypoints"
)]
impl Staking {
    fn staker_info(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let staker = calldata.felt()?;
        info(env, staker)?.ok_or_else(no_staker)
    }

    fn perhaps_staker_info(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let staker = calldata.felt()?;
        let Some(info) = info(env, staker)? else {
            return Ok(vec![Felt::ONE]);
        };
        let mut felts = vec![Felt::ZERO];
        felts.extend(info);
        Ok(felts)
    }

    fn pool_info(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let staker = calldata.felt()?;
        if staker != STAKER {
            return Err(no_staker());
        }
        let mut felts = vec![Felt::ZERO, Felt::from(COMMISSION), Felt::from(POOLS.len())];
        for terms in &POOLS {
            let stake = delegated(env, terms)?;
            felts.extend([terms.pool, terms.token, felt(stake)]);
        }
        Ok(felts)
    }

    fn parameters(&self, env: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        let [strk, _] = &POOLS;
        let class = env.class_of(strk.pool);
        let window = Felt::from(EXIT_SECONDS);
        Ok(vec![Felt::ONE, STRK, Felt::ZERO, class, SUPPLIER, window])
    }

    fn epoch_info(&self, _: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        let mut felts = vec![Felt::from(EPOCH_SECONDS), Felt::from(EPOCH_BLOCKS)];
        felts.extend([Felt::ZERO; 4]);
        Ok(felts)
    }

    fn total_power(&self, env: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        let [strk, bitcoin] = &POOLS;
        let stakes = [all_stakes(env, strk)?, all_stakes(env, bitcoin)?];
        Ok(stakes.map(felt).to_vec())
    }

    fn total_stake(&self, env: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        let [strk, _] = &POOLS;
        Ok(vec![felt(all_stakes(env, strk)?)])
    }
}
