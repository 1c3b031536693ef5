//! The names of either dialect.

use super::support::{Market, post};
use crate::support::Bench;
use api::Dialect;
use serde_json::{Value, json};

fn keys(value: &Value) -> Vec<&str> {
    value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

#[tokio::test]
async fn records_and_prices_have_the_names_of_their_dialect() {
    let plain = Market::new(9).await;
    let avnu = Market::speaking(9, Dialect::Avnu).await;
    let token = plain.address("ETH").await;
    let path = format!("/v3/tokens/{token}");
    let (ours, theirs) = (plain.json(&path).await, avnu.json(&path).await);
    assert_eq!(ours["aggregatorId"], "ethereum");
    assert_eq!(theirs["coingeckoId"], "ethereum");
    assert_eq!(ours["network"], theirs["starknet"]);
    assert_eq!(ours.get("global"), None);
    assert_eq!(theirs.get("global"), Some(&Value::Null));
    assert!(
        ours["tags"]
            .as_array()
            .unwrap()
            .contains(&json!("Verified"))
    );

    let path = format!("/v1/tokens/{token}");
    let (ours, theirs) = (plain.json(&path).await, avnu.json(&path).await);
    for (plain, avnu) in [
        ("networkTvl", "starknetTvl"),
        ("networkVolume24h", "starknetVolume24h"),
        ("networkTradingVolume24h", "starknetTradingVolume24h"),
    ] {
        assert!(ours["market"][plain].is_number(), "{plain}");
        assert_eq!(ours["market"][plain], theirs["market"][avnu], "{avnu}");
        assert_eq!(theirs["market"].get(plain), None);
    }
    assert_eq!(theirs["coingeckoId"], "ethereum");

    let body = json!({"tokens": [token]});
    let ours = plain.post("/v3/tokens/prices", &body).await.json();
    let theirs = avnu.post("/v3/tokens/prices", &body).await.json();
    assert_eq!(keys(&ours[0]), ["address", "decimals", "networkMarket"]);
    assert_eq!(
        keys(&theirs[0]),
        ["address", "decimals", "globalMarket", "starknetMarket"]
    );
    assert_eq!(ours[0]["networkMarket"], theirs[0]["starknetMarket"]);
    assert_eq!(theirs[0]["globalMarket"], Value::Null);
}

#[tokio::test]
async fn a_known_token_without_a_price_is_left_out_or_null() {
    let body = r#"{"tokens":["0x77","0x50","0x030","0x50"]}"#;
    let plain = Bench::new().await;
    assert_eq!(
        post(&plain, "/v3/tokens/prices", body.to_owned())
            .await
            .json(),
        json!([])
    );
    let avnu = Bench::configured(|config| config.dialect = Dialect::Avnu).await;
    let answer = post(&avnu, "/v3/tokens/prices", body.to_owned()).await;
    assert_eq!(
        answer.json(),
        json!([
            {"address": "0x50", "decimals": 0, "starknetMarket": null, "globalMarket": null},
            {"address": "0x30", "decimals": 18, "starknetMarket": null, "globalMarket": null},
        ])
    );
}

#[tokio::test]
async fn the_document_speaks_the_dialect() {
    let bench = Bench::configured(|config| config.dialect = Dialect::Avnu).await;
    let document = bench.get("/openapi/market.json").await;
    for word in [
        "starknetMarket",
        "starknetTvl",
        "starknetVolume24h",
        "starknetTradingVolume24h",
        "coingeckoId",
        "\"starknet\"",
    ] {
        assert!(document.text().contains(word), "{word}");
    }
    for word in [
        "networkMarket",
        "networkTvl",
        "\"network\"",
        "aggregatorId",
        "PLATFORM",
    ] {
        assert!(!document.text().contains(word), "{word}");
    }
    let schemas = &document.json()["components"]["schemas"];
    for (schema, key) in [
        ("TokenMarket", "global"),
        ("TokenPrice", "globalMarket"),
        ("TokenPrice", "starknetMarket"),
    ] {
        let property = &schemas[schema]["properties"][key];
        assert_eq!(property["oneOf"][0], json!({"type": "null"}), "{key}");
        let required = schemas[schema]["required"].as_array().unwrap();
        assert!(required.contains(&json!(key)), "{key}");
    }
    let answers = &document.json()["paths"]["/v3/tokens/{tokenAddress}"]["get"]["responses"];
    assert!(answers["404"].is_object());
}
