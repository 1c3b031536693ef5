//! Catching up with a chain against only downloading the same blocks.

use crate::{Goal, Row, median};
use futures_util::{StreamExt, stream};
use services::IndexerOptions;
use tokio::time::Instant;
use world::World;

const TURNS: usize = 5;
const BLOCKS: usize = 12_000;

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
            let store = world.store(&format!("turn-{turn}")).await;
            let mut station = world.station_on(store, IndexerOptions::default()).await;
            let start = Instant::now();
            station.sync().await;
            let indexing = start.elapsed();
            assert_eq!(station.snapshots.load().unwrap().head, world.node.head());
            let start = Instant::now();
            download(&world).await;
            ratios.push(start.elapsed().as_secs_f64() / indexing.as_secs_f64());
        }
        Row {
            what: "backfill, blocks per second",
            baseline: "paging and discarding the same blocks",
            ratio: median(ratios),
            goal: Goal::AtLeast(0.9),
        }
    })
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
