//! A node that does not know old states any more: nothing is concluded from that.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use serde_json::{Value, json};
use services::{IndexerOptions, Nodes};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use tokio_util::sync::CancellationToken;
use world::{Relay, World};

/// Methods that need the state of a block.
const OF_STATE: [&str; 4] = [
    "starknet_call",
    "starknet_getClassHashAt",
    "starknet_getStorageAt",
    "starknet_getNonce",
];

fn refuse(answer: &mut Value, code: i64) {
    answer.as_object_mut().unwrap().remove("result");
    answer["error"] = json!({"code": code, "message": "the state of this block is pruned"});
}

#[tokio::test]
async fn a_pruned_node_stops_indexing_and_refuses_no_token() {
    // Not transient, so that nothing is waited for; a block that it says it lacks.
    for code in [163, 24] {
        let world = World::with_history(1, 30).await;
        let pruned = Arc::new(AtomicBool::new(true));
        let is_pruned = Arc::clone(&pruned);
        let relay = Relay::start(&world.node, move |method, _, answer| {
            if is_pruned.load(Ordering::SeqCst) && OF_STATE.contains(&method) {
                refuse(answer, code);
            }
        });
        let nodes = Nodes::new(vec![relay.await.client(&world.entropy)], 1);
        let store = world.store("store").await;
        let options = IndexerOptions {
            batch: 5,
            ..IndexerOptions::default()
        };
        let mut station = world.station_with(store, nodes, options).await;
        let stop = CancellationToken::new();
        let fault = station.indexer.round(&stop).await.unwrap_err();
        assert!(fault.chain_text().contains("pruned"), "{fault:?}");
        assert_eq!(station.contents().await.1, []);
        pruned.store(false, Ordering::SeqCst);
        station.sync().await;
        let mut alone = world.station("alone").await;
        alone.sync().await;
        assert_eq!(station.contents().await, alone.contents().await);
    }
}

#[tokio::test]
async fn a_token_that_nodes_cannot_call_stops_nothing() {
    let world = World::with_history(2, 30).await;
    let mut alone = world.station("alone").await;
    alone.sync().await;
    let listed = alone.snapshots.load().unwrap().tokens.tokens().len();
    let victim = primitives::felt_to_hex(alone.contents().await.1.last().unwrap().0.felt());
    let relay = Relay::start(&world.node, move |method, params, answer| {
        let called = params["request"]["contract_address"].as_str();
        if method == "starknet_call" && called == Some(&victim) {
            refuse(answer, 163);
        }
    });
    let nodes = Nodes::new(vec![relay.await.client(&world.entropy)], 1);
    let store = world.store("store").await;
    let options = IndexerOptions::default();
    let mut station = world.station_with(store, nodes, options).await;
    station.sync().await;
    let tokens = &station.snapshots.load().unwrap().tokens;
    assert_eq!(tokens.tokens().len(), listed - 1);
}
