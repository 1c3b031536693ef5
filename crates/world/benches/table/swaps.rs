//! Quotes for swaps over HTTP, each of another pair or size, against a bare
//! "hello".

use crate::{
    Goal, Row,
    http::{Server, asking},
    median,
    minutes::Dice,
};
use primitives::Address;
use services::{IndexerOptions, Snapshot};
use simnet::{History, StarknetConfig};
use std::{collections::BTreeSet, time::Duration};
use world::World;

const TURNS: usize = 7;
const BLOCKS: usize = 40;

/// Requests that are tried. Not between all tokens there is a way.
const CANDIDATES: usize = 2_000;

/// Requests of a connection in a turn.
const PER_CONNECTION: usize = 100;

/// Dollars that are sold at least and at most.
const DOLLARS: [u64; 2] = [10, 10_000];

pub(crate) fn http_quotes() -> Row {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    Row {
        what: "swap quotes, requests",
        baseline: "bare hello, per CPU second of the server",
        ratio: runtime.block_on(ratio()),
        goal: Goal::None,
    }
}

async fn ratio() -> f64 {
    let folder = tempfile::tempdir().unwrap();
    let config = StarknetConfig {
        seed: 1,
        block_time: None,
        history: History::blocks(BLOCKS, Duration::from_secs(2)),
        ..StarknetConfig::default()
    };
    let world = World::in_folder(folder.path(), config).await;
    let store = world.store("store").await;
    let mut station = world.station_on(store, IndexerOptions::default()).await;
    station.sync().await;
    let hello = Server::hello();
    // Searching is done by threads of its own.
    let stoa = Server::stoa(&world, &station).with_threads("routes");
    let mut requests = Vec::new();
    for request in candidates(&station.snapshots.load().unwrap()) {
        if stoa.body(&request).await != b"[]" {
            requests.push(request);
        }
    }
    assert!(requests.len() > CANDIDATES / 2, "{}", requests.len());
    let mut ratios = Vec::new();
    for _ in 0..TURNS {
        let bare = hello.cost_of_hello().await;
        ratios.push(bare / stoa.cost(&requests, PER_CONNECTION).await);
    }
    median(ratios)
}

/// Sales of tokens that have prices, for others.
fn candidates(snapshot: &Snapshot) -> Vec<String> {
    let tokens: BTreeSet<Address> = snapshot.pools.iter().flat_map(|it| it.tokens()).collect();
    let units = |token| Some((token, units_per_dollar(snapshot, token)?));
    let tokens: Vec<(Address, u128)> = tokens.into_iter().filter_map(units).collect();
    let count = u64::try_from(tokens.len()).unwrap();
    let mut dice = Dice(4);
    let mut request = || {
        let [sold, bought] = [dice.below(count), 1 + dice.below(count - 1)];
        let at = |place: u64| tokens.get(usize::try_from(place % count).unwrap()).unwrap();
        let ((sold, units), (bought, _)) = (at(sold), at(sold + bought));
        let [least, most] = DOLLARS;
        let dollars = least + dice.below(most - least);
        let amount = u128::from(dollars) * units;
        asking(&format!(
            "/swap/v3/quotes?sellTokenAddress={sold}&buyTokenAddress={bought}&sellAmount={amount:#x}"
        ))
    };
    (0..CANDIDATES).map(|_| request()).collect()
}

/// How many of a token's smallest units are worth a dollar, if its price is
/// trusted.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an amount need not be exact; the cast saturates"
)]
fn units_per_dollar(snapshot: &Snapshot, token: Address) -> Option<u128> {
    let figures = &snapshot.figures;
    let id = figures.token(token)?;
    let decimals = i32::from(figures.decimals(id)?);
    let price = figures.price(id).filter(|it| it.standing.is_trusted)?;
    Some((10_f64.powi(decimals) / price.usd).ceil() as u128)
}
