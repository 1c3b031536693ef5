//! `GET /v3/stream`.

use super::support::Market;
use crate::{
    server::{DRAIN, served},
    support::{Bench, Event, Opened, Setting, get},
};
use api::{Dialect, RateLimits, StreamLimits};
use axum::http::request::Builder;
use serde_json::json;
use services::Policy;
use std::time::Duration;

const STREAM: &str = "/v3/stream";

fn since(id: &str) -> Builder {
    get(STREAM).header("last-event-id", id)
}

/// The numbers of the blocks that are told until one of them.
async fn blocks(stream: &mut Opened, last: u64) -> Vec<u64> {
    let mut numbers = Vec::new();
    while numbers.last() != Some(&last) {
        let event = stream.next().await;
        assert_eq!(event.name, "block", "{event:?}");
        numbers.push(event.data["number"].as_u64().unwrap());
    }
    numbers
}

impl Market {
    fn head(&self) -> u64 {
        self.station.snapshots.load().unwrap().head.number
    }

    /// What is told of a token at first: block, prices, candle.
    async fn opening(&self, token: &str) -> (Opened, [Event; 3]) {
        let path = format!("{STREAM}?tokens={token}&series={token}:1H");
        let mut stream = self.bench.open(get(&path)).await;
        assert_eq!(stream.status, 200);
        let events = [
            stream.next().await,
            stream.next().await,
            stream.next().await,
        ];
        (stream, events)
    }
}

#[tokio::test]
async fn at_first_everything_is_told_as_the_other_paths_have_it() {
    for dialect in [Dialect::Plain, Dialect::Avnu] {
        let market = Market::speaking(3, dialect).await;
        let token = market.address("ETH").await;
        let (stream, [block, prices, candle]) = market.opening(&token).await;
        let headers = ["content-type", "cache-control", "x-accel-buffering"];
        let headers = headers.map(|name| stream.headers[name].to_str().unwrap());
        assert_eq!(headers, ["text/event-stream", "no-store", "no"]);
        let newest = market.station.snapshots.load().unwrap();
        let (number, hash) = (newest.head.number, format!("{:#x}", newest.head.hash));
        assert_eq!(block.name, "block");
        assert_eq!(block.id, format!("{number}-{hash}"));
        let expected = json!({"number": number, "hash": hash,
            "timestamp": newest.head_time.strftime("%FT%TZ").to_string()});
        assert_eq!(block.data, expected);
        assert_eq!((&*prices.name, &prices.id), ("prices", &block.id));
        let figures = market.json(&format!("/v3/tokens/{token}")).await;
        let network = match dialect {
            Dialect::Plain => &figures["network"],
            Dialect::Avnu => &figures["starknet"],
        };
        let expected = json!({"blockNumber": number, "prices": [{"address": token,
            "priceUsd": network["usd"], "change24h": network["usdPriceChangePercentage24h"]}]});
        assert_eq!(prices.data, expected);
        let path = format!("/v3/tokens/{token}/prices/candle?resolution=1H");
        let candles = market.json(&path).await;
        let expected = json!({"address": token, "resolution": "1H",
            "candle": candles.as_array().unwrap().last().unwrap()});
        assert_eq!((&*candle.name, candle.data), ("candle", expected));
    }
}

#[tokio::test]
async fn a_block_arrives_with_what_it_changed() {
    let mut market = Market::new(4).await;
    let token = market.address("ETH").await;
    let (mut stream, [first, _, opened]) = market.opening(&token).await;
    let known = first.data["number"].as_u64().unwrap();
    // More than an hour: its candle ends, and the next one begins.
    market.pass(12).await;
    let newest = known + 12;
    let told = blocks(&mut stream, newest).await;
    assert_eq!(told, (known + 1..=newest).collect::<Vec<_>>());
    let prices = stream.next().await;
    assert_eq!(prices.name, "prices");
    assert_eq!(prices.data["blockNumber"], newest);
    let path = format!("/v3/tokens/{token}/prices/candle?resolution=1H");
    let candles = market.json(&path).await;
    let begun = &opened.data["candle"]["date"];
    let candles = candles.as_array().unwrap().iter();
    let changed = candles.skip_while(|candle| candle["date"] != *begun);
    for candle in changed {
        let event = stream.next().await;
        assert_eq!((&*event.name, &event.data["candle"]), ("candle", candle));
    }
}

#[tokio::test]
async fn a_reorganisation_arrives_before_its_blocks_and_to_those_who_come_back() {
    let mut market = Market::new(5).await;
    let mut stream = market.bench.open(get(STREAM)).await;
    let old = stream.next().await;
    let head = old.data["number"].as_u64().unwrap();
    market.world.node.reorg(3).unwrap();
    market.world.node.mine(1).unwrap();
    market.station.sync().await;
    let mut again = market.bench.open(since(&old.id)).await;
    for stream in [&mut stream, &mut again] {
        let back = stream.next().await;
        assert_eq!(back.name, "reorganisation", "{back:?}");
        assert_eq!(back.data["number"], head - 3);
        assert_eq!(back.data["depth"], 3);
        let hash = back.data["hash"].as_str().unwrap();
        assert_eq!(back.id, format!("{}-{hash}", head - 3));
        let newest = market.head();
        let told = blocks(stream, newest).await;
        assert_eq!(told, (head - 2..=newest).collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn who_comes_back_is_told_the_missed_blocks_and_others_the_newest() {
    let mut market = Market::new(6).await;
    let first = market.bench.open(get(STREAM)).await.next().await;
    market.pass(40).await;
    let newest = market.head();
    let mut stream = market.bench.open(since(&first.id)).await;
    let known = first.data["number"].as_u64().unwrap();
    let told = blocks(&mut stream, newest).await;
    assert_eq!(told, (known + 1..=newest).collect::<Vec<_>>());
    for id in ["1-0x77", "99999999-0x1", "nonsense", ""] {
        let mut stream = market.bench.open(since(id)).await;
        assert_eq!(blocks(&mut stream, newest).await, [newest], "{id}");
    }
}

#[tokio::test]
async fn a_restarted_service_knows_the_missed_blocks() {
    let mut market = Market::new(7).await;
    let first = market.bench.open(get(STREAM)).await.next().await;
    market.pass(10).await;
    let newest = market.head();
    let Market { world, station, .. } = market;
    station.store.close().await;
    drop(station);
    let station = world.station("store").await;
    let bench = Bench::of(&world, &station);
    let mut stream = bench.open(since(&first.id)).await;
    let known = first.data["number"].as_u64().unwrap();
    let told = blocks(&mut stream, newest).await;
    assert_eq!(told, (known + 1..=newest).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_slow_reader_hears_less_often_and_never_what_is_old() {
    let mut market = Market::new(8).await;
    let token = market.address("ETH").await;
    let (mut stream, [first, ..]) = market.opening(&token).await;
    let known = first.data["number"].as_u64().unwrap();
    market.pass(20).await;
    let newest = market.head();
    assert_eq!(
        blocks(&mut stream, newest).await,
        (known + 1..=newest).collect::<Vec<_>>()
    );
    let prices = stream.next().await;
    assert_eq!(
        (&*prices.name, &prices.data["blockNumber"]),
        ("prices", &json!(newest))
    );
    market.pass(200).await;
    let (before, lagging) = stream.until("lagging").await;
    assert!(before.iter().all(|name| name == "candle"), "{before:?}");
    assert_eq!(lagging.data["missed"], 200);
    assert_eq!(stream.next().await.data["number"], market.head());
    assert_eq!(stream.next().await.name, "prices");
}

#[tokio::test]
async fn what_cannot_be_told_is_refused() {
    let bench = Bench::new().await;
    let asked = format!("{STREAM}?tokens=x&series=0x1:2H&trader=0x1&trader=0x2");
    assert_eq!(bench.get(&asked).await.refused(400).len(), 3);
    let many = "series=0x1:1H&".repeat(9);
    let messages = bench.get(&format!("{STREAM}?{many}")).await.refused(400);
    assert_eq!(messages, ["series may be given 8 times, not 9"]);
    let orders = bench.without_orders();
    let messages = orders
        .get(&format!("{STREAM}?trader=0x1"))
        .await
        .refused(400);
    assert!(messages[0].starts_with("recurring orders are not offered"));
    let empty = Bench::with(Setting {
        more_tokens: None,
        ..Setting::default()
    })
    .await;
    empty.get(STREAM).await.refused(503);
    let bench = Bench::new().await;
    bench
        .send(get(STREAM).header("x-api-key", "nope"))
        .await
        .refused(401);
    let key = bench.keys.create("test").await.unwrap();
    bench.store.close().await;
    let request = get(STREAM).header("x-api-key", key.secret.as_str());
    bench.send(request).await.refused(500);
}

#[tokio::test]
async fn streams_are_counted_in_all_and_by_address_and_opening_is_a_request() {
    let bench = Bench::configured(|config| {
        config.trusted_proxies = vec!["9.9.9.9".parse().unwrap()];
        config.streams = StreamLimits {
            total: 3,
            per_address: 2,
        };
        let public = Policy {
            limit: 4,
            window_s: 300,
        };
        config.rate_limits = Some(RateLimits {
            public,
            keyed: public,
        });
    })
    .await;
    let of = |address: &str| get(STREAM).header("x-forwarded-for", address);
    let first = bench.open(of("1.1.1.1")).await;
    assert_eq!(first.headers["x-ratelimit-remaining"], "3");
    let second = bench.open(of("1.1.1.1")).await;
    let messages = bench.send(of("1.1.1.1")).await.refused(429);
    assert_eq!(
        messages,
        ["no more than 2 streams of one address; close one of them"]
    );
    let third = bench.open(of("2.2.2.2")).await;
    let full = bench.send(of("3.3.3.3")).await;
    assert_eq!(
        full.refused(503),
        ["too many streams are open; try again in a moment"]
    );
    assert!(full.header("retry-after").is_some());
    assert_eq!(
        [&first, &second, &third].map(|it| it.status.as_u16()),
        [200; 3]
    );
    drop(first);
    assert_eq!(bench.open(of("1.1.1.1")).await.status, 200);
    // The fifth request of this address.
    drop(second);
    let messages = bench.send(of("1.1.1.1")).await.refused(429);
    assert!(
        messages[0].starts_with("more than 4 requests"),
        "{messages:?}"
    );
}

#[tokio::test]
async fn nobody_waits_for_the_end_of_a_stream() {
    let signer = services::AnswerSigner::new(primitives::Felt::from(77_u64)).unwrap();
    let bench = Bench::configured(|config| {
        config.signer = Some(signer);
        config.request_timeout = Duration::from_millis(50);
    })
    .await;
    let request = get(STREAM)
        .header("ask-signature", "true")
        .header("accept-encoding", "gzip");
    let mut stream = bench.open(request).await;
    assert_eq!(stream.status, 200);
    assert!(!stream.headers.contains_key("content-encoding"));
    assert!(!stream.headers.contains_key("signature"));
    assert_eq!(stream.block().await.unwrap(), "retry: 2000");
}

#[tokio::test]
async fn a_reader_that_hangs_up_leaves_its_seat_to_the_next_one() {
    let bench = Bench::configured(|config| {
        config.rate_limits = None;
        config.streams = StreamLimits {
            total: 1,
            per_address: 1,
        };
    })
    .await;
    let (address, stop, server) = served(bench.router.clone(), DRAIN).await;
    let open = || reqwest::get(format!("http://{address}{STREAM}"));
    let mut first = open().await.unwrap();
    assert_eq!(first.chunk().await.unwrap().unwrap(), "retry: 2000\n\n");
    assert_eq!(open().await.unwrap().status(), 429);
    drop(first);
    // The server hears of the end a moment later.
    let next = async {
        while open().await.unwrap().status() != 200 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_mins(1), next)
        .await
        .unwrap();
    stop.cancel();
    server.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_server_that_stops_ends_its_streams_at_once() {
    let market = Market::new(9).await;
    let (address, stop, server) = served(market.bench.router.clone(), DRAIN).await;
    let response = reqwest::get(format!("http://{address}{STREAM}"))
        .await
        .unwrap();
    assert_eq!(response.status(), 200);
    let begun = tokio::time::Instant::now();
    stop.cancel();
    server.await.unwrap().unwrap();
    assert!(begun.elapsed() < DRAIN);
    // Whole to its end, not broken off.
    let text = response.text().await.unwrap();
    assert!(text.starts_with("retry: 2000\n\n"), "{text}");
}
