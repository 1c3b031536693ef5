//! Replicas hear of commits on PostgreSQL; polling finds what they do not hear.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use primitives::BlockRef;
use services::{Doorbell, IndexerOptions, Snapshots};
use sqlx::{Connection as _, PgConnection};
use std::time::Duration;
use store::Location;
use tokio::time::{sleep, timeout};
use tokio_util::sync::{CancellationToken, DropGuard};
use world::{Engine::Postgres, Station, TestDatabase, World, spawn_replica};

/// Longer than any test.
const NEVER: Duration = Duration::from_hours(1);

/// How long something is waited for that should happen at once.
const PATIENCE: Duration = Duration::from_secs(30);

const LISTENERS: &str = "SELECT pid FROM pg_stat_activity
     WHERE datname = current_database() AND query = 'LISTEN \"stoa_chain\"'";

/// A replica at work until it is dropped.
struct Replica {
    snapshots: Snapshots,
    _stop: DropGuard,
}

impl Replica {
    async fn start(world: &World, database: &TestDatabase, poll: Duration, hears: bool) -> Self {
        let store = database.open().await;
        let (follower, snapshots, _) = world.replica_polling(&store, Vec::new(), poll);
        let stop = CancellationToken::new();
        if hears {
            spawn_replica(follower, &store, &stop);
        } else {
            tokio::spawn(follower.run(Doorbell::default(), stop.clone()));
        }
        Self {
            snapshots,
            _stop: stop.drop_guard(),
        }
    }

    async fn serves(&self, block: BlockRef) {
        let served = async {
            while self.snapshots.load().map(|newest| newest.head) != Some(block) {
                sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(PATIENCE, served).await.unwrap();
    }
}

/// The server's processes that listen, as soon as there is one.
async fn listener(connection: &mut PgConnection) -> i32 {
    let found = async {
        loop {
            let found = sqlx::query_scalar(LISTENERS);
            if let Some(pid) = found.fetch_optional(&mut *connection).await.unwrap() {
                return pid;
            }
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(PATIENCE, found).await.unwrap()
}

async fn indexer(world: &World, database: &TestDatabase) -> Station {
    let store = database.store().await;
    let mut station = world.station_on(store, IndexerOptions::default()).await;
    station.sync().await;
    station
}

async fn connection(database: &TestDatabase) -> PgConnection {
    let Location::Postgres { url } = &database.location else {
        panic!("{:?}", database.location);
    };
    PgConnection::connect(url).await.unwrap()
}

#[tokio::test]
async fn a_replica_hears_of_blocks_and_reorganisations_between_two_polls() {
    let world = World::new(8).await;
    let database = TestDatabase::new(Postgres).await;
    let mut station = indexer(&world, &database).await;
    let replica = Replica::start(&world, &database, NEVER, true).await;
    let mut connection = connection(&database).await;
    replica.serves(world.node.head()).await;
    listener(&mut connection).await;
    for depth in [0, 0, 2] {
        world.node.mine(1).unwrap();
        if depth > 0 {
            world.node.reorg(depth).unwrap();
        }
        station.sync().await;
        replica.serves(world.node.head()).await;
    }
}

#[tokio::test]
async fn a_connection_that_is_ended_is_made_anew_and_hears_again() {
    let world = World::new(8).await;
    let database = TestDatabase::new(Postgres).await;
    let mut station = indexer(&world, &database).await;
    let replica = Replica::start(&world, &database, NEVER, true).await;
    let mut connection = connection(&database).await;
    let first = listener(&mut connection).await;
    sqlx::query("SELECT pg_terminate_backend($1)")
        .bind(first)
        .execute(&mut connection)
        .await
        .unwrap();
    // Committed while nobody listens.
    world.node.mine(1).unwrap();
    station.sync().await;
    replica.serves(world.node.head()).await;
    assert_ne!(listener(&mut connection).await, first);
    world.node.mine(1).unwrap();
    station.sync().await;
    replica.serves(world.node.head()).await;
}

#[tokio::test]
async fn a_replica_that_hears_nothing_finds_blocks_by_polling() {
    let world = World::new(8).await;
    let database = TestDatabase::new(Postgres).await;
    let mut station = indexer(&world, &database).await;
    let poll = Duration::from_millis(20);
    let replica = Replica::start(&world, &database, poll, false).await;
    replica.serves(world.node.head()).await;
    world.node.mine(1).unwrap();
    station.sync().await;
    replica.serves(world.node.head()).await;
}
