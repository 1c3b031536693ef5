//! The node as programs meet it: over HTTP.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use crate::serving::listen;
use primitives::{ManualClock, Timestamp};
use reqwest::{Client, Method, StatusCode};
use serde_json::{Value, json};
use simnet::{History, StarknetConfig, StarknetNode};
use std::sync::Arc;
use std::time::Duration;

const NOW: i64 = 1_800_000_000;

fn node(config: StarknetConfig) -> StarknetNode {
    let clock = ManualClock::new(Timestamp::from_second(NOW).unwrap());
    StarknetNode::new(config, Arc::new(clock))
}

fn small() -> StarknetConfig {
    StarknetConfig {
        history: History::blocks(5, Duration::from_secs(10)),
        pools: 24,
        ..StarknetConfig::default()
    }
}

/// Serves the node on a free port; answers with the address.
async fn serve(node: &StarknetNode) -> String {
    let address = listen(node.router()).await;
    format!("http://{address}")
}

async fn post(url: &str, body: &Value) -> Value {
    let answer = Client::new().post(url).body(body.to_string()).send().await;
    let answer = answer.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    assert_eq!(answer.headers()["content-type"], "application/json");
    serde_json::from_str(&answer.text().await.unwrap()).unwrap()
}

#[tokio::test]
async fn each_path_speaks_its_version() {
    let url = serve(&node(small())).await;
    let ask = json!({"jsonrpc": "2.0", "id": 1, "method": "starknet_specVersion"});
    for (path, version) in [
        ("/starknet", "0.9.0"),
        ("/starknet/rpc/v0_9", "0.9.0"),
        ("/starknet/rpc/v0_10", "0.10.0"),
    ] {
        let answer = post(&format!("{url}{path}"), &ask).await;
        assert_eq!(answer["result"], version, "{path}");
    }
}

#[tokio::test]
async fn batches_and_errors_are_answered_with_status_200() {
    let url = format!("{}/starknet", serve(&node(small())).await);
    let answers = post(
        &url,
        &json!([
            {"jsonrpc": "2.0", "id": "a", "method": "starknet_blockNumber"},
            {"jsonrpc": "2.0", "method": "starknet_blockNumber"},
            {"jsonrpc": "2.0", "id": "b", "method": "starknet_missing"},
        ]),
    )
    .await;
    assert_eq!(
        answers[0],
        json!({"jsonrpc": "2.0", "id": "a", "result": 4})
    );
    assert_eq!(answers[1]["id"], "b");
    assert_eq!(answers[1]["error"]["code"], -32601);
    assert_eq!(answers.as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn what_is_no_request_has_its_own_status() {
    let url = format!("{}/starknet", serve(&node(small())).await);
    let status = async |method: Method, body: String| {
        let request = Client::new().request(method, &url).body(body);
        request.send().await.unwrap().status()
    };
    let note = json!({"jsonrpc": "2.0", "method": "starknet_chainId"}).to_string();
    assert_eq!(status(Method::POST, note).await, StatusCode::NO_CONTENT);
    assert_eq!(
        status(Method::GET, String::new()).await,
        StatusCode::METHOD_NOT_ALLOWED
    );
    assert_eq!(
        status(Method::POST, " ".repeat((1 << 20) + 1)).await,
        StatusCode::PAYLOAD_TOO_LARGE
    );
}
