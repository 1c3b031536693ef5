//! Candles and prices over HTTP, against a bare "hello", against a bare server
//! that only sends the same bytes, and against what a plain handler would do:
//! structs with dates in strings, made into JSON.
//!
//! Browsers, `fetch`, `requests` and the like ask for gzip, so that this is how
//! candles are measured; the same without it stands beside. The plain handler
//! has the usual layer around it, at its fastest.

use crate::{
    Goal, Row,
    http::{Server, asking, asking_gzip},
    median,
    minutes::{Dice, MINUTES, address},
};
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::{Json, Router, routing::get};
use flate2::read::GzDecoder;
use market::{
    TokenId,
    figures::{Candle, Figures},
    series::{Bucket, Resolution, Span},
};
use primitives::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};
use std::io::Read as _;
use tower_http::{CompressionLevel, compression::CompressionLayer};
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
    let hello = Server::hello();
    let stoa = Server::stoa(world, station);
    let figures = station.snapshots.load().unwrap().figures.clone();
    let mut rows = candles(&hello, &stoa, figures).await;
    rows.push(prices(&hello, &stoa).await);
    rows
}

async fn candles(hello: &Server, stoa: &Server, figures: Figures) -> Vec<Row> {
    let mut dice = Dice(3);
    let charts: Vec<(TokenId, Span)> = (0..CHARTS).map(|_| dice.query(MINUTES)).collect();
    let requests = |path: fn(&(TokenId, Span)) -> String, ask: fn(&str) -> String| {
        let requests = charts.iter().map(|chart| ask(&path(chart)));
        requests.collect::<Vec<String>>()
    };
    let [text, gzip] = [asking, asking_gzip].map(|ask| requests(candles_path, ask));
    let [plain_text, plain_gzip] = [asking, asking_gzip].map(|ask| requests(plain_path, ask));
    let plain = Server::plain(plain_router(figures));
    let mut bodies = Vec::new();
    for ((text, gzip), plain_text) in text.iter().zip(&gzip).zip(&plain_text) {
        let body = stoa.body(text).await;
        assert_eq!(unpacked(&stoa.body(gzip).await), body);
        let served: Value = serde_json::from_slice(&body).unwrap();
        let expected: Value = serde_json::from_slice(&plain.body(plain_text).await).unwrap();
        assert_eq!(served, expected);
        bodies.push(Bytes::from(body));
    }
    let sender = Server::plain(bare_router(bodies));
    let sent: Vec<String> = (0..CHARTS)
        .map(|chart| asking(&format!("/{chart}")))
        .collect();
    let mut ratios: [Vec<f64>; 5] = Default::default();
    for _ in 0..TURNS {
        let bare = hello.cost_of_hello().await;
        let gzip = stoa.cost(&gzip, CANDLE_REQUESTS).await;
        let text = stoa.cost(&text, CANDLE_REQUESTS).await;
        let sent = sender.cost(&sent, CANDLE_REQUESTS).await;
        let plain_gzip = plain.cost(&plain_gzip, PLAIN_REQUESTS).await;
        let plain_text = plain.cost(&plain_text, PLAIN_REQUESTS).await;
        let turn = [
            bare / gzip,
            plain_gzip / gzip,
            bare / text,
            sent / text,
            plain_text / text,
        ];
        for (ratios, ratio) in ratios.iter_mut().zip(turn) {
            ratios.push(ratio);
        }
    }
    let labels = [
        (GZIP, OF_HELLO, Goal::None),
        (
            GZIP,
            "serde structs and gzip, per CPU second",
            Goal::AtLeast(5.0),
        ),
        (TEXT, OF_HELLO, Goal::AtLeast(0.15)),
        (TEXT, "a bare server that sends the same bytes", Goal::None),
        (TEXT, "serde structs, per CPU second", Goal::AtLeast(10.0)),
    ];
    let rows = labels.into_iter().zip(ratios);
    rows.map(|((what, baseline, goal), ratios)| Row {
        what,
        baseline,
        ratio: median(ratios),
        goal,
    })
    .collect()
}

const GZIP: &str = "1,000 candles as gzip, requests";
const TEXT: &str = "1,000 candles as text, requests";
const OF_HELLO: &str = "bare hello, per CPU second of the server";

async fn prices(hello: &Server, stoa: &Server) -> Row {
    let prices = [prices_request()];
    let mut ratios = Vec::new();
    for _ in 0..TURNS {
        let bare = hello.cost_of_hello().await;
        ratios.push(bare / stoa.cost(&prices, PRICE_REQUESTS).await);
    }
    Row {
        what: "prices of 50 tokens, requests",
        baseline: OF_HELLO,
        ratio: median(ratios),
        goal: Goal::AtLeast(0.4),
    }
}

fn unpacked(gzip: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    GzDecoder::new(gzip).read_to_end(&mut text).unwrap();
    text
}

fn candles_path((token, span): &(TokenId, Span)) -> String {
    let token = address(token.0);
    let [start, end] = [span.start, span.end].map(date);
    format!("/v3/tokens/{token}/prices/candle?resolution=1&startDate={start}&endDate={end}")
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

impl From<(Bucket, &Candle)> for PlainCandle {
    #[expect(
        clippy::cast_precision_loss,
        reason = "a plain handler has no exact decimals"
    )]
    fn from((bucket, candle): (Bucket, &Candle)) -> Self {
        Self {
            date: date(bucket),
            open: candle.open,
            high: candle.high,
            low: candle.low,
            close: candle.close,
            volume: candle.volume as f64 / 1e8,
        }
    }
}

fn plain_path((token, span): &(TokenId, Span)) -> String {
    format!("/{}/{}/{}", token.0, span.start, span.end)
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
    let compression = CompressionLayer::new().quality(CompressionLevel::Fastest);
    Router::new()
        .route("/{token}/{start}/{end}", get(plain_candles))
        .layer(compression)
        .with_state(figures)
}

async fn plain_candles(
    State(figures): State<Figures>,
    Path((token, start, end)): Path<(u32, i64, i64)>,
) -> Json<Vec<PlainCandle>> {
    let candles = figures.candles(TokenId(token), None, Resolution::Minute, start..end);
    Json(candles.iter().map(PlainCandle::from).collect())
}
