//! `GET /v3/tokens/table`.

use super::support::Market;
use crate::support::{Bench, send};
use axum::{body::Body, http::Request};
use serde_json::{Value, json};

/// Bytes of gzip that a token may take, if a hundred of them take 15 kB.
const MOST_BYTES: usize = 150;

#[tokio::test]
async fn a_hundred_tokens_of_the_shipped_world_are_few_bytes() {
    let mut market = Market::wide().await;
    market.pass(200).await;
    let request = Request::get("/v3/tokens/table?size=100").header("accept-encoding", "gzip");
    let answer = send(&market.bench.router, request, Body::empty()).await;
    assert_eq!(answer.header("content-encoding"), Some("gzip"));
    let table = market.json("/v3/tokens/table?size=100").await;
    let rows = table["content"].as_array().unwrap();
    assert!(rows.len() > 60);
    let bytes = answer.body.len();
    assert!(
        bytes <= rows.len() * MOST_BYTES,
        "{bytes} of {}",
        rows.len()
    );
    let whole = |row: &Value| {
        row["sparkline"]
            .as_array()
            .unwrap()
            .iter()
            .all(Value::is_number)
    };
    let priced = rows.iter().filter(|row| whole(row)).count();
    assert!(priced > 40, "{priced}");
}

#[tokio::test]
async fn a_row_agrees_with_the_record_and_the_line() {
    let market = Market::new(31).await;
    let table = market.json("/v3/tokens/table?size=100").await;
    let rows = table["content"].as_array().unwrap();
    let priced: Vec<&Value> = rows.iter().filter(|it| !it["priceUsd"].is_null()).collect();
    assert!(priced.len() >= 4);
    for row in priced {
        let address = row["address"].as_str().unwrap();
        let record = market.json(&format!("/v3/tokens/{address}")).await;
        for key in ["name", "symbol", "logoUri", "verified", "tags"] {
            assert_eq!(row[key], record[key], "{key}");
        }
        let network = &record["network"];
        assert_eq!(row["priceUsd"], network["usd"]);
        for (short, long) in [
            ("tvlUsd", "usdTvl"),
            ("volumeUsd24h", "usdVolume24h"),
            ("change24h", "usdPriceChangePercentage24h"),
        ] {
            match (row[short].as_f64(), network[long].as_f64()) {
                (Some(short), Some(long)) => assert!((short - long).abs() <= long.abs() * 6e-3),
                (short, long) => assert_eq!(short, long),
            }
        }
        let path = format!("/v3/tokens/{address}/prices/line?resolution=1H");
        let line = market.json(&path).await;
        let line = line.as_array().unwrap();
        let sparkline = row["sparkline"].as_array().unwrap();
        assert_eq!(sparkline.len(), 24);
        let told: Vec<f64> = sparkline.iter().filter_map(Value::as_f64).collect();
        let line = &line[line.len().saturating_sub(24)..];
        assert_eq!(told.len(), line.len());
        for (short, long) in told.iter().zip(line) {
            let long = long["value"].as_f64().unwrap();
            assert!((short - long).abs() <= long * 1e-4, "{short} {long}");
        }
    }
}

fn column<'a>(table: &'a Value, key: &str) -> Vec<&'a Value> {
    let rows = table["content"].as_array().unwrap();
    rows.iter().map(|row| &row[key]).collect()
}

#[tokio::test]
async fn every_column_sorts_both_ways_and_what_is_null_comes_last() {
    let market = Market::wide().await;
    for key in ["priceUsd", "change24h", "volumeUsd24h", "tvlUsd"] {
        for (direction, rises) in [("asc", true), ("desc", false)] {
            let path = format!("/v3/tokens/table?size=100&sort={key},{direction}");
            let table = market.json(&path).await;
            let values: Vec<Option<f64>> =
                column(&table, key).into_iter().map(Value::as_f64).collect();
            let told: Vec<f64> = values.iter().copied().flatten().collect();
            assert!(
                values.iter().take(told.len()).all(Option::is_some),
                "{path}"
            );
            let in_order = |a: &f64, b: &f64| if rises { a <= b } else { a >= b };
            assert!(told.is_sorted_by(in_order), "{path}: {told:?}");
        }
    }
    let by_default = market.json("/v3/tokens/table?size=100").await;
    let by_tvl = market
        .json("/v3/tokens/table?size=100&sort=tvlUsd,desc")
        .await;
    assert_eq!(by_default, by_tvl);
}

#[tokio::test]
async fn pages_together_are_the_whole_table() {
    let market = Market::wide().await;
    let whole = market.json("/v3/tokens/table?size=100").await;
    let mut paged = Vec::new();
    for page in 0..4 {
        let path = format!("/v3/tokens/table?size=25&page={page}");
        let page = market.json(&path).await;
        paged.extend(page["content"].as_array().unwrap().clone());
    }
    assert_eq!(json!(paged), whole["content"]);
    let past = market.json("/v3/tokens/table?page=1000000000").await;
    assert_eq!(past["content"], json!([]));
    assert_eq!(past["totalElements"], whole["totalElements"]);
}

#[tokio::test]
async fn it_is_searched_and_filtered_like_the_token_list() {
    let market = Market::wide().await;
    for query in ["search=eth", "tag=Verified", "search=0x4&tag=Community"] {
        let table = market
            .json(&format!("/v3/tokens/table?size=100&{query}"))
            .await;
        let list = market
            .json(&format!("/v1/starknet/tokens?size=100&{query}"))
            .await;
        assert_eq!(table["totalElements"], list["totalElements"], "{query}");
        let sorted = |list: &Value| {
            let mut addresses: Vec<String> = column(list, "address")
                .into_iter()
                .map(Value::to_string)
                .collect();
            addresses.sort();
            addresses
        };
        assert_eq!(sorted(&table), sorted(&list), "{query}");
    }
    let table = market.json("/v3/tokens/table?search=eth").await;
    assert_eq!(table["content"][0]["symbol"], "ETH");
}

#[tokio::test]
async fn a_token_without_a_price_has_a_row_of_nulls() {
    let bench = Bench::new().await;
    let table = bench.get("/v3/tokens/table?search=0x30").await.json();
    let row = &table["content"][0];
    for key in ["priceUsd", "change24h", "volumeUsd24h", "tvlUsd"] {
        assert_eq!(row[key], Value::Null, "{key}");
    }
    assert_eq!(row["sparkline"], json!(vec![Value::Null; 24]));
}

#[tokio::test]
async fn everything_wrong_is_told_at_once() {
    let bench = Bench::new().await;
    let wrong = "size=0&page=x&sort=tvl&tag=Nobody&search=a&search=b";
    let path = format!("/v3/tokens/table?{wrong}");
    assert_eq!(bench.get(&path).await.refused(400).len(), 5);
}
