//! Details of old blocks go, and nothing that is served changes but old trades.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use primitives::SignedDuration;
use services::{IndexerOptions, SnapshotDigest, TradeHistory, TradesAsked};
use world::{Station, World};

/// Two seconds for each block.
const KEEP: SignedDuration = SignedDuration::from_mins(4);

fn options() -> IndexerOptions {
    IndexerOptions {
        keep_details: Some(KEEP),
        keep_figures_every: 512,
        ..IndexerOptions::default()
    }
}

fn digest(station: &Station) -> SnapshotDigest {
    SnapshotDigest::of(&station.snapshots.load().unwrap())
}

async fn oldest_details(station: &Station) -> u64 {
    let chain = station.store.chain();
    let blocks = chain.figures(0..=10_000).await.unwrap();
    let mut detailed = blocks.iter().filter(|(_, _, figures)| figures.is_some());
    detailed.next().unwrap().0
}

/// The times of all trades of a token that are told.
async fn told(station: &Station, keep: Option<SignedDuration>) -> Vec<i64> {
    let snapshot = station.snapshots.load().unwrap();
    let token = snapshot.tokens.tokens().first().unwrap().address;
    let history = TradeHistory::new(station.store.clone(), station.snapshots.clone());
    let history = history.keeping(keep);
    let (mut times, mut before) = (Vec::new(), None);
    loop {
        let asked = TradesAsked {
            token,
            span: 0..i64::MAX,
            before,
            limit: 100,
        };
        let page = history.page(&asked).await.unwrap().unwrap();
        times.extend(page.trades.iter().map(|trade| trade.time.as_second()));
        before = page.next;
        if before.is_none() {
            return times;
        }
    }
}

#[tokio::test]
async fn old_details_go_in_portions_and_what_is_served_stays() {
    let world = World::with_history(9, 1_100).await;
    let mut all = world.station("all").await;
    all.sync().await;
    let store = world.store("few").await;
    let mut few = world.station_on(store.clone(), options()).await;
    few.sync().await;
    // One portion with every round that has nothing else to do.
    let oldest = oldest_details(&few).await;
    assert!((256..270).contains(&oldest), "{oldest}");
    for _ in 0..8 {
        few.sync().await;
    }
    // Four minutes are 120 blocks; pools are whole at 1,024.
    let oldest = oldest_details(&few).await;
    assert!((975..=1_024).contains(&oldest), "{oldest}");

    let (before, after) = (told(&all, Some(KEEP)).await, told(&few, Some(KEEP)).await);
    assert_eq!(before, after);
    let oldest = all.snapshots.load().unwrap().head_time.checked_sub(KEEP);
    let oldest = oldest.unwrap().as_second();
    assert!(!after.is_empty() && after.iter().all(|time| *time >= oldest));
    assert!(told(&all, None).await.len() > after.len());

    let mut restarted = world.station_on(store, options()).await;
    for station in [&mut all, &mut few, &mut restarted] {
        world.node.mine(1).unwrap();
        world.node.reorg(2).unwrap();
        station.sync().await;
    }
    for station in [&mut all, &mut few, &mut restarted] {
        station.sync().await;
    }
    assert_eq!(digest(&few), digest(&all));
    assert_eq!(digest(&restarted), digest(&all));
}
