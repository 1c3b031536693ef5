//! Answers while a history is still to be read, and afterwards.

use crate::support::Bench;
use api::ApiConfig;
use serde_json::json;
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use world::{Relay, World};

/// What is asked about all tokens, and about STRK.
const OF_ALL: [&str; 2] = ["/v1/starknet/tokens?size=100", "/v3/tokens"];
const OF_ONE: [&str; 5] = [
    "",
    "/prices/candle",
    "/prices/line",
    "/exchange-volumes",
    "/exchange-tvl",
];
const STRK: &str = "0x04718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d";

fn asked() -> Vec<String> {
    let of_one = OF_ONE.map(|what| format!("/v3/tokens/{STRK}{what}"));
    OF_ALL
        .map(str::to_owned)
        .into_iter()
        .chain(of_one)
        .collect()
}

#[tokio::test]
async fn what_has_a_memory_is_provisional_until_the_history_is_complete_and_then_the_same() {
    let world = World::with_history(4, 100).await;
    let held = Arc::new(AtomicBool::new(true));
    let is_held = Arc::clone(&held);
    let relay = Relay::start(&world.node, move |method, params, answer| {
        let asked = params["block_id"]["block_number"].as_u64();
        let is_early = asked.is_some_and(|asked| asked == 20);
        if method == "starknet_getBlockWithReceipts" && is_early && is_held.load(Ordering::SeqCst) {
            answer.as_object_mut().unwrap().remove("result");
            answer["error"] = json!({"code": 163, "message": "held"});
        }
    });
    let client = relay.await.client(&world.entropy);
    let started = world.head_start("store", &client, 40).await;
    let at_head = |snapshot: &services::Snapshot| snapshot.head == world.node.head();
    started.until(at_head).await;
    let bench = Bench::started(ApiConfig::default(), &world, &started);
    loop {
        let part = bench.get("/readyz").await.json()["parts"]["starknet"].clone();
        if let Some(history) = part.get("history") {
            assert_eq!(part["ready"], true);
            assert_eq!(history["ofBlockNumber"], world.node.head().number);
            assert_eq!(history.get("error"), None, "for those who run it alone");
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    for path in &asked() {
        let answer = bench.get(path).await;
        assert_eq!(answer.status, 200, "{path}");
        let marked = answer.header("x-stoa-provisional");
        assert_eq!(marked, Some("history"), "{path}");
    }
    held.store(false, Ordering::SeqCst);
    started
        .until(|snapshot| at_head(snapshot) && !snapshot.provisional)
        .await;
    let mut alone = world.station("alone").await;
    alone.sync().await;
    let other = Bench::of(&world, &alone);
    for path in &asked() {
        let (answer, same) = (bench.get(path).await, other.get(path).await);
        assert_eq!(answer.header("x-stoa-provisional"), None, "{path}");
        assert_eq!(answer.status, 200, "{path}");
        assert_eq!(answer.text(), same.text(), "{path}");
    }
    let part = bench.get("/readyz").await.json()["parts"]["starknet"].clone();
    assert_eq!(
        (part["ready"].as_bool(), part.get("history")),
        (Some(true), None)
    );
}
