//! Vaults, whose rate no event tells.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use amm::{
    Deposit,
    book::{Kind, Off, State, Verdict},
};
use primitives::{Address, Felt, felt_to_hex, selector};
use serde_json::json;
use services::{IndexerOptions, Nodes};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use trading::Call;
use world::{Relay, Station, World};

/// Blocks within which enough deposits are made.
const ENOUGH: u32 = 200;

/// Blocks after which a vault that says nothing is read again.
const READ_EVERY: u64 = 64;

/// The vault: the token that it takes, itself, what it counts, and why it is off.
fn vault(station: &Station) -> ([Address; 2], Deposit, Option<Off>) {
    let snapshot = station.snapshots.load().unwrap();
    let mut pools = snapshot.pools.iter();
    let view = pools.find(|view| view.venue.kind == Kind::Endur).unwrap();
    let State::Vault(counted) = *view.pool.state() else {
        panic!("a vault is a vault");
    };
    (view.tokens(), counted, view.off())
}

fn verdict(station: &Station) -> Verdict {
    let snapshot = station.snapshots.load().unwrap();
    let mut venues = snapshot.standing.venues.iter();
    let venue = venues.find(|venue| venue.kind == Kind::Endur).unwrap();
    venue.classes.first().unwrap().verdict
}

/// What the contract itself counts now.
async fn counted(world: &World, contract: Address) -> Deposit {
    let readings = world.client.vaults(&[contract], world.node.head()).await;
    readings.unwrap().first().unwrap().unwrap().counted
}

#[tokio::test]
async fn a_gift_without_a_word_is_read_later_and_speaks_against_nobody() {
    let mut world = World::with_history(7, 1).await;
    super::learned::forget_classes(&mut world);
    world.node.mine(ENOUGH).unwrap();
    let mut station = world.station("store").await;
    station.sync().await;
    let ([asset, contract], before, off) = vault(&station);
    assert_eq!(before, counted(&world, contract).await);
    assert_eq!(off, None, "its deposits have proven it");
    let gift = Call {
        to: asset,
        entrypoint: "transfer",
        calldata: vec![
            contract.felt(),
            Felt::from(1_000_000_000_000_u64),
            Felt::ZERO,
        ],
    };
    while (world.node.head().number + 1).is_multiple_of(16) {
        world.node.mine(1).unwrap();
    }
    world.execute(&[gift]).await;
    station.sync().await;
    let after = counted(&world, contract).await;
    assert_ne!(after, before);
    assert_eq!(vault(&station).1, before);
    // The deposits that follow are made at another rate than was known.
    for _ in 0..=READ_EVERY {
        world.node.mine(1).unwrap();
        station.sync().await;
        assert_eq!(vault(&station).2, None);
    }
    assert_eq!(vault(&station).1, counted(&world, contract).await);
    assert!(matches!(verdict(&station), Verdict::Learned(_)));
}

#[tokio::test]
async fn a_vault_that_does_not_answer_has_no_rate_until_it_does() {
    let world = World::with_history(8, 40).await;
    let is_mute = Arc::new(AtomicBool::new(false));
    let mute = Arc::clone(&is_mute);
    let view = felt_to_hex(selector("total_assets"));
    let relay = Relay::start(&world.node, move |method, params, answer| {
        let is_asked = params["request"]["entry_point_selector"] == view.as_str();
        if method == "starknet_call" && is_asked && mute.load(Ordering::SeqCst) {
            answer.as_object_mut().unwrap().remove("result");
            answer["error"] = json!({"code": 40, "message": "Contract error", "data": {"revert_error": "paused"}});
        }
    });
    let nodes = Nodes::new(vec![relay.await.client(&world.entropy)], 1);
    let store = world.store("store").await;
    let mut station = world
        .station_with(store, nodes, IndexerOptions::default())
        .await;
    station.sync().await;
    let has_rate = |station: &Station| vault(station).1 != Deposit::new(0, 0);
    assert!(has_rate(&station));
    for mutes in [true, false] {
        is_mute.store(mutes, Ordering::SeqCst);
        world.node.mine(16).unwrap();
        station.sync().await;
        assert_eq!(has_rate(&station), !mutes);
    }
}
