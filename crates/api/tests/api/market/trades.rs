//! `GET /v3/tokens/{tokenAddress}/trades`.

use super::support::Market;
use crate::support::Bench;
use api::{ApiConfig, Dialect};
use axum::{
    body::{Body, to_bytes},
    http::Request,
};
use serde_json::{Value, json};
use tower::ServiceExt as _;

/// All trades of a token, page by page.
async fn all(market: &Market, token: &str, query: &str) -> Vec<Value> {
    let mut trades = Vec::new();
    let mut cursor = String::new();
    loop {
        let path = format!("/v3/tokens/{token}/trades?{query}{cursor}");
        let page = market.json(&path).await;
        trades.extend(page["content"].as_array().unwrap().clone());
        match page["next"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return trades,
        }
    }
}

fn value(trade: &Value) -> f64 {
    trade["valueUsd"].as_f64().unwrap_or(0.0)
}

#[tokio::test]
async fn what_the_trades_of_an_hour_were_worth_is_the_volume_of_its_candle() {
    let market = Market::new(61).await;
    for symbol in ["ETH", "STRK", "USDC"] {
        let token = market.address(symbol).await;
        let trades = all(&market, &token, "limit=200").await;
        assert!(!trades.is_empty(), "{symbol}");
        let path = format!("/v3/tokens/{token}/prices/candle?resolution=1H");
        let candles = market.json(&path).await;
        for candle in candles.as_array().unwrap() {
            let hour = &candle["date"].as_str().unwrap()[..13];
            let within = trades
                .iter()
                .filter(|it| it["timestamp"].as_str().unwrap().starts_with(hour));
            let sum: f64 = within.map(value).sum();
            let volume = candle["volume"].as_f64().unwrap();
            assert!(
                (sum - volume).abs() <= volume * 1e-9,
                "{hour}: {sum} {volume}"
            );
        }
    }
}

#[tokio::test]
async fn trades_come_newest_first_and_say_what_happened() {
    let market = Market::new(62).await;
    let token = market.address("ETH").await;
    let pools = market
        .json(&format!("/v3/pools?size=100&token={token}"))
        .await;
    let pools = pools["content"].as_array().unwrap();
    let trades = all(&market, &token, "limit=200").await;
    let heights: Vec<u64> = trades
        .iter()
        .map(|it| it["blockNumber"].as_u64().unwrap())
        .collect();
    assert!(heights.is_sorted_by(|a, b| a >= b));
    for trade in &trades {
        let pool = pools.iter().find(|it| it["id"] == trade["pool"]).unwrap();
        assert_eq!(pool["venue"], trade["venue"]);
        let tokens = [&pool["token0"]["address"], &pool["token1"]["address"]];
        assert!(tokens.contains(&&trade["otherToken"]) && trade["otherToken"] != token);
        let amount = trade["amount"]
            .as_str()
            .unwrap()
            .strip_prefix("0x")
            .unwrap();
        let units = u128::from_str_radix(amount, 16).unwrap();
        let whole = units.to_string().parse::<f64>().unwrap() / 1e18;
        if let Some(price) = trade["priceUsd"].as_f64() {
            assert!((price * whole / value(trade) - 1.0).abs() < 1e-9);
        }
    }
    assert!(trades.iter().any(|it| it["side"] == "buy"));
    assert!(trades.iter().any(|it| it["side"] == "sell"));
}

#[tokio::test]
async fn both_tokens_of_a_trade_have_it() {
    let market = Market::new(63).await;
    let eth = market.address("ETH").await;
    let trade = all(&market, &eth, "limit=200").await.remove(0);
    let other = trade["otherToken"].as_str().unwrap();
    let seen = all(&market, other, "limit=200").await;
    let mirrored = seen.iter().find(|it| {
        it["transactionHash"] == trade["transactionHash"]
            && it["pool"] == trade["pool"]
            && it["otherAmount"] == trade["amount"]
    });
    let mirrored = mirrored.unwrap();
    assert_eq!(mirrored["amount"], trade["otherAmount"]);
    assert_eq!(mirrored["otherToken"], eth);
    assert_eq!(mirrored["valueUsd"], trade["valueUsd"]);
    assert_ne!(mirrored["side"], trade["side"]);
}

#[tokio::test]
async fn the_node_knows_the_transactions() {
    let market = Market::new(64).await;
    let token = market.address("STRK").await;
    let node = market.world.node.router();
    let trades = all(&market, &token, "limit=200").await;
    for trade in trades.iter().take(5) {
        let body = json!({
            "jsonrpc": "2.0", "id": 1, "method": "starknet_getTransactionReceipt",
            "params": {"transaction_hash": trade["transactionHash"]}
        });
        let request = Request::post("/starknet").header("content-type", "application/json");
        let request = request.body(Body::from(body.to_string())).unwrap();
        let answer = node.clone().oneshot(request).await.unwrap();
        let answer = to_bytes(answer.into_body(), 1 << 20).await.unwrap();
        let answer: Value = serde_json::from_slice(&answer).unwrap();
        assert_eq!(
            answer["result"]["block_number"], trade["blockNumber"],
            "{answer}"
        );
    }
}

#[tokio::test]
async fn a_cursor_goes_on_where_it_was_whatever_blocks_come() {
    let mut market = Market::new(65).await;
    let token = market.address("ETH").await;
    let whole = all(&market, &token, "limit=200").await;
    assert!(whole.len() > 10);
    assert_eq!(all(&market, &token, "limit=1").await, whole);
    let mut paged = Vec::new();
    let mut cursor = String::new();
    for _ in 0..3 {
        let path = format!("/v3/tokens/{token}/trades?limit=3{cursor}");
        let page = market.json(&path).await;
        paged.extend(page["content"].as_array().unwrap().clone());
        cursor = format!("&cursor={}", page["next"].as_str().unwrap());
        market.pass(2).await;
    }
    assert_eq!(paged, whole[..9]);
    let newer = all(&market, &token, "limit=200").await;
    assert!(newer.ends_with(&whole));
}

#[tokio::test]
async fn a_span_of_time_has_its_trades() {
    let market = Market::new(66).await;
    let token = market.address("ETH").await;
    let whole = all(&market, &token, "limit=200").await;
    let time = |trade: &Value| trade["timestamp"].as_str().unwrap().to_owned();
    let (newer, older) = (time(&whole[2]), time(&whole[whole.len() - 3]));
    let within = all(&market, &token, &format!("limit=7&from={older}&to={newer}")).await;
    let expected: Vec<Value> = whole
        .iter()
        .filter(|it| time(it) >= older && time(it) < newer)
        .cloned()
        .collect();
    assert!(!expected.is_empty());
    assert_eq!(within, expected);
    assert!(all(&market, &token, "to=1990-01-01").await.is_empty());
    assert!(all(&market, &token, "from=2099-01-01").await.is_empty());
}

#[tokio::test]
async fn after_a_reorganisation_the_trades_are_those_of_who_never_saw_the_old_blocks() {
    let mut market = Market::new(67).await;
    let token = market.address("ETH").await;
    let before = all(&market, &token, "limit=200").await;
    market.world.node.reorg(20).unwrap();
    market.pass(3).await;
    let after = all(&market, &token, "limit=200").await;
    assert_ne!(after, before);
    let mut fresh = market.world.station("fresh").await;
    let config = ApiConfig {
        rate_limits: None,
        ..ApiConfig::default()
    };
    let bench = Bench::configured_of(config, &market.world, &fresh);
    fresh.sync().await;
    let path = format!("/v3/tokens/{token}/trades?limit=200");
    let answer = bench.get(&path).await.json();
    assert_eq!(answer, market.json(&path).await);
}

#[tokio::test]
async fn while_the_store_does_not_have_the_block_that_is_served_nothing_is_told() {
    let market = Market::new(68).await;
    let token = market.address("ETH").await;
    let chain = market.station.store.chain();
    let tip = chain.tip().await.unwrap().unwrap();
    let to = chain.block_hash(tip.number - 1).await.unwrap().unwrap();
    let to = primitives::BlockRef {
        number: tip.number - 1,
        hash: to,
    };
    chain.rollback(tip, Some(to), None).await.unwrap();
    let answer = market
        .bench
        .get(&format!("/v3/tokens/{token}/trades"))
        .await;
    let message = "the history of the chain is being read; try again in a moment";
    assert_eq!(answer.refused(503), [message]);
}

#[tokio::test]
async fn a_token_without_trades_has_none_and_an_unknown_one_is_refused() {
    let bench = Bench::new().await;
    bench.get("/v3/tokens/0x77/trades").await.refused(400);
    let avnu = Bench::configured(|config| config.dialect = Dialect::Avnu).await;
    avnu.get("/v3/tokens/0x77/trades").await.refused(404);
    let market = Market::new(69).await;
    let snapshot = market.station.snapshots.load().unwrap();
    let in_pools: Vec<_> = snapshot
        .pools
        .iter()
        .flat_map(|view| view.tokens())
        .collect();
    let tokens = snapshot.tokens.tokens().iter();
    let lonely = tokens
        .map(|token| token.address)
        .find(|token| !in_pools.contains(token));
    let path = format!("/v3/tokens/{}/trades", lonely.unwrap());
    assert_eq!(
        market.json(&path).await,
        json!({"content": [], "next": null})
    );
}

#[tokio::test]
async fn everything_wrong_is_told_at_once() {
    let bench = Bench::new().await;
    let wrong = "limit=0&cursor=%3F&from=2026-02-01&to=2026-01-01";
    let path = format!("/v3/tokens/0x30/trades?{wrong}");
    assert_eq!(bench.get(&path).await.refused(400).len(), 3);
}
