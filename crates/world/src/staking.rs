//! Staking in a world.

use crate::{Station, World};
use services::{STRK, Staking, StakingOptions};
use simnet::StarknetNode;
use trading::staking::WithdrawalNames;

impl World {
    /// The staker of the network, which nobody has read yet.
    pub fn staking(&self, station: &Station, names: WithdrawalNames) -> Staking {
        let options = StakingOptions {
            contract: StarknetNode::staking(),
            staker: StarknetNode::staker(),
            names,
            reward_token: STRK,
        };
        let (store, snapshots) = (station.store.clone(), station.snapshots.clone());
        Staking::new(options, vec![self.client.clone()], store, snapshots)
    }
}
