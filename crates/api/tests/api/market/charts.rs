//! `/udf`, and pictures of tokens: what charts and pages are made of.

use super::support::Market;
use crate::support::{Bench, Setting, send};
use api::{Dialect, RateLimits};
use axum::{body::Body, http::Request};
use serde_json::{Value, json};
use services::Policy;

/// Every path, with a question that can be answered.
fn paths(token: &str) -> impl Iterator<Item = String> {
    let picture = format!("/logo/{token}.svg");
    counted_paths(token).into_iter().chain([picture])
}

/// Those that limits count.
fn counted_paths(token: &str) -> [String; 5] {
    [
        "/udf/config".to_owned(),
        format!("/udf/symbols?symbol={token}"),
        "/udf/search?query=eth".to_owned(),
        format!("/udf/history?symbol={token}&resolution=60&countback=5"),
        "/udf/time".to_owned(),
    ]
}

#[tokio::test]
async fn all_of_it_is_refused_like_everything_else() {
    let empty = Bench::with(Setting {
        more_tokens: None,
        ..Setting::default()
    })
    .await;
    let none = Policy {
        limit: 0,
        window_s: 300,
    };
    let counted = Bench::configured(|config| {
        config.rate_limits = Some(RateLimits {
            public: none,
            keyed: none,
        });
    })
    .await;
    let failing = Bench::new().await;
    let key = failing.keys.create("test").await.unwrap();
    failing.store.close().await;
    let bench = Bench::new().await;
    for path in counted_paths("0x30") {
        assert_eq!(empty.get(&path).await.status, 503, "{path}");
        counted.get(&path).await.refused(429);
        let keyed = |key: &str| Request::get(&path).header("x-api-key", key);
        bench.send(keyed("nope")).await.refused(401);
        failing.send(keyed(&key.secret)).await.refused(500);
    }
    // A page has dozens of pictures: they do not count, and nobody is asked who he is.
    let picture = "/logo/0x30.svg";
    empty.get(picture).await.refused(503);
    let keyed = Request::get(picture).header("x-api-key", "nope");
    for answer in [counted.get(picture).await, failing.send(keyed).await] {
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!(answer.header("x-ratelimit-limit"), None);
    }
}

#[tokio::test]
async fn all_of_it_is_answered_in_both_dialects_and_recognised() {
    for dialect in [Dialect::Plain, Dialect::Avnu] {
        let market = Market::speaking(71, dialect).await;
        let token = market.address("ETH").await;
        for path in paths(&token) {
            let answer = market.ok(&path).await;
            let Some(tag) = answer.header("etag") else {
                assert_eq!(path, "/udf/time");
                continue;
            };
            let again = Request::get(&path).header("if-none-match", tag);
            let again = market.bench.send(again).await;
            assert_eq!(
                (again.status.as_u16(), again.body.len()),
                (304, 0),
                "{path}"
            );
        }
    }
}

#[tokio::test]
async fn bars_are_the_candles() {
    let market = Market::new(72).await;
    let token = market.address("ETH").await;
    for (udf, own) in [("1", "1"), ("60", "1H"), ("D", "1D"), ("12M", "1Y")] {
        let path = format!("/v3/tokens/{token}/prices/candle?resolution={own}");
        let candles = market.json(&path).await;
        let candles = candles.as_array().unwrap();
        let count = candles.len().min(5);
        let path = format!("/udf/history?symbol={token}&resolution={udf}&from=0&countback={count}");
        let bars = market.json(&path).await;
        assert_eq!(bars["s"], "ok", "{udf}");
        let newest = &candles[candles.len() - count..];
        for (bar, key) in [
            ("o", "open"),
            ("h", "high"),
            ("l", "low"),
            ("c", "close"),
            ("v", "volume"),
        ] {
            let expected: Vec<&Value> = newest.iter().map(|it| &it[key]).collect();
            assert_eq!(bars[bar], json!(expected), "{udf} {key}");
        }
        let times: Vec<i64> = newest
            .iter()
            .map(|it| {
                let date = it["date"].as_str().unwrap();
                date.parse::<primitives::Timestamp>().unwrap().as_second()
            })
            .collect();
        assert_eq!(bars["t"], json!(times), "{udf}");
    }
}

#[tokio::test]
async fn a_range_has_its_beginning_and_not_its_end() {
    let market = Market::new(73).await;
    let token = market.address("ETH").await;
    let all = market
        .json(&format!("/udf/history?symbol={token}&resolution=60&from=0"))
        .await;
    let times: Vec<i64> = serde_json::from_value(all["t"].clone()).unwrap();
    assert!(times.len() >= 4);
    let (from, to) = (times[1], times[3]);
    let part = market
        .json(&format!(
            "/udf/history?symbol=ETH&resolution=60&from={from}&to={to}"
        ))
        .await;
    assert_eq!(part["t"], json!(times[1..3]));
}

#[tokio::test]
async fn where_there_is_nothing_the_newest_bar_before_is_named() {
    let market = Market::new(74).await;
    let now: i64 = market.ok("/udf/time").await.text().parse().unwrap();
    let later = now + 1_000_000;
    let path = format!(
        "/udf/history?symbol=ETH&resolution=60&from={later}&to={}",
        later + 3_600
    );
    let answer = market.json(&path).await;
    assert_eq!(
        answer,
        json!({"s": "no_data", "nextTime": now - now % 3_600})
    );
    // Before the first price there is nothing to go back to.
    let path = "/udf/history?symbol=ETH&resolution=60&from=1000&to=900000";
    assert_eq!(market.json(path).await, json!({"s": "no_data"}));
}

#[tokio::test]
async fn a_symbol_is_found_by_its_address_its_name_and_with_its_exchange() {
    let market = Market::new(75).await;
    let token = market.address("ETH").await;
    let by_address = market.json(&format!("/udf/symbols?symbol={token}")).await;
    assert_eq!(by_address["ticker"], token);
    assert_eq!(by_address["name"], "ETH");
    assert_eq!(by_address["session"], "24x7");
    assert_eq!(by_address["minmov"], 1);
    for symbol in ["ETH", "eth", "Stoa:ETH"] {
        let found = market.json(&format!("/udf/symbols?symbol={symbol}")).await;
        assert_eq!(found, by_address, "{symbol}");
    }
    let found = market
        .json("/udf/search?query=eth&limit=2&type=crypto&exchange=Stoa")
        .await;
    let found = found.as_array().unwrap();
    assert_eq!(found.len(), 2);
    assert_eq!(found[0]["ticker"], token);
    assert_eq!(found[0]["full_name"], "Stoa:ETH");
    let none = market.json("/udf/search?query=eth&exchange=NYSE").await;
    assert_eq!(none, json!([]));
    let config = market.json("/udf/config").await;
    assert_eq!(config["supports_time"], true);
    assert_eq!(
        config["supported_resolutions"],
        by_address["supported_resolutions"]
    );
}

#[tokio::test]
async fn a_chart_reads_refusals_too() {
    let market = Market::new(76).await;
    for path in [
        "/udf/symbols",
        "/udf/symbols?symbol=nobody",
        "/udf/symbols?symbol=0x123",
        "/udf/history?symbol=ETH&resolution=7",
        "/udf/history?symbol=ETH&resolution=60&from=9&to=8",
        "/udf/history?symbol=ETH&resolution=60&countback=0",
        "/udf/search?limit=0",
    ] {
        let answer = market.bench.get(path).await;
        assert_eq!(answer.status, 400, "{path}");
        let body = answer.json();
        assert_eq!(body["s"], "error", "{path}");
        let messages = body["messages"].as_array().unwrap();
        assert_eq!(body["errmsg"], messages[0], "{path}");
    }
    let unknown = market.bench.get("/udf/symbols?symbol=nobody").await.json();
    assert!(
        unknown["errmsg"]
            .as_str()
            .unwrap()
            .starts_with("unknown_symbol")
    );
    // Configuration and time take nothing, but not two hosts.
    for path in ["/udf/config", "/udf/time"] {
        let request = Request::get(path).header("host", "a").header("host", "b");
        send(&market.bench.router, request, Body::empty())
            .await
            .refused(400);
    }
}

#[tokio::test]
async fn every_address_has_a_picture_which_is_a_picture_alone() {
    let market = Market::new(77).await;
    let token = market.address("ETH").await;
    let known = market.ok(&format!("/logo/{token}.svg")).await;
    assert_eq!(known.header("content-type"), Some("image/svg+xml"));
    let policy = known.header("content-security-policy").unwrap();
    assert!(policy.contains("default-src 'none'"));
    let caching =
        |answer: &crate::support::Answer| answer.header("cache-control").unwrap().to_owned();
    assert_eq!(caching(&known), "public, max-age=31536000, immutable");
    assert!(known.text().starts_with("<svg ") && known.text().contains(">ETH<"));
    let padded = format!("/logo/0x0{}.svg", &token[2..]);
    assert_eq!(market.ok(&padded).await.body, known.body);
    let unknown = market.ok("/logo/0x1234567.svg").await;
    assert_eq!(caching(&unknown), "public, max-age=60");
    for wrong in ["0x1234567", "ETH.svg", "0xzz.svg", ".svg", "%FF.svg"] {
        market
            .bench
            .get(&format!("/logo/{wrong}"))
            .await
            .refused(400);
    }
}
