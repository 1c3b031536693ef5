//! Starting again with ten million candles in the store.

use crate::{
    Goal, Row, median,
    minutes::{ASKED, MINUTES, Minutes, TOKENS, anchors, venues},
};
use market::{TokenId, figures::Candle, figures::Figures, series::Dense, series::Resolution};
use services::{IndexerOptions, Known};
use std::sync::Arc;
use tokio::time::Instant;
use world::{Station, World};

const TURNS: usize = 3;
const STORE: &str = "candles";

/// Seconds after which the first answer has to be right.
const SECONDS: f64 = 3.0;

/// A world that knows the market of ten million minutes, and nothing else.
pub(crate) async fn world() -> World {
    let mut world = World::new(1).await;
    world.known = Known {
        listings: Arc::default(),
        venues: venues(),
        anchors: Arc::new(anchors()),
        following: Arc::default(),
        ..Known::default()
    };
    world
}

/// The row, and what the last start has in memory.
pub(crate) async fn first_answer(world: &World, minutes: Minutes) -> (Row, Station) {
    let expected = newest(&minutes.figures);
    keep(world, minutes).await;
    let mut seconds = Vec::new();
    let mut station = None;
    for _ in 0..TURNS {
        // The memory of the start before is given back first.
        drop(station.take());
        let start = Instant::now();
        let store = world.store(STORE).await;
        let open = world.station_on(store, IndexerOptions::default()).await;
        let figures = &open.snapshots.load().unwrap().figures;
        assert_eq!(newest(figures), expected);
        seconds.push(start.elapsed().as_secs_f64());
        station = Some(open);
    }
    let row = Row {
        what: "first answer from 10 million candles",
        baseline: "3 seconds",
        ratio: median(seconds) / SECONDS,
        goal: Goal::AtMost(1.0),
    };
    (row, station.unwrap())
}

/// Puts the figures where an indexer finds them.
async fn keep(world: &World, mut minutes: Minutes) {
    let store = world.store(STORE).await;
    let station = world.station_on(store, IndexerOptions::default()).await;
    let effects = [minutes.effects()];
    station.store.chain().append(None, &effects).await.unwrap();
    station.store.close().await;
}

/// The newest candles of the last token.
fn newest(figures: &Figures) -> Dense<Candle> {
    let end = Resolution::Minute.bucket(figures.head_time()) + 1;
    let candles = figures.candles(TokenId(TOKENS), None, Resolution::Minute, end - ASKED..end);
    assert_eq!(candles.span(), end - ASKED..end);
    let first = figures.first_price(TokenId(TOKENS)).unwrap();
    assert_eq!(Resolution::Minute.bucket(first), end - MINUTES);
    candles
}
