//! A member, as their pool tells of them at the newest snapshot's block.

use super::{
    figures::{price, worth},
    handle::{Inner, Staking},
    staker::StakingPool,
};
use crate::{fault::Fault, snapshot::Snapshot};
use chain::{Membership, StarknetClient};
use primitives::{Address, Timestamp};
use std::{sync::Arc, time::Duration};
use trading::staking::Member;

/// How long a request waits for a node.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// A block can be gone when a node is asked about it; then the newest one is
/// taken, and so often.
const ATTEMPTS: usize = 3;

/// What is known of somebody at a block.
#[derive(Debug, Clone)]
pub struct MemberAt {
    /// Of the block.
    pub snapshot: Arc<Snapshot>,
    /// None of somebody who never staked.
    pub member: Option<Member>,
}

impl MemberAt {
    /// What a whole token is worth in USD at that block; 0 without a price.
    #[must_use]
    pub fn price(&self, token: Address) -> f64 {
        price(&self.snapshot, token).unwrap_or_default()
    }

    /// What an amount is worth in USD at that block; 0 without a price.
    #[must_use]
    pub fn worth(&self, token: Address, amount: u128) -> f64 {
        worth(&self.snapshot, token, amount)
    }
}

impl Staking {
    /// What a pool tells of somebody, at the newest block.
    pub async fn member(&self, pool: &StakingPool, user: Address) -> Result<MemberAt, Fault> {
        let asked = self.inner().member(pool.address, user);
        match tokio::time::timeout(PATIENCE, asked).await {
            Ok(told) => told,
            Err(_) => Err(Fault::NoNode),
        }
    }
}

impl Inner {
    async fn member(&self, pool: Address, user: Address) -> Result<MemberAt, Fault> {
        let mut last = Fault::NoNode;
        for _ in 0..ATTEMPTS {
            let snapshot = self.snapshots.load().ok_or(Fault::NoNode)?;
            let at = snapshot.head;
            let ask = |node: StarknetClient| async move { node.pool_member(pool, user, at).await };
            match self.first_of(ask).await {
                Ok(Membership::Member(told)) => {
                    let member = Some(Member {
                        reward_address: told.reward_address,
                        amount: told.amount,
                        unclaimed_rewards: told.unclaimed_rewards,
                        unpool_amount: told.unpool_amount,
                        unpool_time: told.unpool_time.map(time),
                    });
                    return Ok(MemberAt { snapshot, member });
                }
                Ok(Membership::None) => {
                    let member = None;
                    return Ok(MemberAt { snapshot, member });
                }
                Ok(Membership::Untold) => return Err(Fault::NoNode),
                Err(fault) => last = fault,
            }
        }
        Err(last)
    }
}

/// A time beyond the calendar is its end.
fn time(second: u64) -> Timestamp {
    let second = i64::try_from(second).ok();
    let time = second.and_then(|second| Timestamp::from_second(second).ok());
    time.unwrap_or(Timestamp::MAX)
}
