//! Pages of 50 of 10,000 validators over HTTP against a bare "hello".
//!
//! Time goes on while they are asked for, so that pages age as they do when
//! people look through a market. The work of the database counts: its threads
//! are the server's. One row asks for the page that everybody sees first, the
//! other for pages that nobody has asked for before.

use crate::{
    Goal, Row,
    http::{Server, asking},
    marketplace, median,
};
use leasing::Mode;
use primitives::{ManualClock, SignedDuration};
use services::leasing::{Browse, Sort};
use std::{sync::Arc, time::Duration};
use store::Location;
use world::Market;

const TURNS: usize = 7;
const VALIDATORS: u32 = 10_000;

/// Validators of the first page that are booked.
const BOOKED: u16 = 20;

/// Requests of a connection in a turn.
const PER_CONNECTION: usize = 1_500;
const NEW_PER_CONNECTION: usize = 40;

/// What the kernel calls the threads of SQLite's connections.
const DATABASE: &str = "sqlx-sqlite-wor";

pub(crate) fn rows() -> Vec<Row> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("market");
        let location = Location::Sqlite { dir };
        let market = Arc::new(Market::at(1, &location).await);
        fill(&market).await;
        let hello = Server::hello();
        let server = marketplace::serve(&market, &location);
        // Connections are made when they are needed first.
        server.cost(&new_pages(0), NEW_PER_CONNECTION).await;
        let server = server.with_threads(DATABASE);
        let _passing = Passing::new(&market.clock);
        let first = [asking("/v1/validators?limit=50")];
        let (mut known, mut new) = (Vec::new(), Vec::new());
        for turn in 1..=TURNS {
            let bare = hello.cost_of_hello().await;
            known.push(bare / server.cost(&first, PER_CONNECTION).await);
            let pages = new_pages(turn);
            new.push(bare / server.cost(&pages, NEW_PER_CONNECTION).await);
        }
        let baseline = "bare hello, per CPU second of the server";
        vec![
            Row {
                what: "50 of 10,000 validators, requests",
                baseline,
                ratio: median(known),
                goal: Goal::AtLeast(0.25),
            },
            Row {
                what: "the same, never asked for before",
                baseline,
                ratio: median(new),
                goal: Goal::None,
            },
        ]
    })
}

/// Lists validators, and books a few epochs of the cheapest ones.
async fn fill(market: &Market) {
    let owner = market.user("owner").await;
    let trader = market.user("trader").await;
    let first = market.validator(&owner, 0, 4).await.id;
    market.list_more(first, VALIDATORS - 1).await;
    let cheapest = Browse {
        price_min: None,
        price_max: None,
        region: None,
        tier: None,
        mode: None,
        available_epoch: None,
        sort: Sort::Price,
        after: None,
        limit: BOOKED,
    };
    for validator in &market
        .leasing
        .validators
        .browse(&cheapest)
        .await
        .unwrap()
        .items
    {
        let booking = market.booking(validator.id, 0, 3, Mode::Exclusive);
        market.book(&trader, &booking).await.unwrap();
    }
}

/// Pages that begin at prices of their own, all over the market.
fn new_pages(turn: usize) -> Vec<String> {
    let count = 8 * NEW_PER_CONNECTION;
    let price = |number: usize| 1_500_000_000 + (number * 29_000_000) + turn;
    let page = |number| {
        asking(&format!(
            "/v1/validators?limit=50&price_min_lamports={}",
            price(number)
        ))
    };
    (0..count).map(page).collect()
}

/// A clock that goes on by itself, until this is dropped.
struct Passing {
    _alive: Arc<()>,
}

impl Passing {
    fn new(clock: &Arc<ManualClock>) -> Self {
        const STEP: Duration = Duration::from_millis(10);
        let (alive, clock) = (Arc::new(()), Arc::clone(clock));
        let wanted = Arc::downgrade(&alive);
        std::thread::spawn(move || {
            while wanted.strong_count() > 0 {
                std::thread::sleep(STEP);
                clock.advance(SignedDuration::from_millis(10));
            }
        });
        Self { _alive: alive }
    }
}
