//! Nodes whose block hashes do not tell everything: a block that has its hash and
//! another time, or leaves another state, is another block. A node that computes no
//! state has receipts.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
use primitives::SignedDuration;
use serde_json::json;
use services::{IndexerOptions, Nodes, Round};
use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU64, Ordering},
};
use store::MarkedBlock;
use tokio_util::sync::CancellationToken;
use world::{Relay, Station, World};

const OF_BLOCKS: [&str; 2] = [
    "starknet_getBlockWithTxHashes",
    "starknet_getBlockWithReceipts",
];

#[tokio::test]
async fn blocks_of_the_same_hash_and_another_time_are_others() {
    others("timestamp").await;
}

#[tokio::test]
async fn blocks_of_the_same_hash_and_another_state_are_others() {
    others("new_root").await;
}

#[tokio::test]
async fn blocks_of_the_same_hash_without_a_state_and_with_other_receipts_are_others() {
    others("receipt_commitment").await;
}

#[tokio::test]
async fn another_chain_with_our_hashes_is_refused_in_every_round() {
    let world = World::with_history(1, 10).await;
    let is_another = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&is_another);
    let relay = Relay::start(&world.node, move |method, _, answer| {
        if OF_BLOCKS.contains(&method) && seen.load(Ordering::SeqCst) {
            let time = &mut answer["result"]["timestamp"];
            *time = json!(time.as_u64().unwrap() + 1);
        }
    });
    let nodes = Nodes::new(vec![relay.await.client(&world.entropy)], 1);
    let store = world.store("store").await;
    let mut station = world
        .station_with(store, nodes, IndexerOptions::default())
        .await;
    station.sync().await;
    is_another.store(true, Ordering::SeqCst);
    let stop = CancellationToken::new();
    for _ in 0..3 {
        // A node that misled rests for a while; that is no reason to trust it again.
        world.clock.advance(SignedDuration::from_secs(6));
        for _ in 0..2 {
            assert!(station.indexer.round(&stop).await.is_err());
        }
    }
}

async fn others(field: &'static str) {
    let world = World::with_history(1, 30).await;
    let head = world.node.head().number;
    // From this height on, blocks are others.
    let later_from = Arc::new(AtomicU64::new(u64::MAX));
    let from = Arc::clone(&later_from);
    let relay = Relay::start(&world.node, move |method, _, answer| {
        let block = &mut answer["result"];
        let number = block["block_number"].as_u64().unwrap_or(0);
        if OF_BLOCKS.contains(&method) && field == "receipt_commitment" {
            block["new_root"] = json!("0x0");
        }
        if OF_BLOCKS.contains(&method) && number >= from.load(Ordering::SeqCst) {
            block[field] = match field {
                "timestamp" => json!(block[field].as_u64().unwrap() + 1),
                _ => json!("0x1234"),
            };
        }
    });
    let nodes = Nodes::new(vec![relay.await.client(&world.entropy)], 1);
    let store = world.store("store").await;
    let mut station = world
        .station_with(store, nodes, IndexerOptions::default())
        .await;
    station.sync().await;
    let before = marked(&station, head).await;
    later_from.store(head - 3, Ordering::SeqCst);
    let stop = CancellationToken::new();
    // Looking at it takes a call, so that it is done now and then.
    world.clock.advance(SignedDuration::from_secs(6));
    let round = station.indexer.round(&stop).await.unwrap();
    let Round::RolledBack { to } = round else {
        panic!("{round:?}");
    };
    assert_eq!(to.number, head - 4);
    station.sync().await;
    let after = marked(&station, head).await;
    assert_eq!(after.block, before.block);
    assert_ne!(after, before);
    assert_eq!(station.snapshots.load().unwrap().head, world.node.head());
    world.clock.advance(SignedDuration::from_secs(6));
    let quiet = station.indexer.round(&stop).await.unwrap();
    assert_eq!(quiet, Round::CaughtUp);
}

async fn marked(station: &Station, number: u64) -> MarkedBlock {
    let marked = station.store.chain().marked_blocks_at(&[number]).await;
    *marked.unwrap().first().unwrap()
}
