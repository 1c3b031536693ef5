//! Every fault of a node at every step: the final state is that of a run without.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use chain::{RpcOptions, StarknetClient};
use primitives::{Clock, Entropy, SignedDuration};
use rstest::rstest;
use services::{Fault, IndexerOptions, Nodes, Round};
use simnet::FaultKind;
use std::{num::NonZeroU32, sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;
use url::Url;
use world::{Station, World};

const METHODS: [&str; 7] = [
    "starknet_chainId",
    "starknet_blockHashAndNumber",
    "starknet_getBlockWithReceipts",
    "starknet_getBlockWithTxHashes",
    "starknet_getStateUpdate",
    "starknet_call",
    "starknet_getClassHashAt",
];

const KINDS: [FaultKind; 12] = [
    FaultKind::Delay(Duration::from_secs(3)),
    FaultKind::Dropped,
    FaultKind::Http5xx,
    FaultKind::Http429,
    FaultKind::Malformed,
    FaultKind::Truncated,
    FaultKind::Oversized,
    FaultKind::WrongId,
    FaultKind::StaleHead,
    FaultKind::WrongParent,
    FaultKind::MissingBlock,
    FaultKind::EmptyEvents,
];

/// Answers that are spoiled: more than a request has attempts.
const SPOILED: u32 = 3;

/// Rounds after which a fault that was not outlived is a failure.
const MAX_ROUNDS: usize = 40;

/// How long an answer is waited for, when none comes and when all do: a busy
/// machine may be slow, too.
const IMPATIENT: Duration = Duration::from_secs(1);
const PATIENT: Duration = Duration::from_secs(10);

fn client(world: &World, url: &Url, timeout: Duration) -> StarknetClient {
    let options = RpcOptions {
        timeout,
        attempts: NonZeroU32::MIN.saturating_add(1),
        backoff_base: Duration::from_millis(1),
        backoff_cap: Duration::from_millis(2),
        max_response_bytes: 4 * 1024 * 1024,
        ..RpcOptions::default()
    };
    let entropy = Arc::clone(&world.entropy) as Arc<dyn Entropy>;
    StarknetClient::new(url.clone(), options, entropy).unwrap()
}

async fn station(world: &World, name: &str, patience: Duration) -> Station {
    let nodes = Nodes::new(vec![client(world, &world.node_url, patience)], 1);
    let options = IndexerOptions {
        batch: 5,
        ..IndexerOptions::default()
    };
    world
        .station_with(world.store(name).await, nodes, options)
        .await
}

/// Rounds until the node's head is served, whatever fails on the way.
async fn outlive(world: &World, station: &mut Station, what: &str) {
    let stop = CancellationToken::new();
    for _ in 0..MAX_ROUNDS {
        let caught_up = matches!(station.indexer.round(&stop).await, Ok(Round::CaughtUp));
        let head = station.snapshots.load().map(|snapshot| snapshot.head);
        if caught_up && head == Some(world.node.head()) {
            return;
        }
    }
    panic!("{what} was not outlived");
}

#[derive(Debug, Clone, Copy)]
enum Step {
    CatchingUp,
    Following,
    RollingBack,
}

/// A station that a step is about to be made by.
async fn before(step: Step, world: &World, name: &str, patience: Duration) -> Station {
    if matches!(step, Step::CatchingUp) {
        return station(world, name, patience).await;
    }
    let mut station = station(world, "followed", patience).await;
    outlive(world, &mut station, "no fault").await;
    match step {
        Step::RollingBack => world.node.reorg(4).unwrap(),
        _ => world.node.mine(3).unwrap(),
    }
    station
}

/// Spoils a method's next answers. Returns whether such a fault means anything for them.
fn spoil(world: &World, method: &str, kind: FaultKind) -> bool {
    world.node.fault(method, kind, SPOILED).is_ok()
}

fn heal(world: &World, method: &str) {
    world.node.clear_faults("*");
    world.node.clear_faults(method);
}

#[rstest]
#[tokio::test]
async fn every_fault_is_outlived_with_the_state_of_a_run_without(
    #[values(Step::CatchingUp, Step::Following, Step::RollingBack)] step: Step,
) {
    let world = World::with_history(1, 14).await;
    let mut alone = world.station("alone").await;
    let all = KINDS.iter().flat_map(|kind| METHODS.map(|it| (*kind, it)));
    let mut outlived = 0;
    for (kind, method) in all {
        if !spoil(&world, method, kind) {
            continue;
        }
        heal(&world, method);
        let what = format!("{kind} of {method} while {step:?}");
        let patience = match kind {
            FaultKind::Delay(_) => IMPATIENT,
            _ => PATIENT,
        };
        let mut station = before(step, &world, &what, patience).await;
        assert!(spoil(&world, method, kind));
        outlive(&world, &mut station, &what).await;
        heal(&world, method);
        alone.sync().await;
        assert_eq!(station.contents().await, alone.contents().await, "{what}");
        station.store.close().await;
        outlived += 1;
    }
    assert!(outlived > 7 * 7, "{outlived} faults");
}

#[tokio::test]
async fn when_the_preferred_node_is_dead_the_next_one_is_asked() {
    let world = World::new(2).await;
    let dead: Url = "http://127.0.0.1:9/starknet".parse().unwrap();
    let clients = vec![
        client(&world, &dead, PATIENT),
        client(&world, &world.node_url, PATIENT),
    ];
    let store = world.store("store").await;
    let nodes = Nodes::new(clients, 1);
    let mut station = world
        .station_with(store, nodes, IndexerOptions::default())
        .await;
    station.sync().await;
    assert_eq!(station.snapshots.load().unwrap().head, world.node.head());
    let view = station.progress.view();
    assert!(
        view.nodes[0]
            .problem
            .as_ref()
            .unwrap()
            .contains("cannot connect")
    );
    assert_eq!(view.nodes[1].problem, None);
    assert_eq!(view.nodes[1].head, Some(world.node.head()));
}

#[tokio::test]
async fn a_node_that_failed_is_asked_again_after_a_rest() {
    let world = World::new(3).await;
    let other = World::new(3).await;
    let clients = vec![
        client(&world, &world.node_url, PATIENT),
        client(&world, &other.node_url, PATIENT),
    ];
    let store = world.store("store").await;
    let mut station = world
        .station_with(store, Nodes::new(clients, 1), IndexerOptions::default())
        .await;
    let stop = CancellationToken::new();
    world.node.fault("*", FaultKind::Dropped, 1_000).unwrap();
    station.sync().await;
    assert!(station.progress.view().nodes[0].problem.is_some());
    world.node.clear_faults("*");
    world.clock.advance(SignedDuration::from_secs(61));
    other.clock.advance(SignedDuration::from_secs(61));
    station.indexer.round(&stop).await.unwrap();
    assert_eq!(station.progress.view().nodes[0].problem, None);
}

#[tokio::test]
async fn a_block_that_too_few_nodes_know_is_not_accepted() {
    let (ours, theirs) = (World::new(4).await, World::new(4).await);
    let clients = vec![
        client(&ours, &ours.node_url, PATIENT),
        client(&ours, &theirs.node_url, PATIENT),
    ];
    let store = ours.store("store").await;
    let mut station = ours
        .station_with(store, Nodes::new(clients, 2), IndexerOptions::default())
        .await;
    station.sync().await;
    assert_eq!(station.snapshots.load().unwrap().head, ours.node.head());
    let before = station.contents().await;
    ours.node.reorg(2).unwrap();
    let stop = CancellationToken::new();
    let fault = station.indexer.round(&stop).await.unwrap_err();
    assert!(
        matches!(
            fault,
            Fault::NoAgreement {
                agreeing: 1,
                wanted: 2,
                ..
            }
        ),
        "{fault:?}"
    );
    assert_eq!(station.contents().await, before);
}

#[tokio::test]
async fn a_node_of_another_chain_is_passed_over() {
    let world = World::new(5).await;
    let stranger = World::new(6).await;
    let clients = vec![
        client(&world, &world.node_url, PATIENT),
        client(&world, &stranger.node_url, PATIENT),
    ];
    let store = world.store("store").await;
    let mut station = world
        .station_with(store, Nodes::new(clients, 1), IndexerOptions::default())
        .await;
    station.sync().await;
    let before = station.contents().await;
    // Alone, the stranger would be a chain without a common block.
    world.node.fault("*", FaultKind::Dropped, 1_000).unwrap();
    stranger.node.mine(3).unwrap();
    let stop = CancellationToken::new();
    for _ in 0..3 {
        assert!(station.indexer.round(&stop).await.is_err());
    }
    assert_eq!(station.contents().await, before);
    world.node.clear_faults("*");
    station.sync().await;
}

#[tokio::test]
async fn a_clock_that_jumps_disturbs_nothing() {
    let world = World::new(7).await;
    let mut station = station(&world, "faulty", PATIENT).await;
    for jump in [-86_400, 3, 86_400, -3_600] {
        world.clock.advance(SignedDuration::from_secs(jump));
        world.node.mine(2).unwrap();
        world.node.fault("*", FaultKind::Dropped, 1).unwrap();
        outlive(&world, &mut station, "a jump of the clock").await;
    }
    assert!(world.clock.now() > primitives::Timestamp::UNIX_EPOCH);
    let mut alone = world.station("alone").await;
    alone.sync().await;
    assert_eq!(station.contents().await, alone.contents().await);
}
