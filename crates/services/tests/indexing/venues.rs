//! Venues that are not what the list says: their pools go off, nothing else does.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use amm::book::{Change, Flaw, Kind, Movement, Off, Pin, Pools, Registry, Venue, changes_to_bytes};
use market::price::AnchorList;
use services::Known;
use simnet::{History, StarknetConfig};
use sqlx::{Connection as _, SqliteConnection, sqlite::SqliteConnectOptions};
use std::{sync::Arc, time::Duration};
use world::{Station, World};

/// A world whose list of venues was changed.
async fn world_with(change: impl Fn(&mut Venue)) -> World {
    let mut world = World::with_history(1, 30).await;
    let mut venues = world.known.venues.venues().to_vec();
    venues.iter_mut().for_each(change);
    world.known = Known {
        venues: Arc::new(Registry::new(venues).unwrap()),
        ..world.known
    };
    world
}

async fn synced(world: &World) -> Station {
    let mut station = world.station("store").await;
    station.sync().await;
    assert_eq!(station.snapshots.load().unwrap().head, world.node.head());
    station
}

fn pools(station: &Station) -> Pools {
    station.snapshots.load().unwrap().pools.clone()
}

fn all_off(station: &Station, kind: Kind, off: Off) {
    let pools = pools(station);
    let mut of_kind = pools
        .iter()
        .filter(|view| view.venue.kind == kind)
        .peekable();
    assert!(of_kind.peek().is_some());
    assert!(of_kind.all(|view| view.off() == Some(off)));
    let others = pools.iter().filter(|view| view.venue.kind != kind);
    assert!(others.filter(|view| view.off().is_none()).count() >= 10);
}

#[tokio::test]
async fn pools_of_a_class_that_the_list_switches_off_are_off() {
    let world = world_with(|venue| {
        if venue.kind == Kind::Ekubo {
            bar(venue);
        }
    })
    .await;
    all_off(&synced(&world).await, Kind::Ekubo, Off::Barred);
}

/// Switches every class of a venue off.
fn bar(venue: &mut Venue) {
    venue.classes.values_mut().for_each(|pin| *pin = Pin::Off);
}

#[tokio::test]
async fn a_class_that_is_named_otherwise_needs_no_new_index() {
    let mut world = world_with(bar).await;
    let station = synced(&world).await;
    assert!(
        pools(&station)
            .iter()
            .all(|view| view.off() == Some(Off::Barred))
    );
    station.store.close().await;
    world.known = World::with_history(1, 30).await.known;
    let station = world.station("store").await;
    // Published before anything is indexed.
    let on = pools(&station)
        .iter()
        .filter(|view| view.off().is_none())
        .count();
    assert!(on >= 15, "{on}");
}

#[tokio::test]
async fn other_anchors_need_a_new_index() {
    let mut world = World::with_history(1, 30).await;
    let station = synced(&world).await;
    let before = station.contents().await;
    station.store.close().await;
    let mut anchors = AnchorList::clone(&world.known.anchors);
    anchors.hubs.extend(anchors.stables.pop());
    world.known.anchors = Arc::new(anchors);
    let station = world.station("store").await;
    assert!(station.snapshots.load().is_none());
    station.store.close().await;
    assert_eq!(synced(&world).await.contents().await, before);
}

#[tokio::test]
async fn pools_whose_events_are_malformed_are_off_with_the_reason() {
    let world = world_with(|venue| {
        if venue.kind == Kind::JediSwap {
            // Tells its reserves in two elements, not in four.
            venue.kind = Kind::TenKSwap;
            venue.name.push_str(", mistaken");
        }
    })
    .await;
    let station = synced(&world).await;
    let pools = pools(&station);
    let mistaken = pools
        .iter()
        .filter(|view| view.venue.name.ends_with("mistaken"));
    let reasons: Vec<_> = mistaken.map(|view| view.off()).collect();
    assert!(!reasons.is_empty());
    assert!(
        reasons.contains(&Some(Off::Flaw(Flaw::Malformed))),
        "{reasons:?}"
    );
    assert!(!reasons.contains(&None), "{reasons:?}");
}

#[tokio::test]
async fn a_venue_that_is_switched_off_is_still_followed() {
    let world = world_with(|venue| venue.enabled = venue.kind != Kind::Nostra).await;
    let station = synced(&world).await;
    all_off(&station, Kind::Nostra, Off::Venue);
    let pools = pools(&station);
    let held = pools.iter().filter(|view| view.venue.kind == Kind::Nostra);
    assert!(held.into_iter().any(|view| view.pool.holdings() != [0, 0]));
}

#[tokio::test]
async fn a_pool_that_drifted_is_repaired_when_its_turn_comes() {
    // Nobody trades, so that no event repairs it.
    let folder = tempfile::tempdir().unwrap();
    let config = StarknetConfig {
        block_time: None,
        history: History::blocks(70, Duration::from_secs(2)),
        transactions_per_block: 0,
        pools: 24,
        ..StarknetConfig::default()
    };
    let world = World::in_folder(folder.path(), config).await;
    let station = synced(&world).await;
    let before = pools(&station);
    let victim = before.iter().find(|view| view.venue.kind == Kind::JediSwap);
    let (id, contract) = victim.map(|view| (view.id, view.contract())).unwrap();
    // The store says that the newest block left the pool nearly empty.
    let tip = station.store.chain().tip().await.unwrap().unwrap();
    let lie = [Change::Moved {
        pool: id,
        movement: Movement::Reserves([1, 1]),
    }];
    station.store.close().await;
    let file = world.folder().join("store").join("chain.db");
    let options = SqliteConnectOptions::new().filename(file);
    let mut database = SqliteConnection::connect_with(&options).await.unwrap();
    sqlx::query("UPDATE block SET pools = $1 WHERE number = $2")
        .bind(changes_to_bytes(&lie))
        .bind(i64::try_from(tip.number).unwrap())
        .execute(&mut database)
        .await
        .unwrap();
    drop(database);
    let mut station = world.station("store").await;
    world.node.mine(1).unwrap();
    station.sync().await;
    assert_eq!(pools(&station).get(id).unwrap().pool.holdings(), [1, 1]);
    // There are fewer pools than are checked at once.
    world.node.mine(1_024).unwrap();
    station.sync().await;
    let question = chain::PoolQuestion {
        kind: Kind::JediSwap,
        factory: before.get(id).unwrap().venue.contract,
        contract,
        tokens: before.get(id).unwrap().tokens(),
        stable: false,
    };
    let said = world
        .client
        .pool_reserves(&[question], world.node.head())
        .await;
    let held = pools(&station).get(id).unwrap().pool.holdings();
    assert_eq!(said.unwrap(), [Some(held)]);
}
