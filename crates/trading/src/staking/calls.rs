//! The calls of members.

use crate::{Call, adapter::halves};
use primitives::{Address, Felt, U256};

/// How pools name what begins and ends a withdrawal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WithdrawalNames {
    /// `initiate_withdraw` and `claim_withdraw`, as the API's documentation shows
    /// them.
    Documented,
    /// `exit_delegation_pool_intent` and `exit_delegation_pool_action`, as the
    /// public network's pools have them.
    Chain,
}

/// Lets the pool take an amount, and has it do so: for a new member, who is paid
/// rewards themselves, or for one who is there.
#[must_use]
pub fn stake_calls(
    [pool, token]: [Address; 2],
    user: Address,
    amount: u128,
    is_member: bool,
) -> [Call; 2] {
    let entrypoint = if is_member {
        "add_to_delegation_pool"
    } else {
        "enter_delegation_pool"
    };
    let stake = Call {
        to: pool,
        entrypoint,
        calldata: vec![user.felt(), Felt::from(amount)],
    };
    [approval(token, pool, amount), stake]
}

fn approval(token: Address, spender: Address, amount: u128) -> Call {
    let [low, high] = halves(U256::from(amount));
    Call {
        to: token,
        entrypoint: "approve",
        calldata: vec![spender.felt(), low, high],
    }
}

/// Takes an amount out of the stake, to be had after a while.
#[must_use]
pub fn initiate_withdrawal_call(names: WithdrawalNames, pool: Address, amount: u128) -> Call {
    let (entrypoint, calldata) = match names {
        WithdrawalNames::Documented => ("initiate_withdraw", halves(U256::from(amount)).to_vec()),
        WithdrawalNames::Chain => ("exit_delegation_pool_intent", vec![Felt::from(amount)]),
    };
    Call {
        to: pool,
        entrypoint,
        calldata,
    }
}

/// Has the pool pay what was taken out of the stake.
#[must_use]
pub fn claim_withdrawal_call(names: WithdrawalNames, pool: Address, user: Address) -> Call {
    let (entrypoint, calldata) = match names {
        WithdrawalNames::Documented => ("claim_withdraw", vec![]),
        WithdrawalNames::Chain => ("exit_delegation_pool_action", vec![user.felt()]),
    };
    Call {
        to: pool,
        entrypoint,
        calldata,
    }
}

/// Has the pool pay rewards, and stakes so much of them with the same pool.
#[must_use]
pub fn claim_rewards_calls(
    [pool, token]: [Address; 2],
    user: Address,
    restaked: Option<u128>,
) -> Vec<Call> {
    let claim = Call {
        to: pool,
        entrypoint: "claim_rewards",
        calldata: vec![user.felt()],
    };
    let mut calls = vec![claim];
    if let Some(amount) = restaked {
        calls.extend(stake_calls([pool, token], user, amount, true));
    }
    calls
}
