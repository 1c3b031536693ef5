//! What a member may do now.

use primitives::{Address, Timestamp, U256};
use thiserror::Error;

/// A member of a pool, as the pool tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// Where rewards go.
    pub reward_address: Address,
    /// What is staked.
    pub amount: u128,
    /// STRK that was earned and not paid.
    pub unclaimed_rewards: u128,
    /// What was taken out of the stake and is not paid yet.
    pub unpool_amount: u128,
    /// When that can be had.
    pub unpool_time: Option<Timestamp>,
}

/// Why a withdrawal cannot begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum BadWithdrawal {
    /// Nothing is staked.
    #[error("userAddress has nothing staked in this pool")]
    NoStake,
    /// Less is staked.
    #[error("amount {amount:#x} is more than the stake, which is {stake:#x}")]
    AboveStake {
        /// What was to be withdrawn.
        amount: U256,
        /// What can be.
        stake: U256,
    },
}

/// Why a withdrawal cannot be claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum EarlyClaim {
    /// None was begun.
    #[error("no withdrawal was initiated; initiate one first")]
    NoWithdrawal,
    /// It takes longer.
    #[error("the withdrawal can be claimed from {0} on")]
    NotYet(Timestamp),
}

/// Why rewards cannot be staked again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum BadRestake {
    /// The pool takes something else than rewards are paid in.
    #[error("rewards are paid in STRK, which this pool does not take: restake must be false")]
    OtherToken,
    /// Somebody else is paid.
    #[error("rewards go to {0}, who alone can stake them: restake must be false")]
    PaidElsewhere(Address),
}

/// The amount of a withdrawal that may begin. It takes the place of an earlier one
/// that was not claimed, so that all that is not paid yet can be withdrawn.
pub fn withdrawal_amount(member: Option<&Member>, amount: U256) -> Result<u128, BadWithdrawal> {
    let stake = member.map_or(U256::ZERO, |it| {
        U256::from(it.amount) + U256::from(it.unpool_amount)
    });
    if stake.is_zero() {
        return Err(BadWithdrawal::NoStake);
    }
    let fitting = u128::try_from(amount).ok().filter(|_| amount <= stake);
    fitting.ok_or(BadWithdrawal::AboveStake { amount, stake })
}

/// Whether a withdrawal can be claimed at the time of a block.
pub fn check_withdrawal(member: Option<&Member>, now: Timestamp) -> Result<(), EarlyClaim> {
    let time = member.and_then(|it| it.unpool_time);
    let time = time.ok_or(EarlyClaim::NoWithdrawal)?;
    if now < time {
        return Err(EarlyClaim::NotYet(time));
    }
    Ok(())
}

/// How much of the rewards is to be staked again: all that there is, if there
/// is any.
pub fn restaked_rewards(
    member: Option<&Member>,
    user: Address,
    [token, reward_token]: [Address; 2],
) -> Result<Option<u128>, BadRestake> {
    if token != reward_token {
        return Err(BadRestake::OtherToken);
    }
    let Some(member) = member else {
        return Ok(None);
    };
    if member.reward_address != user {
        return Err(BadRestake::PaidElsewhere(member.reward_address));
    }
    let rewards = member.unclaimed_rewards;
    Ok((rewards > 0).then_some(rewards))
}
