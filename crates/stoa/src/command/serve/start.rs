//! Starting the parts, from the node to the sockets.

use super::{
    accounts,
    apart::Apart,
    banner::{Banner, Simulation},
    market, orders, readers, ready, relaying,
    room::Room,
    sockets::{Sockets, reachable},
    tasks::{Tasks, ending},
};
use crate::{
    config::{Config, Role},
    network::Network,
    simulator,
    wiring::{self, HistoryProgress, ServedApi, Service, Sources, Work},
};
use anyhow::Context as _;
use metrics_exporter_prometheus::PrometheusHandle;
use std::time::Duration;
use tokio::{net::TcpListener, time::MissedTickBehavior};
use tokio_util::sync::CancellationToken;
use url::Url;

/// How often the metrics are tidied.
const UPKEEP: Duration = Duration::from_secs(5);

/// Where a simulated node has its aggregator, and the node of Solana.
const AGGREGATOR: &str = "/aggregator/api/v3";
const SOLANA: &str = "/solana";

/// What the service stands on.
struct Ground {
    network: Network,
    sources: Sources,
    /// Where new blocks are announced.
    announcements: Option<Url>,
    /// The simulated node of Solana, beside the one of Starknet.
    solana: Option<Url>,
    simulation: Option<Simulation>,
}

/// Starts every part and says what is served where.
pub(super) async fn start(
    config: &Config,
    store: &wiring::Store,
    sockets: Sockets,
    room: &Room,
    apart: &Apart,
    tasks: &mut Tasks,
    shows_accounts: bool,
) -> anyhow::Result<wiring::Health> {
    let metrics = wiring::metrics()?;
    let ground = match sockets.node {
        Some(listener) => simulate(config, listener, room, tasks).await?,
        None => connect(config, store).await?,
    };
    wiring::bind_chain(config, store, ground.network).await?;
    let listener = reachable(&sockets.whole)?;
    let market = market::open(config, store, ground.solana.as_ref(), listener).await?;
    let node = ground.sources.asked.first().cloned();
    let Service {
        work,
        health,
        readers,
        order_jobs,
        paymaster,
        api,
    } = wiring::service(
        config,
        store,
        ground.network,
        ground.sources,
        market.as_ref(),
        metrics.clone(),
    )
    .await?;
    Banner {
        config,
        network: ground.network,
        whole: listener,
        trade: sockets.trade.as_ref().map(reachable).transpose()?,
        market: sockets.market.as_ref().map(reachable).transpose()?,
        leasing: sockets.leasing.as_ref().map(reachable).transpose()?,
        paymaster: sockets.paymaster.as_ref().map(reachable).transpose()?,
        operations: sockets.operations.as_ref().map(reachable).transpose()?,
        site: market.as_ref().map(|market| market.face.base_url.as_str()),
        simulation: ground.simulation.as_ref(),
        shows_accounts,
    }
    .say();
    if let (true, Some(simulation), Some(node)) = (shows_accounts, &ground.simulation, &node) {
        simulation.say_accounts(node).await?;
        accounts::say_credentials(market.is_some());
    }
    let simulated = ground.simulation.as_ref().zip(node.as_ref());
    let api = steered(api, simulated, ground.network, market.is_some())?;
    if let Some(market) = &market {
        market::spawn(config, market, tasks)?;
        if let Some(simulation) = &ground.simulation {
            market::spawn_people(config, market, simulation, listener, tasks)?;
        }
    }
    spawn_work(work, ground.announcements, store, apart, tasks);
    readers::spawn(config, readers, tasks);
    orders::spawn_jobs(order_jobs, tasks);
    if let Some((paymaster, duty)) = paymaster {
        relaying::spawn(paymaster, duty, tasks);
    }
    if ground.simulation.is_some() {
        orders::spawn_saver(config, node.clone(), listener, tasks)?;
        relaying::spawn_guest(config, node, listener, tasks)?;
    }
    let whole = if config.process.roles.contains(&Role::Api) {
        ServedApi::Whole
    } else {
        ServedApi::Health
    };
    let (public, apart) = (&room.public, &room.operations);
    let faces = [
        (whole, Some(sockets.whole), public),
        (ServedApi::Trade, sockets.trade, public),
        (ServedApi::Market, sockets.market, public),
        (ServedApi::Leasing, sockets.leasing, public),
        (ServedApi::Paymaster, sockets.paymaster, public),
        (ServedApi::Operation, sockets.operations, apart),
    ];
    for (face, listener, connections) in faces {
        let Some(listener) = listener else { continue };
        let (api, drain) = (api.clone(), config.server.drain);
        let connections = connections.clone();
        tasks.spawn("HTTP server", move |stop| {
            wiring::serve_api(api, face, listener, connections, stop, drain)
        });
    }
    tasks.spawn("upkeep of metrics", |stop| ending(tidy(metrics, stop)));
    Ok(health)
}

/// Starts what follows the chain, and what wakes it.
fn spawn_work(
    work: Work,
    announcements: Option<Url>,
    store: &wiring::Store,
    apart: &Apart,
    tasks: &mut Tasks,
) {
    let bell = wiring::Doorbell::default();
    if let Some(url) = announcements {
        let bell = bell.clone();
        tasks.spawn("doorbell", |stop| {
            ending(async move { bell.ring_at_heads(url, stop).await })
        });
    }
    if let Some(commits) = store.chain().commits() {
        let (bell, duty) = (bell.clone(), work.duty().cloned());
        tasks.spawn("doorbell of the store", |stop| {
            ending(async move { bell.ring_at_commits(commits, duty, stop).await })
        });
    }
    tasks.spawn_on(apart.handle(), work.name(), |stop| {
        ending(work.run(bell, stop))
    });
}

async fn tidy(metrics: PrometheusHandle, stop: CancellationToken) {
    let mut ticks = tokio::time::interval(UPKEEP);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while stop.run_until_cancelled(ticks.tick()).await.is_some() {
        metrics.run_upkeep();
    }
}

/// The API with what the console steers simulated networks by, where they are ours.
fn steered(
    api: wiring::Api,
    simulated: Option<(&Simulation, &wiring::StarknetClient)>,
    network: Network,
    has_market: bool,
) -> anyhow::Result<wiring::Api> {
    let Some((simulation, node)) = simulated else {
        return Ok(api);
    };
    let steered = simulation.steered(node.clone(), network.chain_id(), has_market)?;
    Ok(api.with_simulator(simulator::routes(steered)))
}

/// The network of a store that has something to serve while no node answers.
async fn stored_network(
    config: &Config,
    store: &wiring::Store,
    silence: anyhow::Error,
) -> anyhow::Result<Network> {
    let chain = store.chain();
    let (tip, bound) = (chain.tip().await?, chain.bound_chain().await?);
    let Some(chain_id) = bound.filter(|_| tip.is_some()) else {
        return Err(silence);
    };
    let error = format!("{silence:#}");
    tracing::warn!(
        error,
        "no Starknet node answers: what the store has is served"
    );
    Ok(Network::of(chain_id, config.starknet.expect_chain_id)?)
}

/// Starts a node of our own, and reaches it as any other: over HTTP.
async fn simulate(
    config: &Config,
    listener: TcpListener,
    room: &Room,
    tasks: &mut Tasks,
) -> anyhow::Result<Ground> {
    let (simulation, url) = start_simulation(config, listener, room, tasks).await?;
    let client = wiring::client(config, url)?;
    Ok(Ground {
        network: Network::simulated(),
        sources: Sources {
            nodes: vec![client.clone()],
            asked: vec![client],
            aggregator: simulation.aggregator.parse().ok(),
        },
        announcements: simulation.announcements.parse().ok(),
        solana: simulation.solana.parse().ok(),
        simulation: Some(simulation),
    })
}

/// Starts the simulated nodes on a listener; also says where we ask the one of
/// Starknet.
pub(crate) async fn start_simulation(
    config: &Config,
    listener: TcpListener,
    room: &Room,
    tasks: &mut Tasks,
) -> anyhow::Result<(Simulation, Url)> {
    let progress = HistoryProgress::default();
    let node = wiring::simulated_node(config, progress.clone());
    let node = ready::while_making(&progress, node).await?;
    let solana = wiring::simulated_solana_node(config).await?;
    let address = reachable(&listener)?;
    let url = format!("http://{address}/starknet");
    // The newest version counts a block's events, so that none can be missed.
    let newest = format!("{url}/rpc/v0_10");
    let newest = newest.parse().context("the simulated node's address")?;
    let simulation = Simulation {
        url,
        announcements: format!("ws://{address}/starknet/ws"),
        aggregator: format!("http://{address}{AGGREGATOR}"),
        solana: format!("http://{address}{SOLANA}"),
        accounts: node.accounts(),
        wallets: solana.wallets(),
        validators: solana.validators(),
        head: node.head().number,
    };
    let producer = node.clone();
    let connections = room.nodes.clone();
    tasks.spawn_ground("simulated nodes", |stop| {
        wiring::serve_nodes(node, solana, listener, connections, stop)
    });
    tasks.spawn_ground("block production", |stop| async move {
        producer.produce(stop).await;
        Ok(())
    });
    Ok((simulation, newest))
}

/// Learns from the nodes which network it is. One that does not answer now may
/// later, as long as another one does.
async fn connect(config: &Config, store: &wiring::Store) -> anyhow::Result<Ground> {
    let mut ground = Ground {
        network: Network::simulated(),
        sources: Sources::default(),
        announcements: None,
        solana: None,
        simulation: None,
    };
    let Some(urls) = &config.starknet.rpc else {
        // It follows a process with a simulated node, and needs none itself.
        return Ok(ground);
    };
    let mut known = None;
    let mut silent = None;
    for url in urls.iter() {
        let context = || format!("cannot use the Starknet node {url}");
        let client = wiring::client(config, url.expose().clone()).with_context(context)?;
        match client.spec_version().await {
            Ok(_) if known.is_none() => {
                let chain_id = client.chain_id().await.with_context(context)?;
                let network = Network::of(chain_id, config.starknet.expect_chain_id);
                known = Some(network.with_context(context)?);
            }
            Ok(_) => {}
            Err(error) if error.is_transient() => {
                silent = Some(anyhow::Error::from(error).context(context()));
            }
            Err(error) => return Err(error).with_context(context),
        }
        ground.sources.nodes.push(client);
    }
    ground.network = match (known, silent) {
        (Some(network), _) => network,
        (None, Some(silence)) => stored_network(config, store, silence).await?,
        (None, None) => anyhow::bail!("no Starknet node is named"),
    };
    let sources = &mut ground.sources;
    sources.asked.clone_from(&sources.nodes);
    if !config.process.roles.contains(&Role::Indexer) {
        sources.nodes.clear();
    }
    ground.announcements = config.starknet.ws.as_ref().map(|url| url.expose().clone());
    if ground.network.is_simulated() {
        let beside = |path| urls.iter().find_map(|url| beside(url.expose(), path));
        sources.aggregator = beside(AGGREGATOR);
        ground.solana = beside(SOLANA);
    }
    Ok(ground)
}

/// Where something beside a simulated node is, if the address is that of one.
fn beside(node: &Url, path: &str) -> Option<Url> {
    let (before, _) = node.path().split_once("/starknet")?;
    let mut other = node.clone();
    other.set_path(&format!("{before}{path}"));
    Some(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_aggregator_is_beside_a_simulated_node_and_no_other() {
        for (node, aggregator) in [
            ("http://a:1/starknet", Some("http://a:1/aggregator/api/v3")),
            (
                "http://a/x/starknet/rpc/v0_10",
                Some("http://a/x/aggregator/api/v3"),
            ),
            ("http://a:1/", None),
            ("https://a/v1/KEY", None),
        ] {
            let found = beside(&node.parse().unwrap(), AGGREGATOR);
            assert_eq!(found.map(String::from).as_deref(), aggregator);
        }
    }
}
