//! Catching up with a chain against only downloading the same blocks.

use crate::{Goal, Row, median};
use futures_util::{StreamExt, stream};
use market::following::Following;
use services::{IndexerOptions, RecurringOrders, Staking};
use simnet::StarknetNode;
use std::sync::Arc;
use tokio::time::Instant;
use world::World;

const TURNS: usize = 5;
const BLOCKS: usize = 12_000;

/// The simulated node works on the same processors, so that the ratio is about the
/// share of catching up that downloading has. Of 100 samples on two of them the node
/// had 30, decoding 25, the indexer 35 (a third of that settles prices and adds to
/// series, the rest is spread widely), and SQLite 10.
pub(crate) fn backfill() -> Row {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let world = World::with_history(1, BLOCKS).await;
        let mut ratios = Vec::new();
        for turn in 0..TURNS {
            let indexing = caught_up(&world, &format!("turn-{turn}")).await;
            let start = Instant::now();
            download(&world).await;
            ratios.push(start.elapsed().as_secs_f64() / indexing);
        }
        Row {
            what: "backfill, blocks per second",
            baseline: "paging and discarding the same blocks",
            ratio: median(ratios),
            goal: Goal::AtLeast(0.8),
        }
    })
}

/// What following contracts and a sender adds to catching up: as many as the service
/// follows on a simulated network.
pub(crate) fn following() -> Row {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let pools = StarknetNode::staking_pools().map(|(pool, _)| pool);
    let mut leads = Staking::leads(pools, 0);
    leads.push(RecurringOrders::lead(
        StarknetNode::recurring_order_factory(),
    ));
    let following = Following {
        leads,
        senders: [StarknetNode::keeper().address].into(),
    };
    runtime.block_on(async {
        let mut world = World::with_history(1, BLOCKS / 2).await;
        let mut ratios = Vec::new();
        for turn in 0..TURNS {
            world.known.following = Arc::new(following.clone());
            let with = caught_up(&world, &format!("with-{turn}")).await;
            world.known.following = Arc::default();
            let without = caught_up(&world, &format!("without-{turn}")).await;
            ratios.push(without / with);
        }
        Row {
            what: "backfill with followed contracts",
            baseline: "backfill without",
            ratio: median(ratios),
            goal: Goal::AtLeast(0.9),
        }
    })
}

/// Seconds that an empty store takes to have everything.
async fn caught_up(world: &World, name: &str) -> f64 {
    let store = world.store(name).await;
    let mut station = world.station_on(store, IndexerOptions::default()).await;
    let start = Instant::now();
    station.sync().await;
    let seconds = start.elapsed().as_secs_f64();
    assert_eq!(station.snapshots.load().unwrap().head, world.node.head());
    seconds
}

/// Fetches every block as the indexer does, and drops it.
async fn download(world: &World) {
    let IndexerOptions {
        batch, prefetch, ..
    } = IndexerOptions::default();
    let head = world.client.head().await.unwrap().number;
    let ranges = (0..=head.div_euclid(batch)).map(|n| n * batch..=head.min(n * batch + batch - 1));
    let mut batches = stream::iter(ranges.filter(|range| !range.is_empty()))
        .map(|range| world.client.blocks(range))
        .buffered(prefetch);
    let mut blocks = 0;
    while let Some(batch) = batches.next().await {
        blocks += batch.unwrap().len() as u64;
    }
    assert_eq!(blocks, head + 1);
}
