//! What the network's staking contract tells of a staker, and a delegation pool
//! of its members, by the layouts of the public network.

use super::{
    calls::{Said, View, ask},
    venues::{Untold, Words},
};
use crate::{error::RpcError, jsonrpc::JsonRpc};
use primitives::{Address, Felt};

/// More pools than this one staker does not have.
const MAX_POOLS: usize = 16;

/// Of whom is asked.
#[derive(Debug, Clone, Copy)]
pub struct StakerQuestion {
    /// The staking contract.
    pub contract: Address,
    /// The address that stakes, by which the contract knows the staker.
    pub staker: Address,
}

/// What is told of a staker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StakerAnswer {
    /// Where its own rewards go.
    pub reward_address: Address,
    /// Who works for it.
    pub operational_address: Address,
    /// What it has staked itself.
    pub own_stake: u128,
    /// What it keeps of its members' rewards, in basis points.
    pub commission: u16,
    /// Where its members stake, in the contract's order; 16 at most.
    pub pools: Vec<DelegationPool>,
    /// Seconds that a withdrawal takes.
    pub exit_window_s: u64,
    /// How long an epoch lasts, which `epoch_rewards` are earned in.
    pub epoch_seconds: u64,
    /// What all stakers have staked: STRK, and tokens of Bitcoin, with 18 decimals.
    pub all_stakes: [u128; 2],
    /// STRK that both earn in an epoch.
    pub epoch_rewards: [u128; 2],
}

/// A pool of a staker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DelegationPool {
    /// The pool.
    pub address: Address,
    /// What it takes.
    pub token: Address,
    /// What its members have staked.
    pub stake: u128,
    /// The token's decimals.
    pub decimals: u8,
}

/// What a pool tells of somebody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolMember {
    /// Where rewards go.
    pub reward_address: Address,
    /// What is staked.
    pub amount: u128,
    /// STRK that was earned and not paid.
    pub unclaimed_rewards: u128,
    /// What was taken out of the stake and is not paid yet.
    pub unpool_amount: u128,
    /// When that can be had, in seconds since 1970.
    pub unpool_time: Option<u64>,
}

/// Whether somebody is a member of a pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Membership {
    /// They are.
    Member(PoolMember),
    /// They are not.
    None,
    /// The pool does not tell.
    Untold,
}

/// What the contract tells of a staker; `None` if there is no such staker, or if
/// something is told in another way.
pub(super) async fn staker(
    rpc: &JsonRpc,
    question: StakerQuestion,
    block_hash: Felt,
) -> Result<Option<StakerAnswer>, RpcError> {
    let StakerQuestion { contract, staker } = question;
    let of_staker = |entrypoint| View {
        contract,
        entrypoint,
        calldata: vec![staker.felt()],
    };
    let views = [
        of_staker("get_staker_info_v1"),
        of_staker("staker_pool_info"),
        View::plain(contract, "contract_parameters_v1"),
        View::plain(contract, "get_epoch_info"),
        View::plain(contract, "get_current_total_staking_power"),
    ];
    let said = told(ask(rpc, &views, block_hash).await?)?;
    let Some(mut read) = said.and_then(|said| first_part(&said)) else {
        return Ok(None);
    };
    let supplier = View::plain(read.supplier, "calculate_current_epoch_rewards");
    let pools = &read.answer.pools;
    let decimals = pools.iter().map(|pool| View::plain(pool.token, "decimals"));
    let views: Vec<View> = decimals.chain([supplier]).collect();
    let said = told(ask(rpc, &views, block_hash).await?)?;
    let complete = said.and_then(|said| second_part(&mut read.answer, &said));
    Ok(complete.map(|()| read.answer))
}

/// All that was said, or nothing if one view said nothing.
fn told(said: Vec<Said>) -> Result<Option<Vec<Vec<Felt>>>, RpcError> {
    let mut all = Vec::with_capacity(said.len());
    for said in said {
        let Some(felts) = said.felts()? else {
            return Ok(None);
        };
        all.push(felts);
    }
    Ok(Some(all))
}

/// An answer to which the supplier of rewards has to add something.
struct Begun {
    answer: StakerAnswer,
    supplier: Address,
}

fn first_part(said: &[Vec<Felt>]) -> Option<Begun> {
    let [info, pools, parameters, epochs, stakes] = said else {
        return None;
    };
    let mut info = Words::new(&[], info);
    if !is_some(&mut info).ok()? {
        return None;
    }
    let (reward_address, operational_address) = (info.address().ok()?, info.address().ok()?);
    // Whether it leaves is not asked.
    if is_some(&mut info).ok()? {
        info.skip(1).ok()?;
    }
    let own_stake = info.u128().ok()?;
    let mut pools = Words::new(&[], pools);
    let commission = if is_some(&mut pools).ok()? {
        u16::try_from(pools.u64().ok()?).ok()?
    } else {
        0
    };
    let count = usize::try_from(pools.u64().ok()?).ok()?;
    let pools = (0..count.min(MAX_POOLS)).map(|_| pool(&mut pools).ok());
    let mut parameters = Words::new(&[], parameters);
    parameters.skip(4).ok()?;
    let (supplier, exit_window_s) = (parameters.address().ok()?, parameters.u64().ok()?);
    let mut stakes = Words::new(&[], stakes);
    let answer = StakerAnswer {
        reward_address,
        operational_address,
        own_stake,
        commission,
        pools: pools.collect::<Option<_>>()?,
        exit_window_s,
        epoch_seconds: Words::new(&[], epochs).u64().ok()?,
        all_stakes: [stakes.u128().ok()?, stakes.u128().ok()?],
        epoch_rewards: [0; 2],
    };
    Some(Begun { answer, supplier })
}

fn pool(words: &mut Words<'_>) -> Result<DelegationPool, Untold> {
    Ok(DelegationPool {
        address: words.address()?,
        token: words.address()?,
        stake: words.u128()?,
        decimals: 0,
    })
}

fn second_part(answer: &mut StakerAnswer, said: &[Vec<Felt>]) -> Option<()> {
    let (rewards, decimals) = said.split_last()?;
    for (pool, said) in answer.pools.iter_mut().zip(decimals) {
        let decimals = Words::new(&[], said).u64().ok()?;
        pool.decimals = u8::try_from(decimals).ok()?;
    }
    let mut rewards = Words::new(&[], rewards);
    answer.epoch_rewards = [rewards.u128().ok()?, rewards.u128().ok()?];
    Some(())
}

/// The first element of something that may not be there.
fn is_some(words: &mut Words<'_>) -> Result<bool, Untold> {
    words.bool().map(|is_none| !is_none)
}

/// What a pool tells of somebody.
pub(super) async fn member(
    rpc: &JsonRpc,
    pool: Address,
    member: Address,
    block_hash: Felt,
) -> Result<Membership, RpcError> {
    let view = View {
        contract: pool,
        entrypoint: "get_pool_member_info_v1",
        calldata: vec![member.felt()],
    };
    let said = told(ask(rpc, &[view], block_hash).await?)?;
    let read = said.and_then(|said| member_of(said.first()?).ok());
    Ok(read.unwrap_or(Membership::Untold))
}

fn member_of(said: &[Felt]) -> Result<Membership, Untold> {
    let mut words = Words::new(&[], said);
    if !is_some(&mut words)? {
        return Ok(Membership::None);
    }
    let (reward_address, amount) = (words.address()?, words.u128()?);
    let unclaimed_rewards = words.u128()?;
    // The commission is the staker's.
    words.skip(1)?;
    let unpool_amount = words.u128()?;
    let unpool_time = if is_some(&mut words)? {
        Some(words.u64()?)
    } else {
        None
    };
    Ok(Membership::Member(PoolMember {
        reward_address,
        amount,
        unclaimed_rewards,
        unpool_amount,
        unpool_time,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn felts(numbers: &[u64]) -> Vec<Felt> {
        numbers.iter().copied().map(Felt::from).collect()
    }

    #[test]
    fn a_member_is_read_with_and_without_a_withdrawal() {
        let member = PoolMember {
            reward_address: Address::new(Felt::from(9)),
            amount: 100,
            unclaimed_rewards: 7,
            unpool_amount: 30,
            unpool_time: Some(1_800),
        };
        let leaving = felts(&[0, 9, 100, 7, 500, 30, 0, 1_800]);
        assert_eq!(member_of(&leaving), Ok(Membership::Member(member)));
        let staying = PoolMember {
            unpool_time: None,
            ..member
        };
        let told = member_of(&felts(&[0, 9, 100, 7, 500, 30, 1]));
        assert_eq!(told, Ok(Membership::Member(staying)));
        assert_eq!(member_of(&felts(&[1])), Ok(Membership::None));
        assert_eq!(member_of(&felts(&[0, 9])), Err(Untold::Malformed));
    }

    proptest! {
        #[test]
        fn whatever_contracts_say_nothing_panics(
            said in prop::collection::vec(prop::collection::vec(any::<u64>(), 0..12), 0..7),
        ) {
            let said: Vec<Vec<Felt>> = said.iter().map(|it| felts(it)).collect();
            if let Some(mut begun) = first_part(&said) {
                let _ = second_part(&mut begun.answer, &said);
            }
            for felts in &said {
                let _ = member_of(felts);
            }
        }
    }
}
