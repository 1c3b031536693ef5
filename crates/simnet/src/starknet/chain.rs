//! The chain: its blocks, its state, and how they grow and are replaced.

use super::block::Block;
use super::builder::BlockBuilder;
use super::execution::Execution;
use super::hash::digest;
use super::state::State;
use super::world::{World, actors};
use primitives::Felt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use thiserror::Error;

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
    kept_blocks: usize,
    /// Counts reorgs, so that a replacement differs from what it replaces.
    fork: u64,
}

impl Chain {
    /// A chain of one block, in which the world is deployed and funded.
    pub(crate) fn new(world: World, timestamp: u64, kept_blocks: usize) -> Self {
        let mut state = State::default();
        let mut builder = BlockBuilder::new(&world.contracts, &mut state, 0, Felt::ZERO, timestamp);
        world.begin(&mut builder);
        let first = builder.seal();
        let mut chain = Self {
            world,
            state,
            blocks: VecDeque::new(),
            numbers: HashMap::new(),
            kept_blocks: kept_blocks.max(1),
            fork: 0,
        };
        chain.push(first);
        chain
    }

    pub(crate) fn world(&self) -> &World {
        &self.world
    }

    #[expect(clippy::expect_used, reason = "the last block is never dropped")]
    pub(crate) fn head(&self) -> &Arc<Block> {
        self.blocks.back().expect("a chain has at least one block")
    }

    /// The oldest block that is still kept.
    pub(crate) fn first_number(&self) -> u64 {
        self.blocks.front().map_or(0, |block| block.number)
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

    /// The state, readable at every block that is kept.
    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    /// An execution on the state after block `at`, without any effect.
    pub(crate) fn execution(&self, at: u64) -> Execution<'_> {
        Execution::new(&self.world.contracts, &self.state, at)
    }

    /// Appends a block with about `transactions` transactions of the actors. Its
    /// time is never before its parent's.
    pub(crate) fn mine(&mut self, timestamp: u64, transactions: u32) {
        let (number, parent_hash, parent_time) = {
            let head = self.head();
            (head.number + 1, head.hash, head.timestamp)
        };
        let timestamp = timestamp.max(parent_time);
        // The block's own randomness: nothing but the chain itself has to be
        // kept to go on in the same way.
        let seed = digest(
            "RANDOMNESS",
            &[
                Felt::from(self.world.seed),
                Felt::from(self.fork),
                parent_hash,
                Felt::from(timestamp),
            ],
        );
        let mut rng = ChaCha8Rng::from_seed(seed.to_bytes_be());
        let mut builder = BlockBuilder::new(
            &self.world.contracts,
            &mut self.state,
            number,
            parent_hash,
            timestamp,
        );
        actors::act(&self.world, &mut builder, &mut rng, seed, transactions);
        let block = builder.seal();
        self.push(block);
    }

    /// Replaces the last `depth` blocks by others at the same times, and appends
    /// one, so that the new fork is the longer one.
    pub(crate) fn reorg(
        &mut self,
        depth: u32,
        timestamp: u64,
        transactions: u32,
    ) -> Result<(), ReorgError> {
        let possible = self.blocks.len() - 1;
        let orphans = usize::try_from(depth)
            .ok()
            .filter(|orphans| (1..=possible).contains(orphans))
            .ok_or(ReorgError::Depth { depth, possible })?;
        let orphaned = self.blocks.split_off(self.blocks.len() - orphans);
        for block in orphaned.iter().rev() {
            self.state.undo(block.number, &block.writes);
            self.numbers.remove(&block.hash);
        }
        self.fork += 1;
        for block in &orphaned {
            self.mine(block.timestamp, transactions);
        }
        self.mine(timestamp, transactions);
        Ok(())
    }

    fn push(&mut self, block: Block) {
        self.numbers.insert(block.hash, block.number);
        self.blocks.push_back(Arc::new(block));
        while self.blocks.len() > self.kept_blocks {
            if let Some(dropped) = self.blocks.pop_front() {
                self.numbers.remove(&dropped.hash);
            }
            if let Some(oldest) = self.blocks.front() {
                self.state.forget_before(oldest.number, &oldest.writes);
            }
        }
    }
}

#[cfg(test)]
mod tests;
