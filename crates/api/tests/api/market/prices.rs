//! Prices of now.

use super::support::Market;
use serde_json::{Value, json};

fn addresses(prices: &Value) -> Vec<&str> {
    let prices = prices.as_array().unwrap();
    prices
        .iter()
        .map(|it| it["address"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn prices_come_once_in_the_order_asked_without_the_unknown() {
    let market = Market::new(10).await;
    let (eth, strk) = (market.address("ETH").await, market.address("STRK").await);
    let padded = format!("0x{:0>64}", strk.trim_start_matches("0x").to_uppercase());
    let tokens = json!({"tokens": [padded, "0x7777", eth, strk, eth]});
    for path in ["/v3/tokens/prices", "/v1/tokens/prices"] {
        let prices = market.post(path, &tokens).await.json();
        assert_eq!(addresses(&prices), [strk.as_str(), eth.as_str()]);
    }
    let query = format!("token={padded}&token=0x7777&token={eth}&token={strk}");
    let prices = market.json(&format!("/v1/tokens/prices?{query}")).await;
    assert_eq!(addresses(&prices), [strk.as_str(), eth.as_str()]);
}

#[tokio::test]
async fn the_same_question_is_answered_anew_after_a_block() {
    let mut market = Market::new(12).await;
    let (eth, strk) = (market.address("ETH").await, market.address("STRK").await);
    let path = "/v3/tokens/prices";
    let tokens = json!({"tokens": [eth, strk]});
    let before = market.post(path, &tokens).await;
    assert_eq!(market.post(path, &tokens).await.body, before.body);
    let turned = json!({"tokens": [strk, eth]});
    let turned = market.post(path, &turned).await.json();
    assert_eq!(addresses(&turned), [strk.as_str(), eth.as_str()]);
    market.pass(20).await;
    let after = market.post(path, &tokens).await.json();
    assert_ne!(after, before.json());
    let record = market.json(&format!("/v3/tokens/{eth}")).await;
    assert_eq!(after[0]["networkMarket"]["usd"], record["network"]["usd"]);
}

#[tokio::test]
async fn a_token_has_one_price_everywhere() {
    let market = Market::new(11).await;
    let short = market.json("/v1/tokens/short").await;
    let list = market.json("/v3/tokens").await;
    let old_list = market.json("/v1/tokens").await;
    assert!(short.as_array().unwrap().len() >= 4);
    for (place, token) in short.as_array().unwrap().iter().enumerate() {
        let address = token["address"].as_str().unwrap();
        let price = &token["currentPrice"];
        assert!(price.as_f64().unwrap() > 0.0);
        let body = json!({"tokens": [address]});
        let posted = market.post("/v3/tokens/prices", &body).await.json();
        assert_eq!(&posted[0]["networkMarket"]["usd"], price);
        let old = market.post("/v1/tokens/prices", &body).await.json();
        for key in ["usdPrice", "priceInUSD", "priceInUsd"] {
            assert_eq!(&old[0][key], price, "{key}");
        }
        let record = market.json(&format!("/v3/tokens/{address}")).await;
        assert_eq!(&record["network"]["usd"], price);
        assert_eq!(list[place], record);
        let old_record = market.json(&format!("/v1/tokens/{address}")).await;
        assert_eq!(&old_record["market"]["currentPrice"], price);
        assert_eq!(old_list[place], old_record);
        assert_eq!(old_record["position"], place + 1);
        let candles = market
            .json(&format!("/v3/tokens/{address}/prices/candle"))
            .await;
        assert_eq!(&candles.as_array().unwrap().last().unwrap()["close"], price);
        let feed = record["linePriceFeedInUsd"].as_array().unwrap();
        assert_eq!(&feed.last().unwrap()["value"], price);
    }
}

#[tokio::test]
async fn prices_in_eth_are_relative_to_the_verified_ether() {
    let market = Market::new(12).await;
    let (eth, strk) = (market.address("ETH").await, market.address("STRK").await);
    let query = format!("token={eth}&token={strk}");
    let prices = market.json(&format!("/v1/tokens/prices?{query}")).await;
    assert_eq!(prices[0]["priceInETH"], "0xde0b6b3a7640000");
    assert_eq!(prices[0]["priceInEth"], 1.0);
    let number = |key: &str, place: usize| prices[place][key].as_f64().unwrap();
    let ratio = number("priceInUSD", 1) / number("priceInUSD", 0);
    assert!((number("priceInEth", 1) / ratio - 1.0).abs() < 1e-12);
    let wei = prices[1]["priceInETH"].as_str().unwrap();
    let wei = u128::from_str_radix(wei.trim_start_matches("0x"), 16).unwrap();
    let expected = format!("{:.0}", ratio * 1e18).parse::<u128>().unwrap();
    assert!(wei.abs_diff(expected) <= 1_000);
}
