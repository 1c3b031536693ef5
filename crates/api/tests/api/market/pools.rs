//! `GET /v3/pools` and `GET /v3/venues`.

use super::support::Market;
use crate::support::Bench;
use amm::{Curve, Side, book::AnyCurve};
use primitives::U256;
use serde_json::{Value, json};

async fn all(market: &Market, query: &str) -> Vec<Value> {
    let page = market.json(&format!("/v3/pools?size=100&{query}")).await;
    let pools = page["content"].as_array().unwrap().clone();
    assert_eq!(page["totalElements"], pools.len(), "{query}");
    pools
}

#[tokio::test]
async fn pools_come_by_falling_tvl_and_add_up_to_their_venues() {
    let market = Market::new(41).await;
    let pools = all(&market, "").await;
    assert!(pools.len() >= 20);
    let tvl: Vec<f64> = pools
        .iter()
        .filter_map(|it| it["tvlUsd"].as_f64())
        .collect();
    assert!(tvl.is_sorted_by(|a, b| a >= b) && tvl[0] > 0.0, "{tvl:?}");
    let venues = market.json("/v3/venues").await;
    for venue in venues.as_array().unwrap() {
        let own: Vec<&Value> = pools
            .iter()
            .filter(|it| it["venue"] == venue["name"])
            .collect();
        assert_eq!(venue["pools"], own.len());
        let tradable = own.iter().filter(|it| it["tradable"] == true).count();
        assert_eq!(venue["tradablePools"], tradable);
        let sum: f64 = own.iter().filter_map(|it| it["tvlUsd"].as_f64()).sum();
        assert!((venue["tvlUsd"].as_f64().unwrap() - sum).abs() <= sum * 1e-9);
        let expected = if tradable > 0 { "trading" } else { "watched" };
        assert!([expected, "waiting"].contains(&venue["status"].as_str().unwrap()));
        assert_eq!(venue["reason"].is_null(), tradable > 0, "{venue}");
    }
}

#[tokio::test]
async fn the_volume_of_venues_is_half_of_what_their_tokens_have() {
    let market = Market::new(42).await;
    let venues = market.json("/v3/venues").await;
    let venues = venues.as_array().unwrap();
    let sum: f64 = venues
        .iter()
        .map(|it| it["volumeUsd24h"].as_f64().unwrap())
        .sum();
    let table = market.json("/v3/tokens?").await;
    let tokens = table.as_array().unwrap().iter();
    let legs: f64 = tokens
        .map(|it| it["network"]["usdVolume24h"].as_f64().unwrap())
        .sum();
    assert!(sum > 0.0);
    assert!((sum * 2.0 / legs - 1.0).abs() < 1e-6, "{sum} {legs}");
}

#[tokio::test]
async fn the_depth_is_what_a_sale_does_to_the_pool() {
    let market = Market::new(43).await;
    let snapshot = market.station.snapshots.load().unwrap();
    let pools = all(&market, "tradable=true").await;
    assert!(pools.len() > 5);
    let mut tried = 0;
    for view in snapshot.pools.iter() {
        let (Ok(curve), [token0, token1]) = (view.curve(), view.tokens()) else {
            continue;
        };
        let told = pools.iter().find(|it| {
            it["address"] == json!(view.contract())
                && it["token0"]["address"] == json!(token0)
                && it["token1"]["address"] == json!(token1)
        });
        let Some(told) = told.filter(|_| view.venue.name != "Ekubo") else {
            continue;
        };
        for (share, key) in [(0.005, "0.5"), (0.01, "1"), (0.02, "2")] {
            for (sold, side, token) in [
                (Side::Token0, "sell0Usd", token0),
                (Side::Token1, "sell1Usd", token1),
            ] {
                let Some(usd) = told["depth"][key][side].as_f64().filter(|it| *it > 0.0) else {
                    continue;
                };
                let figures = &snapshot.figures;
                let id = figures.token(token).unwrap();
                let unit = figures.price(id).unwrap().usd;
                let scale = 10_f64.powi(figures.decimals(id).unwrap().into());
                let units = usd / unit * scale;
                if units < 1e9 {
                    // Too few for six digits.
                    continue;
                }
                let before = curve.price(sold);
                let moved = |part: f64| 1.0 - after(&curve, sold, units * part) / before;
                assert!(moved(0.999) < share, "{told}");
                assert!(moved(1.001) > share, "{told}");
                tried += 1;
            }
        }
    }
    assert!(tried > 20, "{tried}");
}

fn after(curve: &AnyCurve, sold: Side, units: f64) -> f64 {
    let fill = curve.exact_in(sold, U256::from(units)).unwrap();
    curve.after(sold, &fill).unwrap().price(sold)
}

#[tokio::test]
async fn filters_leave_what_they_name() {
    let market = Market::new(44).await;
    let every = all(&market, "").await;
    let (eth, strk) = (market.address("ETH").await, market.address("STRK").await);
    let has = |pool: &Value, token: &str| {
        pool["token0"]["address"] == token || pool["token1"]["address"] == token
    };
    let expected: Vec<&Value> = every.iter().filter(|it| has(it, &eth)).collect();
    assert!(!expected.is_empty());
    assert_eq!(
        all(&market, &format!("token={eth}"))
            .await
            .iter()
            .collect::<Vec<_>>(),
        expected
    );
    let both = all(&market, &format!("token={eth}&token={strk}")).await;
    assert!(both.iter().all(|it| has(it, &eth) && has(it, &strk)));
    let tradable = all(&market, "tradable=true").await;
    let others = all(&market, "tradable=false").await;
    assert_eq!(tradable.len() + others.len(), every.len());
    assert!(tradable.iter().all(|it| it["reason"].is_null()));
    assert!(others.iter().all(|it| it["reason"].is_string()));
    let venue = every[0]["venue"].as_str().unwrap();
    let own = all(&market, &format!("venue={}", venue.to_uppercase())).await;
    assert!(own.iter().all(|it| it["venue"] == venue));
    assert!(all(&market, "token=0x123456789").await.is_empty());
    let past = market.json("/v3/pools?page=999999999").await;
    assert_eq!(past["content"], json!([]));
    assert_eq!(past["totalElements"], every.len());
}

#[tokio::test]
async fn every_pool_has_a_name_of_its_own_and_keeps_it() {
    let mut market = Market::new(45).await;
    let names = |pools: Vec<Value>| {
        let mut names: Vec<String> = pools.iter().map(|it| it["id"].to_string()).collect();
        names.sort();
        names
    };
    let before = names(all(&market, "").await);
    let mut once = before.clone();
    once.dedup();
    assert_eq!(once, before);
    market.pass(3).await;
    let after = names(all(&market, "").await);
    assert!(before.iter().all(|name| after.contains(name)));
}

#[tokio::test]
async fn fees_are_those_of_the_venues() {
    let market = Market::new(46).await;
    for pool in all(&market, "venue=JediSwap").await {
        assert_eq!(pool["feeBps"], 30.0, "{pool}");
    }
}

#[tokio::test]
async fn everything_wrong_is_told_at_once() {
    let market = Market::new(47).await;
    let wrong = "token=ETH&venue=nobody&tradable=1&sort=volume&size=101&page=-1";
    let answer = market.bench.get(&format!("/v3/pools?{wrong}")).await;
    assert_eq!(answer.refused(400).len(), 6);
    let bench = Bench::new().await;
    assert_eq!(bench.get("/v3/pools").await.json()["content"], json!([]));
}
