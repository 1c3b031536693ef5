//! Recurring orders' part of the service: who executes them, and on a simulated
//! network who orders.

use super::tasks::{Tasks, ending};
use crate::{
    config::{Config, Role},
    network::Network,
    people::Saver,
    wiring::{self, OrderJobs, StarknetClient},
};
use anyhow::Context as _;
use std::net::SocketAddr;

/// Starts the keeper, and who measures what is executed.
pub(super) fn spawn_jobs(jobs: OrderJobs, tasks: &mut Tasks) {
    let OrderJobs { keeper, benchmarks } = jobs;
    if let Some((keeper, duty)) = keeper {
        tasks.spawn("keeper of recurring orders", |stop| {
            ending(keeper.run(duty, stop))
        });
    }
    if let Some(benchmarks) = benchmarks {
        tasks.spawn("benchmarks of recurring orders", |stop| {
            ending(benchmarks.run(stop))
        });
    }
}

/// Starts somebody who orders on our own simulated network.
pub(super) fn spawn_saver(
    config: &Config,
    node: Option<StarknetClient>,
    listener: SocketAddr,
    tasks: &mut Tasks,
) -> anyhow::Result<()> {
    let has_api = config.process.roles.contains(&Role::Api);
    let Some(node) = node.filter(|_| config.dca.people && has_api) else {
        return Ok(());
    };
    let api = format!("http://{listener}").parse();
    let api = api.context("the listener's address")?;
    let chain_id = Network::simulated().chain_id();
    let saver = Saver::new(api, node, chain_id, wiring::entropy())?;
    tasks.spawn("simulated saver", |stop| ending(saver.run(stop)));
    Ok(())
}
