//! The node over WebSocket.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests fail by panicking"
)]

use crate::serving::listen;
use futures_util::{SinkExt, StreamExt};
use primitives::{ManualClock, Timestamp, felt_to_hex};
use serde_json::{Value, json};
use simnet::{FaultKind, History, StarknetConfig, StarknetNode};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

const SUBSCRIBE: &str = "starknet_subscribeNewHeads";

/// Serves a node of `blocks` blocks; answers with the address.
async fn serve(blocks: usize) -> (StarknetNode, String) {
    let clock = ManualClock::new(Timestamp::from_second(1_800_000_000).unwrap());
    let config = StarknetConfig {
        block_time: None,
        history: History::blocks(blocks, Duration::from_secs(1)),
        transactions_per_block: 1,
        pools: 24,
        ..StarknetConfig::default()
    };
    let node = StarknetNode::new(config, Arc::new(clock));
    let address = listen(node.router()).await;
    (node, format!("ws://{address}/starknet/ws"))
}

async fn connect(url: &str) -> Socket {
    connect_async(url).await.unwrap().0
}

async fn next(socket: &mut Socket) -> Value {
    let message = socket.next().await.unwrap().unwrap();
    serde_json::from_str(message.to_text().unwrap()).unwrap()
}

async fn ask(socket: &mut Socket, method: &str, params: &Value) -> Value {
    let request = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
    socket
        .send(Message::text(request.to_string()))
        .await
        .unwrap();
    let answer = next(socket).await;
    assert_eq!(answer["id"], 7);
    answer
}

async fn subscribe(socket: &mut Socket, params: &Value) -> Value {
    ask(socket, SUBSCRIBE, params).await["result"].take()
}

/// The next new head of a subscription, as its number.
async fn head(socket: &mut Socket, subscription: &Value) -> u64 {
    let news = next(socket).await;
    assert_eq!(news["method"], "starknet_subscriptionNewHeads", "{news}");
    assert_eq!(&news["params"]["subscription_id"], subscription);
    news["params"]["result"]["block_number"].as_u64().unwrap()
}

#[tokio::test]
async fn methods_and_batches_are_answered_as_over_http() {
    let (_node, url) = serve(3).await;
    for (path, version) in [
        ("", "0.9.0"),
        ("/rpc/v0_9", "0.9.0"),
        ("/rpc/v0_10", "0.10.0"),
    ] {
        let mut socket = connect(&format!("{url}{path}")).await;
        let answer = ask(&mut socket, "starknet_specVersion", &json!([])).await;
        assert_eq!(answer["result"], version);
    }
    let mut socket = connect(&url).await;
    let one = json!({"jsonrpc": "2.0", "id": 1, "method": "starknet_blockNumber"});
    let batch = json!([one, one]).to_string();
    socket.send(Message::binary(batch)).await.unwrap();
    let answers = next(&mut socket).await;
    assert_eq!(answers[1]["result"], 2);
    socket.send(Message::text("{")).await.unwrap();
    assert_eq!(next(&mut socket).await["error"]["code"], -32700);
}

#[tokio::test]
async fn new_heads_are_the_headers_of_new_blocks() {
    let (node, url) = serve(3).await;
    let mut socket = connect(&url).await;
    let subscription = subscribe(&mut socket, &json!({})).await;
    node.mine(1).unwrap();
    let news = next(&mut socket).await;
    assert_eq!(news["method"], "starknet_subscriptionNewHeads");
    assert_eq!(news["params"]["subscription_id"], subscription);
    let header = &news["params"]["result"];
    let params = json!([{"block_number": 3}]);
    let answer = ask(&mut socket, "starknet_getBlockWithTxHashes", &params).await;
    let mut block = answer["result"].clone();
    for more in ["status", "transactions"] {
        block.as_object_mut().unwrap().remove(more);
    }
    assert_eq!(header, &block);
}

#[tokio::test]
async fn a_subscription_from_the_past_misses_and_repeats_no_block() {
    let (node, url) = serve(10).await;
    let mut socket = connect(&url).await;
    let miner = {
        let node = node.clone();
        tokio::task::spawn_blocking(move || node.mine(50).unwrap())
    };
    let from = json!({"block_id": {"block_number": 4}});
    let subscription = subscribe(&mut socket, &from).await;
    for number in 4..=59 {
        assert_eq!(head(&mut socket, &subscription).await, number);
    }
    miner.await.unwrap();
    let hash = felt_to_hex(node.head().hash);
    let from = json!({"block_id": {"block_hash": hash}});
    let other = subscribe(&mut socket, &from).await;
    assert_ne!(subscription, other);
    assert_eq!(head(&mut socket, &other).await, 59);
}

#[tokio::test]
async fn a_reorg_names_the_orphans_before_their_replacements() {
    let (node, url) = serve(6).await;
    let mut socket = connect(&url).await;
    let subscription = subscribe(&mut socket, &json!([])).await;
    let block = ask(
        &mut socket,
        "starknet_getBlockWithTxHashes",
        &json!([{"block_number": 4}]),
    )
    .await;
    let last = felt_to_hex(node.head().hash);
    node.reorg(2).unwrap();
    let news = next(&mut socket).await;
    assert_eq!(news["method"], "starknet_subscriptionReorg");
    assert_eq!(
        news["params"],
        json!({
            "subscription_id": subscription,
            "result": {
                "starting_block_hash": block["result"]["block_hash"],
                "starting_block_number": 4,
                "ending_block_hash": last,
                "ending_block_number": 5,
            }
        })
    );
    for number in 4..=6 {
        assert_eq!(head(&mut socket, &subscription).await, number);
    }
}

#[tokio::test]
async fn subscriptions_end_one_by_one() {
    let (node, url) = serve(2).await;
    let mut socket = connect(&url).await;
    let one = subscribe(&mut socket, &json!([])).await;
    let other = subscribe(&mut socket, &json!(["latest"])).await;
    let params = json!({"subscription_id": one});
    let answer = ask(&mut socket, "starknet_unsubscribe", &params).await;
    assert_eq!(answer["result"], true);
    let again = ask(&mut socket, "starknet_unsubscribe", &params).await;
    assert_eq!(again["error"]["code"], 66);
    node.mine(1).unwrap();
    assert_eq!(head(&mut socket, &other).await, 2);
}

#[tokio::test]
async fn subscriptions_that_cannot_be_are_refused() {
    let (_node, url) = serve(1_100).await;
    let mut socket = connect(&url).await;
    for (params, code) in [
        (json!([{"block_number": 74}]), 68),
        (json!([{"block_number": 1_100}]), 24),
        (json!([{"block_hash": "0x1"}]), 24),
        (json!(["pre_confirmed"]), -32602),
        (json!(["l1_accepted"]), -32602),
        (json!({"from": 1}), -32602),
    ] {
        let answer = ask(&mut socket, SUBSCRIBE, &params).await;
        assert_eq!(answer["error"]["code"], code, "{params}");
    }
    for _ in 0..16 {
        assert!(subscribe(&mut socket, &json!([])).await.is_string());
    }
    let one_more = ask(&mut socket, SUBSCRIBE, &json!([])).await;
    assert_eq!(one_more["error"]["code"], -32602);
    let mut farthest = connect(&url).await;
    let subscription = subscribe(&mut farthest, &json!([{"block_number": 75}])).await;
    assert_eq!(head(&mut farthest, &subscription).await, 75);
}

#[tokio::test]
async fn messages_that_are_too_long_end_the_connection() {
    let (_node, url) = serve(1).await;
    let mut socket = connect(&url).await;
    let long = " ".repeat((1 << 20) + 1);
    // The server may close while the message is still on its way.
    let _ = socket.send(Message::text(long)).await;
    while let Some(Ok(message)) = socket.next().await {
        assert!(message.is_close(), "{message:?}");
    }
}

#[tokio::test]
async fn a_client_that_does_not_listen_loses_its_connection() {
    let (node, url) = serve(1).await;
    let mut socket = connect(&url).await;
    for _ in 0..16 {
        subscribe(&mut socket, &json!([])).await;
    }
    // Far more than buffers of sockets and the node hold.
    tokio::task::spawn_blocking(move || node.mine(12_000).unwrap())
        .await
        .unwrap();
    let mut heads = 0;
    let mut close = None;
    while let Some(Ok(message)) = socket.next().await {
        match message {
            Message::Close(frame) => close = frame,
            _ => heads += 1,
        }
    }
    assert!(heads < 16 * 12_000);
    if let Some(frame) = close {
        assert_eq!(frame.code, CloseCode::Policy);
    }
}

#[tokio::test]
async fn faults_reach_answers_over_websocket_too() {
    let (node, url) = serve(2).await;
    let method = "starknet_blockNumber";
    let request = json!({"jsonrpc": "2.0", "id": 7, "method": method}).to_string();
    for (kind, code) in [
        (FaultKind::Dropped, None),
        (FaultKind::Http5xx, Some(CloseCode::Error)),
        (FaultKind::Http429, Some(CloseCode::Again)),
    ] {
        node.fault(method, kind, 1).unwrap();
        let mut socket = connect(&url).await;
        socket.send(Message::text(request.clone())).await.unwrap();
        let end = match socket.next().await {
            Some(Ok(Message::Close(frame))) => frame.map(|frame| frame.code),
            _ => None,
        };
        assert_eq!(end, code, "{kind}");
    }
    node.fault(method, FaultKind::Malformed, 1).unwrap();
    let mut socket = connect(&url).await;
    socket.send(Message::text(request)).await.unwrap();
    let message = socket.next().await.unwrap().unwrap();
    assert!(serde_json::from_str::<Value>(message.to_text().unwrap()).is_err());
    assert_eq!(ask(&mut socket, method, &json!([])).await["result"], 1);
}
