//! With whom people stake: configured, or known by the network.

use crate::{
    config::{Config, StakingNames},
    network::Network,
};
use primitives::{Address, Felt};
use services::StakingOptions;
use simnet::StarknetNode;
use trading::staking::WithdrawalNames;

/// The staking contracts of Starknet's public networks.
const MAINNET: Address =
    address("0xca1702e64c81d9a07b86bd2c540188d92a2c73cf5cc0e508d949015e7e84a7");
const SEPOLIA: Address =
    address("0x3745ab04a431fc02871a139be6b93d9260b0ff3e779ad9c8b377183b23109f1");

/// What rewards are paid in, on all networks.
const STRK: Address = address("0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d");

const fn address(hex: &'static str) -> Address {
    Address::new(Felt::from_hex_unchecked(hex))
}

/// Whether the simulated network's own staker is there.
fn is_simulated(config: &Config, network: Network) -> bool {
    network.is_simulated() && config.simnet.pools > 0
}

/// The staker, if there is one.
pub(crate) fn options(config: &Config, network: Network) -> Option<StakingOptions> {
    let staking = &config.staking;
    let simulated = is_simulated(config, network);
    let staker = staking
        .staker
        .or_else(|| simulated.then(StarknetNode::staker))?;
    let known = if network.is_simulated() {
        Some(StarknetNode::staking())
    } else if network.is_mainnet() {
        Some(MAINNET)
    } else {
        network.is_sepolia().then_some(SEPOLIA)
    };
    let usual = if network.is_simulated() {
        StakingNames::Documented
    } else {
        StakingNames::Chain
    };
    let names = match staking.entrypoints.unwrap_or(usual) {
        StakingNames::Documented => WithdrawalNames::Documented,
        StakingNames::Chain => WithdrawalNames::Chain,
    };
    Some(StakingOptions {
        contract: staking.contract.or(known)?,
        staker,
        names,
        reward_token: STRK,
    })
}

/// The pools whose events are followed.
pub(crate) fn pools(config: &Config, network: Network) -> Vec<Address> {
    if options(config, network).is_none() {
        return Vec::new();
    }
    let mut pools = config.staking.pools.clone();
    if is_simulated(config, network) {
        pools.extend(StarknetNode::staking_pools().map(|(pool, _)| pool));
    }
    pools
}
