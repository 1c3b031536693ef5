//! The Solana node over HTTP and WebSocket, as clients meet it.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests fail by panicking"
)]

use crate::serving::listen;
use futures_util::{SinkExt as _, StreamExt as _};
use primitives::{ManualClock, Timestamp};
use reqwest::{Client, StatusCode};
use serde_json::{Value, json};
use simnet::{SolanaConfig, SolanaNode, StarknetConfig, StarknetNode};
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

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
    let address = listen(router).await;
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

async fn connect(url: &str) -> Socket {
    let url = url.replace("http://", "ws://");
    connect_async(url).await.unwrap().0
}

async fn next(socket: &mut Socket) -> Value {
    let message = socket.next().await.unwrap().unwrap();
    serde_json::from_str(message.to_text().unwrap()).unwrap()
}

async fn ask(socket: &mut Socket, method: &str, params: &Value) -> Value {
    let request = request(method, params).to_string();
    socket.send(Message::text(request)).await.unwrap();
    let mut answer = next(socket).await;
    assert_eq!(answer["id"], 1, "{answer}");
    answer["result"].take()
}

#[tokio::test]
async fn a_connection_is_told_once_that_a_transaction_is_as_sure_as_it_asked() {
    let url = serve().await;
    let mut socket = connect(&url).await;
    let airdrop = json!(["11111111111111111111111111111112", 5_000_000]);
    let signature = ask(&mut socket, "requestAirdrop", &airdrop).await;
    let mut waiting = Vec::new();
    for commitment in ["processed", "confirmed", "finalized"] {
        let awaited = json!([signature, {"commitment": commitment}]);
        waiting.push(ask(&mut socket, "signatureSubscribe", &awaited).await);
    }
    for (subscription, slots) in waiting.iter().zip([2, 3, 40]) {
        answer(&url, &request("sim_mine", &json!({"slots": slots}))).await;
        let news = next(&mut socket).await;
        assert_eq!(news["method"], "signatureNotification");
        assert_eq!(&news["params"]["subscription"], subscription);
        assert_eq!(news["params"]["result"]["value"], json!({"err": null}));
    }
    // There is nothing left to end.
    let last = json!([waiting.last()]);
    assert!(
        ask(&mut socket, "signatureUnsubscribe", &last)
            .await
            .is_null()
    );
}

#[tokio::test]
async fn a_connection_is_told_of_slots_until_it_has_enough() {
    let url = serve().await;
    let mut socket = connect(&url).await;
    let subscription = ask(&mut socket, "slotSubscribe", &json!([])).await;
    let mine = request("sim_mine", &json!({"slots": 3}));
    let mut last = 0;
    for _ in 0..3 {
        answer(&url, &mine).await;
        let news = next(&mut socket).await;
        assert_eq!(news["method"], "slotNotification");
        assert_eq!(news["params"]["subscription"], subscription);
        let told = &news["params"]["result"];
        let slot = told["slot"].as_u64().unwrap();
        assert!(slot > last && told["parent"].as_u64() < Some(slot) && told["root"].is_u64());
        last = slot;
    }
    let ended = ask(&mut socket, "slotUnsubscribe", &json!([subscription])).await;
    assert_eq!(ended, true);
    answer(&url, &mine).await;
    // The next message is an answer again.
    assert_eq!(ask(&mut socket, "getHealth", &json!([])).await, "ok");
}

/// The code of the error with which a page of `origin` is answered, over HTTP.
async fn code_over_http(url: &str, origin: &str, method: &str) -> Option<i64> {
    let client = Client::new().post(url).header("origin", origin);
    let body = request(method, &json!([])).to_string();
    let text = client.body(body).send().await.unwrap().text().await;
    let answer: Value = serde_json::from_str(&text.unwrap()).unwrap();
    answer["error"]["code"].as_i64()
}

async fn code_over_websocket(url: &str, origin: &str, method: &str) -> Option<i64> {
    let mut upgrade = url.into_client_request().unwrap();
    let headers = upgrade.headers_mut();
    headers.insert("origin", origin.parse().unwrap());
    let mut socket = connect_async(upgrade).await.unwrap().0;
    let request = request(method, &json!([])).to_string();
    socket.send(Message::text(request)).await.unwrap();
    next(&mut socket).await["error"]["code"].as_i64()
}

#[tokio::test]
async fn pages_of_others_may_read_and_do_not_steer() {
    let solana = serve().await;
    let starknet = solana.replace("/solana", "/starknet");
    let own = solana.replace("/solana", "");
    let foreign = "https://attacker.example";
    let socket = |url: &str| url.replace("http://", "ws://");
    for (url, stream, read) in [
        (&solana, socket(&solana), "getSlot"),
        (&starknet, socket(&starknet) + "/ws", "starknet_blockNumber"),
    ] {
        for (origin, method, code) in [
            (foreign, "sim_pause", Some(-32050)),
            (foreign, "sim_accounts", Some(-32050)),
            (foreign, read, None),
            (own.as_str(), "sim_pause", None),
            (own.as_str(), read, None),
        ] {
            let http = code_over_http(url, origin, method).await;
            assert_eq!(http, code, "{url} {origin} {method}");
            let websocket = code_over_websocket(&stream, origin, method).await;
            assert_eq!(websocket, code, "{stream} {origin} {method}");
        }
    }
}

#[tokio::test]
async fn a_goodbye_is_answered() {
    let url = serve().await;
    let mut socket = connect(&url).await;
    assert_eq!(ask(&mut socket, "getHealth", &json!([])).await, "ok");
    socket.close(None).await.unwrap();
    let answer = socket.next().await.unwrap();
    assert!(matches!(answer, Ok(Message::Close(_))), "{answer:?}");
}
