//! The handle of a running node.

use super::chain::{Chain, ReorgError};
use super::config::{
    MAX_HISTORY_BLOCKS, MAX_HISTORY_EVENTS, MAX_TRANSACTIONS_PER_BLOCK, StarknetConfig,
};
use super::fault::{FaultError, FaultKind, Faults};
use super::feed::{Feed, News};
use super::refusal::Refusal;
use super::rpc;
use super::transaction::{Request, SignedTransaction};
use super::world::{MAX_ACTOR_EVENTS, PrefundedAccount, World, token_list};
use primitives::transaction_hash::Version;
use primitives::{BlockRef, Clock, Felt};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;
use tokio::time::{Instant, MissedTickBehavior, interval_at};
use tokio_util::sync::CancellationToken;

/// The time of every world's first block, 1 January 2026: worlds of one seed
/// begin with the same block whenever they are started, so that a follower of an
/// earlier one finds common ground.
const GENESIS_TIME: u64 = 1_767_225_600;

/// The shortest time between blocks that are produced by the wall clock.
const MIN_BLOCK_TIME: Duration = Duration::from_millis(1);

/// A simulated Starknet node. Clones are handles of the same node.
#[derive(Debug, Clone)]
pub struct StarknetNode(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    chain: RwLock<Chain>,
    faults: Mutex<Faults>,
    feed: Feed,
    clock: Arc<dyn Clock>,
    /// Seconds by which the node's clock is ahead.
    ahead: AtomicU64,
    paused: AtomicBool,
    block_time: Option<Duration>,
    transactions_per_block: u32,
}

impl StarknetNode {
    /// Makes the world and its history; the newest block is from now.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a node is made once, from a configuration that nobody needs afterwards"
    )]
    pub fn new(config: StarknetConfig, clock: Arc<dyn Clock>) -> Self {
        let times = config.history.timestamps(seconds(clock.as_ref()));
        let transactions = config
            .transactions_per_block
            .min(MAX_TRANSACTIONS_PER_BLOCK);
        let in_history = transactions.min(history_transactions(times.len()));
        let world = World::new(config.seed);
        let first = times.first().copied().unwrap_or_default();
        let mut chain = Chain::new(world, first.min(GENESIS_TIME), config.kept_blocks);
        for time in times.iter().skip(1) {
            chain.mine(*time, in_history);
        }
        Self(Arc::new(Inner {
            chain: RwLock::new(chain),
            faults: Mutex::default(),
            feed: Feed::new(),
            clock,
            ahead: AtomicU64::new(0),
            paused: AtomicBool::new(false),
            block_time: config.block_time,
            transactions_per_block: transactions,
        }))
    }

    /// The node's JSON-RPC: `POST /starknet` and `/starknet/rpc/v0_9` answer as
    /// version 0.9.0, `/starknet/rpc/v0_10` as 0.10.0. The same over WebSocket,
    /// with subscriptions, at `/starknet/ws` and below `/starknet/ws/rpc`; the
    /// server must let connections be upgraded.
    pub fn router(&self) -> axum::Router {
        rpc::router(self.clone())
    }

    /// Makes a block at every interval, unless paused, until `stop` is
    /// cancelled. A block in hand is finished.
    pub async fn produce(&self, stop: CancellationToken) {
        let Some(block_time) = self.0.block_time else {
            return stop.cancelled().await;
        };
        let block_time = block_time.max(MIN_BLOCK_TIME);
        let mut ticks = interval_at(Instant::now() + block_time, block_time);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                _ = ticks.tick() => {}
            }
            let node = self.clone();
            if let Err(error) = tokio::task::spawn_blocking(move || node.tick()).await {
                tracing::error!(%error, "the simulated node failed to make a block");
            }
        }
    }

    /// Makes the block that is due, unless paused.
    fn tick(&self) {
        if !self.0.paused.load(Ordering::Relaxed) {
            self.mine(1);
        }
    }

    /// The accounts that anyone may use, with their private keys.
    pub fn accounts(&self) -> Vec<PrefundedAccount> {
        self.read().world().accounts.clone()
    }

    /// The newest block.
    pub fn head(&self) -> BlockRef {
        self.read().head().reference()
    }

    /// Takes a transaction if its sender may send it, and answers with its hash.
    /// It is in the block in the making at once if it is its turn.
    pub fn submit(&self, transaction: SignedTransaction) -> Result<Felt, Refusal> {
        let request = Request::new(transaction, Version::V3);
        let hash = request.hash;
        self.take(request)?;
        Ok(hash)
    }

    /// Takes a transaction whose hash is known.
    pub(crate) fn take(&self, request: Request) -> Result<(), Refusal> {
        // The signature takes long, and is checked while others read.
        self.read().check(&request)?;
        self.write().accept(request)
    }

    /// Makes blocks at once, also while paused.
    pub fn mine(&self, blocks: u32) {
        for _ in 0..blocks {
            let now = self.now();
            let mut chain = self.write();
            chain.mine(now, self.0.transactions_per_block);
            self.0.feed.publish(News::Head(chain.head().clone()));
        }
    }

    /// Orphans the last `depth` blocks and puts `depth + 1` others in their
    /// place.
    pub fn reorg(&self, depth: u32) -> Result<(), ReorgError> {
        let now = self.now();
        let mut chain = self.write();
        let last = chain.head().reference();
        let first = (last.number + 1).saturating_sub(depth.into());
        let first = chain.by_number(first).map(|block| block.reference());
        chain.reorg(depth, now, self.0.transactions_per_block)?;
        if let Some(first) = first {
            self.0.feed.publish(News::Reorg { first, last });
            for block in chain.range(first.number, u64::MAX) {
                self.0.feed.publish(News::Head(block));
            }
        }
        Ok(())
    }

    /// Moves the node's clock ahead for good, and makes a block at the new time.
    pub fn advance(&self, seconds: u64) {
        let _ = self
            .0
            .ahead
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |ahead| {
                Some(ahead.saturating_add(seconds))
            });
        self.mine(1);
    }

    /// Stops making blocks by the wall clock.
    pub fn pause(&self) {
        self.0.paused.store(true, Ordering::Relaxed);
    }

    /// Goes on making blocks by the wall clock.
    pub fn resume(&self) {
        self.0.paused.store(false, Ordering::Relaxed);
    }

    /// Spoils the next `count` answers to `method`, or to any but the control
    /// methods if it is `*`.
    pub fn fault(&self, method: &str, kind: FaultKind, count: u32) -> Result<(), FaultError> {
        self.faults().arm(method, kind, count)
    }

    /// Forgets the faults that were armed for `method`; all, if it is `*`.
    pub fn clear_faults(&self, method: &str) {
        self.faults().clear(method);
    }

    /// The fault of the next answer to `method`, which is the caller's to make.
    pub(crate) fn take_fault(&self, method: &str) -> Option<FaultKind> {
        self.faults().take(method)
    }

    fn faults(&self) -> MutexGuard<'_, Faults> {
        self.0.faults.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What curators would say about the tokens of every simulated network, as
    /// JSON in the token-lists convention.
    pub fn token_list() -> String {
        token_list::render()
    }

    /// The node's time in seconds.
    pub(crate) fn now(&self) -> u64 {
        seconds(self.0.clock.as_ref()).saturating_add(self.0.ahead.load(Ordering::Relaxed))
    }

    /// Where news of the chain come from.
    pub(crate) fn feed(&self) -> &Feed {
        &self.0.feed
    }

    /// The chain, to be looked at briefly.
    pub(crate) fn read(&self) -> RwLockReadGuard<'_, Chain> {
        self.0.chain.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Chain> {
        self.0.chain.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Transactions per block that keep a history of `blocks` within its events.
fn history_transactions(blocks: usize) -> u32 {
    let blocks = blocks.clamp(1, MAX_HISTORY_BLOCKS);
    u32::try_from(MAX_HISTORY_EVENTS / (blocks * MAX_ACTOR_EVENTS)).unwrap_or(u32::MAX)
}

fn seconds(clock: &dyn Clock) -> u64 {
    u64::try_from(clock.now().as_second()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::starknet::config::History;
    use primitives::{ManualClock, Timestamp};
    use std::collections::HashSet;

    const NOW: i64 = 1_800_000_000;

    fn node(config: StarknetConfig) -> StarknetNode {
        let clock = ManualClock::new(Timestamp::from_second(NOW).unwrap());
        StarknetNode::new(config, Arc::new(clock))
    }

    #[test]
    fn the_default_history_is_long_and_lively_and_ends_now() {
        let node = node(StarknetConfig::default());
        let chain = node.read();
        let blocks = chain.range(0, u64::MAX);
        assert!((5_000..=MAX_HISTORY_BLOCKS).contains(&blocks.len()));
        assert_eq!(i64::try_from(chain.head().timestamp), Ok(NOW));
        let events: usize = blocks.iter().map(|block| block.event_count()).sum();
        assert!((30_000..=MAX_HISTORY_EVENTS).contains(&events), "{events}");
        let emitters: HashSet<_> = blocks
            .iter()
            .skip(1)
            .flat_map(|block| &block.transactions)
            .flat_map(|transaction| &transaction.receipt.events)
            .map(|event| event.from)
            .collect();
        assert!(
            emitters.len() >= 70,
            "every token moves: {}",
            emitters.len()
        );
    }

    #[test]
    fn the_longest_and_busiest_history_stays_within_its_events() {
        let node = node(StarknetConfig {
            history: History::blocks(usize::MAX, Duration::from_mins(1)),
            transactions_per_block: u32::MAX,
            ..StarknetConfig::default()
        });
        let blocks = node.read().range(0, u64::MAX);
        assert_eq!(blocks.len(), MAX_HISTORY_BLOCKS);
        let events: usize = blocks.iter().map(|block| block.event_count()).sum();
        assert!((50_000..=MAX_HISTORY_EVENTS).contains(&events), "{events}");
    }

    fn quick() -> StarknetNode {
        node(StarknetConfig {
            block_time: Some(Duration::ZERO),
            history: History::blocks(1, Duration::ZERO),
            ..StarknetConfig::default()
        })
    }

    #[test]
    fn worlds_of_one_seed_begin_with_the_same_block_whenever_they_start() {
        let started = |second| {
            let clock = ManualClock::new(Timestamp::from_second(second).unwrap());
            let config = StarknetConfig {
                history: History::blocks(3, Duration::from_secs(2)),
                ..StarknetConfig::default()
            };
            let node = StarknetNode::new(config, Arc::new(clock));
            let hash = |number| node.read().by_number(number).unwrap().hash;
            (hash(0), hash(1))
        };
        let (earlier, later) = (started(NOW), started(NOW + 1_000));
        assert_eq!(earlier.0, later.0);
        assert_ne!(earlier.1, later.1);
    }

    #[test]
    fn a_paused_node_makes_blocks_only_on_request() {
        let node = quick();
        node.pause();
        node.tick();
        assert_eq!(node.head().number, 0);
        node.mine(2);
        assert_eq!(node.head().number, 2);
        node.resume();
        node.tick();
        assert_eq!(node.head().number, 3);
    }

    #[tokio::test]
    async fn blocks_are_produced_until_the_node_is_stopped() {
        let node = quick();
        let stop = CancellationToken::new();
        let watch = async {
            while node.head().number < 3 {
                tokio::task::yield_now().await;
            }
            stop.cancel();
        };
        tokio::join!(node.produce(stop.clone()), watch);
    }

    #[tokio::test]
    async fn without_a_block_time_producing_only_waits_for_the_end() {
        let node = node(StarknetConfig {
            block_time: None,
            history: History::blocks(1, Duration::ZERO),
            ..StarknetConfig::default()
        });
        let stop = CancellationToken::new();
        stop.cancel();
        node.produce(stop).await;
        assert_eq!(node.head().number, 0);
    }
}
