//! Following a chain that changes its mind.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crate::in_runtime;
use market::{BlockEffects, TokenQuery, figures::KeptFigures};
use primitives::{BlockRef, Clock, Felt, SignedDuration, Timestamp};
use proptest::prelude::*;
use routing::Graph;
use services::{
    Doorbell, IndexerOptions, Missed, Nodes, Progress, Round, SnapshotDigest, Snapshots,
};
use simnet::FaultKind;
use std::{num::NonZeroU64, sync::Arc, time::Duration};
use store::StoreError;
use tokio_util::sync::CancellationToken;
use world::World;

/// What happens while the indexer follows.
#[derive(Debug, Clone, Copy)]
enum Event {
    Mine(u32),
    Reorg(u32),
    Round,
    Look,
    Restart,
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let event = prop_oneof![
        3 => (1_u32..8).prop_map(Event::Mine),
        2 => (1_u32..7).prop_map(Event::Reorg),
        3 => Just(Event::Round),
        3 => Just(Event::Look),
        1 => Just(Event::Restart),
    ];
    proptest::collection::vec(event, 1..14)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn following_through_forks_and_restarts_equals_indexing_the_surviving_chain_alone(
        seed in 0_u64..1_000,
        events in events(),
    ) {
        in_runtime(async {
            let world = World::new(seed).await;
            let mut followed = world.station("followed").await;
            let shared = world.store("followed").await;
            let (mut replica, replicated, _) = world.replica(&shared, Vec::new());
            let stop = CancellationToken::new();
            for event in events {
                match event {
                    Event::Mine(blocks) => world.node.mine(blocks).unwrap(),
                    Event::Reorg(depth) => world.node.reorg(depth).unwrap(),
                    Event::Round => { followed.indexer.round(&stop).await.unwrap(); }
                    Event::Look => replica.look().await.unwrap(),
                    Event::Restart => {
                        followed.store.close().await;
                        followed = world.station("followed").await;
                    }
                }
            }
            followed.sync().await;
            let mut alone = world.station("alone").await;
            alone.sync().await;
            assert_eq!(followed.contents().await, alone.contents().await);
            replica.look().await.unwrap();
            assert_eq!(seen(&replicated), seen(&alone.snapshots));
            assert_eq!(figures(&replicated), figures(&alone.snapshots));
            assert_eq!(digest(&replicated), digest(&alone.snapshots));
            check_graph(&replicated);
            check_graph(&followed.snapshots);
            let (followed, alone) = (followed.snapshots.load().unwrap(), alone.snapshots.load().unwrap());
            assert_eq!(followed.head, alone.head);
            assert_eq!(followed.head, world.node.head());
            let addresses = |snapshot: &services::Snapshot| -> Vec<_> {
                snapshot.tokens.tokens().iter().map(|token| token.address).collect()
            };
            assert_eq!(addresses(&followed), addresses(&alone));
        });
    }
}

#[tokio::test]
async fn a_block_becomes_a_token_list() {
    let world = World::new(1).await;
    let mut station = world.station("store").await;
    assert!(station.snapshots.load().is_none());
    station.sync().await;
    let snapshot = station.snapshots.load().unwrap();
    assert_eq!(snapshot.head, world.node.head());
    let page = snapshot.tokens.page(&TokenQuery {
        search: Some("usdc".to_owned()),
        tags: vec![],
        sort: vec![],
        page: 0,
        size: NonZeroU64::new(1).unwrap(),
    });
    let (_, token) = page.content.first().unwrap();
    assert_eq!(token.metadata.symbol, "USDC");
    assert!(snapshot.tokens.tokens().len() >= 60);
}

#[tokio::test]
async fn a_reorganisation_deeper_than_the_history_is_followed_to_the_common_block() {
    let world = World::with_history(2, 200).await;
    let mut station = world.station("store").await;
    station.sync().await;
    world.node.reorg(150).unwrap();
    let round = station
        .indexer
        .round(&CancellationToken::new())
        .await
        .unwrap();
    let Round::RolledBack { to } = round else {
        panic!("not rolled back: {round:?}")
    };
    assert_eq!(
        world.client.block_hash(to.number).await.unwrap(),
        Some(to.hash)
    );
    station.sync().await;
    assert_eq!(station.snapshots.load().unwrap().head, world.node.head());
}

#[tokio::test]
async fn of_two_indexers_on_one_store_the_second_takes_up_what_the_first_wrote() {
    let world = World::new(3).await;
    let mut first = world.station("store").await;
    let mut second = world
        .station_on(first.store.clone(), IndexerOptions::default())
        .await;
    let stop = CancellationToken::new();
    for _ in 0..3 {
        first.sync().await;
        let before = first.contents().await;
        let round = second.indexer.round(&stop).await.unwrap();
        assert_eq!(round, Round::CaughtUp);
        assert_eq!(seen(&second.snapshots), seen(&first.snapshots));
        assert_eq!(first.contents().await, before);
        world.node.mine(3).unwrap();
    }
    world.node.reorg(5).unwrap();
    first.sync().await;
    second.indexer.round(&stop).await.unwrap();
    assert_eq!(seen(&second.snapshots), seen(&first.snapshots));
    // What it takes up from there on is what one indexer alone would have written.
    world.node.mine(4).unwrap();
    second.sync().await;
    let mut alone = world.station("alone").await;
    alone.sync().await;
    assert_eq!(second.contents().await, alone.contents().await);
}

#[tokio::test]
async fn a_node_of_another_history_is_refused_and_changes_nothing() {
    let world = World::new(4).await;
    let mut station = world.station("store").await;
    station.sync().await;
    let before = station.contents().await;
    let stranger = World::with_history(5, 12).await;
    let mut elsewhere = stranger
        .station_on(station.store.clone(), IndexerOptions::default())
        .await;
    let error = elsewhere
        .indexer
        .round(&CancellationToken::new())
        .await
        .unwrap_err();
    assert!(
        matches!(error, services::Fault::Diverged { .. }),
        "{error:?}"
    );
    assert_eq!(station.contents().await, before);
}

#[tokio::test]
async fn a_store_of_another_chain_is_refused() {
    let world = World::new(6).await;
    let store = world.store("store").await;
    store.chain().bind_chain(Felt::from(7)).await.unwrap();
    let opened = services::Indexer::open(
        Nodes::new(vec![world.client.clone()], 1),
        store,
        world.known.clone(),
        Snapshots::default(),
        Progress::default(),
        Arc::clone(&world.clock) as Arc<dyn Clock>,
        IndexerOptions::default(),
    );
    let error = opened.await.unwrap_err();
    assert!(
        matches!(error, services::Fault::Store(StoreError::OtherChain { .. })),
        "{error:?}"
    );
}

/// All that can be seen of a snapshot's tokens and pools.
fn seen(snapshots: &Snapshots) -> (BlockRef, Timestamp, Vec<String>, Vec<String>) {
    let snapshot = snapshots.load().unwrap();
    let tokens = snapshot.tokens.tokens().iter();
    let tokens = tokens.map(|token| format!("{token:?}")).collect();
    let pools = snapshot.pools.iter().map(|view| {
        let (tokens, state) = (view.tokens(), view.pool.state());
        let (spot, off) = (view.spot(), view.off());
        format!("{tokens:?} {spot:?} {state:?} {off:?}")
    });
    (snapshot.head, snapshot.head_time, tokens, pools.collect())
}

/// Routes are searched on the pools of the block, however they came about.
fn check_graph(snapshots: &Snapshots) {
    let snapshot = snapshots.load().unwrap();
    let anew = Graph::new(&snapshot.pools, &snapshot.shunned);
    assert!(*snapshot.graph == anew, "at {:?}", snapshot.head);
}

fn figures(snapshots: &Snapshots) -> KeptFigures {
    snapshots.load().unwrap().figures.everything()
}

fn digest(snapshots: &Snapshots) -> SnapshotDigest {
    SnapshotDigest::of(&snapshots.load().unwrap())
}

/// Blocks on top of `parent` in which nothing happens.
fn quiet(parent: BlockRef, time: Timestamp, count: u64) -> Vec<BlockEffects> {
    let mut parent = parent;
    let one_more = |_| {
        let block = BlockRef {
            number: parent.number + 1,
            hash: Felt::from(parent.number + 1),
        };
        let effects = BlockEffects::quiet(block, parent.hash, time);
        parent = block;
        effects
    };
    (0..count).map(one_more).collect()
}

#[tokio::test]
async fn a_replica_that_only_serves_publishes_what_the_indexer_commits() {
    let world = World::new(8).await;
    let mut station = world.station("store").await;
    let (mut follower, snapshots, progress) = world.replica(&station.store, Vec::new());
    follower.look().await.unwrap();
    assert!(snapshots.load().is_none());
    let mut heads = Vec::new();
    for (blocks, depth) in [(0, 0), (3, 0), (30, 0), (2, 3), (1, 0), (0, 5), (4, 0)] {
        world.node.mine(blocks).unwrap();
        if depth > 0 {
            world.node.reorg(depth).unwrap();
        }
        station.sync().await;
        follower.look().await.unwrap();
        assert_eq!(seen(&snapshots), seen(&station.snapshots));
        assert_eq!(figures(&snapshots), figures(&station.snapshots));
        check_graph(&snapshots);
        let (mut fresh, loaded, _) = world.replica(&station.store, Vec::new());
        fresh.look().await.unwrap();
        assert_eq!(seen(&snapshots), seen(&loaded));
        assert_eq!(progress.view().node_head, Some(world.node.head()));
        heads.push(world.node.head().hash);
    }
    heads.sort_unstable();
    heads.dedup();
    assert_eq!(heads.len(), 7, "every step shows something new");
    let (_, _, tokens, pools) = seen(&snapshots);
    assert!(tokens.len() >= 60 && pools.len() >= 10);
}

#[tokio::test]
async fn indexers_and_replicas_remember_which_blocks_were_replaced() {
    let world = World::new(8).await;
    let mut station = world.station("store").await;
    let (mut follower, served, _) = world.replica(&station.store, Vec::new());
    station.sync().await;
    follower.look().await.unwrap();
    let old = world.node.head();
    world.node.reorg(3).unwrap();
    station.sync().await;
    follower.look().await.unwrap();
    for snapshots in [&station.snapshots, &served] {
        let newest = snapshots.load().unwrap();
        let Missed::Replaced { common, blocks } = newest.recent.since(old) else {
            panic!("{:?}", newest.recent.since(old));
        };
        assert_eq!(common.number, old.number - 3);
        let numbers: Vec<u64> = blocks.iter().map(|block| block.at.number).collect();
        let expected: Vec<u64> = (common.number + 1..=newest.head.number).collect();
        assert_eq!(numbers, expected);
        let last = newest.recent.newest().unwrap();
        assert_eq!((last.at, last.time), (newest.head, newest.head_time));
    }
    // Who begins afterwards never showed them.
    let (mut fresh, loaded, _) = world.replica(&station.store, Vec::new());
    fresh.look().await.unwrap();
    let loaded = loaded.load().unwrap();
    assert_eq!(loaded.recent.since(old), Missed::Unknown);
    let newest = loaded.recent.newest().unwrap();
    assert_eq!(newest.at, world.node.head());
}

#[tokio::test]
async fn a_replica_with_a_node_knows_how_far_behind_the_store_is() {
    let world = World::new(13).await;
    let mut station = world.station("store").await;
    station.sync().await;
    let nodes = vec![world.client.clone()];
    let (mut follower, snapshots, progress) = world.replica(&station.store, nodes);
    world.node.mine(7).unwrap();
    follower.look().await.unwrap();
    let read = snapshots.load().unwrap().head.number;
    assert_eq!(progress.view().node_head, Some(world.node.head()));
    assert_eq!(world.node.head().number - read, 7);
    station.sync().await;
    follower.look().await.unwrap();
    assert_eq!(snapshots.load().unwrap().head, world.node.head());
    // A node that says nothing was not heard, whatever the store says.
    let heard = progress.view().answered_at;
    world.clock.advance(SignedDuration::from_secs(5));
    let method = "starknet_blockHashAndNumber";
    world
        .node
        .fault(method, FaultKind::Malformed, 1_000)
        .unwrap();
    follower.look().await.unwrap();
    assert_eq!(progress.view().answered_at, heard);
    world.node.clear_faults(method);
    world.clock.advance(SignedDuration::from_secs(60));
    follower.look().await.unwrap();
    assert_eq!(progress.view().answered_at, Some(world.clock.now()));
}

#[tokio::test]
async fn a_replica_takes_back_a_fork_without_reading_everything() {
    let world = World::new(12).await;
    let mut station = world.station("store").await;
    station.sync().await;
    let (mut follower, snapshots, _) = world.replica(&station.store, Vec::new());
    follower.look().await.unwrap();
    let (head, time, ..) = seen(&snapshots);
    // Who loads everything meets what cannot be read.
    let mut unreadable = quiet(head, time, 1);
    unreadable[0].checkpoint = Some(vec![0xff]);
    let chain = station.store.chain();
    chain.append(Some(head), &unreadable).await.unwrap();
    follower.look().await.unwrap();
    let base = unreadable[0].block;
    let mut before = None;
    for depth in [1, 3, 40] {
        let fork = quiet(base, time, depth);
        chain.append(Some(base), &fork).await.unwrap();
        follower.look().await.unwrap();
        let tip = fork.last().unwrap().block;
        let shown = seen(&snapshots);
        assert_eq!(shown.0, tip);
        chain.rollback(tip, Some(base), None).await.unwrap();
        follower.look().await.unwrap();
        let after = seen(&snapshots);
        assert_eq!(after.0, base);
        assert_eq!(*before.get_or_insert_with(|| after.clone()), after);
    }
    // Deeper than it remembers: it has to load, and says that it cannot.
    let fork = quiet(base, time, 70);
    chain.append(Some(base), &fork).await.unwrap();
    follower.look().await.unwrap();
    let tip = fork.last().unwrap().block;
    chain.rollback(tip, Some(base), None).await.unwrap();
    let unread = follower.look().await.unwrap_err();
    assert!(matches!(unread, services::Fault::Pools(_)), "{unread:?}");
}

#[tokio::test]
async fn a_replica_that_has_just_loaded_takes_back_a_fork_as_well() {
    let world = World::with_history(13, 80).await;
    let mut station = world.station("store").await;
    station.sync().await;
    let chain = station.store.chain();
    for depth in [1, 5, 50] {
        let (mut follower, snapshots, _) = world.replica(&station.store, Vec::new());
        follower.look().await.unwrap();
        let (head, time, ..) = seen(&snapshots);
        let base = chain.blocks_at(&[head.number - depth]).await.unwrap();
        let base = base[0];
        chain.rollback(head, Some(base), None).await.unwrap();
        // Who loads everything meets what cannot be read.
        let mut fork = quiet(base, time, 1);
        fork[0].checkpoint = Some(vec![0xff]);
        let tip = fork[0].block;
        chain.append(Some(base), &fork).await.unwrap();
        follower.look().await.unwrap();
        assert_eq!(seen(&snapshots).0, tip);
        chain.rollback(tip, Some(base), None).await.unwrap();
    }
}

#[tokio::test]
async fn a_replica_reads_only_blocks_that_are_new_to_it() {
    let world = World::new(12).await;
    let mut station = world.station("store").await;
    station.sync().await;
    let (mut follower, snapshots, _) = world.replica(&station.store, Vec::new());
    follower.look().await.unwrap();
    let (head, time, tokens, pools) = seen(&snapshots);
    // Blocks in two portions; who loads everything meets what cannot be read.
    let mut blocks = quiet(head, time, 1_500);
    blocks[700].checkpoint = Some(vec![0xff]);
    let chain = station.store.chain();
    chain.append(Some(head), &blocks).await.unwrap();
    follower.look().await.unwrap();
    let newest = blocks.last().unwrap().block;
    assert_eq!(seen(&snapshots), (newest, time, tokens, pools));
    let (mut fresh, ..) = world.replica(&station.store, Vec::new());
    let unread = fresh.look().await.unwrap_err();
    assert!(matches!(unread, services::Fault::Pools(_)), "{unread:?}");
}

#[tokio::test]
async fn hostile_tokens_neither_break_the_list_nor_enter_it_unsafely() {
    let world = World::with_history(9, 60).await;
    let mut station = world.station("store").await;
    station.sync().await;
    let readings = station.contents().await.1;
    let refused = readings
        .iter()
        .filter(|(_, _, reading)| matches!(reading, market::TokenReading::Refused(_)));
    assert!(
        refused.count() >= 3,
        "the world has tokens that cannot be listed"
    );
    for token in station.snapshots.load().unwrap().tokens.tokens() {
        assert!(token.metadata.decimals <= market::MAX_DECIMALS);
        assert!(token.metadata.name.chars().count() <= 64);
        assert!(!token.metadata.name.chars().any(char::is_control));
    }
}

#[tokio::test]
async fn an_indexer_that_is_told_to_stop_stops() {
    let world = World::new(10).await;
    let station = world.station("store").await;
    let stop = CancellationToken::new();
    let running = tokio::spawn(station.indexer.run(Doorbell::default(), stop.clone()));
    while station.snapshots.load().is_none() {
        tokio::task::yield_now().await;
    }
    stop.cancel();
    running.await.unwrap();
}

#[tokio::test]
async fn an_announcement_ends_the_pause_between_polls() {
    let world = World::new(11).await;
    let store = world.store("store").await;
    let options = IndexerOptions {
        poll: Duration::from_hours(1),
        ..IndexerOptions::default()
    };
    let station = world.station_on(store, options).await;
    let (bell, stop) = (Doorbell::default(), CancellationToken::new());
    let mut heads = world.node_url.join("/starknet/ws").unwrap();
    heads.set_scheme("ws").unwrap();
    let ringing = tokio::spawn(bell.clone().ring_at_heads(heads, stop.clone()));
    let running = tokio::spawn(station.indexer.run(bell, stop.clone()));
    // The first round may find one of them, and the opened socket another.
    let heard = async {
        for _ in 0..3 {
            world.node.mine(1).unwrap();
            let mined = world.node.head();
            while station
                .snapshots
                .load()
                .is_none_or(|it| it.head.number < mined.number)
            {
                tokio::task::yield_now().await;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(20), heard)
        .await
        .unwrap();
    stop.cancel();
    running.await.unwrap();
    ringing.await.unwrap();
}
