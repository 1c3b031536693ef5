//! What is configured of staking.

use primitives::Address;
use trading::staking::WithdrawalNames;

/// Which staker, and how its pools are called.
#[derive(Debug, Clone)]
pub struct StakingOptions {
    /// The network's staking contract.
    pub contract: Address,
    /// The one whose pools are offered.
    pub staker: Address,
    /// How its pools name withdrawals.
    pub names: WithdrawalNames,
    /// What rewards are paid in: STRK.
    pub reward_token: Address,
}
