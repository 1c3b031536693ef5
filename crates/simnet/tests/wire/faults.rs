//! Faults on request, as a client meets them on a bare connection.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests fail by panicking"
)]

use crate::serving::listen;
use primitives::{ManualClock, Timestamp};
use serde_json::{Value, json};
use simnet::{FaultKind, History, StarknetConfig, StarknetNode};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::Instant;

const HEAD: &str = "starknet_blockNumber";
const BLOCK: &str = "starknet_getBlockWithReceipts";

/// Serves a node of 30 blocks; answers with its address.
async fn serve() -> (StarknetNode, SocketAddr) {
    let clock = ManualClock::new(Timestamp::from_second(1_800_000_000).unwrap());
    let config = StarknetConfig {
        block_time: None,
        history: History::blocks(30, Duration::from_secs(10)),
        pools: 24,
        ..StarknetConfig::default()
    };
    let node = StarknetNode::new(config, Arc::new(clock));
    let address = listen(node.router()).await;
    (node, address)
}

/// A connection on which a request was sent. Nobody asks for its end: a server
/// that ends it while an answer is on its way may cut that off.
async fn send(address: SocketAddr, body: &Value) -> TcpStream {
    let body = body.to_string();
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!(
        "POST /starknet HTTP/1.1\r\nhost: sim\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    stream
}

/// What comes until `is_whole` says that nothing more is to come.
async fn read_until(stream: &mut TcpStream, is_whole: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    while !is_whole(&bytes) {
        let read = stream.read_buf(&mut bytes).await.unwrap();
        assert_ne!(read, 0, "the connection ended after {} bytes", bytes.len());
    }
    bytes
}

/// What comes until the server breaks the connection off.
async fn broken_off(address: SocketAddr, body: &Value) -> Vec<u8> {
    let mut stream = send(address, body).await;
    let mut bytes = Vec::new();
    // A reset is an end like any other here.
    let _ = stream.read_to_end(&mut bytes).await;
    bytes
}

/// Status line with headers, and body.
fn parts(bytes: &[u8]) -> Option<(String, &[u8])> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    Some((head.to_lowercase(), &bytes[end + 4..]))
}

fn is_whole(bytes: &[u8]) -> bool {
    parts(bytes).is_some_and(|(head, body)| {
        let (_, length) = head.split_once("content-length: ").unwrap();
        let digits = length.split("\r\n").next().unwrap();
        body.len() >= digits.parse().unwrap()
    })
}

/// A whole answer.
async fn ask(address: SocketAddr, body: &Value) -> (String, String) {
    let mut stream = send(address, body).await;
    let bytes = read_until(&mut stream, is_whole).await;
    let (head, body) = parts(&bytes).unwrap();
    (head, String::from_utf8(body.to_vec()).unwrap())
}

fn request(method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

async fn answer(address: SocketAddr, method: &str, params: &Value) -> Value {
    let (head, body) = ask(address, &request(method, params)).await;
    assert!(head.starts_with("http/1.1 200"), "{head}");
    serde_json::from_str(&body).unwrap()
}

async fn arm(address: SocketAddr, method: &str, kind: &str) {
    let params = json!({"method": method, "kind": kind, "count": 1});
    let answer = answer(address, "sim_fault", &params).await;
    assert_eq!(answer["result"]["block_number"], 29);
}

/// The node is well again.
async fn assert_well(address: SocketAddr) {
    let head = answer(address, HEAD, &json!([])).await;
    assert_eq!(head, json!({"jsonrpc": "2.0", "id": 1, "result": 29}));
}

#[tokio::test]
async fn a_dropped_connection_carries_not_one_byte() {
    let (_node, address) = serve().await;
    arm(address, HEAD, "dropped").await;
    let bytes = broken_off(address, &request(HEAD, &json!([]))).await;
    assert_eq!(bytes, b"");
    assert_well(address).await;
}

#[tokio::test]
async fn statuses_of_failure_have_their_headers() {
    let (_node, address) = serve().await;
    arm(address, HEAD, "http_5xx").await;
    arm(address, HEAD, "http_429").await;
    let (unavailable, _) = ask(address, &request(HEAD, &json!([]))).await;
    assert!(unavailable.starts_with("http/1.1 503"), "{unavailable}");
    let (limited, _) = ask(address, &request(HEAD, &json!([]))).await;
    assert!(limited.starts_with("http/1.1 429"), "{limited}");
    assert!(limited.contains("retry-after: 1"), "{limited}");
    assert_well(address).await;
}

#[tokio::test]
async fn a_malformed_answer_is_whole_but_no_json() {
    let (_node, address) = serve().await;
    arm(address, HEAD, "malformed").await;
    let (head, body) = ask(address, &request(HEAD, &json!([]))).await;
    assert!(head.starts_with("http/1.1 200"), "{head}");
    assert!(head.contains(&format!("content-length: {}", body.len())));
    assert!(serde_json::from_str::<Value>(&body).is_err());
    assert_well(address).await;
}

#[tokio::test]
async fn a_truncated_answer_is_shorter_than_announced() {
    let (_node, address) = serve().await;
    let (_, whole) = ask(address, &request(HEAD, &json!([]))).await;
    arm(address, HEAD, "truncated").await;
    let bytes = broken_off(address, &request(HEAD, &json!([]))).await;
    let (head, body) = parts(&bytes).unwrap();
    assert!(head.contains(&format!("content-length: {}", whole.len())));
    assert!(!body.is_empty() && body.len() < whole.len());
    assert!(whole.as_bytes().starts_with(body));
    assert_well(address).await;
}

#[tokio::test]
async fn an_oversized_answer_has_tens_of_megabytes() {
    let (_node, address) = serve().await;
    arm(address, HEAD, "oversized").await;
    let mut stream = send(address, &request(HEAD, &json!([]))).await;
    let bytes = read_until(&mut stream, |bytes| bytes.ends_with(b"\r\n0\r\n\r\n")).await;
    assert!(bytes.len() > 60 << 20, "{}", bytes.len());
    assert_well(address).await;
}

#[tokio::test]
async fn a_late_answer_is_right_and_late() {
    let (_node, address) = serve().await;
    let params = json!({"method": HEAD, "kind": "delay", "count": 1, "delay_ms": 200});
    answer(address, "sim_fault", &params).await;
    let begin = Instant::now();
    assert_well(address).await;
    assert!(begin.elapsed() >= Duration::from_millis(200));
}

#[tokio::test]
async fn an_answer_can_carry_the_id_of_nobody() {
    let (_node, address) = serve().await;
    arm(address, HEAD, "wrong_id").await;
    let wrong = answer(address, HEAD, &json!([])).await;
    assert_eq!(
        (&wrong["id"], &wrong["result"]),
        (&json!("sim_fault"), &json!(29))
    );
    assert_well(address).await;
}

#[tokio::test]
async fn a_stale_head_is_a_block_that_was_the_head() {
    let (_node, address) = serve().await;
    for _ in 0..2 {
        arm(address, "*", "stale_head").await;
    }
    assert_eq!(answer(address, HEAD, &json!([])).await["result"], 26);
    let stale = answer(address, "starknet_blockHashAndNumber", &json!([])).await;
    let block = answer(address, BLOCK, &json!([{"block_number": 26}])).await;
    assert_eq!(stale["result"]["block_hash"], block["result"]["block_hash"]);
    assert_well(address).await;
}

#[tokio::test]
async fn faults_of_content_change_only_what_they_name() {
    let (_node, address) = serve().await;
    let params = json!([{"block_number": 0}]);
    let right = answer(address, BLOCK, &params).await["result"].take();
    arm(address, BLOCK, "wrong_parent").await;
    let mut wrong = answer(address, BLOCK, &params).await["result"].take();
    assert_ne!(wrong["parent_hash"], right["parent_hash"]);
    wrong["parent_hash"] = right["parent_hash"].clone();
    assert_eq!(wrong, right);

    arm(address, BLOCK, "empty_events").await;
    let silent = answer(address, BLOCK, &params).await["result"].take();
    let included = silent["transactions"].as_array().unwrap();
    assert!(
        included
            .iter()
            .all(|one| one["receipt"]["events"] == json!([]))
    );
    assert_eq!(
        included.len(),
        right["transactions"].as_array().unwrap().len()
    );
    arm(address, "starknet_getEvents", "empty_events").await;
    let filter = json!([{"chunk_size": 5}]);
    let page = answer(address, "starknet_getEvents", &filter).await;
    assert_eq!(page["result"], json!({"events": []}));

    arm(address, BLOCK, "missing_block").await;
    let missing = answer(address, BLOCK, &params).await;
    assert_eq!(missing["error"]["code"], 24);
    assert_eq!(answer(address, BLOCK, &params).await["result"], right);
}

#[tokio::test]
async fn in_a_batch_content_is_spoiled_one_by_one_and_transport_as_a_whole() {
    let (_node, address) = serve().await;
    let batch = json!([
        request("starknet_chainId", &json!([])),
        request(HEAD, &json!([])),
        request(HEAD, &json!([])),
    ]);
    arm(address, HEAD, "stale_head").await;
    let (_, body) = ask(address, &batch).await;
    let answers: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(answers[0]["result"], "0x534e5f53544f41");
    assert_eq!(
        (&answers[1]["result"], &answers[2]["result"]),
        (&json!(26), &json!(29))
    );
    arm(address, HEAD, "http_5xx").await;
    let (head, _) = ask(address, &batch).await;
    assert!(head.starts_with("http/1.1 503"), "{head}");
    assert_well(address).await;
}

#[tokio::test]
async fn faults_are_cleared_and_refused_with_reasons() {
    let (node, address) = serve().await;
    for clear in [
        json!({"kind": "none"}),
        json!({"kind": "dropped", "count": 0}),
        json!({"method": HEAD, "kind": "none"}),
    ] {
        node.fault(HEAD, FaultKind::Dropped, 5).unwrap();
        answer(address, "sim_fault", &clear).await;
        assert_well(address).await;
    }
    for (params, reason) in [
        (json!({"kind": "gremlin"}), "stale_head"),
        (json!({"kind": "dropped", "count": -1}), "count"),
        (json!({"kind": "dropped", "delay_ms": 5}), "delay_ms"),
        (json!({"kind": "delay", "delay_ms": 86_400_000}), "delay"),
        (
            json!({"method": HEAD, "kind": "empty_events"}),
            "cannot spoil",
        ),
        (
            json!({"method": "sim_mine", "kind": "dropped"}),
            "cannot spoil",
        ),
        (json!({}), "kind is missing"),
    ] {
        let refused = answer(address, "sim_fault", &params).await;
        assert_eq!(refused["error"]["code"], -32602, "{params}");
        let said = refused["error"]["data"]["reason"].as_str().unwrap();
        assert!(said.contains(reason), "{said}");
    }
}
