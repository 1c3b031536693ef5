//! Killed at any moment, the service and the simulated node lose nothing that
//! was said, and do nothing twice.

use crate::{
    gate::Gate,
    harness::{Home, PATIENCE, Service, call, eventually, serve, simnet},
};
use serde_json::{Value, json};
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
    for number in 0..=contents.tip().unwrap().0.number {
        let hash = store.chain().block_hash(number).await.unwrap();
        hashes.push(hash.unwrap().to_hex_string());
    }
    store.close().await;
    (contents, hashes)
}

/// Runs the service until it serves the newest block of a node that stands still: it
/// is ready a few blocks before.
async fn follow_to_the_head(dir: &Path, node: &str) {
    let service = Service::ready(serve(dir, &["--starknet-rpc", node]));
    let head = call(node, "starknet_blockHashAndNumber", json!([])).await;
    eventually("the newest block is served", async || {
        let seen: Value = serde_json::from_str(&service.get("/readyz").await.body).unwrap();
        (seen["parts"]["starknet"]["blockHash"] == head["block_hash"]).then_some(())
    })
    .await;
    service.end_with("TERM");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_at_any_request_the_store_ends_as_without() {
    let home = Home::new();
    let node = Service::ready(simnet(&home.path("node"), &[]));
    let url = node.line("node").to_owned();
    call(&url, "sim_pause", json!({})).await;
    let calm = home.path("calm");
    follow_to_the_head(&calm, &url).await;
    let stormy = home.path("stormy");
    for open_for in (0..16).chain([24, 40, 80, 120]) {
        let gate = Gate::new(&url, open_for).await;
        let service = Service::start(serve(&stormy, &["--starknet-rpc", &gate.url]));
        gate.is_reached().await;
        service.end_with("KILL");
    }
    follow_to_the_head(&stormy, &url).await;
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
    follow_to_the_head(&stormy, &url).await;
    let calm = home.path("calm");
    follow_to_the_head(&calm, &url).await;
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
    follow_to_the_head(&stormy, &url).await;
    let calm = home.path("calm");
    follow_to_the_head(&calm, &url).await;
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

/// What was said of a transaction is said again after the kill: one that is
/// final, and one that was taken a moment before.
#[tokio::test]
async fn a_killed_solana_node_goes_on_with_the_same_chain() {
    let home = Home::new();
    let folder = home.path("node");
    let node = Service::ready(simnet(&folder, &[]));
    let url = node.line("solana").to_owned();
    let [first, second] = [[7; 32], [8; 32]].map(primitives::PublicKey::from_bytes);
    let airdrop = |to, lamports: u64| call(&url, "requestAirdrop", json!([to, lamports]));
    airdrop(first, 5_000_000).await;
    call(&url, "sim_mine", json!({"slots": 40})).await;
    call(&url, "sim_pause", json!({})).await;
    let page = json!([first]);
    let known = call(&url, "getSignaturesForAddress", page.clone()).await;
    assert_eq!(known[0]["confirmationStatus"], "finalized");
    let genesis = call(&url, "getGenesisHash", json!([])).await;
    let late = airdrop(second, 6_000_000).await;
    node.end_with("KILL");

    let node = Service::ready(simnet(&folder, &[]));
    let url = node.line("solana").to_owned();
    assert_eq!(call(&url, "getGenesisHash", json!([])).await, genesis);
    assert_eq!(call(&url, "getSignaturesForAddress", page).await, known);
    call(&url, "sim_mine", json!({"slots": 2})).await;
    let statuses = call(&url, "getSignatureStatuses", json!([[late]])).await;
    assert!(statuses["value"][0]["err"].is_null() && !statuses["value"][0].is_null());
    for (key, lamports) in [(first, 5_000_000), (second, 6_000_000)] {
        let balance = json!([key, {"commitment": "processed"}]);
        let balance = call(&url, "getBalance", balance).await;
        assert_eq!(balance["value"], lamports);
    }
}

#[tokio::test]
async fn a_killed_service_with_a_node_of_its_own_goes_on_where_it_was() {
    let home = Home::new();
    let first = Service::ready(serve(&home.data(), &[]));
    let seen = first.get("/readyz").await;
    let seen: Value = serde_json::from_str(&seen.body).unwrap();
    let seen = seen["parts"]["starknet"].clone();
    first.end_with("KILL");
    let second = Service::ready(serve(&home.data(), &[]));
    let number = json!({"block_id": {"block_number": seen["blockNumber"]}});
    let block = call(second.line("node"), "starknet_getBlockWithTxHashes", number).await;
    assert_eq!(block["block_hash"], seen["blockHash"]);
    assert_eq!(second.get("/v1/starknet/tokens").await.status, 200);
}
