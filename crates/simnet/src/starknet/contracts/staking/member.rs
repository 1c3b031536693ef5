//! A member of a pool: what they staked, what it earned, what they withdraw.
//!
//! Rewards come by the second and are never handed out: the pool knows what one
//! unit of stake has earned since the beginning, a member what that was when their
//! stake last changed.

use super::terms::{COMMISSION, COMMISSION_DENOMINATOR, EPOCH_SECONDS, PoolTerms};
use crate::starknet::contract::Env;
use crate::starknet::contracts::arithmetic::{add, mul, mul_div, sub};
use crate::starknet::failure::Revert;
use crate::starknet::hash::{felt, from_felt};
use crate::starknet::state::Variable;
use primitives::{Felt, OrImpossible as _, U256};

/// What all members have staked.
pub(super) const STAKED: Variable = Variable::felt("Pool_staked");

/// What a unit of stake had earned when the stakes last changed, times
/// [`scale`], and when that was.
const EARNED: Variable = Variable::u256("Pool_earned");
pub(super) const CHANGED: Variable = Variable::felt("Pool_changed");

pub(super) const REWARD_ADDRESS: Variable = Variable::felt("Pool_member_reward_address");
pub(super) const AMOUNT: Variable = Variable::felt("Pool_member_amount");
const MEMBER_EARNED: Variable = Variable::u256("Pool_member_earned");
const UNCLAIMED: Variable = Variable::felt("Pool_member_unclaimed_rewards");
const UNPOOL_AMOUNT: Variable = Variable::felt("Pool_member_unpool_amount");
const UNPOOL_TIME: Variable = Variable::felt("Pool_member_unpool_time");

const TOO_LARGE: &str = "Overflow during computation rewards";

/// Earnings of a unit are kept in parts of this size.
fn scale() -> U256 {
    U256::from(10_u128.pow(28))
}

/// A member as of now.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) reward_address: Felt,
    pub(super) amount: U256,
    pub(super) unclaimed: U256,
    pub(super) unpool_amount: U256,
    /// When they can have that.
    pub(super) unpool_time: Option<u64>,
}

impl Member {
    /// The member of that address, if there is one.
    pub(super) fn find(
        env: &Env<'_, '_>,
        terms: &PoolTerms,
        address: Felt,
    ) -> Result<Option<Self>, Revert> {
        let of = |variable| env.read(variable, &[address]);
        let reward_address = of(REWARD_ADDRESS);
        if reward_address.is_zero() {
            return Ok(None);
        }
        let since = sub(earned(env, terms)?, of(MEMBER_EARNED))?;
        let new = mul_div(of(AMOUNT), since, scale(), TOO_LARGE)?;
        let unpool_time = time(of(UNPOOL_TIME));
        Ok(Some(Self {
            reward_address: felt(reward_address),
            amount: of(AMOUNT),
            unclaimed: add(of(UNCLAIMED), new)?,
            unpool_amount: of(UNPOOL_AMOUNT),
            unpool_time: (unpool_time > 0).then_some(unpool_time),
        }))
    }

    /// The same, who must be there.
    pub(super) fn get(env: &Env<'_, '_>, terms: &PoolTerms, address: Felt) -> Result<Self, Revert> {
        let found = Self::find(env, terms, address)?;
        found.ok_or_else(|| Revert::new("Pool member does not exist"))
    }

    /// Writes the member down as they are now, and what that makes of the pool.
    pub(super) fn save(
        &self,
        env: &mut Env<'_, '_>,
        terms: &PoolTerms,
        address: Felt,
    ) -> Result<(), Revert> {
        let earned = earned(env, terms)?;
        let before = env.read(AMOUNT, &[address]);
        let staked = add(sub(env.read(STAKED, &[]), before)?, self.amount)?;
        env.write(EARNED, &[], earned);
        env.write(CHANGED, &[], U256::from(env.time()));
        env.write(STAKED, &[], staked);
        for (variable, value) in [
            (REWARD_ADDRESS, from_felt(self.reward_address)),
            (AMOUNT, self.amount),
            (MEMBER_EARNED, earned),
            (UNCLAIMED, self.unclaimed),
            (UNPOOL_AMOUNT, self.unpool_amount),
            (UNPOOL_TIME, U256::from(self.unpool_time.unwrap_or(0))),
        ] {
            env.write(variable, &[address], value);
        }
        Ok(())
    }
}

/// A time that was written.
fn time(stored: U256) -> u64 {
    u64::try_from(stored)
        .or_impossible("times have 64 bits")
        .unwrap_or(u64::MAX)
}

/// What a unit of stake has earned until now: its share of what all stakes of
/// the token earn, without the commission, rounded down.
fn earned(env: &Env<'_, '_>, terms: &PoolTerms) -> Result<U256, Revert> {
    let changed = time(env.read(CHANGED, &[]));
    let seconds = U256::from(env.time().saturating_sub(changed));
    let kept = U256::from(COMMISSION_DENOMINATOR - COMMISSION);
    let rewards = mul(mul(U256::from(terms.epoch_rewards), seconds)?, kept)?;
    let all = add(env.read(STAKED, &[]), U256::from(terms.elsewhere))?;
    let parts = U256::from(EPOCH_SECONDS) * U256::from(COMMISSION_DENOMINATOR);
    let new = mul_div(rewards, scale(), mul(all, parts)?, TOO_LARGE)?;
    add(env.read(EARNED, &[]), new)
}
