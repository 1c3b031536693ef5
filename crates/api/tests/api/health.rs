//! `/healthz` and `/readyz`.

use crate::support::{Bench, Setting};
use primitives::SignedDuration;
use serde_json::json;

#[tokio::test]
async fn a_living_process_says_so() {
    let bench = Bench::with(Setting {
        more_tokens: None,
        ..Setting::default()
    })
    .await;
    let answer = bench.get("/healthz").await;
    assert_eq!(
        (answer.status.as_u16(), answer.json()),
        (200, json!({"status": "ok"}))
    );
}

#[tokio::test]
async fn readiness_shows_the_block_and_what_is_wrong() {
    let bench = Bench::new().await;
    bench.clock.advance(SignedDuration::from_secs(5));
    let answer = bench.get("/readyz").await;
    assert_eq!(answer.status, 503);
    let told = answer.json();
    let digest = &told["parts"]["starknet"]["digest"];
    assert_eq!(digest.as_str().map(str::len), Some(32));
    assert_eq!(
        told,
        json!({"ready": false, "parts": {"starknet": {
            "role": "indexer", "ready": false, "blockNumber": 7, "blockHash": "0xabc",
            "digest": digest, "ageSeconds": 5, "lagBlocks": null, "problem": "the node does not answer",
            "pools": {"total": 0, "tradable": 0, "summary": "0 of 0 pools are tradable"}
        }}})
    );
}

#[tokio::test]
async fn before_the_first_block_readiness_has_none() {
    let bench = Bench::with(Setting {
        more_tokens: None,
        ..Setting::default()
    })
    .await;
    let part = &bench.get("/readyz").await.json()["parts"]["starknet"];
    assert_eq!(part["blockNumber"], json!(null));
    assert_eq!(part["problem"], "no block is indexed yet");
}

#[tokio::test]
async fn one_product_can_be_asked_about() {
    let bench = Bench::new().await;
    for (product, status) in [
        ("trading", 503),
        // Not served here.
        ("leasing", 503),
        ("paymaster", 503),
        ("", 400),
        ("trade", 400),
        ("trading&product=leasing", 400),
    ] {
        let answer = bench.get(&format!("/readyz?product={product}")).await;
        assert_eq!(answer.status, status, "{product}");
    }
}
