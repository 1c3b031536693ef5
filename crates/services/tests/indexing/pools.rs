//! Pools as they are followed, against the contracts that they belong to.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use amm::book::{Off, PoolView, Pools, Spot, State};
use chain::PoolQuestion;
use primitives::Address;
use services::IndexerOptions;
use std::collections::BTreeMap;
use tokio_util::sync::CancellationToken;
use world::{Station, World};

fn pools(station: &Station) -> Pools {
    station.snapshots.load().unwrap().pools.clone()
}

/// All that can be seen of a pool: venue, tokens, place, state, whether it is off.
type Seen = (Address, [Address; 2], Spot, State, Option<Off>);

fn seen(pools: &Pools) -> Vec<Seen> {
    let view = |view: PoolView<'_>| {
        let state = view.pool.state().clone();
        (
            view.venue.contract,
            view.tokens(),
            view.spot(),
            state,
            view.off(),
        )
    };
    pools.iter().map(view).collect()
}

fn questions(pools: &Pools) -> Vec<PoolQuestion> {
    let pairs = pools.iter().filter(|view| view.venue.kind.is_of_pairs());
    pairs
        .map(|view| PoolQuestion {
            kind: view.venue.kind,
            factory: view.venue.contract,
            contract: view.contract(),
            tokens: view.tokens(),
            stable: false,
        })
        .collect()
}

#[tokio::test]
async fn every_venue_has_pools_and_most_of_them_can_be_traded_with() {
    let world = World::with_history(1, 60).await;
    let mut station = world.station("store").await;
    station.sync().await;
    let pools = pools(&station);
    let mut by_venue: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for view in pools.iter() {
        let (on, all) = by_venue.entry(&view.venue.name).or_default();
        *all += 1;
        *on += usize::from(view.curve().is_ok());
    }
    assert!(by_venue.len() >= 7, "{by_venue:?}");
    for (venue, (on, all)) in by_venue {
        assert!(on * 2 >= all, "{venue}: {on} of {all}");
    }
}

#[tokio::test]
async fn what_pairs_hold_is_what_their_contracts_say() {
    let world = World::with_history(2, 300).await;
    let mut station = world.station("store").await;
    station.sync().await;
    world.node.reorg(7).unwrap();
    station.sync().await;
    let pools = pools(&station);
    let questions = questions(&pools);
    assert!(questions.len() >= 10);
    let head = world.node.head();
    let said = world.client.pool_reserves(&questions, head).await.unwrap();
    for (question, said) in questions.iter().zip(said) {
        let view = pools
            .iter()
            .find(|view| view.contract() == question.contract);
        assert_eq!(Some(view.unwrap().pool.holdings()), said, "{question:?}");
    }
}

#[tokio::test]
async fn a_restart_has_the_pools_of_an_uninterrupted_run() {
    let world = World::with_history(3, 40).await;
    let mut station = world.station("store").await;
    station.sync().await;
    for _ in 0..12 {
        world.node.mine(3).unwrap();
        let stop = CancellationToken::new();
        station.indexer.round(&stop).await.unwrap();
        station.store.close().await;
        station = world.station("store").await;
    }
    station.sync().await;
    let mut alone = world.station("alone").await;
    alone.sync().await;
    assert_eq!(seen(&pools(&station)), seen(&pools(&alone)));
    assert_eq!(station.contents().await, alone.contents().await);
}

#[tokio::test]
async fn a_reorganisation_over_checkpoints_gives_the_pools_of_the_surviving_chain() {
    let world = World::with_history(4, 1_100).await;
    let mut station = world.station("store").await;
    station.sync().await;
    assert!(station.contents().await.2.checkpoint.is_some());
    // Below the checkpoint, so that nothing in memory reaches back.
    station.store.close().await;
    let mut station = world.station("store").await;
    world.node.reorg(200).unwrap();
    station.sync().await;
    let mut alone = world.station("alone").await;
    alone.sync().await;
    assert_eq!(seen(&pools(&station)), seen(&pools(&alone)));
    assert_eq!(station.contents().await, alone.contents().await);
}

#[tokio::test]
async fn pairs_that_were_there_before_the_first_block_are_taken_over() {
    let world = World::with_history(5, 80).await;
    let options = IndexerOptions {
        start_block: 60,
        ..IndexerOptions::default()
    };
    let store = world.store("late").await;
    let mut late = world.station_on(store, options).await;
    late.sync().await;
    let mut whole = world.station("whole").await;
    whole.sync().await;
    let pairs = |station: &Station| -> BTreeMap<_, _> {
        let pools = pools(station);
        let pairs = pools.iter().filter(|view| view.venue.kind.is_of_pairs());
        pairs
            .map(|view| (view.contract(), (view.pool.holdings(), view.off())))
            .collect()
    };
    assert!(pairs(&whole).len() >= 10);
    assert_eq!(pairs(&late), pairs(&whole));
}
