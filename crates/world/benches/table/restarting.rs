//! Starting again, with node and store as they were left, against the first
//! start, which makes the world's past and indexes all of it.

use crate::{Goal, Row, median};
use services::IndexerOptions;
use simnet::StarknetConfig;
use std::path::Path;
use tokio::time::Instant;
use world::World;

const TURNS: u64 = 3;

pub(crate) fn starting_again() -> Row {
    let mut shares = Vec::new();
    for seed in 0..TURNS {
        let folder = tempfile::tempdir().unwrap();
        let [first, again] = [(); 2].map(|()| in_a_process(seed, folder.path()));
        shares.push(again / first);
    }
    Row {
        what: "starting again, time until ready",
        baseline: "the first start",
        ratio: median(shares),
        goal: Goal::AtMost(0.5),
    }
}

/// A start in a runtime of its own, with which everything ends.
fn in_a_process(seed: u64, folder: &Path) -> f64 {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(seconds_until_ready(seed, folder))
}

/// Opens the node and the store in this folder, and follows to the head.
async fn seconds_until_ready(seed: u64, folder: &Path) -> f64 {
    let start = Instant::now();
    let config = StarknetConfig {
        seed,
        block_time: None,
        data: Some(folder.join("simnet")),
        ..StarknetConfig::default()
    };
    let world = World::in_folder(folder, config).await;
    let store = world.store("store").await;
    let mut station = world.station_on(store, IndexerOptions::default()).await;
    station.sync().await;
    let seconds = start.elapsed().as_secs_f64();
    assert_eq!(station.snapshots.load().unwrap().head, world.node.head());
    station.store.close().await;
    seconds
}
