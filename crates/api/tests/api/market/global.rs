//! What a global aggregator says beside the figures of the network.

use super::support::Market;
use api::Dialect;
use primitives::{Clock, SignedDuration};
use serde_json::{Value, json};
use services::{GlobalOptions, GlobalPoller};
use std::{sync::Arc, time::Duration};

const MAX_AGE: Duration = Duration::from_mins(5);

/// Lets the feed learn once what the simulated aggregator says.
async fn learn(market: &Market) {
    let options = GlobalOptions {
        url: market.world.node_url.join("/aggregator/api/v3").unwrap(),
        key: None,
        interval: Duration::from_hours(1),
        timeout: Duration::from_secs(10),
        max_age: MAX_AGE,
    };
    let (feed, clock) = (&market.bench.global, &market.world.clock);
    let listings = &market.world.known.listings;
    let poller = GlobalPoller::new(&options, listings, feed.clone(), Arc::clone(clock) as _);
    poller.unwrap().round().await;
    assert!(feed.get("ethereum", 0, clock.now()).is_some());
}

async fn told(market: &Market, token: &str) -> [Value; 4] {
    let body = json!({"tokens": [token]});
    let record = market.json(&format!("/v3/tokens/{token}")).await;
    let list = market.json("/v3/tokens").await;
    let mut list = list.as_array().unwrap().iter();
    [
        market.json(&format!("/v1/tokens/{token}")).await["market"].clone(),
        market.post("/v3/tokens/prices", &body).await.json()[0].clone(),
        list.find(|it| it["address"] == record["address"])
            .unwrap()
            .clone(),
        record,
    ]
}

#[tokio::test]
async fn the_aggregators_figures_stand_beside_those_of_the_network_until_they_are_old() {
    let market = Market::new(30).await;
    let token = market.address("ETH").await;
    learn(&market).await;
    let market_of = |usd: f64| {
        market
            .bench
            .global
            .get("ethereum", 0, market.world.clock.now())
            .filter(|it| (it.usd - usd).abs() < f64::EPSILON)
    };
    let [v1, price, listed, record] = told(&market, &token).await;
    let global = &record["global"];
    let said = market_of(global["usd"].as_f64().unwrap()).unwrap();
    assert_eq!(
        *global,
        json!({
            "usd": said.usd, "usdMarketCap": said.market_cap, "usdFdv": said.fdv,
            "usdMarketCapChange24h": said.market_cap_change_24h,
            "usdMarketCapChangePercentage24h": said.market_cap_change_percentage_24h
        })
    );
    assert_eq!(listed, record);
    assert_eq!(price["globalMarket"], json!({"usd": said.usd}));
    assert_eq!(v1["marketCap"], said.market_cap);
    assert_eq!(v1["fullyDilutedValuation"], said.fdv);
    assert_eq!(v1["marketCapChange24h"], said.market_cap_change_24h);
    let percentage = said.market_cap_change_percentage_24h;
    assert_eq!(v1["marketCapChangePercentage24h"], percentage);

    let max_age = SignedDuration::try_from(MAX_AGE).unwrap();
    market
        .world
        .clock
        .advance(max_age + SignedDuration::from_secs(1));
    let [v1, price, listed, record] = told(&market, &token).await;
    assert_eq!(record.get("global"), None);
    assert_eq!(listed.get("global"), None);
    assert_eq!(price.get("globalMarket"), None);
    assert!(v1["marketCapChange24h"].is_null());
}

#[tokio::test]
async fn in_the_avnu_dialect_a_token_has_a_global_price_even_without_one_of_the_network() {
    let market = Market::speaking(31, Dialect::Avnu).await;
    learn(&market).await;
    let known = market
        .json("/v1/starknet/tokens?tag=Verified&size=100")
        .await;
    let addresses: Vec<&str> = known["content"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["address"].as_str().unwrap())
        .collect();
    let addresses = &addresses[..addresses.len().min(50)];
    let prices = market
        .post("/v3/tokens/prices", &json!({"tokens": addresses}))
        .await
        .json();
    let prices = prices.as_array().unwrap();
    assert_eq!(prices.len(), addresses.len());
    let global_alone =
        |it: &&Value| it["starknetMarket"].is_null() && it["globalMarket"]["usd"].is_number();
    assert!(prices.iter().any(|it| global_alone(&it)));
    assert!(
        prices
            .iter()
            .all(|it| it.get("starknetMarket").is_some() && it.get("globalMarket").is_some())
    );
}
