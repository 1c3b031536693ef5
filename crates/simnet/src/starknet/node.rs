//! The handle of a running node.

use super::chain::{Chain, GENESIS_TIME};
use super::config::{
    DENSE_SPACING, MAX_HISTORY_BLOCKS, MAX_HISTORY_EVENTS, MAX_POOLS, MAX_TRANSACTIONS_PER_BLOCK,
    SPARSE_TRANSACTIONS, StarknetConfig,
};
use super::contracts::exchange::{EXCHANGE, EXECUTOR};
use super::contracts::paymaster::{ACCOUNT_FACTORY, FORWARDER, PRIVACY_POOL};
use super::contracts::recurring::FACTORY;
use super::contracts::staking::{POOLS, STAKER, STAKING};
use super::feed::{Feed, News};
use super::journal::{Control, Journal, Restored};
use super::ledger::{Ledger, SteerError, Steering};
use super::refusal::Refusal;
use super::transaction::{Request, SignedTransaction};
use super::world::{
    ACTOR_EVENTS, Genesis, PrefundedAccount, World, anchor_list, guest, keeper, relayers, saver,
    token_list, venue_list,
};
use crate::fault::{FaultError, FaultKind, Faults};
use crate::journal::{KeepError, OpenError};
use primitives::transaction_hash::Version;
use primitives::{Address, BlockRef, Clock, Felt, OrImpossible as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;
use tokio::time::{Instant, MissedTickBehavior, interval_at};
use tokio_util::sync::CancellationToken;

/// The shortest time between blocks that are produced by the wall clock.
const MIN_BLOCK_TIME: Duration = Duration::from_millis(1);

/// A simulated Starknet node. Clones are handles of the same node.
#[derive(Debug, Clone)]
pub struct StarknetNode(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    ledger: RwLock<Ledger>,
    steering: Arc<Steering>,
    faults: Mutex<Faults>,
    feed: Feed,
    clock: Arc<dyn Clock>,
    block_time: Option<Duration>,
    transactions_per_block: u32,
}

impl StarknetNode {
    /// Makes the world and its history; the newest block is from now. Nothing
    /// outlives the process.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a node is made once, from a configuration that nobody needs afterwards"
    )]
    pub fn new(config: StarknetConfig, clock: Arc<dyn Clock>) -> Self {
        let chain = first_chain(&config, seconds(clock.as_ref()));
        Self::with(Ledger::in_memory(chain), &config, clock)
    }

    /// Goes on with the chain in the data folder, or begins one there. The time
    /// since its newest block is filled with few blocks, unless blocks are made
    /// only on request. Without a data folder the same as [`Self::new`].
    pub fn open(config: StarknetConfig, clock: Arc<dyn Clock>) -> Result<Self, OpenError> {
        let Some(folder) = &config.data else {
            return Ok(Self::new(config, clock));
        };
        let (mut journal, restored) = Journal::open(folder, genesis(&config), config.kept_blocks)?;
        if let Some(restored) = restored {
            let ledger = Ledger::restored(restored, journal, config.kept_blocks);
            let node = Self::with(ledger, &config, clock);
            node.catch_up(&config)?;
            return Ok(node);
        }
        let chain = first_chain(&config, seconds(clock.as_ref()));
        journal.begin(&chain, chain.first_number(), Control::default())?;
        let restored = Restored {
            chain,
            control: Control::default(),
        };
        let ledger = Ledger::restored(restored, journal, config.kept_blocks);
        Ok(Self::with(ledger, &config, clock))
    }

    fn with(ledger: Ledger, config: &StarknetConfig, clock: Arc<dyn Clock>) -> Self {
        Self(Arc::new(Inner {
            steering: Arc::clone(ledger.steering()),
            ledger: RwLock::new(ledger),
            faults: Mutex::default(),
            feed: Feed::new(),
            clock,
            block_time: config.block_time,
            transactions_per_block: transactions_per_block(config),
        }))
    }

    /// Makes the blocks that a history would have since the head.
    fn catch_up(&self, config: &StarknetConfig) -> Result<(), KeepError> {
        if self.0.block_time.is_none() || self.0.steering.is_paused() {
            return Ok(());
        }
        let mut ledger = self.write();
        let head = ledger.head().timestamp;
        let mut times = config.history.timestamps(self.now());
        times.retain(|time| *time > head);
        times.insert(0, head);
        for (made, block) in past(&times, self.0.transactions_per_block).enumerate() {
            ledger.mine(block.time, block.transactions)?;
            config.progress.tell(made + 1, times.len());
        }
        ledger.sync()
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
        // A failure was reported when it came.
        if !self.0.steering.is_paused() {
            let _ = self.mine(1);
        }
    }

    /// Why the node makes no blocks any more, if it does not.
    pub fn failure(&self) -> Option<KeepError> {
        self.read().failure().cloned()
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
        self.read().check(&request, self.now())?;
        self.write().accept(request, self.now())
    }

    /// Makes blocks at once, also while paused.
    pub fn mine(&self, blocks: u32) -> Result<(), KeepError> {
        for _ in 0..blocks {
            let now = self.now();
            let mut ledger = self.write();
            ledger.mine(now, self.0.transactions_per_block)?;
            self.0.feed.publish(News::Head(ledger.head().clone()));
        }
        Ok(())
    }

    /// Orphans the last `depth` blocks and puts `depth + 1` others in their
    /// place.
    pub fn reorg(&self, depth: u32) -> Result<(), SteerError> {
        let now = self.now();
        let mut ledger = self.write();
        let last = ledger.head().reference();
        let first = (last.number + 1).saturating_sub(depth.into());
        let first = ledger.by_number(first).map(|block| block.reference());
        ledger.reorg(depth, now, self.0.transactions_per_block)?;
        if let Some(first) = first {
            self.0.feed.publish(News::Reorg { first, last });
            for block in ledger.range(first.number, u64::MAX) {
                self.0.feed.publish(News::Head(block));
            }
        }
        Ok(())
    }

    /// Moves the node's clock ahead for good, and makes so many blocks at equal
    /// distances, at least one, the last at the new time. A block that has begun
    /// keeps its time and is ended before. Answers with the number of blocks that
    /// were made.
    pub fn advance(&self, by: u64, blocks: u32) -> Result<u32, KeepError> {
        let steps = blocks.max(1);
        let (mut made, mut gone) = (0, 0);
        for step in 1..=steps {
            let next = share(by, step, steps);
            made += self.step_ahead(next - gone)?;
            gone = next;
        }
        Ok(made)
    }

    /// Ends what has begun, moves the clock and makes a block; says how many
    /// blocks were made.
    fn step_ahead(&self, seconds: u64) -> Result<u32, KeepError> {
        let (now, transactions) = (self.now(), self.0.transactions_per_block);
        let mut made = 1;
        let mut ledger = self.write();
        // Those that waited for room may begin the next one.
        while ledger.open().has_begun() {
            ledger.mine(now, transactions)?;
            self.0.feed.publish(News::Head(ledger.head().clone()));
            made += 1;
        }
        ledger.advance(seconds, now.saturating_add(seconds), transactions)?;
        self.0.feed.publish(News::Head(ledger.head().clone()));
        Ok(made)
    }

    /// Stops making blocks by the wall clock.
    pub fn pause(&self) -> Result<(), KeepError> {
        self.write().pause(true)
    }

    /// Goes on making blocks by the wall clock.
    pub fn resume(&self) -> Result<(), KeepError> {
        self.write().pause(false)
    }

    /// Lets transactions wait whose tip is less, until told otherwise or restarted.
    pub fn congest(&self, least_tip: u64) {
        self.write().congest(least_tip);
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

    /// The exchanges of every simulated network that has any, as JSON: names,
    /// kinds, contracts, and the classes of their pools.
    pub fn venues() -> String {
        venue_list::render()
    }

    /// The tokens of every simulated network that prices can hang on, as JSON:
    /// `stables` are meant to be worth a dollar, and many pools are with `hubs`.
    pub fn anchors() -> String {
        anchor_list::render()
    }

    /// The factory of recurring orders of every simulated network that has
    /// exchanges.
    pub fn recurring_order_factory() -> Address {
        Address::new(FACTORY)
    }

    /// The account that may execute recurring orders on every simulated network
    /// that has exchanges. Everybody knows its key.
    pub fn keeper() -> PrefundedAccount {
        keeper().clone()
    }

    /// The account of simulated people who order on every simulated network.
    /// Everybody knows its key.
    pub fn saver() -> PrefundedAccount {
        saver().clone()
    }

    /// The account of simulated people whose fees others pay on every simulated
    /// network. Everybody knows its key.
    pub fn guest() -> PrefundedAccount {
        guest().clone()
    }

    /// The factory of accounts of every simulated network that has exchanges.
    pub fn account_factory() -> Address {
        Address::new(ACCOUNT_FACTORY)
    }

    /// The forwarder of every simulated network that has exchanges.
    pub fn forwarder() -> Address {
        Address::new(FORWARDER)
    }

    /// The accounts that the forwarder takes transactions from. Everybody knows
    /// their keys. The first one receives what users pay.
    pub fn relayers() -> [PrefundedAccount; 2] {
        relayers().clone()
    }

    /// The pool there whose users stay private.
    pub fn privacy_pool() -> Address {
        Address::new(PRIVACY_POOL)
    }

    /// The staking contract of every simulated network that has exchanges.
    pub fn staking() -> Address {
        Address::new(STAKING)
    }

    /// The staker there.
    pub fn staker() -> Address {
        Address::new(STAKER)
    }

    /// The staker's pools: where each is, and of which token.
    pub fn staking_pools() -> [(Address, Address); 2] {
        let [strk, bitcoin] = &POOLS;
        [strk, bitcoin].map(|terms| (Address::new(terms.pool), Address::new(terms.token)))
    }

    /// The exchange contract of every simulated network that has exchanges.
    pub fn exchange() -> Address {
        Address::new(EXCHANGE)
    }

    /// The contract that trades there for those who stay private.
    pub fn private_executor() -> Address {
        Address::new(EXECUTOR)
    }

    /// The node's time in seconds.
    pub(crate) fn now(&self) -> u64 {
        seconds(self.0.clock.as_ref()).saturating_add(self.0.steering.ahead())
    }

    /// Where news of the chain come from.
    pub(crate) fn feed(&self) -> &Feed {
        &self.0.feed
    }

    /// The chain, to be looked at briefly.
    pub(crate) fn read(&self) -> RwLockReadGuard<'_, Ledger> {
        self.0.ledger.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a transaction whose signature nobody checks.
    #[cfg(test)]
    pub(crate) fn accept_for_test(&self, request: Request) -> Result<(), Refusal> {
        self.write().accept(request, self.now())
    }

    /// Makes every further write into the data folder fail.
    #[cfg(test)]
    pub(crate) fn break_for_test(&self) {
        self.write().break_for_test();
    }

    fn write(&self) -> RwLockWriteGuard<'_, Ledger> {
        let ledger = self.0.ledger.write();
        ledger.unwrap_or_else(PoisonError::into_inner)
    }
}

/// The world and its history up to `now`. Its exchanges open at one time, so that
/// prices do not move meanwhile.
fn first_chain(config: &StarknetConfig, now: u64) -> Chain {
    let mut times = config.history.timestamps(now);
    let world = World::new(genesis(config));
    let first = times.first().copied();
    let first = first.or_impossible("a history has at least one block");
    let first = first.unwrap_or(now);
    let before_now = times.len().saturating_sub(1);
    let openings = times
        .iter_mut()
        .take(before_now.min(world.opening_blocks() + 1));
    openings.for_each(|time| *time = first);
    let mut chain = Chain::new(world, first.min(GENESIS_TIME), config.kept_blocks);
    for (made, block) in past(&times, transactions_per_block(config)).enumerate() {
        chain.mine(block.time, block.transactions);
        config.progress.tell(made + 1, times.len());
    }
    chain
}

/// A block of a history.
struct Past {
    time: u64,
    transactions: u32,
}

/// The blocks of a history after its first one: those of the last hour are as
/// busy as those of today.
fn past(times: &[u64], transactions: u32) -> impl Iterator<Item = Past> {
    let most = transactions.min(history_transactions(times.len()));
    let steps = times.iter().zip(times.iter().skip(1));
    steps.map(move |(before, time)| {
        let dense = time.saturating_sub(*before) <= DENSE_SPACING;
        let transactions = if dense {
            most
        } else {
            most.min(SPARSE_TRANSACTIONS)
        };
        Past {
            time: *time,
            transactions,
        }
    })
}

fn genesis(config: &StarknetConfig) -> Genesis {
    Genesis {
        seed: config.seed,
        pools: config.pools.min(MAX_POOLS),
        wild: config.wild,
    }
}

fn transactions_per_block(config: &StarknetConfig) -> u32 {
    config
        .transactions_per_block
        .min(MAX_TRANSACTIONS_PER_BLOCK)
}

/// Transactions per block that keep a history of `blocks` within its events.
fn history_transactions(blocks: usize) -> u32 {
    let blocks = blocks.clamp(1, MAX_HISTORY_BLOCKS);
    u32::try_from(MAX_HISTORY_EVENTS / (blocks * ACTOR_EVENTS)).unwrap_or(u32::MAX)
}

/// What has gone of `all` after `step` of `steps`.
fn share(all: u64, step: u32, steps: u32) -> u64 {
    let gone = u128::from(all) * u128::from(step) / u128::from(steps.max(1));
    u64::try_from(gone).unwrap_or(all)
}

fn seconds(clock: &dyn Clock) -> u64 {
    u64::try_from(clock.now().as_second()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::super::config::History;
    use super::*;
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
        assert!((2_000..=MAX_HISTORY_BLOCKS).contains(&blocks.len()));
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
            pools: 24,
            ..StarknetConfig::default()
        })
    }

    #[test]
    fn worlds_of_one_seed_begin_with_the_same_block_whenever_they_start() {
        let started = |second| {
            let clock = ManualClock::new(Timestamp::from_second(second).unwrap());
            let config = StarknetConfig {
                history: History::blocks(3, Duration::from_secs(2)),
                pools: 24,
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
        node.pause().unwrap();
        node.tick();
        assert_eq!(node.head().number, 0);
        node.mine(2).unwrap();
        assert_eq!(node.head().number, 2);
        node.resume().unwrap();
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
        let produced = async { tokio::join!(node.produce(stop.clone()), watch) };
        let patience = Duration::from_mins(1);
        let ended = tokio::time::timeout(patience, produced).await;
        assert!(ended.is_ok(), "stopped at block {}", node.head().number);
    }

    #[tokio::test]
    async fn without_a_block_time_producing_only_waits_for_the_end() {
        let node = node(StarknetConfig {
            block_time: None,
            history: History::blocks(1, Duration::ZERO),
            pools: 24,
            ..StarknetConfig::default()
        });
        let stop = CancellationToken::new();
        stop.cancel();
        node.produce(stop).await;
        assert_eq!(node.head().number, 0);
    }
}
