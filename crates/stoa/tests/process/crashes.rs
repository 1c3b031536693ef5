//! Killed at any moment, the service and the simulated node lose nothing that
//! was said, and do nothing twice.

use crate::{
    gate::Gate,
    harness::{Home, PATIENCE, Service, call, serve, simnet},
};
use serde_json::json;
use std::path::Path;
use store::{ChainContents, Location, Store};
use tokio::time::Instant;

/// Everything in a store: what hangs on the cursor, and every block's hash.
async fn contents(dir: &Path) -> (ChainContents, Vec<String>) {
    let location = Location::Sqlite {
        dir: dir.to_owned(),
    };
    let store = Store::open(&location).await.unwrap();
    let contents = store.chain().contents().await.unwrap();
    let mut hashes = Vec::new();
    for number in 0..=contents.tip.unwrap().0.number {
        let hash = store.chain().block_hash(number).await.unwrap();
        hashes.push(hash.unwrap().to_hex_string());
    }
    store.close().await;
    (contents, hashes)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_at_any_request_the_store_ends_as_without() {
    let home = Home::new();
    let node = Service::ready(simnet(&home.path("node"), &[]));
    let url = node.line("node").to_owned();
    call(&url, "sim_pause", json!({})).await;
    let calm = home.path("calm");
    Service::ready(serve(&calm, &["--starknet-rpc", &url])).end_with("TERM");
    let stormy = home.path("stormy");
    for open_for in (0..16).chain([24, 40, 80, 120]) {
        let gate = Gate::new(&url, open_for).await;
        let service = Service::start(serve(&stormy, &["--starknet-rpc", &gate.url]));
        gate.is_reached().await;
        service.end_with("KILL");
    }
    Service::ready(serve(&stormy, &["--starknet-rpc", &url])).end_with("TERM");
    assert_eq!(contents(&stormy).await, contents(&calm).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_while_it_follows_a_chain_that_forks_the_store_ends_as_without() {
    let home = Home::new();
    let node = Service::ready(simnet(&home.path("node"), &[]));
    let url = node.line("node").to_owned();
    call(&url, "sim_pause", json!({})).await;
    let stormy = home.path("stormy");
    for open_for in 0..12 {
        Service::ready(serve(&stormy, &["--starknet-rpc", &url])).end_with("KILL");
        call(&url, "sim_mine", json!({"blocks": 2})).await;
        call(&url, "sim_reorg", json!({"depth": 5})).await;
        let gate = Gate::new(&url, open_for).await;
        let service = Service::start(serve(&stormy, &["--starknet-rpc", &gate.url]));
        gate.is_reached().await;
        service.end_with("KILL");
    }
    Service::ready(serve(&stormy, &["--starknet-rpc", &url])).end_with("TERM");
    let calm = home.path("calm");
    Service::ready(serve(&calm, &["--starknet-rpc", &url])).end_with("TERM");
    assert_eq!(contents(&stormy).await, contents(&calm).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_in_the_middle_of_a_write_the_store_ends_as_without() {
    let home = Home::new();
    let node = Service::ready(simnet(&home.path("node"), &[]));
    let url = node.line("node").to_owned();
    call(&url, "sim_pause", json!({})).await;
    let stormy = home.path("stormy");
    for _ in 0..12 {
        // So that there is always something left to write.
        call(&url, "sim_mine", json!({"blocks": 200})).await;
        let service = Service::start(serve(&stormy, &["--starknet-rpc", &url]));
        growth_of(&stormy.join("chain.db-wal"));
        drop(service);
    }
    Service::ready(serve(&stormy, &["--starknet-rpc", &url])).end_with("TERM");
    let calm = home.path("calm");
    Service::ready(serve(&calm, &["--starknet-rpc", &url])).end_with("TERM");
    assert_eq!(contents(&stormy).await, contents(&calm).await);
}

/// Waits until a file has grown twice: the first growth is the schema's or the
/// journal's head, the second falls into the write of a batch.
fn growth_of(file: &Path) {
    let length = || std::fs::metadata(file).map_or(0, |file| file.len());
    let patience = Instant::now() + PATIENCE;
    for _ in 0..2 {
        let before = length();
        while length() <= before {
            assert!(Instant::now() < patience, "nothing was written");
            std::thread::yield_now();
        }
    }
}

#[tokio::test]
async fn a_killed_node_goes_on_with_the_same_chain() {
    let home = Home::new();
    let folder = home.path("node");
    let node = Service::ready(simnet(&folder, &[]));
    let url = node.line("node").to_owned();
    call(&url, "sim_pause", json!({})).await;
    call(&url, "sim_reorg", json!({"depth": 3})).await;
    let head = call(&url, "starknet_blockHashAndNumber", json!([])).await;
    node.end_with("KILL");
    let node = Service::ready(simnet(&folder, &[]));
    let number = json!({"block_id": {"block_number": head["block_number"]}});
    let block = call(node.line("node"), "starknet_getBlockWithTxHashes", number).await;
    assert_eq!(block["block_hash"], head["block_hash"]);
}

#[tokio::test]
async fn a_killed_service_with_a_node_of_its_own_goes_on_where_it_was() {
    let home = Home::new();
    let first = Service::ready(serve(&home.data(), &[]));
    let seen = first.get("/readyz").await;
    let seen: serde_json::Value = serde_json::from_str(&seen.body).unwrap();
    let seen = seen["parts"]["starknet"].clone();
    first.end_with("KILL");
    let second = Service::ready(serve(&home.data(), &[]));
    let number = json!({"block_id": {"block_number": seen["blockNumber"]}});
    let block = call(second.line("node"), "starknet_getBlockWithTxHashes", number).await;
    assert_eq!(block["block_hash"], seen["blockHash"]);
    assert_eq!(second.get("/v1/starknet/tokens").await.status, 200);
}
