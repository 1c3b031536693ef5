//! A delegation pool: members stake a token with the staker, and earn STRK.
//!
//! It can be called by the names of the public network's pools, and withdrawals
//! also by those that the service's documentation shows.

use super::member::{Member, STAKED};
use super::terms::{COMMISSION, EXIT_SECONDS, PoolTerms, STAKER, STAKING, SUPPLIER};
use crate::starknet::class::{
    ADDRESS, BOOL, Class, EventSignature, Interface, Structure, Typed, U64, U128, U256 as U256_TYPE,
};
use crate::starknet::contract::{Calldata, Contract, Env, Function, Kind};
use crate::starknet::contracts::arithmetic::{add, ensure, sub};
use crate::starknet::contracts::erc20::{collect, pay};
use crate::starknet::failure::{Returned, Revert};
use crate::starknet::hash::felt;
use crate::starknet::network::STRK;
use crate::starknet::transaction::Call;
use primitives::{Felt, U256, selector};
use std::sync::LazyLock;

type Entrypoint = Function<Pool>;

const U16: &str = "core::integer::u16";
const TIME: &str = "core::option::Option::<core::integer::u64>";
const MEMBER: &str = "stoa::staking::PoolMemberInfoV1";
const PERHAPS_MEMBER: &str = "core::option::Option::<stoa::staking::PoolMemberInfoV1>";
const PARAMETERS: &str = "stoa::staking::PoolContractInfoV1";

const OF_MEMBER: &[Typed] = &[("pool_member", ADDRESS)];
const ENTRY: &[Typed] = &[("reward_address", ADDRESS), ("amount", U128)];
const ADDITION: &[Typed] = &[("pool_member", ADDRESS), ("amount", U128)];

#[rustfmt::skip]
const FUNCTIONS: &[Entrypoint] = &[
    Entrypoint::external("enter_delegation_pool", ENTRY, &[], Pool::enter),
    Entrypoint::external("add_to_delegation_pool", ADDITION, &[U128], Pool::add),
    Entrypoint::external("exit_delegation_pool_intent", &[("amount", U128)], &[], Pool::exit_intent),
    Entrypoint::external("exit_delegation_pool_action", OF_MEMBER, &[U128], Pool::exit_action),
    Entrypoint::external("claim_rewards", OF_MEMBER, &[U128], Pool::claim_rewards),
    Entrypoint::external("change_reward_address", &[("reward_address", ADDRESS)], &[], Pool::change_reward_address),
    Entrypoint::external("initiate_withdraw", &[("amount", U256_TYPE)], &[], Pool::initiate_withdraw),
    Entrypoint::external("claim_withdraw", &[], &[U128], Pool::claim_withdraw),
    Entrypoint::view("pool_member_info_v1", OF_MEMBER, &[MEMBER], Pool::member_info),
    Entrypoint::view("get_pool_member_info_v1", OF_MEMBER, &[PERHAPS_MEMBER], Pool::perhaps_member_info),
    Entrypoint::view("contract_parameters_v1", &[], &[PARAMETERS], Pool::parameters),
    Entrypoint::view("get_delegated_stake", &[], &[U128], Pool::delegated_stake),
];

#[rustfmt::skip]
const STRUCTURES: &[Structure] = &[
    (MEMBER, &[
        ("reward_address", ADDRESS), ("amount", U128), ("unclaimed_rewards", U128),
        ("commission", U16), ("unpool_amount", U128), ("unpool_time", TIME),
    ]),
    (PARAMETERS, &[
        ("staker_address", ADDRESS), ("staker_removed", BOOL), ("staking_contract", ADDRESS),
        ("token_address", ADDRESS), ("commission", U16),
    ]),
];

#[rustfmt::skip]
const EVENTS: &[EventSignature] = &[
    EventSignature { name: "NewPoolMember", keys: &[("pool_member", ADDRESS), ("staker_address", ADDRESS)], data: &[("reward_address", ADDRESS), ("amount", U128)] },
    EventSignature { name: "PoolMemberBalanceChanged", keys: OF_MEMBER, data: &[("old_delegated_stake", U128), ("new_delegated_stake", U128)] },
    EventSignature { name: "PoolMemberExitIntent", keys: OF_MEMBER, data: &[("exit_timestamp", U64), ("amount", U128)] },
    EventSignature { name: "PoolMemberExitAction", keys: OF_MEMBER, data: &[("unpool_amount", U128)] },
    EventSignature { name: "PoolMemberRewardAddressChanged", keys: OF_MEMBER, data: &[("new_address", ADDRESS), ("old_address", ADDRESS)] },
    EventSignature { name: "PoolMemberRewardClaimed", keys: &[("pool_member", ADDRESS), ("reward_address", ADDRESS)], data: &[("amount", U128)] },
];

static KIND: LazyLock<Kind<Pool>> = LazyLock::new(|| {
    let interface = Interface {
        structures: STRUCTURES,
        events: EVENTS,
        ..Interface::default()
    };
    Kind::new("Delegation pool", FUNCTIONS, interface)
});

/// A pool; its members are in its variables.
#[derive(Debug)]
pub(super) struct Pool(pub(super) &'static PoolTerms);

impl Contract for Pool {
    fn class(&self) -> &'static Class {
        &KIND.class
    }

    fn call(&self, env: &mut Env<'_, '_>, selector: Felt, calldata: &[Felt]) -> Option<Returned> {
        KIND.entrypoints.run(self, env, selector, calldata)
    }
}

fn info(member: &Member) -> Vec<Felt> {
    let mut felts = vec![
        member.reward_address,
        felt(member.amount),
        felt(member.unclaimed),
        Felt::from(COMMISSION),
        felt(member.unpool_amount),
    ];
    match member.unpool_time {
        Some(time) => felts.extend([Felt::ZERO, Felt::from(time)]),
        None => felts.push(Felt::ONE),
    }
    felts
}

fn tell_balance(env: &mut Env<'_, '_>, member: Felt, old: U256, new: U256) {
    let keys = [selector("PoolMemberBalanceChanged"), member];
    env.emit(&keys, &[old, new].map(felt));
}

/// A next amount, which is more than nothing.
fn amount(calldata: &mut Calldata<'_>) -> Result<U256, Revert> {
    let amount = calldata.u128()?;
    ensure(amount > 0, "Amount is zero")?;
    Ok(U256::from(amount))
}

impl Pool {
    fn enter(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let (reward_address, amount) = (calldata.felt()?, amount(calldata)?);
        let caller = env.caller();
        let terms = self.0;
        let exists = Member::find(env, terms, caller)?.is_some();
        let words = "Pool member exists, use add_to_delegation_pool instead";
        ensure(!exists, words)?;
        ensure(reward_address != Felt::ZERO, "Address is zero")?;
        ensure(
            reward_address != terms.token,
            "Reward address is a token address",
        )?;
        let own = env.address();
        collect(env, terms.token, (caller, own), amount)?;
        let member = Member {
            reward_address,
            amount,
            unclaimed: U256::ZERO,
            unpool_amount: U256::ZERO,
            unpool_time: None,
        };
        member.save(env, terms, caller)?;
        let keys = [selector("NewPoolMember"), caller, STAKER];
        env.emit(&keys, &[reward_address, felt(amount)]);
        tell_balance(env, caller, U256::ZERO, amount);
        Ok(vec![])
    }

    fn add(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let (address, amount) = (calldata.felt()?, amount(calldata)?);
        let terms = self.0;
        let mut member = Member::get(env, terms, address)?;
        let caller = env.caller();
        ensure(
            caller == address || caller == member.reward_address,
            "Caller address should be pool member address or reward address",
        )?;
        let own = env.address();
        collect(env, terms.token, (caller, own), amount)?;
        let old = member.amount;
        member.amount = add(old, amount)?;
        member.save(env, terms, address)?;
        tell_balance(env, address, old, member.amount);
        Ok(vec![felt(member.amount)])
    }

    fn exit_intent(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let amount = U256::from(calldata.u128()?);
        self.begin_exit(env, amount)
    }

    fn initiate_withdraw(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let amount = calldata.u256()?;
        self.begin_exit(env, amount)
    }

    /// Takes an amount out of the stake, in place of what was to be withdrawn
    /// before. Nothing at all ends a withdrawal.
    fn begin_exit(&self, env: &mut Env<'_, '_>, amount: U256) -> Returned {
        let (terms, caller) = (self.0, env.caller());
        let mut member = Member::get(env, terms, caller)?;
        let (old, total) = (member.amount, add(member.amount, member.unpool_amount)?);
        ensure(amount <= total, "Amount is too high")?;
        let exit = env.time().saturating_add(EXIT_SECONDS);
        member.unpool_time = (!amount.is_zero()).then_some(exit);
        member.unpool_amount = amount;
        member.amount = sub(total, amount)?;
        member.save(env, terms, caller)?;
        let told = [Felt::from(member.unpool_time.unwrap_or(0)), felt(amount)];
        env.emit(&[selector("PoolMemberExitIntent"), caller], &told);
        tell_balance(env, caller, old, member.amount);
        Ok(vec![])
    }

    fn exit_action(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let address = calldata.felt()?;
        self.end_exit(env, address)
    }

    fn claim_withdraw(&self, env: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        let address = env.caller();
        self.end_exit(env, address)
    }

    /// Pays what was to be withdrawn; anybody may ask for it.
    fn end_exit(&self, env: &mut Env<'_, '_>, address: Felt) -> Returned {
        let terms = self.0;
        let mut member = Member::get(env, terms, address)?;
        let missing = || Revert::new("Undelegate intent is missing");
        let time = member.unpool_time.take().ok_or_else(missing)?;
        ensure(env.time() >= time, "Intent window is not finished")?;
        let amount = std::mem::take(&mut member.unpool_amount);
        member.save(env, terms, address)?;
        env.emit(
            &[selector("PoolMemberExitAction"), address],
            &[felt(amount)],
        );
        pay(env, terms.token, address, amount)?;
        Ok(vec![felt(amount)])
    }

    fn claim_rewards(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let address = calldata.felt()?;
        let terms = self.0;
        let mut member = Member::get(env, terms, address)?;
        let caller = env.caller();
        ensure(
            caller == address || caller == member.reward_address,
            "Claim rewards must be called from pool member address or reward address",
        )?;
        let amount = std::mem::take(&mut member.unclaimed);
        member.save(env, terms, address)?;
        let reward_address = member.reward_address;
        env.call(&Call {
            to: SUPPLIER,
            selector: selector("claim_rewards"),
            calldata: vec![felt(amount)],
        })?;
        pay(env, STRK, reward_address, amount)?;
        let keys = [selector("PoolMemberRewardClaimed"), address, reward_address];
        env.emit(&keys, &[felt(amount)]);
        Ok(vec![felt(amount)])
    }

    fn change_reward_address(
        &self,
        env: &mut Env<'_, '_>,
        calldata: &mut Calldata<'_>,
    ) -> Returned {
        let new = calldata.felt()?;
        let (terms, caller) = (self.0, env.caller());
        let mut member = Member::get(env, terms, caller)?;
        ensure(new != Felt::ZERO, "Address is zero")?;
        ensure(new != terms.token, "Reward address is a token address")?;
        let old = std::mem::replace(&mut member.reward_address, new);
        member.save(env, terms, caller)?;
        let keys = [selector("PoolMemberRewardAddressChanged"), caller];
        env.emit(&keys, &[new, old]);
        Ok(vec![])
    }

    fn member_info(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let address = calldata.felt()?;
        Ok(info(&Member::get(env, self.0, address)?))
    }

    fn perhaps_member_info(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let address = calldata.felt()?;
        let Some(member) = Member::find(env, self.0, address)? else {
            return Ok(vec![Felt::ONE]);
        };
        let mut felts = vec![Felt::ZERO];
        felts.extend(info(&member));
        Ok(felts)
    }

    #[expect(clippy::unnecessary_wraps, reason = "the shape of all entrypoints")]
    fn parameters(&self, _: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        let commission = Felt::from(COMMISSION);
        Ok(vec![STAKER, Felt::ZERO, STAKING, self.0.token, commission])
    }

    #[expect(
        clippy::unnecessary_wraps,
        clippy::unused_self,
        reason = "the shape of all entrypoints"
    )]
    fn delegated_stake(&self, env: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        Ok(vec![felt(env.read(STAKED, &[]))])
    }
}
