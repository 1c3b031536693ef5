//! Taking back blocks that the node has replaced, against following those that
//! stand in their place; and a short fork at a replica, against loading everything
//! that the store has.

use crate::{Goal, Row, median};
use services::{IndexerOptions, Round};
use simnet::{History, StarknetConfig};
use std::{path::Path, time::Duration};
use tokio::{runtime::Runtime, time::Instant};
use tokio_util::sync::CancellationToken;
use world::{Station, World};

const TURNS: usize = 3;
const BLOCKS: usize = 2_500;
const BLOCKS_BACK: u32 = 2_000;

/// Turns of a replica, the blocks of its forks, and those that it loads: seven hours
/// of a chain.
const REPLICA_TURNS: usize = 7;
const LOADED: usize = 12_600;
const REPLACED: u32 = 3;

pub(crate) fn rollback() -> Row {
    Row {
        what: "taking back 2,000 blocks, time",
        baseline: "following as many",
        ratio: runtime().block_on(share()),
        goal: Goal::AtMost(0.1),
    }
}

pub(crate) fn at_a_replica() -> Row {
    Row {
        what: "fork of 3 blocks at a replica, time",
        baseline: "loading everything",
        ratio: runtime().block_on(share_of_loading()),
        goal: Goal::AtMost(0.1),
    }
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap()
}

async fn indexed(folder: &Path, blocks: usize) -> (World, Station) {
    let config = StarknetConfig {
        seed: 1,
        block_time: None,
        history: History::blocks(blocks, Duration::from_secs(2)),
        ..StarknetConfig::default()
    };
    let world = World::in_folder(folder, config).await;
    let store = world.store("store").await;
    let mut station = world.station_on(store, IndexerOptions::default()).await;
    station.sync().await;
    (world, station)
}

async fn share() -> f64 {
    let folder = tempfile::tempdir().unwrap();
    let (world, mut station) = indexed(folder.path(), BLOCKS).await;
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

async fn share_of_loading() -> f64 {
    let folder = tempfile::tempdir().unwrap();
    let (world, mut station) = indexed(folder.path(), LOADED).await;
    let (mut follower, served, _) = world.replica(&station.store, Vec::new());
    follower.look().await.unwrap();
    let mut shares = Vec::new();
    for _ in 0..REPLICA_TURNS {
        // Blocks that it has seen come can be taken back.
        world.node.mine(REPLACED).unwrap();
        station.sync().await;
        follower.look().await.unwrap();
        world.node.reorg(REPLACED).unwrap();
        station.sync().await;
        let start = Instant::now();
        follower.look().await.unwrap();
        let forked = start.elapsed();
        let (mut fresh, loaded, _) = world.replica(&station.store, Vec::new());
        let start = Instant::now();
        fresh.look().await.unwrap();
        let loading = start.elapsed();
        for snapshots in [&served, &loaded] {
            assert_eq!(snapshots.load().unwrap().head, world.node.head());
        }
        shares.push(forked.as_secs_f64() / loading.as_secs_f64());
    }
    median(shares)
}
