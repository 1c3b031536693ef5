//! The staker, as the chain told of it at a block.

use super::options::StakingOptions;
use chain::{DelegationPool, StakerAnswer};
use primitives::{Address, BlockRef};
use trading::staking::Earnings;

/// The staker, at a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Staker {
    /// The block.
    pub at: BlockRef,
    /// Who it is.
    pub address: Address,
    /// Where its own rewards go.
    pub reward_address: Address,
    /// Who works for it.
    pub operational_address: Address,
    /// What it has staked itself.
    pub own_stake: u128,
    /// What it keeps of its members' rewards, in basis points.
    pub commission: u16,
    /// Seconds that a withdrawal takes.
    pub exit_window_s: u64,
    /// Where its members stake, in the contract's order.
    pub pools: Vec<StakingPool>,
}

/// A pool of the staker's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StakingPool {
    /// The pool.
    pub address: Address,
    /// What it takes.
    pub token: Address,
    /// What its members have staked.
    pub stake: u128,
    /// What stakes earn there.
    pub earnings: Earnings,
}

impl Staker {
    /// What an answer means.
    pub(super) fn new(options: &StakingOptions, answer: &StakerAnswer, at: BlockRef) -> Self {
        let pools = answer.pools.iter();
        Self {
            at,
            address: options.staker,
            reward_address: answer.reward_address,
            operational_address: answer.operational_address,
            own_stake: answer.own_stake,
            commission: answer.commission,
            exit_window_s: answer.exit_window_s,
            pools: pools
                .map(|it| pool(it, answer, options.reward_token))
                .collect(),
        }
    }

    /// The pool at an address, or the one that takes the token there.
    #[must_use]
    pub fn pool(&self, asked: Address) -> Option<&StakingPool> {
        let pools = || self.pools.iter();
        let named = pools().find(|pool| pool.address == asked);
        named.or_else(|| pools().find(|pool| pool.token == asked))
    }
}

/// All that is not STRK is a token of Bitcoin, and earns together.
fn pool(pool: &DelegationPool, answer: &StakerAnswer, strk: Address) -> StakingPool {
    let ([strk_rewards, btc_rewards], [strk_stakes, btc_stakes]) =
        (answer.epoch_rewards, answer.all_stakes);
    let (epoch_rewards, all_stakes) = if pool.token == strk {
        (strk_rewards, strk_stakes)
    } else {
        (btc_rewards, btc_stakes)
    };
    StakingPool {
        address: pool.address,
        token: pool.token,
        stake: pool.stake,
        earnings: Earnings {
            epoch_rewards,
            epoch_seconds: answer.epoch_seconds,
            all_stakes,
            decimals: pool.decimals,
            commission: answer.commission,
        },
    }
}
