//! Stored blocks computed anew: a good store is equal, and what was tampered with is
//! found.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use primitives::Clock;
use rstest::rstest;
use services::{Difference, IndexerOptions, Nodes, Verifier};
use std::{ops::RangeInclusive, sync::Arc};
use store::Store;
use world::{
    Engine::{self, Postgres, Sqlite},
    TestDatabase, World,
};

/// Pages of candles are kept often.
fn options() -> IndexerOptions {
    IndexerOptions {
        batch: 7,
        keep_figures_every: 16,
        ..IndexerOptions::default()
    }
}

async fn verify(
    world: &World,
    store: &Store,
    blocks: RangeInclusive<u64>,
) -> Vec<(u64, &'static str)> {
    let nodes = Nodes::new(vec![world.client.clone()], 1);
    let clock = Arc::clone(&world.clock) as Arc<dyn Clock>;
    let known = world.known.clone();
    let opened = Verifier::open(nodes, store.clone(), known, clock, options(), blocks);
    let verifier = Box::pin(opened).await;
    let mut told = Vec::new();
    let tell = |Difference { block, what }| told.push((block, what));
    Box::pin(verifier.unwrap().run(tell)).await.unwrap();
    told
}

#[rstest]
#[tokio::test]
async fn a_good_store_is_equal_and_what_was_changed_is_found(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let world = World::with_history(5, 60).await;
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let mut station = world.station_on(store.clone(), options()).await;
    station.sync().await;
    let last = world.node.head().number;
    for first in [0, 1, 30, 48, last] {
        assert_eq!(verify(&world, &store, first..=last).await, [], "{first}");
    }
    assert_eq!(verify(&world, &store, 10..=20).await, []);

    let execute = async |sql: &str| database.execute("chain", sql).await.unwrap();
    execute("CREATE TABLE saved AS SELECT number, pools, trades, figures FROM block").await;
    // Each as if it had been that of the block before, which all have something.
    for (block, column, what) in [
        (40, "pools", "what happened to pools"),
        (42, "trades", "trades"),
        (44, "figures", "candles, volumes and prices"),
    ] {
        let set = |other: u64| {
            format!(
                "UPDATE block SET {column} =
                     (SELECT saved.{column} FROM saved WHERE saved.number = {other})
                 WHERE number = {block}"
            )
        };
        execute(&set(block - 1)).await;
        assert_eq!(verify(&world, &store, 0..=last).await, [(block, what)]);
        // Where it begins later, it stands on what is stored, the changed block among it.
        let told = verify(&world, &store, block..=last).await;
        assert_eq!(told.first(), Some(&(block, what)));
        assert_eq!(verify(&world, &store, 0..=block - 1).await, []);
        execute(&set(block)).await;
    }
    execute("DELETE FROM token_reading WHERE block_number = 0").await;
    let told = verify(&world, &store, 0..=5).await;
    assert_eq!(told, [(0, "what tokens say of themselves")]);
}

#[tokio::test]
async fn a_changed_page_of_candles_is_found() {
    let world = World::with_history(6, 40).await;
    let database = TestDatabase::new(Sqlite).await;
    let store = database.store().await;
    let mut station = world.station_on(store.clone(), options()).await;
    station.sync().await;
    let kept = store.chain().kept_figures().await.unwrap().unwrap();
    let sql = "DELETE FROM figure_page WHERE (series, resolution, page) IN
                   (SELECT series, resolution, page FROM figure_page LIMIT 1)";
    database.execute("chain", sql).await.unwrap();
    let told = verify(&world, &store, 0..=kept).await;
    let what = "the pages of candles that are kept of it and all before";
    assert_eq!(told, [(kept, what)]);
    assert_eq!(verify(&world, &store, 0..=kept - 1).await, []);
}
