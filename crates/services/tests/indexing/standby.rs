//! Two indexers on one store: one writes, the other one waits and follows.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use primitives::Clock;
use rstest::rstest;
use services::{DUTY_TERM, Duty, IndexerOptions, Round, SnapshotDigest};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use world::{
    Engine::{self, Postgres, Sqlite},
    Station, TestDatabase, World,
};

/// An indexer that asks for the duty first.
async fn indexer(world: &World, database: &TestDatabase, name: &str) -> (Station, Duty) {
    let store = database.open().await;
    let fence = store.chain().fence("indexer");
    let clock = Arc::clone(&world.clock) as Arc<dyn Clock>;
    let duty = Duty::new(fence.clone(), name.to_owned(), clock);
    duty.look().await.unwrap();
    let options = IndexerOptions {
        duty: Some(duty.clone()),
        batch: 5,
        keep_figures_every: 4,
        ..IndexerOptions::default()
    };
    let store = store.with_fenced_chain(&fence);
    (world.station_on(store, options).await, duty)
}

fn served(station: &Station) -> u64 {
    station.snapshots.load().unwrap().head.number
}

async fn stored(station: &Station) -> u64 {
    station.store.chain().tip().await.unwrap().unwrap().number
}

fn pause(world: &World) {
    world.clock.advance(DUTY_TERM);
}

#[rstest]
#[tokio::test]
async fn who_waits_follows_and_takes_over_without_reading_everything_again(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let world = World::new(11).await;
    let database = TestDatabase::new(engine).await;
    database.store().await;
    let (mut one, one_duty) = indexer(&world, &database, "one").await;
    one.sync().await;
    let (mut other, other_duty) = indexer(&world, &database, "other").await;
    assert!(one_duty.is_held() && !other_duty.is_held());
    world.node.mine(6).unwrap();
    other.sync().await;
    assert!(stored(&other).await < world.node.head().number);
    one.sync().await;
    other.sync().await;
    assert_eq!(served(&other), world.node.head().number);
    let epoch = other.snapshots.load().unwrap().figures.epoch();

    // The first one is paused: nobody renews its duty.
    pause(&world);
    assert!(other_duty.look().await.unwrap());
    world.node.mine(3).unwrap();
    other.sync().await;
    assert_eq!(stored(&other).await, world.node.head().number);
    let now = other.snapshots.load().unwrap().figures.epoch();
    assert_eq!(now, epoch, "everything was read anew");
    // A fork below what the first one has kept of figures is no trouble.
    world.node.reorg(8).unwrap();
    other.sync().await;
    assert_eq!(stored(&other).await, world.node.head().number);

    // It wakes up, writes nothing, and follows.
    world.node.mine(2).unwrap();
    let stop = CancellationToken::new();
    let before = stored(&one).await;
    assert_eq!(one.indexer.round(&stop).await.unwrap(), Round::CaughtUp);
    assert!(!one_duty.look().await.unwrap());
    assert_eq!(one.indexer.round(&stop).await.unwrap(), Round::CaughtUp);
    assert_eq!((served(&one), stored(&one).await), (before, before));
    other.sync().await;
    one.sync().await;

    // What both serve is what one alone would.
    let mut alone = world.station("alone").await;
    alone.sync().await;
    let contents = alone.contents().await;
    assert_eq!(other.contents().await.0, contents.0);
    let digest = |station: &Station| SnapshotDigest::of(&station.snapshots.load().unwrap());
    assert_eq!(digest(&one), digest(&alone));
    assert_eq!(digest(&other), digest(&alone));
}
