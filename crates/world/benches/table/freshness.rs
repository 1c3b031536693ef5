//! From a block that the node has to one that is served: fetched over HTTP,
//! decoded, applied, committed, published. And from its commit to a replica on
//! PostgreSQL that serves it: announced, read, applied, published.

use crate::{Goal, Row};
use primitives::{BlockRef, SignedDuration};
use services::{IndexerOptions, Round, Snapshots};
use simnet::{History, StarknetConfig};
use std::time::Duration;
use store::Store;
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};
use world::{Engine, Station, TestDatabase, World, spawn_replica};

const BLOCKS: usize = 100;
const TRANSACTIONS: u32 = 500;
const SPACING: u64 = 2;

/// Seconds within which a block has to be served, 99 times of a hundred.
const SECONDS: f64 = 0.1;

/// How often the replica looks by itself: it has to be told.
const SELDOM: Duration = Duration::from_hours(1);

pub(crate) fn rows() -> Vec<Row> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let (indexed, followed) = runtime.block_on(rounds());
    let indexed = worst_but_one(indexed);
    let mut rows = vec![Row {
        what: "500 transactions, p99 until served",
        baseline: "100 ms, fetching it included",
        ratio: indexed / SECONDS,
        goal: Goal::AtMost(1.0),
    }];
    if followed.is_empty() {
        println!("a replica's freshness is left out: run ./bench where PostgreSQL is installed");
    } else {
        rows.push(Row {
            what: "the same from commit, at a replica",
            baseline: "where it is indexed, from the node on",
            ratio: worst_but_one(followed) / indexed,
            goal: Goal::AtMost(0.5),
        });
    }
    rows
}

/// Of a hundred.
fn worst_but_one(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    *seconds.get(BLOCKS - 2).unwrap()
}

/// The time of each of some rounds with one block, and until a replica has it.
async fn rounds() -> (Vec<f64>, Vec<f64>) {
    let folder = tempfile::tempdir().unwrap();
    let config = StarknetConfig {
        seed: 1,
        block_time: None,
        history: History::blocks(8, Duration::from_secs(SPACING)),
        transactions_per_block: TRANSACTIONS,
        ..StarknetConfig::default()
    };
    let world = World::in_folder(folder.path(), config).await;
    let store = world.store("store").await;
    let mut station = world.station_on(store, IndexerOptions::default()).await;
    station.sync().await;
    let mut replica = None;
    if std::env::var_os("STOA_TEST_POSTGRES").is_some() {
        replica = Some(Replica::start(&world, &station).await);
    }
    let (mut indexed, mut followed) = (Vec::new(), Vec::new());
    for _ in 0..BLOCKS {
        world
            .clock
            .advance(SignedDuration::from_secs(SPACING.try_into().unwrap()));
        world.node.mine(1).unwrap();
        let start = Instant::now();
        let round = station.indexer.round(&CancellationToken::new()).await;
        indexed.push(start.elapsed().as_secs_f64());
        assert_eq!(round.unwrap(), Round::Applied { blocks: 1 });
        assert_eq!(station.snapshots.load().unwrap().head, world.node.head());
        if let Some(replica) = &mut replica {
            followed.push(replica.follow(&station).await);
        }
    }
    (indexed, followed)
}

/// A replica on a store that gets what a station has indexed.
struct Replica {
    store: Store,
    tip: BlockRef,
    snapshots: Snapshots,
    _stop: DropGuard,
    _database: TestDatabase,
}

impl Replica {
    async fn start(world: &World, station: &Station) -> Self {
        let database = TestDatabase::new(Engine::Postgres).await;
        let store = database.store().await;
        let tip = station.store.chain().tip().await.unwrap().unwrap();
        let indexed = station
            .store
            .chain()
            .recorded(0..=tip.number)
            .await
            .unwrap();
        store.chain().append(None, &indexed).await.unwrap();
        let (follower, snapshots, _) = world.replica_polling(&store, Vec::new(), SELDOM);
        let stop = CancellationToken::new();
        spawn_replica(follower, &store, &stop);
        let replica = Self {
            store,
            tip,
            snapshots,
            _stop: stop.drop_guard(),
            _database: database,
        };
        replica.serves().await;
        replica
    }

    /// Seconds from the beginning of the commit until the block is served.
    async fn follow(&mut self, station: &Station) -> f64 {
        let before = self.tip;
        let next = before.number + 1;
        let indexed = station.store.chain().recorded(next..=next).await.unwrap();
        self.tip = indexed.first().unwrap().block;
        let start = Instant::now();
        let chain = self.store.chain();
        chain.append(Some(before), &indexed).await.unwrap();
        self.serves().await;
        start.elapsed().as_secs_f64()
    }

    async fn serves(&self) {
        let mut changes = self.snapshots.changes();
        while self.snapshots.load().map(|newest| newest.head) != Some(self.tip) {
            changes.changed().await.unwrap();
        }
    }
}
