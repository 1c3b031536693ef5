//! The simulated aggregator over HTTP.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crate::serving::listen;
use primitives::{Clock, ManualClock, Timestamp};
use reqwest::StatusCode;
use serde_json::{Value, json};
use simnet::{FaultKind, History, StarknetConfig, StarknetNode};
use std::{collections::BTreeSet, sync::Arc, time::Duration};

async fn start(seed: u64) -> (StarknetNode, String) {
    let config = StarknetConfig {
        seed,
        block_time: None,
        history: History::blocks(2, Duration::from_secs(2)),
        pools: 0,
        ..StarknetConfig::default()
    };
    let clock = ManualClock::new(Timestamp::from_second(1_800_000_000).unwrap());
    let node = StarknetNode::new(config, Arc::new(clock) as Arc<dyn Clock>);
    let address = listen(node.router()).await;
    (node, format!("http://{address}/aggregator/api/v3"))
}

async fn get(base: &str, query: &str) -> (StatusCode, String) {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let url = format!("{base}/coins/markets?{query}");
    let response = client.get(url).send().await.unwrap();
    (response.status(), response.text().await.unwrap())
}

async fn markets(base: &str, query: &str) -> Vec<Value> {
    let (status, text) = get(base, query).await;
    assert_eq!(status, StatusCode::OK, "{text}");
    serde_json::from_str(&text).unwrap()
}

#[tokio::test]
async fn the_aggregator_knows_every_listed_token_that_has_a_name_there() {
    let (_node, base) = start(0).await;
    let list: Value = serde_json::from_str(&StarknetNode::token_list()).unwrap();
    let tokens = list["tokens"].as_array().unwrap().iter();
    let names = tokens.filter_map(|token| token["extensions"]["aggregatorId"].as_str());
    let names: BTreeSet<&str> = names.collect();
    let all = markets(&base, "vs_currency=usd").await;
    let known: BTreeSet<&str> = all
        .iter()
        .map(|item| item["id"].as_str().unwrap())
        .collect();
    assert_eq!(known, names);
    for item in &all {
        let figure = |name: &str| item[name].as_f64().unwrap();
        assert!(figure("current_price") > 0.0, "{item}");
        assert!(figure("market_cap") > 1_000.0, "{item}");
        assert!(
            figure("market_cap") <= figure("fully_diluted_valuation"),
            "{item}"
        );
        assert!(
            figure("market_cap_change_percentage_24h").abs() < 50.0,
            "{item}"
        );
    }
}

#[tokio::test]
async fn the_aggregator_follows_the_time_and_the_seed() {
    let query = "vs_currency=usd&ids=ethereum,nonsense,usd-coin";
    let (node, base) = start(1).await;
    let before = markets(&base, query).await;
    assert_eq!(before.len(), 2);
    assert_eq!(before, markets(&base, query).await);
    node.advance(24 * 60 * 60, 1).unwrap();
    let after = markets(&base, query).await;
    for (before, after) in before.iter().zip(&after) {
        let [then, now] = [before, after].map(|item| item["market_cap"].as_f64().unwrap());
        let change = after["market_cap_change_24h"].as_f64().unwrap();
        assert!(
            change != 0.0 && (now - then - change).abs() < 1.0,
            "{then} {now} {change}"
        );
    }
    let (_node, other) = start(2).await;
    assert_ne!(before, markets(&other, query).await);
}

#[tokio::test]
async fn the_aggregator_refuses_wrong_questions_and_fails_on_request() {
    let (node, base) = start(0).await;
    let (status, text) = get(&base, "vs_currency=eur").await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert!(serde_json::from_str::<Value>(&text).unwrap()["error"].is_string());
    let good = "vs_currency=usd&ids=ethereum";
    // A fault of any method is meant for the node.
    node.fault("*", FaultKind::Http5xx, 1).unwrap();
    assert_eq!(markets(&base, good).await.len(), 1);
    node.fault("aggregator", FaultKind::Http429, 1).unwrap();
    assert_eq!(get(&base, good).await.0, StatusCode::TOO_MANY_REQUESTS);
    node.fault("aggregator", FaultKind::Malformed, 1).unwrap();
    let (status, text) = get(&base, good).await;
    assert_eq!(status, StatusCode::OK);
    assert!(serde_json::from_str::<Value>(&text).is_err());
    assert_eq!(markets(&base, good).await.len(), 1);
    for kind in [FaultKind::WrongId, FaultKind::StaleHead] {
        assert!(node.fault("aggregator", kind, 1).is_err(), "{kind}");
    }
    assert_eq!(markets(&base, good).await[0]["symbol"], json!("eth"));
}
