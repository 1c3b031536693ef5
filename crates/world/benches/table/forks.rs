//! Taking back blocks that the node has replaced, against following those that
//! stand in their place.

use crate::{Goal, Row, median};
use services::{IndexerOptions, Round};
use simnet::{History, StarknetConfig};
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use world::World;

const TURNS: usize = 3;
const BLOCKS: usize = 2_500;
const BLOCKS_BACK: u32 = 2_000;

pub(crate) fn rollback() -> Row {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    Row {
        what: "taking back 2,000 blocks, time",
        baseline: "following as many",
        ratio: runtime.block_on(share()),
        goal: Goal::AtMost(0.1),
    }
}

async fn share() -> f64 {
    let folder = tempfile::tempdir().unwrap();
    let config = StarknetConfig {
        seed: 1,
        block_time: None,
        history: History::blocks(BLOCKS, Duration::from_secs(2)),
        ..StarknetConfig::default()
    };
    let world = World::in_folder(folder.path(), config).await;
    let store = world.store("store").await;
    let mut station = world.station_on(store, IndexerOptions::default()).await;
    station.sync().await;
    let mut shares = Vec::new();
    for _ in 0..TURNS {
        world.node.reorg(BLOCKS_BACK).unwrap();
        let start = Instant::now();
        let round = station.indexer.round(&CancellationToken::new()).await;
        let back = start.elapsed();
        assert!(matches!(round, Ok(Round::RolledBack { .. })), "{round:?}");
        let start = Instant::now();
        station.sync().await;
        let forth = start.elapsed();
        assert_eq!(station.snapshots.load().unwrap().head, world.node.head());
        shares.push(back.as_secs_f64() / forth.as_secs_f64());
    }
    median(shares)
}
