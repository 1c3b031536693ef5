//! A chain taken apart to be kept, and put together again without running
//! anything.

use super::{Chain, GENESIS_TIME};
use crate::starknet::block::Block;
use crate::starknet::builder::OpenBlock;
use crate::starknet::state::{Key, Slot, State};
use crate::starknet::transaction::Request;
use crate::starknet::world::World;
use primitives::{OrImpossible as _, U256};
use std::collections::HashSet;

/// A block with what it wrote, apart from any state.
#[derive(Debug)]
pub(crate) struct KeptBlock {
    pub(crate) block: Block,
    pub(crate) writes: Vec<(Key, U256)>,
}

impl Chain {
    /// What a block of this chain wrote.
    pub(crate) fn writes_of(&self, block: &Block) -> Vec<(Key, U256)> {
        let keys = block.writes.iter().filter_map(|slot| self.state.key(*slot));
        keys.map(|key| (*key, self.state.read(key, block.number)))
            .collect()
    }

    /// The state at the height `at`, without what the block `at` wrote itself.
    pub(crate) fn values_before(&self, at: u64) -> Vec<(Key, U256)> {
        let block = self.by_number(at);
        let block = block.or_impossible("a checkpoint is at a block that is kept");
        let written = block.map_or_else(|_| Vec::new(), |block| self.writes_of(block));
        let written: HashSet<Key> = written.into_iter().map(|(key, _)| key).collect();
        let keys = self.state.keys().iter();
        keys.filter(|key| !written.contains(key))
            .map(|key| (*key, self.state.read(key, at)))
            .filter(|(_, value)| *value != U256::ZERO)
            .collect()
    }

    /// Transactions from outside that are in no sealed block, in their order.
    pub(crate) fn unsealed(&self) -> impl Iterator<Item = &Request> {
        let open = self.open.transactions.iter();
        let open = open.map(|transaction| &transaction.request);
        open.filter(|request| request.is_from_outside())
            .chain(self.mempool.requests())
    }

    /// Reorgs so far.
    pub(crate) fn fork(&self) -> u64 {
        self.fork
    }

    /// A chain whose oldest block is `base`; `values` are the variables that it
    /// did not write. It drops no block before [`Self::go_on`].
    pub(crate) fn resume(world: World, values: Vec<(Key, U256)>, base: KeptBlock) -> Self {
        let mut state = State::default();
        let before = base.block.number.saturating_sub(1);
        for (key, value) in values {
            state.write(key, before, value);
        }
        let KeptBlock { mut block, writes } = base;
        block.writes = written(&mut state, block.number, writes);
        Self::beginning(world, state, block, usize::MAX)
    }

    /// A chain of a world's first block, as it is made. It drops no block before
    /// [`Self::go_on`].
    pub(crate) fn first(world: World) -> Self {
        Self::new(world, GENESIS_TIME, usize::MAX)
    }

    /// Appends a block, if it is the next one.
    pub(crate) fn append(&mut self, kept: KeptBlock) -> Option<()> {
        let head = self.head().reference();
        let next = kept.block.number == head.number + 1 && kept.block.parent_hash == head.hash;
        if !next {
            return None;
        }
        let KeptBlock { mut block, writes } = kept;
        block.writes = written(&mut self.state, block.number, writes);
        self.open = OpenBlock::after(&block, self.world.seed);
        self.push(block);
        Some(())
    }

    /// Takes back all blocks above `height`. Answers with their transactions
    /// from outside.
    pub(crate) fn truncate(&mut self, height: u64) -> Vec<Request> {
        let above = self.head().number.saturating_sub(height);
        let above = usize::try_from(above).unwrap_or(usize::MAX);
        self.take_back(above.min(self.blocks.len() - 1)).1
    }

    /// Is a chain of `kept_blocks` again, after `fork` reorgs, with these
    /// transactions from outside. The block in the making began at `begun`, or at
    /// the head's time if nobody knows.
    pub(crate) fn go_on(
        &mut self,
        fork: u64,
        kept_blocks: usize,
        unsealed: Vec<Request>,
        begun: Option<u64>,
    ) {
        self.fork = fork;
        self.kept_blocks = kept_blocks.max(1);
        self.prune();
        self.mempool.put_back(unsealed, self.open.number);
        self.include_waiting(begun.unwrap_or(self.open.timestamp));
    }
}

/// Writes in block `number`; answers with the slots.
fn written(state: &mut State, number: u64, writes: Vec<(Key, U256)>) -> Vec<Slot> {
    writes
        .into_iter()
        .filter_map(|(key, value)| state.write(key, number, value))
        .collect()
}
