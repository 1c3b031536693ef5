//! The contracts that execute swaps: configured, or known by the network.

use crate::{config::Config, network::Network};
use primitives::{Address, Felt};
use simnet::StarknetNode;

/// The aggregator's exchange on Starknet's public networks.
const MAINNET: Address = Address::new(Felt::from_hex_unchecked(
    "0x4270219d365d6b017231b52e92b3fb5d7c8378b05e9abc97724537a80e93b0f",
));
const SEPOLIA: Address = Address::new(Felt::from_hex_unchecked(
    "0x2c56e8b00dbe2a71e57472685378fc8988bba947e9a99b26a00fade2b4fe7c2",
));

/// The exchange contract, if there is one.
pub(crate) fn exchange(config: &Config, network: Network) -> Option<Address> {
    let known = || {
        if network.is_simulated() {
            Some(StarknetNode::exchange())
        } else if network.is_mainnet() {
            Some(MAINNET)
        } else {
            network.is_sepolia().then_some(SEPOLIA)
        }
    };
    config.swap.exchange.or_else(known)
}

/// The contract that executes private swaps, if there is one.
pub(crate) fn executor(config: &Config, network: Network) -> Option<Address> {
    let simulated = || network.is_simulated().then(StarknetNode::private_executor);
    config.swap.executor.or_else(simulated)
}

/// The factory of recurring orders, if there is one. No public one is known.
pub(crate) fn order_factory(config: &Config, network: Network) -> Option<Address> {
    let simulated = || {
        network
            .is_simulated()
            .then(StarknetNode::recurring_order_factory)
    };
    config.dca.factory.or_else(simulated)
}
