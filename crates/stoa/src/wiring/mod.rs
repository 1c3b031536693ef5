//! From the configuration to the parts: the only place that names concrete ones.

mod cluster;
mod leases;
mod order_jobs;
mod paymaster;
mod simulated;
mod stores;
mod swaps;
mod work;

pub(crate) use leases::{
    Accounts, ApiTokens, AuditBreak, Cluster, LeaseMarket, Profile, ProfileError, Refused, Roles,
    RotateError, TokenError, TokenRevokeError, User, demo_tokens, issuer, market_without_node,
};
pub(crate) use order_jobs::OrderJobs;
pub(crate) use paymaster::fee_collector;
pub(crate) use simulated::{saver, serve_nodes, simulated_node, simulated_solana_node};
pub(crate) use stores::{
    Ledger, NoStore, bind_chain, existing_store, folder, inspect_store, is_to_be_made, location,
    made_store, migrated_store, open_store, sole_use,
};
pub(crate) use work::Work;

pub(crate) use crate::ambient::{clock, entropy};
pub(crate) use crate::known::venue_list;

use crate::{
    config::{Bytes, Config, Plan, Role, StarkKey},
    exchange::{exchange, order_factory},
    figures,
    known::{known, lacking},
    network::Network,
    staking,
};
use amm::book::Standing;
use anyhow::Context as _;
pub(crate) use api::Api;
pub(crate) use api::Connections;
use api::{ApiConfig, ApiServices, ConnectionLimits, RateLimits, StreamLimits};
use chain::RpcOptions;
pub(crate) use chain::StarknetClient;
use market::Listings;
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use primitives::{SignedDuration, short_string};
pub(crate) use services::leasing::{Lookup, SystemLookup};
pub(crate) use services::paymaster::Paymaster;
pub(crate) use services::paymaster::{NewSponsor, SponsorError, Sponsors, audit_sponsor};
use services::{
    AnswerSigner, ApiKeys, GasWatch, GlobalFeed, GlobalKey, GlobalOptions, GlobalPlan,
    GlobalPoller, HealthLimits, IndexerOptions, Nodes, OrderFeed, Policy, Progress, QUOTE_GAP,
    QUOTE_SECONDS, RateLimiter, RecurringOrders, Rehearsals, SharedRedis, Snapshots, Staking,
    TradeHistory, Verifier,
};
pub(crate) use services::{
    DEMO_SPONSOR_KEY, Doorbell, Duty, ExchangeTerms, Health, LedgerProbe, STRK, Sender,
};
pub(crate) use simnet::{HistoryProgress, PrefundedAccount, SimulatedValidator, SolanaKeypair};
use std::{ops::RangeInclusive, sync::Arc, time::Duration};
pub(crate) use store::Store;
pub(crate) use store::StoreError;
pub(crate) use store::backup;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use url::Url;

/// Blocks that the data may be behind the node and still count as fresh.
const MAX_LAG_BLOCKS: u64 = 10;

/// How long the node may be silent while the data still counts as fresh.
const MAX_SILENCE: SignedDuration = SignedDuration::from_secs(30);

/// Bounds of how much better than a quote another way could be, as a share.
const GAP_BUCKETS: [f64; 8] = [1e-9, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1];

/// The keys of API clients.
pub(crate) type Keys = ApiKeys;

/// What an operator has to name before anything can be traded.
pub(crate) fn missing(config: &Config, network: Network) -> anyhow::Result<Vec<&'static str>> {
    let known = known(config, network)?;
    Ok(lacking(&known, exchange(config, network)))
}

/// How many pools of the store can be traded with; none if it has no blocks.
pub(crate) async fn stored_standing(
    config: &Config,
    network: Network,
    store: &Store,
) -> anyhow::Result<Option<Standing>> {
    let known = known(config, network)?;
    Ok(services::stored_standing(store, &known).await?)
}

/// Who computes stored blocks anew.
pub(crate) async fn verifier(
    config: &Config,
    store: &Store,
    node: StarknetClient,
    network: Network,
    blocks: RangeInclusive<u64>,
) -> anyhow::Result<Verifier> {
    let nodes = Nodes::new(vec![node], 1).of_chain(network.chain_id());
    let known = known(config, network)?;
    let options = IndexerOptions::default();
    let opened = Verifier::open(nodes, store.clone(), known, clock(), options, blocks);
    Ok(Box::pin(opened).await?)
}

/// Those who pay for others.
pub(crate) fn sponsors(store: &Store) -> Sponsors {
    Sponsors::new(store.clone(), clock(), entropy())
}

pub(crate) fn keys(store: &Store) -> Keys {
    ApiKeys::new(store.clone(), clock(), entropy())
}

/// A client of the node at `url`.
pub(crate) fn client(config: &Config, url: Url) -> Result<StarknetClient, chain::RpcError> {
    let options = RpcOptions {
        timeout: config.starknet.timeout,
        ..RpcOptions::default()
    };
    StarknetClient::new(url, options, entropy())
}

/// A client of the configured node, or of the simulated one that a running service
/// has.
pub(crate) fn asked_node(config: &Config) -> anyhow::Result<StarknetClient> {
    let url = match &config.starknet.rpc {
        Some(urls) => urls.iter().next().map(|url| url.expose().clone()),
        None => format!("http://{}/starknet/rpc/v0_10", config.simnet.listen)
            .parse()
            .ok(),
    };
    Ok(client(config, url.context("no node is named")?)?)
}

/// Connections of one or several listeners.
pub(crate) fn connections(config: &Config, total: usize, per_address: usize) -> Connections {
    Connections::new(ConnectionLimits {
        total,
        per_address,
        exempt: config.server.trusted_proxies.clone(),
    })
}

/// The Redis that replicas share, if there is one.
pub(crate) async fn redis(config: &Config) -> anyhow::Result<Option<SharedRedis>> {
    let Some(url) = &config.shared.redis else {
        return Ok(None);
    };
    let context = || format!("cannot use the Redis at {url}");
    let connected = SharedRedis::connect(url.expose().as_str(), clock()).await;
    connected.map(Some).with_context(context)
}

/// Counts requests: in Redis when there is one, otherwise here.
fn limiter(redis: Option<SharedRedis>) -> RateLimiter {
    match redis {
        Some(redis) => RateLimiter::shared(redis, clock()),
        None => RateLimiter::local(clock()),
    }
}

/// Begins to measure. Can be done once in a process.
pub(crate) fn metrics() -> anyhow::Result<PrometheusHandle> {
    PrometheusBuilder::new()
        .set_buckets_for_metric(
            Matcher::Full(api::REQUEST_SECONDS.to_owned()),
            &api::REQUEST_SECONDS_BUCKETS,
        )
        .and_then(|builder| {
            let seconds = Matcher::Full(QUOTE_SECONDS.to_owned());
            builder.set_buckets_for_metric(seconds, &api::REQUEST_SECONDS_BUCKETS)
        })
        .and_then(|builder| {
            let gap = Matcher::Full(QUOTE_GAP.to_owned());
            builder.set_buckets_for_metric(gap, &GAP_BUCKETS)
        })
        .and_then(PrometheusBuilder::install_recorder)
        .context("cannot set up the metrics")
        .inspect(|_| figures::describe())
}

/// Everything between the store and the sockets.
#[derive(Debug)]
pub(crate) struct Service {
    pub(crate) work: Work,
    pub(crate) health: Health,
    pub(crate) readers: Readers,
    pub(crate) order_jobs: OrderJobs,
    /// Only where this process builds or relays for others.
    pub(crate) paymaster: Option<(Paymaster, Duty)>,
    pub(crate) api: Api,
}

/// The parts that read beside the work, where there are any.
#[derive(Debug)]
pub(crate) struct Readers {
    /// Only where there is a market.
    pub(crate) ledger: Option<LedgerProbe>,
    pub(crate) global: Option<GlobalPoller>,
    pub(crate) terms: Option<ExchangeTerms>,
    /// Only where there are nodes, and an exchange contract whose trades cost gas.
    pub(crate) gas: Option<Box<GasWatch>>,
    /// Only where there are nodes, and an exchange contract to trade with.
    pub(crate) rehearsals: Option<Rehearsals>,
    /// Only where recurring orders have a factory.
    pub(crate) orders: Option<OrderFeed>,
    /// Only where there is a staker, and nodes to ask.
    pub(crate) staking: Option<Staking>,
}

/// What a process asks about Starknet.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    /// Only a process that indexes has any.
    pub(crate) nodes: Vec<StarknetClient>,
    /// Those that may be asked what trades cost, and where the chain is.
    pub(crate) asked: Vec<StarknetClient>,
    /// The simulated aggregator of market data, beside a simulated node.
    pub(crate) aggregator: Option<Url>,
}

/// Puts the service together.
pub(crate) async fn service(
    config: &Config,
    store: &Store,
    network: Network,
    sources: Sources,
    market: Option<&LeaseMarket>,
    metrics: PrometheusHandle,
) -> anyhow::Result<Service> {
    let Sources {
        nodes,
        asked,
        aggregator,
    } = sources;
    let known = known(config, network)?;
    for what in lacking(&known, exchange(config, network)) {
        tracing::warn!(what, "nothing can be traded");
    }
    let feed = known.global.clone();
    let (snapshots, progress) = (Snapshots::default(), Progress::default());
    let (published, seen) = (snapshots.clone(), progress.clone());
    let (simulating, anchors) = (nodes.clone(), Arc::clone(&known.anchors));
    // What this process is called where one of several does something.
    let holder = format!("{:016x}", u64::from_be_bytes(entropy().bytes()));
    let global = global(config, aggregator, &known.listings, (store, &holder))?;
    let work = work::work(
        config,
        (store, &holder),
        network.chain_id(),
        [nodes, asked.clone()],
        known,
        published,
        seen,
    );
    // On the heap: it is large, and done once.
    let work = Box::pin(work).await?;
    let followed = progress.clone();
    let ledger = market.map(|_| LedgerProbe::new(store.clone()));
    let seen = (snapshots.clone(), progress.clone());
    let health = health(config, work.name(), seen, market.zip(ledger.clone()))?;
    let redis = redis(config).await?;
    let health = health.with_redis(redis.clone());
    let (published, shared) = (snapshots.clone(), redis.clone());
    let (swaps, terms, gas) =
        swaps::swaps(config, network, asked.clone(), published, progress, shared)?;
    let rehearsals = match &terms {
        Some(terms) if !simulating.is_empty() => {
            let (store, seen) = (store.clone(), snapshots.clone());
            let opened =
                Rehearsals::open(simulating, store, seen, followed, terms.clone(), &anchors);
            Some(opened.await?)
        }
        _ => None,
    };
    let orders = order_factory(config, network).map(RecurringOrders::new);
    let order_feed = orders
        .clone()
        .map(|orders| OrderFeed::new(orders, store.clone(), snapshots.clone()));
    let order_jobs = order_jobs::order_jobs(
        config,
        network,
        (store, &holder),
        asked.clone(),
        orders.as_ref(),
        &swaps,
        clock(),
    )?;
    let staking = staking::options(config, network)
        .map(|options| Staking::new(options, asked.clone(), store.clone(), snapshots.clone()));
    let ambient = (clock(), entropy());
    let paymaster =
        paymaster::paymaster(config, network, (store, &holder), asked, &swaps, ambient).await?;
    let health = health.with_paymaster(paymaster.is_some());
    let services = ApiServices {
        paymaster: paymaster.as_ref().map(|(paymaster, _)| paymaster.clone()),
        sponsors: sponsors(store),
        staking: staking.clone(),
        orders,
        leasing: market.map(|market| market.leasing.clone()),
        trades: TradeHistory::new(store.clone(), snapshots.clone())
            .keeping(stores::keep_details(config)),
        snapshots,
        swaps,
        global: feed,
        keys: keys(store),
        limiter: limiter(redis),
        health: health.clone(),
        clock: clock(),
        entropy: entropy(),
        metrics,
    };
    let api = Api::new(api_config(config, network, market), services);
    Ok(Service {
        work,
        health,
        readers: Readers {
            ledger,
            global,
            terms,
            gas,
            rehearsals,
            orders: order_feed,
            staking,
        },
        order_jobs,
        paymaster,
        api,
    })
}

/// How everything is that a process serves.
fn health(
    config: &Config,
    indexing: &'static str,
    (snapshots, progress): (Snapshots, Progress),
    market: Option<(&LeaseMarket, LedgerProbe)>,
) -> anyhow::Result<Health> {
    let limits = HealthLimits {
        max_lag_blocks: MAX_LAG_BLOCKS,
        max_silence: MAX_SILENCE,
        max_head_age: SignedDuration::try_from(config.starknet.max_head_age)?,
    };
    let health = Health::new(indexing, snapshots, progress, clock(), limits);
    Ok(match market {
        Some((market, ledger)) => {
            let leasing = &market.leasing;
            health.with_market(leasing.epochs.clone(), leasing.settling.clone(), ledger)
        }
        None => health,
    })
}

/// Asks the configured aggregator, or else the simulated one, for all processes, if
/// this one answers requests at all.
fn global(
    config: &Config,
    simulated: Option<Url>,
    listings: &Listings,
    (store, holder): (&Store, &str),
) -> anyhow::Result<Option<GlobalPoller>> {
    let global = &config.global;
    let configured = global.url.as_ref().map(|url| url.expose().clone());
    let plan = match global.plan {
        Plan::Demo => GlobalPlan::Demo,
        Plan::Pro => GlobalPlan::Pro,
    };
    let key = global.key.as_ref().map(|key| GlobalKey {
        plan,
        secret: key.expose().to_owned(),
    });
    let is_needed = config.process.roles.contains(&Role::Api);
    let Some(url) = configured.or(simulated).filter(|_| is_needed) else {
        return Ok(None);
    };
    let options = GlobalOptions {
        url,
        key,
        interval: global.interval,
        timeout: global.timeout,
        max_age: global.max_age,
    };
    let poller = GlobalPoller::new(&options, listings, GlobalFeed::default(), clock())
        .context("cannot ask for global market data, see the section global")?;
    let fence = store.chain().fence("global");
    let duty = Duty::new(fence.clone(), holder.to_owned(), clock());
    let fenced = store.with_fenced_chain(&fence);
    Ok(Some(poller.sharing(duty, fenced)))
}

/// Who signs answers: the operator's key, or the published one of simulated networks.
pub(crate) fn answer_signer(config: &Config, network: Network) -> Option<AnswerSigner> {
    let published = network
        .is_simulated()
        .then(|| short_string("stoa signs for nobody"));
    let key = config.api.signing_key.as_ref().map(|StarkKey(key)| *key);
    AnswerSigner::new(key.or(published)?)
}

fn api_config(config: &Config, network: Network, market: Option<&LeaseMarket>) -> ApiConfig {
    let Bytes(max_body_bytes) = config.server.max_body;
    let policy = |limit, window: Duration| Policy {
        limit,
        window_s: u32::try_from(window.as_secs()).unwrap_or(u32::MAX),
    };
    let limits = &config.limits;
    ApiConfig {
        network: config.api.network.clone(),
        dialect: config.api.dialect,
        trusted_proxies: config.server.trusted_proxies.clone(),
        rate_limits: limits.enabled.then(|| RateLimits {
            public: policy(limits.public_requests, limits.public_window),
            keyed: policy(limits.key_requests, limits.key_window),
        }),
        streams: streams(config),
        request_timeout: config.server.request_timeout,
        public_metrics: config.server.listen_operations.is_none(),
        max_body_bytes,
        signer: answer_signer(config, network),
        marketplace: market.map(|market| market.face.clone()).unwrap_or_default(),
    }
}

/// Streams hold their connections; some must be left for everything else.
fn streams(config: &Config) -> StreamLimits {
    let server = &config.server;
    let total = server.max_streams.min(server.max_connections / 2);
    let count = |count| usize::try_from(count).unwrap_or(usize::MAX);
    StreamLimits {
        total: count(total),
        per_address: count(server.max_streams_per_address),
    }
}

/// What is served on one listener.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ServedApi {
    /// Everything.
    Whole,
    /// The trading API.
    Trade,
    /// The market API.
    Market,
    /// The lease marketplace.
    Leasing,
    /// The paymaster's JSON-RPC.
    Paymaster,
    /// How a process that only indexes does.
    Health,
    /// The same, with all details, for those who run it.
    Operation,
}

/// Serves a face until told to stop.
pub(crate) async fn serve_api(
    api: Api,
    face: ServedApi,
    listener: TcpListener,
    connections: Connections,
    stop: CancellationToken,
    drain: Duration,
) -> anyhow::Result<()> {
    let router = match face {
        ServedApi::Whole => api.router(),
        ServedApi::Trade => api.trade_router(),
        ServedApi::Market => api.market_router(),
        ServedApi::Leasing => api.marketplace_router().context(
            "there is no marketplace for --listen-leasing: see --solana-rpc and leasing.enabled",
        )?,
        ServedApi::Paymaster => api.paymaster_router(),
        ServedApi::Health => api.surround(axum::Router::new()),
        ServedApi::Operation => api.operation_router(),
    };
    Ok(api::serve(listener, router, connections, stop, drain).await?)
}

/// The OpenAPI documents: file names and texts.
pub(crate) fn openapi_documents() -> Vec<(&'static str, String)> {
    api::openapi_documents()
}
