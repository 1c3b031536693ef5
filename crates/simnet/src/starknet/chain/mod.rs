//! The chain: its blocks, its state, and how they grow and are replaced.
//!
//! Transactions from outside enter the block in the making at once and stay at
//! its beginning; the world's actors follow when it is sealed. What a client
//! sees before is therefore what it gets.

mod intake;
mod restore;

pub(crate) use restore::KeptBlock;

use super::block::Block;
use super::builder::{BlockBuilder, OpenBlock};
use super::execution::View;
use super::hash::digest;
use super::mempool::Mempool;
use super::state::{Key, State};
use super::storage::StorageIndex;
use super::transaction::{Request, Transaction};
use super::world::actors::{self, Moment};
use super::world::{Watch, World};
use primitives::Felt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use thiserror::Error;

/// The time of every world's first block, 1 January 2026: worlds of one seed
/// begin with the same block whenever they are started, so that a follower of an
/// earlier one finds common ground.
pub(crate) const GENESIS_TIME: u64 = 1_767_225_600;

/// Blocks this far below the head count as accepted on L1.
const L1_LAG_BLOCKS: u64 = 100;

/// Why a reorg was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ReorgError {
    /// Nothing to replace, or more than there is: the oldest block stays.
    #[error("depth {depth} is not between 1 and {possible}")]
    Depth {
        /// The depth that was asked for.
        depth: u32,
        /// The deepest possible now.
        possible: usize,
    },
}

/// One chain, never empty, with the newest blocks up to a limit.
#[derive(Debug)]
pub(crate) struct Chain {
    world: World,
    state: State,
    blocks: VecDeque<Arc<Block>>,
    numbers: HashMap<Felt, u64>,
    /// The block of every transaction and its place there.
    transactions: HashMap<Felt, (u64, usize)>,
    open: OpenBlock,
    mempool: Mempool,
    /// What includes transactions from outside; those that offer less wait.
    least_tip: u64,
    storage: Mutex<StorageIndex>,
    /// What arbitrageurs know of the state as it is now.
    watch: Watch,
    kept_blocks: usize,
    /// Counts reorgs, so that a replacement differs from what it replaces.
    fork: u64,
}

impl Chain {
    /// A chain of one block, in which the world is deployed and funded.
    pub(crate) fn new(world: World, timestamp: u64, kept_blocks: usize) -> Self {
        let mut state = State::default();
        let mut open = OpenBlock::first(world.seed, timestamp);
        world.begin(&mut BlockBuilder {
            contracts: &world.contracts,
            state: &mut state,
            open: &mut open,
        });
        let first = open.seal(0);
        Self::beginning(world, state, first, kept_blocks)
    }

    /// A chain of the block `first`, after which the state is `state`.
    fn beginning(world: World, state: State, first: Block, kept_blocks: usize) -> Self {
        let mut chain = Self {
            open: OpenBlock::after(&first, world.seed),
            world,
            state,
            blocks: VecDeque::new(),
            numbers: HashMap::new(),
            transactions: HashMap::new(),
            mempool: Mempool::default(),
            least_tip: 0,
            storage: Mutex::default(),
            watch: Watch::default(),
            kept_blocks: kept_blocks.max(1),
            fork: 0,
        };
        chain.push(first);
        chain
    }

    /// Lets transactions from outside wait that offer less than this.
    pub(crate) fn congest(&mut self, least_tip: u64) {
        self.least_tip = least_tip;
    }

    pub(crate) fn world(&self) -> &World {
        &self.world
    }

    #[expect(clippy::expect_used, reason = "the last block is never dropped")]
    pub(crate) fn head(&self) -> &Arc<Block> {
        self.blocks.back().expect("a chain has at least one block")
    }

    /// The oldest block that is still kept.
    #[expect(clippy::expect_used, reason = "the last block is never dropped")]
    pub(crate) fn first_number(&self) -> u64 {
        let first = self.blocks.front();
        first.expect("a chain has at least one block").number
    }

    /// The newest block that counts as accepted on L1.
    pub(crate) fn l1_accepted_number(&self) -> u64 {
        let number = self.head().number.saturating_sub(L1_LAG_BLOCKS);
        number.max(self.first_number())
    }

    pub(crate) fn by_number(&self, number: u64) -> Option<&Arc<Block>> {
        let index = number.checked_sub(self.first_number())?;
        self.blocks.get(usize::try_from(index).ok()?)
    }

    pub(crate) fn by_hash(&self, hash: Felt) -> Option<&Arc<Block>> {
        self.by_number(*self.numbers.get(&hash)?)
    }

    /// The blocks `from..=to`, as far as they are kept.
    pub(crate) fn range(&self, from: u64, to: u64) -> Vec<Arc<Block>> {
        (from.max(self.first_number())..=to.min(self.head().number))
            .filter_map(|number| self.by_number(number).cloned())
            .collect()
    }

    /// The block in the making.
    pub(crate) fn open(&self) -> &OpenBlock {
        &self.open
    }

    /// The state after block `at`, which may be the one in the making.
    pub(crate) fn view(&self, at: u64) -> View<'_> {
        let sealed = self.by_number(at);
        View {
            contracts: &self.world.contracts,
            state: &self.state,
            at,
            time: sealed.map_or(self.open.timestamp, |block| block.timestamp),
            earlier: None,
        }
    }

    /// What a transaction sees that comes into the block in the making at `now`.
    pub(crate) fn view_of_open(&self, now: u64) -> View<'_> {
        View {
            time: self.open.time(now),
            ..self.view(self.open.number)
        }
    }

    /// An included transaction with the number of its block and its place there.
    pub(crate) fn transaction(&self, hash: Felt) -> Option<(&Arc<Transaction>, u64)> {
        let (number, index) = *self.transactions.get(&hash)?;
        let transactions = match self.by_number(number) {
            Some(block) => &block.transactions,
            None => &self.open.transactions,
        };
        Some((transactions.get(index)?, number))
    }

    /// A transaction that waits.
    pub(crate) fn waiting(&self, hash: Felt) -> Option<&Request> {
        self.mempool.by_hash(hash)
    }

    /// The variable of `contract` of which a part is at `place` in its storage.
    pub(crate) fn variable(&self, contract: Felt, place: Felt) -> Option<Key> {
        let mut index = self.storage.lock().unwrap_or_else(PoisonError::into_inner);
        index.find(&self.state, contract, place)
    }

    /// Appends a block with about `transactions` transactions of the actors. Its
    /// time is `now` unless it has begun before, and never before its parent's.
    pub(crate) fn mine(&mut self, now: u64, transactions: u32) {
        self.make(now, transactions);
        self.include_waiting(now);
    }

    fn make(&mut self, now: u64, transactions: u32) {
        let timestamp = self.open.time(now);
        self.open.timestamp = timestamp;
        // The block's own randomness: nothing but the chain itself has to be
        // kept to go on in the same way.
        let seed = digest(
            "RANDOMNESS",
            &[
                Felt::from(self.world.seed),
                Felt::from(self.fork),
                self.open.parent_hash,
                Felt::from(timestamp),
            ],
        );
        let mut rng = ChaCha8Rng::from_seed(seed.to_bytes_be());
        let mut builder = BlockBuilder {
            contracts: &self.world.contracts,
            state: &mut self.state,
            open: &mut self.open,
        };
        let moment = Moment {
            seed,
            time: timestamp,
            mean: transactions,
        };
        actors::act(&self.world, &mut self.watch, &mut builder, &mut rng, moment);
        self.seal();
    }

    /// Ends the block in the making and begins the next one.
    fn seal(&mut self) {
        // The next one is known only when this one is: an empty one stands in.
        let open = std::mem::replace(&mut self.open, OpenBlock::first(self.world.seed, 0));
        let block = open.seal(self.fork);
        self.open = OpenBlock::after(&block, self.world.seed);
        self.push(block);
    }

    /// Replaces the last `depth` blocks by others at the same times, and appends
    /// one at `now`, so that the new fork is the longer one.
    pub(crate) fn reorg(
        &mut self,
        depth: u32,
        now: u64,
        transactions: u32,
    ) -> Result<(), ReorgError> {
        let possible = self.blocks.len() - 1;
        let orphans = usize::try_from(depth)
            .ok()
            .filter(|orphans| (1..=possible).contains(orphans))
            .ok_or(ReorgError::Depth { depth, possible })?;
        let (orphaned, returning) = self.take_back(orphans);
        self.fork += 1;
        self.mempool.put_back(returning, self.open.number);
        for block in &orphaned {
            self.include_waiting(block.timestamp);
            self.make(block.timestamp, transactions);
        }
        self.include_waiting(now);
        self.mine(now, transactions);
        Ok(())
    }

    /// Takes the last `orphans` blocks back, and the one in the making. Answers
    /// with them and with their transactions from outside, in their order.
    fn take_back(&mut self, orphans: usize) -> (VecDeque<Arc<Block>>, Vec<Request>) {
        self.watch = Watch::default();
        let mut returning = self.abandon_open();
        let orphaned = self.blocks.split_off(self.blocks.len() - orphans);
        for block in orphaned.iter().rev() {
            self.state.undo(block.number, &block.writes);
            self.numbers.remove(&block.hash);
            let mut earlier = self.forget(&block.transactions);
            earlier.append(&mut returning);
            returning = earlier;
        }
        self.open = OpenBlock::after(self.head(), self.world.seed);
        (orphaned, returning)
    }

    fn push(&mut self, block: Block) {
        self.numbers.insert(block.hash, block.number);
        for (index, transaction) in block.transactions.iter().enumerate() {
            self.transactions
                .insert(transaction.hash(), (block.number, index));
        }
        self.blocks.push_back(Arc::new(block));
        self.prune();
    }

    /// Drops the blocks that are too old.
    fn prune(&mut self) {
        while self.blocks.len() > self.kept_blocks {
            if let Some(dropped) = self.blocks.pop_front() {
                self.numbers.remove(&dropped.hash);
                self.forget(&dropped.transactions);
            }
            if let Some(oldest) = self.blocks.front() {
                self.state.forget_before(oldest.number, &oldest.writes);
            }
        }
    }

    /// Takes the block in the making back. Answers with those of its
    /// transactions that came from outside.
    fn abandon_open(&mut self) -> Vec<Request> {
        let writes = std::mem::take(&mut self.open.writes);
        self.state.undo(self.open.number, &writes);
        let transactions = std::mem::take(&mut self.open.transactions);
        self.forget(&transactions)
    }

    /// Transactions are no longer known. Answers with those from outside.
    fn forget(&mut self, transactions: &[Arc<Transaction>]) -> Vec<Request> {
        for transaction in transactions {
            self.transactions.remove(&transaction.hash());
        }
        transactions
            .iter()
            .map(|transaction| &transaction.request)
            .filter(|request| request.is_from_outside())
            .cloned()
            .collect()
    }
}

#[cfg(test)]
mod sending_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod time_tests;
