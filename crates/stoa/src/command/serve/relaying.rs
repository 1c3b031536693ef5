//! The paymaster's part of the service: following what was relayed, and on a
//! simulated network somebody who uses it.

use super::tasks::{Tasks, ending};
use crate::{
    config::{Config, Role},
    network::Network,
    people::Guest,
    wiring::{self, Duty, Paymaster, StarknetClient},
};
use anyhow::Context as _;
use std::net::SocketAddr;

/// Follows what was relayed.
pub(super) fn spawn(paymaster: Paymaster, duty: Duty, tasks: &mut Tasks) {
    tasks.spawn("paymaster", |stop| ending(paymaster.run(duty, stop)));
}

/// Starts somebody whose fees others pay on our own simulated network.
pub(super) fn spawn_guest(
    config: &Config,
    node: Option<StarknetClient>,
    listener: SocketAddr,
    tasks: &mut Tasks,
) -> anyhow::Result<()> {
    let has_api = config.process.roles.contains(&Role::Api);
    let Some(node) = node.filter(|_| config.paymaster.people && has_api) else {
        return Ok(());
    };
    let api = format!("http://{listener}").parse();
    let api = api.context("the listener's address")?;
    let chain_id = Network::simulated().chain_id();
    let guest = Guest::new(api, node, chain_id, wiring::entropy())?;
    tasks.spawn("simulated guest", |stop| ending(guest.run(stop)));
    Ok(())
}
