//! Trouble at home: a store that is locked, or fails in the middle of a block.
//! What was committed stays, what was not leaves no trace.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use services::Fault;
use sqlx::{Connection as _, SqliteConnection, sqlite::SqliteConnectOptions};
use store::StoreError;
use tokio_util::sync::CancellationToken;
use world::{Station, World};

/// Another program that has the store of that name open.
async fn intruder(world: &World, name: &str) -> SqliteConnection {
    let file = world.folder().join(name).join("chain.db");
    let options = SqliteConnectOptions::new().filename(file);
    SqliteConnection::connect_with(&options).await.unwrap()
}

async fn tell(connection: &mut SqliteConnection, sql: &'static str) {
    sqlx::query(sql).execute(connection).await.unwrap();
}

/// A station that has followed a while and has more to follow.
async fn behind(world: &World) -> Station {
    let mut station = world.station("store").await;
    station.sync().await;
    world.node.mine(7).unwrap();
    station
}

/// A round that fails, and leaves what is stored and served as it was.
async fn fails_without_trace(station: &mut Station) -> Fault {
    let stored = station.contents().await;
    let served = station.snapshots.load().unwrap().head;
    let fault = station.indexer.round(&CancellationToken::new()).await;
    assert_eq!(station.contents().await, stored);
    assert_eq!(station.snapshots.load().unwrap().head, served);
    fault.unwrap_err()
}

async fn ends_as_without(world: &World, station: &mut Station) {
    station.sync().await;
    let mut alone = world.station("alone").await;
    alone.sync().await;
    assert_eq!(station.contents().await, alone.contents().await);
    assert_eq!(station.snapshots.load().unwrap().head, world.node.head());
}

#[tokio::test]
async fn a_store_that_another_program_locks_is_waited_for_and_then_reported() {
    let world = World::new(1).await;
    let mut station = behind(&world).await;
    let mut other = intruder(&world, "store").await;
    tell(&mut other, "BEGIN IMMEDIATE").await;
    let fault = fails_without_trace(&mut station).await;
    assert!(
        matches!(fault, Fault::Store(StoreError::Busy(_))),
        "{fault:?}"
    );
    tell(&mut other, "ROLLBACK").await;
    ends_as_without(&world, &mut station).await;
}

#[tokio::test]
async fn a_store_that_fails_in_the_middle_of_a_batch_has_nothing_of_it() {
    let world = World::new(2).await;
    let mut station = behind(&world).await;
    let mut other = intruder(&world, "store").await;
    // The batch's earlier blocks are written when this strikes.
    tell(
        &mut other,
        "CREATE TRIGGER broken BEFORE INSERT ON block WHEN NEW.number % 5 = 1
         BEGIN SELECT RAISE(ABORT, 'the disk gave up'); END",
    )
    .await;
    let fault = fails_without_trace(&mut station).await;
    assert!(fault.chain_text().contains("the disk gave up"), "{fault:?}");
    tell(&mut other, "DROP TRIGGER broken").await;
    ends_as_without(&world, &mut station).await;
}
