//! `GET /v1/{network}/tokens`.

use crate::support::{Bench, Setting, get};
use api::Dialect;
use axum::http::{Method, Request};
use serde_json::{Value, json};

const TOKENS: &str = "/v1/starknet/tokens";

fn addresses(page: &Value) -> Vec<&str> {
    let tokens = page["content"].as_array().unwrap();
    tokens
        .iter()
        .map(|token| token["address"].as_str().unwrap())
        .collect()
}

async fn listed(bench: &Bench, query: &str) -> Value {
    let answer = bench.get(&format!("{TOKENS}?{query}")).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()
}

#[tokio::test]
async fn a_page_has_whole_tokens_and_the_totals() {
    let bench = Bench::new().await;
    assert_eq!(
        listed(&bench, "size=3").await,
        json!({
            "content": [
                {
                    "address": "0x10", "name": "Bridged \"Ether\"", "symbol": "ETHB", "decimals": 18,
                    "logoUri": null, "lastDailyVolumeUsd": 0.0, "extensions": {}, "tags": ["Unknown"]
                },
                {
                    "address": "0x20", "name": "Staked Ether", "symbol": "wstETH", "decimals": 18,
                    "logoUri": null, "lastDailyVolumeUsd": 0.0, "extensions": {}, "tags": ["Unknown"]
                },
                {
                    "address": "0x30", "name": "Ether", "symbol": "ETH", "decimals": 18,
                    "logoUri": "https://logo.example/eth.svg", "lastDailyVolumeUsd": 0.0,
                    "extensions": {"aggregatorId": "ethereum", "website": "https://ether.example"},
                    "tags": ["Verified", "PLATFORM"]
                }
            ],
            "size": 3, "number": 0, "totalElements": 5, "totalPages": 2
        })
    );
}

#[tokio::test]
async fn the_avnu_dialect_uses_the_names_of_published_clients() {
    let bench = Bench::configured(|config| config.dialect = Dialect::Avnu).await;
    let page = listed(&bench, "tag=AVNU").await;
    assert_eq!(addresses(&page), ["0x30"]);
    assert_eq!(page["content"][0]["tags"], json!(["Verified", "AVNU"]));
    assert_eq!(
        page["content"][0]["extensions"],
        json!({"coingeckoId": "ethereum", "website": "https://ether.example"})
    );
    bench
        .get(&format!("{TOKENS}?tag=PLATFORM"))
        .await
        .refused(400);
}

#[tokio::test]
async fn pages_follow_each_other_and_a_page_past_the_end_is_empty() {
    let bench = Bench::with(Setting {
        more_tokens: Some(41),
        ..Setting::default()
    })
    .await;
    let first = bench.get(TOKENS).await.json();
    assert_eq!(first["content"].as_array().unwrap().len(), 20);
    let mut all = Vec::new();
    for number in 0..3 {
        let page = listed(&bench, &format!("page={number}")).await;
        assert_eq!(
            (&page["number"], &page["totalPages"]),
            (&json!(number), &json!(3))
        );
        all.extend(addresses(&page).into_iter().map(str::to_owned));
    }
    assert_eq!(all.len(), 46);
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 46);
    for number in [3, 1_000_000_000] {
        assert_eq!(
            listed(&bench, &format!("page={number}")).await,
            json!({"content": [], "size": 20, "number": number, "totalElements": 46, "totalPages": 3})
        );
    }
}

#[tokio::test]
async fn tokens_are_found_by_name_symbol_and_address() {
    let bench = Bench::new().await;
    for (search, expected) in [
        ("eth", vec!["0x30", "0x40", "0x10", "0x20"]),
        ("COIN", vec!["0x50"]),
        ("0x0030", vec!["0x30"]),
        ("%20", vec!["0x10", "0x20", "0x30", "0x40", "0x50"]),
        ("", vec!["0x10", "0x20", "0x30", "0x40", "0x50"]),
        ("nothing+like+it", vec![]),
    ] {
        let page = listed(&bench, &format!("search={search}")).await;
        assert_eq!(addresses(&page), expected, "{search}");
    }
}

#[tokio::test]
async fn a_verified_symbol_is_asked_for_as_published_clients_do() {
    let bench = Bench::new().await;
    let page = listed(
        &bench,
        "page=0&size=1&search=eth&tag=Verified&tag=Unruggable",
    )
    .await;
    assert_eq!(addresses(&page), ["0x30"]);
}

#[tokio::test]
async fn tags_select_and_sort_keys_order() {
    let bench = Bench::new().await;
    for (query, expected) in [
        ("tag=Verified&tag=Community", vec!["0x30", "0x40"]),
        ("tag=unknown", vec!["0x10", "0x20"]),
        (
            "sort=address,desc",
            vec!["0x50", "0x40", "0x30", "0x20", "0x10"],
        ),
        (
            "sort=decimals%2Casc&sort=name%2Cdesc",
            vec!["0x50", "0x40", "0x20", "0x30", "0x10"],
        ),
        (
            "sort=lastDailyVolumeUsd,desc",
            vec!["0x10", "0x20", "0x30", "0x40", "0x50"],
        ),
        ("search=eth&sort=symbol,desc&size=1", vec!["0x20"]),
    ] {
        assert_eq!(addresses(&listed(&bench, query).await), expected, "{query}");
    }
}

#[tokio::test]
async fn unknown_parameters_are_ignored() {
    let bench = Bench::new().await;
    assert_eq!(listed(&bench, "utm=1&tagg=x").await["number"], 0);
}

#[tokio::test]
async fn a_new_list_replaces_what_was_rendered_of_the_old_one() {
    let bench = Bench::new().await;
    assert_eq!(bench.get(TOKENS).await.json()["totalElements"], 5);
    bench.publish(1);
    let page = bench.get(TOKENS).await.json();
    assert_eq!(
        addresses(&page),
        ["0x10", "0x20", "0x30", "0x40", "0x50", "0x1000"]
    );
}

#[tokio::test]
async fn the_network_is_named_by_configuration() {
    let bench = Bench::configured(|config| config.network = "sepolia".parse().unwrap()).await;
    assert_eq!(bench.get("/v1/sepolia/tokens").await.status, 200);
    assert_eq!(bench.get("/v1/sepolia/tokens/ETH").await.status, 200);
    bench.get(TOKENS).await.refused(404);
}

#[tokio::test]
async fn head_answers_as_get_without_a_body() {
    let bench = Bench::new().await;
    let whole = bench.get(TOKENS).await;
    let head = bench
        .send(Request::builder().method(Method::HEAD).uri(TOKENS))
        .await;
    assert_eq!((head.status, head.body.len()), (whole.status, 0));
    assert_eq!(
        head.header("content-length"),
        Some(whole.body.len().to_string().as_str())
    );
    assert_eq!(head.header("content-type"), Some("application/json"));
}

#[tokio::test]
async fn every_listener_of_the_trading_api_has_the_list() {
    let bench = Bench::new().await;
    let router = bench.api.trade_router();
    let answer = crate::support::send(&router, get(TOKENS), axum::body::Body::empty()).await;
    assert_eq!(answer.json(), bench.get(TOKENS).await.json());
}
