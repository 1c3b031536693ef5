//! What staking rewards again would cost.

use super::{
    handle::{Inner, Staking},
    member::{MemberAt, PATIENCE},
    staker::StakingPool,
};
use crate::fault::Fault;
use chain::{Broadcast, ContractCall, StarknetClient};
use primitives::{Address, BlockRef, transaction_hash::ResourceBounds};
use trading::staking::{claim_rewards_calls, restaked_rewards};

/// Rewards that could be staked again, at a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Restake {
    /// How much STRK.
    pub rewards: u128,
    /// What the node expects the transaction to cost, in the smallest unit of STRK.
    pub gas_fee: u128,
}

impl Staking {
    /// What staking somebody's rewards again would cost now. None if nothing can be,
    /// or no node says it in time.
    pub async fn restake(
        &self,
        pool: &StakingPool,
        user: Address,
        known: &MemberAt,
    ) -> Option<Restake> {
        let reward_token = self.options().reward_token;
        let member = known.member.as_ref();
        let rewards = restaked_rewards(member, user, [pool.token, reward_token]).ok()??;
        let calls = claim_rewards_calls([pool.address, pool.token], user, Some(rewards));
        let calls: Vec<ContractCall> = calls
            .into_iter()
            .map(|call| ContractCall::new(call.to, call.entrypoint, call.calldata))
            .collect();
        let asked = self.inner().gas_fee(user, &calls, known.snapshot.head);
        let gas_fee = tokio::time::timeout(PATIENCE, asked).await.ok()?;
        match gas_fee {
            Ok(gas_fee) => gas_fee.map(|gas_fee| Restake { rewards, gas_fee }),
            Err(fault) => {
                tracing::debug!(error = fault.chain_text(), "restaking has no price");
                None
            }
        }
    }
}

impl Inner {
    /// What an account's calls are expected to cost; none if there is no account.
    async fn gas_fee(
        &self,
        user: Address,
        calls: &[ContractCall],
        at: BlockRef,
    ) -> Result<Option<u128>, Fault> {
        let ask = |node: StarknetClient| async move {
            let nonces = node.nonces(&[user], at).await?;
            let Some(nonce) = nonces.first().copied().flatten() else {
                return Ok(None);
            };
            let unsigned = Broadcast::calls(user, calls, nonce, ResourceBounds::default());
            let estimate = node.estimate_fee(&unsigned, at).await?;
            Ok(Some(estimate.overall_fee))
        };
        self.first_of(ask).await
    }
}
