//! The lease market's part of the service: opened before the API, working
//! beside it.

use super::{
    banner::Simulation,
    tasks::{Tasks, ending},
};
use crate::{
    config::{Config, Role},
    people::People,
    wiring::{self, Cluster, LeaseMarket},
};
use anyhow::Context as _;
use std::{net::SocketAddr, sync::Arc};
use tokio_util::sync::CancellationToken;
use url::Url;

/// The market, if there is one: reached at `listener` unless the configuration
/// says where else.
pub(super) async fn open(
    config: &Config,
    store: &wiring::Store,
    simulated: Option<&Url>,
    listener: SocketAddr,
) -> anyhow::Result<Option<LeaseMarket>> {
    match Cluster::open(config, store, simulated).await? {
        Some(cluster) => cluster.market(config, store, listener).await.map(Some),
        None => Ok(None),
    }
}

/// Starts what the market needs done. Every process has to know the epoch; the
/// rest is for those with the role.
pub(super) fn spawn(
    config: &Config,
    market: &LeaseMarket,
    tasks: &mut Tasks,
) -> anyhow::Result<()> {
    if let Some(late) = market.late.clone() {
        tasks.spawn("connection to a Solana node", |stop| ending(late.run(stop)));
    }
    let poll = config.solana.poll;
    let watch = market.leasing.epoch_watch();
    tasks.spawn("watch of epochs", |stop| ending(watch.run(poll, stop)));
    if !config.process.roles.contains(&Role::Jobs) {
        return Ok(());
    }
    let settlement = market.leasing.settlement();
    tasks.spawn("settlement", |stop| ending(settlement.run(poll, stop)));
    let sweeper = market.leasing.sweeper();
    tasks.spawn("sweeper", |stop| ending(sweeper.run(poll, stop)));
    let blocks = market.leasing.block_watch();
    tasks.spawn("watch of blocks", |stop| ending(blocks.run(poll, stop)));
    let chain = market.leasing.audit_chain();
    tasks.spawn("audit log", |stop| ending(chain.run(poll, stop)));
    let feed = market.leasing.webhook_feed();
    tasks.spawn("webhook feed", |stop| ending(feed.run(poll, stop)));
    let lookup: Arc<dyn wiring::Lookup> = Arc::new(wiring::SystemLookup);
    let sender = market.leasing.webhook_sender(&lookup);
    let sender = sender.context("cannot send to webhooks")?;
    tasks.spawn("webhook sender", |stop| ending(sender.run(poll, stop)));
    Ok(())
}

/// Starts the simulated people of our own simulated network.
pub(super) fn spawn_people(
    config: &Config,
    market: &LeaseMarket,
    simulation: &Simulation,
    listener: SocketAddr,
    tasks: &mut Tasks,
) -> anyhow::Result<()> {
    let has_api = config.process.roles.contains(&Role::Api);
    if !config.leasing.people || !has_api || config.solana.rpc.is_some() {
        return Ok(());
    }
    let api = format!("http://{listener}").parse();
    let people = People::new(
        api.context("the listener's address")?,
        simulation
            .solana
            .parse()
            .context("the simulated node's address")?,
        &market.domain,
        config.simnet.seed,
        simulation.validators.clone(),
        &wiring::clock(),
        wiring::entropy(),
    )?;
    tasks.spawn("simulated people", |stop: CancellationToken| {
        ending(people.run(stop))
    });
    Ok(())
}
