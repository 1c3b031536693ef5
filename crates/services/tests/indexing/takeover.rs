//! Pools that are taken over in the middle of a chain, beside those that were
//! followed from its beginning.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed"
)]

use amm::book::{Facts, Kind, Off, Pools, Shape, State};
use primitives::{Address, Felt, U256};
use serde_json::json;
use services::{IndexerOptions, Nodes, Swaps};
use simnet::{History, StarknetConfig};
use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio_util::sync::CancellationToken;
use trading::Wanted;
use world::{Relay, Station, World, sale};

/// All that can be seen of a pool but what it holds where it has ticks: shape,
/// state, settings, class, and why it is off.
type Seen = (Shape, State, Option<Facts>, Option<Felt>, Option<Off>);

/// Pools by venue, tokens and place, each with what it holds.
fn seen(pools: &Pools) -> BTreeMap<String, (Seen, [u128; 2])> {
    let mut seen = BTreeMap::new();
    for view in pools.iter() {
        let mut state = view.pool.state().clone();
        if let State::Concentrated(concentrated) = &mut state {
            concentrated.held = [0, 0];
        }
        let name = format!("{} {:?} {:?}", view.venue.name, view.tokens(), view.spot());
        let what = (
            view.pool.shape(),
            state,
            view.pool.facts().copied(),
            view.class(),
            view.off(),
        );
        assert!(seen.insert(name, (what, view.pool.holdings())).is_none());
    }
    seen
}

fn pools(station: &Station) -> Pools {
    station.snapshots.load().unwrap().pools.clone()
}

/// Fails unless two have the same pools. What is held by those with ticks may be
/// less on the left by what nobody collected, and a unit more for each tick.
fn assert_same(left: &Pools, right: &Pools) {
    let (left, right) = (seen(left), seen(right));
    let names = |seen: &BTreeMap<String, _>| seen.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&left), names(&right));
    for (name, (what, held)) in &left {
        let (same, whole) = &right[name];
        assert_eq!(what, same, "{name}");
        match &what.1 {
            State::Concentrated(ticked) => {
                let most = ticked.ticks.len() as u128;
                let is_less = held
                    .iter()
                    .zip(whole)
                    .all(|(held, whole)| *held <= whole + most);
                assert!(is_less, "{name}: {held:?} of {whole:?}");
            }
            State::Reserves(_) | State::Vault(_) => assert_eq!(held, whole, "{name}"),
        }
    }
}

fn options(leap: Option<u64>, start_block: u64) -> IndexerOptions {
    IndexerOptions {
        batch: 5,
        start_block,
        leap,
        ..IndexerOptions::default()
    }
}

#[tokio::test]
async fn pools_of_every_kind_are_taken_over_at_any_block_as_if_they_had_been_followed() {
    let world = World::with_history(5, 90).await;
    let mut whole = world.station("whole").await;
    let mut late = Vec::new();
    for (turn, blocks) in [1, 7, 13, 4, 22].into_iter().enumerate() {
        world.node.mine(blocks).unwrap();
        whole.sync().await;
        let store = world.store(&format!("late {turn}")).await;
        let head = world.node.head().number;
        let mut station = world.station_on(store, options(None, head)).await;
        station.sync().await;
        let contents = station.contents().await;
        assert_eq!(contents.0.len(), 1, "nothing else is indexed");
        assert_same(&pools(&station), &pools(&whole));
        late.push(station);
    }
    let kinds: Vec<Kind> = pools(&whole).iter().map(|view| view.venue.kind).collect();
    for kind in Kind::ALL {
        assert!(kinds.contains(&kind), "{kind:?}");
    }
    // They are followed from there on, through a reorganisation.
    world.node.reorg(3).unwrap();
    world.node.mine(40).unwrap();
    whole.sync().await;
    // The only block of the last one is gone, and it was not told to begin elsewhere.
    late.pop();
    for mut station in late {
        station.sync().await;
        assert_same(&pools(&station), &pools(&whole));
    }
}

#[tokio::test]
async fn quotes_on_pools_that_were_taken_over_are_the_same() {
    let world = World::with_history(6, 120).await;
    let mut whole = world.station("whole").await;
    whole.sync().await;
    let store = world.store("near").await;
    let mut near = world.station_on(store, options(Some(1_000), 0)).await;
    near.sync().await;
    let tokens = |station: &Station| -> Vec<Address> {
        let snapshot = station.snapshots.load().unwrap();
        let listed = snapshot.tokens.tokens().iter();
        let mut tokens: Vec<Address> = listed.map(|token| token.address).collect();
        tokens.sort_unstable();
        tokens
    };
    let pairs: Vec<[Address; 2]> = pools(&whole)
        .iter()
        .filter(|view| view.off().is_none())
        .map(|view| view.tokens())
        .collect();
    let listed = tokens(&near);
    assert!(
        pairs
            .as_flattened()
            .iter()
            .all(|token| listed.contains(token))
    );
    let (of_whole, of_near) = (world.swaps(&whole), world.swaps(&near));
    let mut quoted = 0;
    for [sell, buy] in pairs {
        for amount in [1_000_000_u128, 10_u128.pow(15)] {
            let wanted = sale(sell, buy, U256::from(amount));
            let one = amounts(&of_whole, &whole, &wanted).await;
            assert_eq!(one, amounts(&of_near, &near, &wanted).await, "{wanted:?}");
            quoted += usize::from(one.is_some());
        }
    }
    assert!(quoted >= 20, "{quoted}");
}

/// What is sold and bought by the best quote, if there is any.
async fn amounts(swaps: &Swaps, station: &Station, wanted: &Wanted) -> Option<[U256; 2]> {
    let snapshot = station.snapshots.load().unwrap();
    let offers = swaps.quote(wanted.clone(), snapshot).await.ok()?;
    let quote = &offers.first()?.quote;
    Some([quote.sell_amount, quote.buy_amount])
}

#[tokio::test]
async fn who_begins_near_the_head_goes_on_and_begins_anew_where_that_is_cheaper() {
    let world = World::with_history(7, 100).await;
    let store = world.store("near").await;
    let mut near = world.station_on(store, options(Some(40), 0)).await;
    near.sync().await;
    let first = async |near: &Station| near.contents().await.0[0].0;
    let head = world.node.head().number;
    assert_eq!(first(&near).await, head - 16);
    // Blocks above the first one are taken back as ever.
    world.node.reorg(5).unwrap();
    near.sync().await;
    assert_eq!(first(&near).await, head - 16);
    // So that what comes before it is gone, too.
    world.node.reorg(25).unwrap();
    near.sync().await;
    let head = world.node.head().number;
    assert_eq!(first(&near).await, head - 16);
    let mut whole = world.station("whole").await;
    whole.sync().await;
    assert_same(&pools(&near), &pools(&whole));
    // A restart goes on, unless too much has happened meanwhile.
    near.store.close().await;
    world.node.mine(40).unwrap();
    let store = world.store("near").await;
    let mut near = world.station_on(store, options(Some(40), 0)).await;
    near.sync().await;
    assert_eq!(first(&near).await, head - 16);
    near.store.close().await;
    world.node.mine(41).unwrap();
    let store = world.store("near").await;
    let mut near = world.station_on(store, options(Some(40), 0)).await;
    near.sync().await;
    assert_eq!(first(&near).await, head + 81 - 16);
    whole.sync().await;
    assert_same(&pools(&near), &pools(&whole));
}

#[tokio::test]
async fn a_node_without_the_state_of_that_block_is_told_so_and_nothing_is_taken_over() {
    let world = World::with_history(8, 60).await;
    let pruned = Arc::new(AtomicBool::new(true));
    let is_pruned = Arc::clone(&pruned);
    let relay = Relay::start(&world.node, move |method, _, answer| {
        if method == "starknet_call" && is_pruned.load(Ordering::SeqCst) {
            answer.as_object_mut().unwrap().remove("result");
            answer["error"] = json!({"code": 163, "message": "the state is pruned"});
        }
    });
    let nodes = Nodes::new(vec![relay.await.client(&world.entropy)], 1);
    let store = world.store("near").await;
    let mut near = world
        .station_with(store, nodes, options(Some(1_000), 0))
        .await;
    let stop = CancellationToken::new();
    let fault = near.indexer.round(&stop).await.unwrap_err();
    assert!(fault.chain_text().contains("pruned"), "{fault:?}");
    assert!(near.snapshots.load().is_none());
    assert_eq!(near.contents().await.0, []);
    pruned.store(false, Ordering::SeqCst);
    near.sync().await;
    let mut whole = world.station("whole").await;
    whole.sync().await;
    assert_same(&pools(&near), &pools(&whole));
}

/// Calls by method until pools near the head can be traded with, on a chain whose
/// last blocks are empty.
async fn calls_until_ready(empty: u32) -> BTreeMap<String, usize> {
    let folder = tempfile::tempdir().unwrap();
    let config = StarknetConfig {
        block_time: None,
        history: History::blocks(60, Duration::from_secs(2)),
        transactions_per_block: 0,
        pools: 24,
        ..StarknetConfig::default()
    };
    let world = World::in_folder(folder.path(), config).await;
    world.node.mine(empty).unwrap();
    let relay = Relay::start(&world.node, |_, _, _| {}).await;
    let nodes = Nodes::new(vec![relay.client(&world.entropy)], 1);
    let store = world.store("near").await;
    let mut near = world
        .station_with(store, nodes, options(Some(1_000), 0))
        .await;
    near.sync().await;
    assert!(
        pools(&near)
            .iter()
            .filter(|view| view.off().is_none())
            .count()
            >= 15
    );
    relay.calls()
}

#[tokio::test]
async fn the_calls_until_it_is_ready_do_not_grow_with_the_chain() {
    let short = calls_until_ready(100).await;
    let long = calls_until_ready(6_000).await;
    assert_eq!(short, long);
    let all: usize = long.values().sum();
    assert!(long["starknet_getEvents"] < 100, "{long:?}");
    assert!(all < 1_500, "{all}: {long:?}");
    println!("{all} calls: {long:?}");
}
