//! From a block that the node has to one that is served: fetched over HTTP,
//! decoded, applied, committed, published.

use crate::{Goal, Row};
use primitives::SignedDuration;
use services::{IndexerOptions, Round};
use simnet::{History, StarknetConfig};
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use world::World;

const BLOCKS: usize = 100;
const TRANSACTIONS: u32 = 500;
const SPACING: u64 = 2;

/// Seconds within which a block has to be served, 99 times of a hundred.
const SECONDS: f64 = 0.1;

pub(crate) fn freshness() -> Row {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let mut seconds = runtime.block_on(rounds());
    seconds.sort_by(f64::total_cmp);
    let worst_but_one = seconds.get(BLOCKS - 2).unwrap();
    Row {
        what: "500 transactions, p99 until served",
        baseline: "100 ms, fetching it included",
        ratio: worst_but_one / SECONDS,
        goal: Goal::AtMost(1.0),
    }
}

/// The time of each of some rounds with one block.
async fn rounds() -> Vec<f64> {
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
    let mut seconds = Vec::new();
    for _ in 0..BLOCKS {
        world
            .clock
            .advance(SignedDuration::from_secs(SPACING.try_into().unwrap()));
        world.node.mine(1).unwrap();
        let start = Instant::now();
        let round = station.indexer.round(&CancellationToken::new()).await;
        seconds.push(start.elapsed().as_secs_f64());
        assert_eq!(round.unwrap(), Round::Applied { blocks: 1 });
        assert_eq!(station.snapshots.load().unwrap().head, world.node.head());
    }
    seconds
}
