//! The Solana node over HTTP, as clients meet it.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use primitives::{ManualClock, Timestamp};
use reqwest::{Client, StatusCode};
use serde_json::{Value, json};
use simnet::{SolanaConfig, SolanaNode, StarknetConfig, StarknetNode};
use std::sync::Arc;
use tokio::net::TcpListener;

/// Serves both nodes on one listener, as the program does.
async fn serve() -> String {
    let clock = Arc::new(ManualClock::new(
        Timestamp::from_second(1_800_000_000).unwrap(),
    ));
    let solana = SolanaNode::new(SolanaConfig::default(), clock.clone());
    let config = StarknetConfig {
        block_time: None,
        history: simnet::History::blocks(1, std::time::Duration::ZERO),
        pools: 0,
        ..StarknetConfig::default()
    };
    let starknet = StarknetNode::new(config, clock);
    let router = starknet.router().merge(solana.router());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    format!("http://{address}/solana")
}

fn request(method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

async fn post(url: &str, body: &Value) -> reqwest::Result<(StatusCode, String)> {
    let response = Client::new()
        .post(url)
        .body(body.to_string())
        .send()
        .await?;
    Ok((response.status(), response.text().await?))
}

async fn answer(url: &str, body: &Value) -> Value {
    let (status, text) = post(url, body).await.unwrap();
    assert_eq!(status, StatusCode::OK);
    serde_json::from_str(&text).unwrap()
}

#[tokio::test]
async fn a_batch_is_answered_in_its_order() {
    let url = serve().await;
    let batch = json!([
        {"jsonrpc": "2.0", "id": "a", "method": "getHealth"},
        {"jsonrpc": "2.0", "id": 2, "method": "getNothing"},
        {"jsonrpc": "2.0", "id": 3, "method": "getEpochInfo", "params": [{"commitment": "confirmed"}]},
    ]);
    let answers = answer(&url, &batch).await;
    assert_eq!(
        answers[0],
        json!({"jsonrpc": "2.0", "id": "a", "result": "ok"})
    );
    assert_eq!(answers[1]["error"]["code"], -32601);
    assert_eq!(
        (&answers[2]["id"], &answers[2]["result"]["slotsInEpoch"]),
        (&json!(3), &json!(1_200))
    );
}

#[tokio::test]
async fn faults_of_transport_spoil_one_answer_each() {
    let url = serve().await;
    let slot = request("getSlot", &json!([]));
    for kind in [
        "dropped",
        "truncated",
        "malformed",
        "http_5xx",
        "http_429",
        "wrong_id",
    ] {
        let armed = request("sim_fault", &json!({"method": "getSlot", "kind": kind}));
        assert!(answer(&url, &armed).await["result"]["slot"].is_u64());
        let spoilt = post(&url, &slot).await;
        let is_good = spoilt.is_ok_and(|(status, text)| {
            let answer = serde_json::from_str::<Value>(&text);
            status.is_success() && answer.is_ok_and(|answer| answer["id"] == 1)
        });
        assert!(!is_good, "{kind}");
        assert!(answer(&url, &slot).await["result"].is_u64(), "{kind}");
    }
}
