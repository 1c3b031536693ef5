//! Candles and prices over HTTP, against a bare "hello", against a bare server
//! that only sends the same bytes, and against what a plain handler would do:
//! structs with dates in strings, made into JSON.

use crate::{
    Goal, Row,
    http::{Server, asking},
    median,
    minutes::{Dice, MINUTES, address},
};
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::{Json, Router, routing::get};
use market::{
    TokenId,
    figures::{Candle, Figures},
    series::{Resolution, Span},
};
use primitives::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};
use world::{Station, World};

const TURNS: usize = 7;

/// Different requests for candles.
const CHARTS: usize = 16;

/// Tokens of one request for prices.
const PRICES: u32 = 50;

/// Requests of one connection in a turn.
const PRICE_REQUESTS: usize = 1_000;
const CANDLE_REQUESTS: usize = 400;
const PLAIN_REQUESTS: usize = 40;

pub(crate) async fn rows(world: &World, station: &Station) -> Vec<Row> {
    let mut dice = Dice(3);
    let charts: Vec<(TokenId, Span)> = (0..CHARTS).map(|_| dice.query(MINUTES)).collect();
    let candles: Vec<String> = charts.iter().map(candles_request).collect();
    let plain_candles: Vec<String> = charts.iter().map(plain_request).collect();
    let prices = [prices_request()];
    let hello = Server::hello();
    let stoa = Server::stoa(world, station);
    let plain = Server::plain(plain_router(
        station.snapshots.load().unwrap().figures.clone(),
    ));
    let mut bodies = Vec::new();
    for (request, plain_request) in candles.iter().zip(&plain_candles) {
        let body = stoa.body(request).await;
        let served: Value = serde_json::from_slice(&body).unwrap();
        bodies.push(Bytes::from(body));
        let expected: Value = serde_json::from_slice(&plain.body(plain_request).await).unwrap();
        assert_eq!(served, expected);
    }
    let bare_candles: Vec<String> = (0..CHARTS)
        .map(|chart| asking(&format!("/{chart}")))
        .collect();
    let sender = Server::plain(bare_router(bodies));
    let (mut of_hello, mut of_bytes) = (Vec::new(), Vec::new());
    let (mut of_plain, mut prices_of_hello) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        let bare = hello.cost_of_hello().await;
        let charted = stoa.cost(&candles, CANDLE_REQUESTS).await;
        let sent = sender.cost(&bare_candles, CANDLE_REQUESTS).await;
        let serialised = plain.cost(&plain_candles, PLAIN_REQUESTS).await;
        let listing = stoa.cost(&prices, PRICE_REQUESTS).await;
        of_hello.push(bare / charted);
        of_bytes.push(sent / charted);
        of_plain.push(serialised / charted);
        prices_of_hello.push(bare / listing);
    }
    vec![
        Row {
            what: "1,000 candles, requests",
            baseline: "bare hello, per CPU second of the server",
            ratio: median(of_hello),
            goal: Goal::AtLeast(0.25),
        },
        Row {
            what: "1,000 candles, requests",
            baseline: "a bare server that sends the same bytes",
            ratio: median(of_bytes),
            goal: Goal::None,
        },
        Row {
            what: "1,000 candles, requests",
            baseline: "serde structs, per CPU second",
            ratio: median(of_plain),
            goal: Goal::AtLeast(20.0),
        },
        Row {
            what: "prices of 50 tokens, requests",
            baseline: "bare hello, per CPU second of the server",
            ratio: median(prices_of_hello),
            goal: Goal::AtLeast(0.5),
        },
    ]
}

fn candles_request((token, span): &(TokenId, Span)) -> String {
    let token = address(token.0);
    let [start, end] = [span.start, span.end].map(date);
    asking(&format!(
        "/v3/tokens/{token}/prices/candle?resolution=1&startDate={start}&endDate={end}"
    ))
}

fn prices_request() -> String {
    let tokens: Vec<String> = (1..=PRICES)
        .map(|token| address(token).to_string())
        .collect();
    let body = json!({ "tokens": tokens }).to_string();
    let length = body.len();
    format!(
        "POST /v3/tokens/prices HTTP/1.1\r\nHost: bench\r\n\
         Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    )
}

/// When a minute begins.
fn date(minute: i64) -> String {
    let second = Resolution::Minute.opens(minute);
    Timestamp::from_second(second).unwrap().to_string()
}

/// A candle as a plain handler tells it.
#[derive(Serialize)]
struct PlainCandle {
    date: String,
    open: f64,
    high: f64,
    low: f64,
    close: f64,
    volume: f64,
}

impl From<Candle> for PlainCandle {
    #[expect(
        clippy::cast_precision_loss,
        reason = "a plain handler has no exact decimals"
    )]
    fn from(candle: Candle) -> Self {
        Self {
            date: date(candle.bucket),
            open: candle.open,
            high: candle.high,
            low: candle.low,
            close: candle.close,
            volume: candle.volume as f64 / 1e8,
        }
    }
}

fn plain_request((token, span): &(TokenId, Span)) -> String {
    asking(&format!("/{}/{}/{}", token.0, span.start, span.end))
}

/// A server that knows nothing but these bodies.
fn bare_router(bodies: Vec<Bytes>) -> Router {
    let body = async |State(bodies): State<Vec<Bytes>>, Path(chart): Path<usize>| {
        bodies.get(chart).unwrap().clone()
    };
    Router::new()
        .route("/{chart}", get(body))
        .with_state(bodies)
}

fn plain_router(figures: Figures) -> Router {
    Router::new()
        .route("/{token}/{start}/{end}", get(plain_candles))
        .with_state(figures)
}

async fn plain_candles(
    State(figures): State<Figures>,
    Path((token, start, end)): Path<(u32, i64, i64)>,
) -> Json<Vec<PlainCandle>> {
    let candles = figures.candles(TokenId(token), None, Resolution::Minute, start..end);
    Json(candles.into_iter().map(PlainCandle::from).collect())
}
