//! Tokens and their markets.

use super::support::Market;
use serde_json::Value;

#[tokio::test]
async fn lists_have_priced_tokens_by_falling_tvl() {
    let market = Market::new(13).await;
    for (path, tvl) in [
        ("/v3/tokens", "/network/usdTvl"),
        ("/v1/tokens", "/market/networkTvl"),
    ] {
        let tokens = market.json(path).await;
        let tokens = tokens.as_array().unwrap();
        assert!((4..=200).contains(&tokens.len()), "{path}");
        let values: Vec<f64> = tokens
            .iter()
            .map(|it| it.pointer(tvl).unwrap().as_f64().unwrap())
            .collect();
        assert!(values.is_sorted_by(|a, b| a >= b), "{path}: {values:?}");
        assert!(values[0] > 0.0);
    }
}

#[tokio::test]
async fn the_feed_is_the_line_of_seven_days_in_hours_and_can_be_left_out() {
    let market = Market::new(14).await;
    let token = market.address("ETH").await;
    let record = market.json(&format!("/v3/tokens/{token}")).await;
    let line = market
        .json(&format!("/v3/tokens/{token}/prices/line?resolution=1H"))
        .await;
    assert_eq!(record["linePriceFeedInUsd"], line);
    let mut bare = market
        .json(&format!("/v3/tokens/{token}?withPriceFeed=false"))
        .await;
    assert_eq!(bare["linePriceFeedInUsd"].as_array().unwrap().len(), 0);
    bare["linePriceFeedInUsd"] = line;
    assert_eq!(bare, record);
    let wanted = market
        .json(&format!("/v3/tokens/{token}?withPriceFeed=true"))
        .await;
    assert_eq!(wanted, record);
}

#[tokio::test]
async fn changes_agree_with_the_course_of_the_price() {
    let market = Market::new(15).await;
    let token = market.address("STRK").await;
    let network = market.json(&format!("/v3/tokens/{token}")).await["network"].clone();
    let number = |key: &str| network[key].as_f64().unwrap();
    let change = number("usdPriceChange1h");
    let percentage = number("usdPriceChangePercentage1h");
    let before = number("usd") - change;
    assert!((percentage - change / before * 100.0).abs() < 1e-6);
    // The chain is some hours old: there was no price a week ago.
    assert_eq!(network["usdPriceChange7d"], 0.0);
    assert!(network["usdPriceChangePercentage7d"].is_null());
    assert!(number("usdVolume24h") >= number("usdTradingVolume24h"));
    assert!(number("usdTradingVolume24h") > 0.0);
}

#[tokio::test]
async fn a_market_capitalisation_comes_from_the_supply_when_nothing_better_is_known() {
    let market = Market::new(16).await;
    let token = market.address("ETH").await;
    let record = market.json(&format!("/v1/tokens/{token}")).await["market"].clone();
    let number = |key: &str| record[key].as_f64().unwrap();
    if record["totalSupply"].is_null() {
        assert_eq!(record["marketCap"], 0.0);
        assert!(record["fullyDilutedValuation"].is_null());
    } else {
        let worth = number("totalSupply") * number("currentPrice");
        assert!((number("marketCap") / worth - 1.0).abs() < 1e-9);
        assert_eq!(record["fullyDilutedValuation"], record["marketCap"]);
    }
}

#[tokio::test]
async fn the_token_list_has_the_same_volume() {
    let market = Market::new(18).await;
    for symbol in ["ETH", "STRK", "USDC"] {
        let listed = market.json(&format!("/v1/starknet/tokens/{symbol}")).await;
        let address = listed["address"].as_str().unwrap();
        let record = market.json(&format!("/v3/tokens/{address}")).await;
        let volume = record["network"]["usdVolume24h"].as_f64().unwrap();
        assert!(volume > 0.0, "{symbol}");
        let listed = listed["lastDailyVolumeUsd"].as_f64().unwrap();
        assert!((listed / volume - 1.0).abs() < 1e-12, "{symbol}");
    }
}

/// The sum of what lies of a token at exchanges now.
async fn at_exchanges(market: &Market, token: &Value) -> f64 {
    let address = token["address"].as_str().unwrap();
    let points = market
        .json(&format!("/v3/tokens/{address}/exchange-tvl"))
        .await;
    let points = points.as_array().unwrap().iter();
    points.map(|it| it["valueUsd"].as_f64().unwrap()).sum()
}

#[tokio::test]
async fn a_tvl_that_leaves_something_out_says_how_much() {
    let market = Market::wide().await;
    let v1 = market.json("/v1/tokens").await;
    let v1 = v1.as_array().unwrap();
    for token in market.json("/v3/tokens").await.as_array().unwrap() {
        let network = &token["network"];
        let uncounted = network.get("usdTvlUncounted");
        let told =
            network["usdTvl"].as_f64().unwrap() + uncounted.map_or(0.0, |it| it.as_f64().unwrap());
        let sum = at_exchanges(&market, token).await;
        assert!((told - sum).abs() <= 1e-9 * sum, "{token}: {sum}");
        let old = v1.iter().find(|it| it["address"] == token["address"]);
        let old = &old.unwrap()["market"];
        assert_eq!(old.get("networkTvlUncounted"), uncounted);
    }
}
