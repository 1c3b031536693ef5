//! A whole Stoa for tests: a simulated node behind real HTTP, a store in a
//! folder that vanishes, a clock that moves only when told, seeded randomness.
//!
//! Blocks come only by asking (`world.node.mine(1)`), and indexing happens only
//! in [`Station::sync`], so that a test decides the order of everything.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    clippy::unwrap_used,
    reason = "a test whose world cannot be made has failed"
)]

mod database;
pub mod issuer;
mod log;
pub mod market;
mod paymaster;
mod redis;
pub mod relay;
mod replica;
mod sending;
mod staking;
mod swap;
mod trader;

use ::market::{Listings, TokenReading, price::AnchorList};
use amm::book::{Registry, Venue};
use chain::{RpcOptions, StarknetClient};
pub use database::{ColumnShape, Engine, TestDatabase};
pub use issuer::{IssuerKey, TestIssuer};
pub use log::Log;
pub use market::Market;
pub use paymaster::{paymaster_options, relayer_options, signed};
use primitives::{Address, Clock, Entropy, Felt, ManualClock, SeededEntropy, Timestamp};
pub use redis::{OwnRedis, cuttable_redis, redis_url};
pub use relay::Relay;
pub use replica::spawn_replica;
pub use sending::BOUNDS;
use services::{
    Doorbell, Follower, GlobalFeed, HeadStart, Indexer, IndexerOptions, Known, NearStore, Nodes,
    Progress, Round, Snapshot, Snapshots,
};
use simnet::{History, StarknetConfig, StarknetNode};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};
use store::{Location, PoolHistory, Store};
pub use swap::{exchange_terms, sale, swap_options, swaps_alone};
use tempfile::TempDir;
use tokio_util::{
    sync::{CancellationToken, DropGuard},
    task::AbortOnDropHandle,
};
pub use trader::{Traded, Trader};
use url::Url;

/// When every world begins.
const START_S: i64 = 1_800_000_000;

/// How long a test waits for what must happen, on however slow a machine.
const PATIENCE: Duration = Duration::from_mins(2);

/// Pools of a world: a few of every venue.
const POOLS: usize = 24;

/// A simulated node and what follows it.
#[derive(Debug)]
pub struct World {
    /// The node, to be told what happens.
    pub node: StarknetNode,
    /// Where its JSON-RPC is.
    pub node_url: Url,
    /// A client that gives up quickly: the node is on this machine.
    pub client: StarknetClient,
    /// The time of everything.
    pub clock: Arc<ManualClock>,
    /// The randomness of everything.
    pub entropy: Arc<SeededEntropy>,
    /// What people say of the chain.
    pub known: Known,
    folder: PathBuf,
    /// Dropping it removes the folder.
    vanishes: Option<TempDir>,
    _served: DropGuard,
}

/// A store with everything that works on it.
#[derive(Debug)]
pub struct Station {
    /// Where the indexer keeps the chain.
    pub store: Store,
    /// What is published.
    pub snapshots: Snapshots,
    /// How the work goes.
    pub progress: Progress,
    /// The work.
    pub indexer: Indexer,
}

/// A start that serves from near the head, at work until it is dropped.
#[derive(Debug)]
pub struct Started {
    /// The store of the history.
    pub store: Store,
    /// What is published.
    pub snapshots: Snapshots,
    /// How the work goes.
    pub progress: Progress,
    work: AbortOnDropHandle<()>,
}

impl Started {
    /// Waits until what is published is so.
    pub async fn until(&self, is_so: impl Fn(&Snapshot) -> bool) -> Arc<Snapshot> {
        let begun = tokio::time::Instant::now();
        loop {
            match self.snapshots.load().filter(|newest| is_so(newest)) {
                Some(newest) => return newest,
                None if begun.elapsed() > PATIENCE => panic!("{:?}", self.progress.view()),
                None => tokio::time::sleep(Duration::from_millis(10)).await,
            }
        }
    }

    /// Ends it in the midst of whatever it does, as a crash would.
    pub async fn kill(self) {
        self.work.abort();
        let _ = self.work.await;
        self.store.close().await;
    }
}

/// Everything that a store holds of the chain.
pub type Contents = (
    Vec<(u64, Felt)>,
    Vec<(Address, u64, TokenReading)>,
    PoolHistory,
);

impl World {
    /// A world with a short history.
    pub async fn new(seed: u64) -> Self {
        Self::with_history(seed, 8).await
    }

    /// A world with a history of `blocks`, two seconds apart.
    pub async fn with_history(seed: u64, blocks: usize) -> Self {
        Self::with_spaced_history(seed, blocks, Duration::from_secs(2)).await
    }

    /// A world with a history of `blocks` at such a distance.
    pub async fn with_spaced_history(seed: u64, blocks: usize, spacing: Duration) -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let config = StarknetConfig {
            seed,
            block_time: None,
            history: History::blocks(blocks, spacing),
            pools: POOLS,
            ..StarknetConfig::default()
        };
        let mut world = Self::in_folder(folder.path(), config).await;
        world.vanishes = Some(folder);
        world
    }

    /// A world whose stores are in a folder of the caller's.
    pub async fn in_folder(folder: &Path, config: StarknetConfig) -> Self {
        let start = Timestamp::from_second(START_S).expect("a time within the calendar");
        let clock = Arc::new(ManualClock::new(start));
        let entropy = Arc::new(SeededEntropy::new(config.seed));
        let node = StarknetNode::open(config, Arc::clone(&clock) as Arc<dyn Clock>);
        let node = node.expect("a node");
        let stop = CancellationToken::new();
        let node_url = serve(&node, stop.clone()).await;
        let client = client(&node_url, &entropy);
        let chain_id = client.chain_id().await.expect("the node answers");
        let listings = Listings::parse(&StarknetNode::token_list(), chain_id);
        Self {
            node,
            node_url,
            client,
            clock,
            entropy,
            known: Known {
                listings: Arc::new(listings.expect("the built-in list is well-formed")),
                venues: Arc::new(venues()),
                anchors: Arc::new(anchors()),
                following: Arc::default(),
                global: GlobalFeed::default(),
            },
            folder: folder.to_owned(),
            vanishes: None,
            _served: stop.drop_guard(),
        }
    }

    /// Where the stores are, each in a folder of its name.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Opens the store of that name, made if it is not there.
    pub async fn store(&self, name: &str) -> Store {
        let location = Location::Sqlite {
            dir: self.folder.join(name),
        };
        let store = Store::open(&location).await.expect("a store");
        store.migrate().await.expect("a schema");
        store
    }

    /// A fresh or reopened store of that name, with an indexer whose batches
    /// are small enough to meet in tests.
    pub async fn station(&self, name: &str) -> Station {
        let options = IndexerOptions {
            batch: 5,
            ..IndexerOptions::default()
        };
        self.station_on(self.store(name).await, options).await
    }

    /// An indexer on a given store, with this world's node.
    pub async fn station_on(&self, store: Store, options: IndexerOptions) -> Station {
        let nodes = Nodes::new(vec![self.client.clone()], 1);
        self.station_with(store, nodes, options).await
    }

    /// A replica on a store that only serves, with nodes to ask where the chain is,
    /// and where it publishes.
    pub fn replica(
        &self,
        store: &Store,
        nodes: Vec<StarknetClient>,
    ) -> (Follower, Snapshots, Progress) {
        self.replica_polling(store, nodes, Duration::from_secs(1))
    }

    /// The same, which looks at the store so often by itself.
    pub fn replica_polling(
        &self,
        store: &Store,
        nodes: Vec<StarknetClient>,
        poll: Duration,
    ) -> (Follower, Snapshots, Progress) {
        let (snapshots, progress) = (Snapshots::default(), Progress::default());
        let follower = Follower::new(
            store.clone(),
            Nodes::new(nodes, 1),
            self.known.clone(),
            snapshots.clone(),
            progress.clone(),
            Arc::clone(&self.clock) as Arc<dyn Clock>,
            poll,
        );
        (follower, snapshots, progress)
    }

    /// Both indexers of a start that serves from near the head of a node, on stores of
    /// that name, with what they publish.
    pub async fn head_start(&self, name: &str, node: &StarknetClient, leap: u64) -> Started {
        let options = IndexerOptions {
            batch: 5,
            poll: Duration::from_millis(20),
            ..IndexerOptions::default()
        };
        let nodes = || Nodes::new(vec![node.clone()], 1);
        let station = self.station_with(self.store(name).await, nodes(), options);
        let Station {
            store,
            snapshots,
            progress,
            indexer,
        } = station.await;
        let near = self.folder.join(name).join("near");
        let near = NearStore::open(near).await.expect("a store");
        let start = HeadStart::open(indexer, nodes(), near, leap).await;
        let start = start.expect("both indexers");
        let stop = CancellationToken::new();
        let work = tokio::spawn(start.run(Doorbell::default(), stop));
        Started {
            store,
            snapshots,
            progress,
            work: AbortOnDropHandle::new(work),
        }
    }

    /// An indexer on a given store, with given nodes.
    pub async fn station_with(
        &self,
        store: Store,
        nodes: Nodes,
        options: IndexerOptions,
    ) -> Station {
        let (snapshots, progress) = (Snapshots::default(), Progress::default());
        let indexer = Indexer::open(
            nodes,
            store.clone(),
            self.known.clone(),
            snapshots.clone(),
            progress.clone(),
            Arc::clone(&self.clock) as Arc<dyn Clock>,
            options,
        );
        Station {
            store,
            snapshots,
            progress,
            indexer: indexer.await.expect("an indexer"),
        }
    }
}

impl Station {
    /// Follows the node until there is nothing left to do.
    pub async fn sync(&mut self) {
        let stop = CancellationToken::new();
        while self.indexer.round(&stop).await.expect("a round") != Round::CaughtUp {}
    }

    /// Everything that the store holds of the chain.
    pub async fn contents(&self) -> Contents {
        let chain = self.store.chain();
        let first = chain.first_block().await.expect("the store answers");
        let tip = chain.tip().await.expect("the store answers");
        let mut blocks = Vec::new();
        if let (Some(first), Some(tip)) = (first, tip) {
            for number in first.number..=tip.number {
                let hash = chain.block_hash(number).await.expect("the store answers");
                blocks.push((number, hash.expect("no gap between blocks")));
            }
        }
        let contents = chain.contents().await.expect("the store answers");
        (blocks, contents.readings, contents.pools)
    }
}

/// The venues of the simulated network.
pub fn venues() -> Registry {
    let venues: Vec<Venue> =
        serde_json::from_str(&StarknetNode::venues()).expect("the built-in list is well-formed");
    Registry::new(venues).expect("a registry")
}

/// The anchors of the simulated network.
pub fn anchors() -> AnchorList {
    AnchorList::parse(&StarknetNode::anchors()).expect("the built-in list is well-formed")
}

/// A client that gives up quickly: the node is on this machine.
pub fn client(url: &Url, entropy: &Arc<SeededEntropy>) -> StarknetClient {
    let entropy = Arc::clone(entropy) as Arc<dyn Entropy>;
    StarknetClient::new(url.clone(), RpcOptions::default(), entropy).expect("a client")
}

/// Serves the node on a free port until told to stop.
async fn serve(node: &StarknetNode, stop: CancellationToken) -> Url {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await;
    let listener = listener.expect("a free port");
    let address = listener.local_addr().expect("its address");
    let router = node.router();
    tokio::spawn(async move {
        let served = axum::serve(listener, router);
        served
            .with_graceful_shutdown(stop.cancelled_owned())
            .await
            .expect("the node is served");
    });
    Url::parse(&format!("http://{address}/starknet/rpc/v0_10")).expect("a url")
}
