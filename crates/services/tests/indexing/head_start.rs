//! A start on a long chain: served from near its head at once, and in the end what
//! it would have been without.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed"
)]

use serde_json::json;
use services::Snapshot;
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};
use world::{Relay, Started, World};

/// Blocks behind which a start is no ordinary one.
const LEAP: u64 = 40;

/// A world whose history cannot be read from a block on, so that a test decides how
/// long it takes.
struct Stage {
    world: World,
    relay: Relay,
    /// The block at which the history stops.
    held: Arc<AtomicU64>,
}

impl Stage {
    async fn new(seed: u64, held: u64) -> Self {
        let world = World::with_history(seed, 100).await;
        let held = Arc::new(AtomicU64::new(held));
        let gate = Arc::clone(&held);
        let relay = Relay::start(&world.node, move |method, params, answer| {
            let asked = params["block_id"]["block_number"].as_u64();
            let is_held = asked.is_some_and(|asked| asked == gate.load(Ordering::SeqCst));
            if method == "starknet_getBlockWithReceipts" && is_held {
                answer.as_object_mut().unwrap().remove("result");
                answer["error"] = json!({"code": 163, "message": "held"});
            }
        });
        let relay = relay.await;
        Self { world, relay, held }
    }

    async fn start(&self) -> Started {
        let client = self.relay.client(&self.world.entropy);
        self.world.head_start("store", &client, LEAP).await
    }

    fn hold(&self, block: u64) {
        self.held.store(block, Ordering::SeqCst);
    }

    fn is_at_head(&self, snapshot: &Snapshot) -> bool {
        snapshot.head == self.world.node.head()
    }

    /// Waits for the newest block, provisional or not.
    async fn reaches_head(&self, started: &Started, provisional: bool) -> Arc<Snapshot> {
        let is_so = |it: &Snapshot| self.is_at_head(it) && it.provisional == provisional;
        started.until(is_so).await
    }

    /// Waits until the history is at the held block.
    async fn history_is_held(&self, started: &Started) {
        let before = self.held.load(Ordering::SeqCst) - 1;
        loop {
            let tip = started.store.chain().tip().await.unwrap();
            // Blocks come in batches of five.
            if tip.is_some_and(|tip| tip.number + 5 > before) {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    }

    /// Ends it, and compares what is stored with a run without a head start.
    async fn ends_as_without(&self, started: Started) {
        let mut alone = self.world.station("alone").await;
        alone.sync().await;
        started.kill().await;
        let again = self.world.station("store").await;
        assert_eq!(again.contents().await, alone.contents().await);
    }
}

fn tradable(snapshot: &Snapshot) -> usize {
    let pools = snapshot.pools.iter();
    pools.filter(|view| view.off().is_none()).count()
}

#[tokio::test]
async fn it_serves_at_once_and_in_the_end_is_what_it_would_have_been_without() {
    let stage = Stage::new(1, 20).await;
    let started = stage.start().await;
    stage.reaches_head(&started, true).await;
    stage.history_is_held(&started).await;
    stage.world.node.mine(3).unwrap();
    let near = stage.reaches_head(&started, true).await;
    assert!(tradable(&near) >= 15);
    let tip = started.store.chain().tip().await.unwrap().unwrap();
    assert!(tip.number < 20);
    stage.hold(u64::MAX);
    let full = stage.reaches_head(&started, false).await;
    assert!(full.figures.epoch() > near.figures.epoch());
    stage.world.node.mine(2).unwrap();
    stage.reaches_head(&started, false).await;
    assert_eq!(started.progress.view().history, None);
    stage.ends_as_without(started).await;
    assert!(!stage.world.folder().join("store").join("near").exists());
}

#[tokio::test]
async fn a_kill_in_either_phase_loses_nothing() {
    let stage = Stage::new(2, 20).await;
    for held in [20, 45, 60] {
        stage.hold(held);
        let started = stage.start().await;
        stage.reaches_head(&started, true).await;
        stage.history_is_held(&started).await;
        started.kill().await;
        // What was taken over is served again before anything is asked.
        let started = stage.start().await;
        let served = started.snapshots.load().unwrap();
        assert!(served.provisional && stage.is_at_head(&served));
        // Killed wherever it is by now.
        started.kill().await;
        stage.world.node.mine(1).unwrap();
    }
    stage.hold(u64::MAX);
    let started = stage.start().await;
    stage.reaches_head(&started, false).await;
    stage.ends_as_without(started).await;
}

#[tokio::test]
async fn reorganisations_are_followed_by_both() {
    let stage = Stage::new(3, 70).await;
    let started = stage.start().await;
    stage.reaches_head(&started, true).await;
    // Above the block at which pools were taken over, below it, and below the history.
    for depth in [5, 24, 60] {
        stage.history_is_held(&started).await;
        stage.world.node.reorg(depth).unwrap();
        let near = stage.reaches_head(&started, true).await;
        assert!(tradable(&near) >= 15);
    }
    stage.hold(u64::MAX);
    stage.reaches_head(&started, false).await;
    stage.ends_as_without(started).await;
}
