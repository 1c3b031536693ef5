//! Starting the parts, from the node to the sockets.

use super::{
    banner::{Banner, Simulation},
    sockets::{Sockets, reachable},
    tasks::Tasks,
};
use crate::{
    config::{Config, Role},
    network::Network,
    wiring::{self, Face, Service},
};
use anyhow::Context as _;
use std::time::Duration;
use tokio::{net::TcpListener, time::MissedTickBehavior};

/// How often the metrics are tidied.
const UPKEEP: Duration = Duration::from_secs(5);

/// What the service stands on.
struct Ground {
    network: Network,
    /// Only a process that indexes has one.
    node: Option<wiring::StarknetClient>,
    simulation: Option<Simulation>,
}

/// Starts every part and says what is served where.
pub(super) async fn start(
    config: &Config,
    store: &wiring::Store,
    sockets: Sockets,
    tasks: &mut Tasks,
) -> anyhow::Result<wiring::Health> {
    let metrics = wiring::metrics()?;
    let ground = match sockets.node {
        Some(listener) => simulate(config, listener, tasks).await?,
        None => connect(config).await?,
    };
    wiring::bind_chain(config, store, ground.network).await?;
    if let (Some(_), Some(node)) = (&ground.simulation, &ground.node) {
        wiring::forget_other_simulation(store, node).await?;
    }
    let Service { work, health, api } =
        wiring::service(config, store, ground.network, ground.node, metrics.clone()).await?;
    Banner {
        config,
        network: ground.network,
        whole: reachable(&sockets.whole)?,
        trade: sockets.trade.as_ref().map(reachable).transpose()?,
        simulation: ground.simulation,
    }
    .say();
    tasks.spawn(work.name(), |stop| async move {
        work.run(stop).await;
        Ok(())
    });
    let whole = if config.process.roles.contains(&Role::Api) {
        Face::Whole
    } else {
        Face::Operation
    };
    let faces = [(whole, Some(sockets.whole)), (Face::Trade, sockets.trade)];
    for (face, listener) in faces {
        let Some(listener) = listener else { continue };
        let (api, drain) = (api.clone(), config.server.drain);
        tasks.spawn("HTTP server", move |stop| {
            wiring::serve_face(api, face, listener, stop, drain)
        });
    }
    tasks.spawn("upkeep of metrics", |stop| async move {
        let mut ticks = tokio::time::interval(UPKEEP);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while stop.run_until_cancelled(ticks.tick()).await.is_some() {
            metrics.run_upkeep();
        }
        Ok(())
    });
    Ok(health)
}

/// Starts a node of our own, and reaches it as any other: over HTTP.
async fn simulate(
    config: &Config,
    listener: TcpListener,
    tasks: &mut Tasks,
) -> anyhow::Result<Ground> {
    let node = wiring::simulated_node(config).await?;
    let url = format!("http://{}/starknet", reachable(&listener)?);
    let client = wiring::client(config, url.parse().context("the simulated node's address")?)?;
    let accounts = node.accounts();
    let producer = node.clone();
    tasks.spawn_ground("simulated node", |stop| {
        wiring::serve_node(node, listener, stop)
    });
    tasks.spawn_ground("block production", |stop| async move {
        producer.produce(stop).await;
        Ok(())
    });
    Ok(Ground {
        network: Network::simulated(),
        node: Some(client),
        simulation: Some(Simulation { url, accounts }),
    })
}

/// Learns from the node which network it is.
async fn connect(config: &Config) -> anyhow::Result<Ground> {
    let Some(url) = &config.starknet.rpc else {
        // It follows a process with a simulated node, and needs none itself.
        return Ok(Ground {
            network: Network::simulated(),
            node: None,
            simulation: None,
        });
    };
    let context = || format!("cannot use the Starknet node {url}");
    let client = wiring::client(config, url.expose().clone()).with_context(context)?;
    client.spec_version().await.with_context(context)?;
    let chain_id = client.chain_id().await.with_context(context)?;
    let network = Network::of(chain_id, config.starknet.expect_chain_id).with_context(context)?;
    let indexes = config.process.roles.contains(&Role::Indexer);
    Ok(Ground {
        network,
        node: indexes.then_some(client),
        simulation: None,
    })
}
