//! The hashes of recent blocks, by which transactions say how old they are.

use super::digest::digest;
use super::timeline::{Timeline, block_after, block_at, height};
use primitives::SolanaHash;
use std::collections::{HashMap, VecDeque};

/// Blocks after which the hash of one is no longer taken.
pub(crate) const MAX_AGE: u64 = 150;

/// The hash of a slot's block.
pub(crate) fn blockhash(genesis: &SolanaHash, timeline: &Timeline, slot: u64) -> SolanaHash {
    let parts = [slot, timeline.fork_of(slot)];
    SolanaHash::from_bytes(digest("BLOCK", genesis.as_bytes(), &parts))
}

/// The slots of recent blocks by their hashes.
#[derive(Debug, Default)]
pub(crate) struct Blockhashes {
    slots: HashMap<SolanaHash, u64>,
    order: VecDeque<(u64, SolanaHash)>,
}

impl Blockhashes {
    /// Takes up the blocks until `slot`, and forgets those that are older than
    /// any view of the chain accepts.
    pub(crate) fn follow(
        &mut self,
        genesis: &SolanaHash,
        timeline: &Timeline,
        slot: u64,
        finality: u64,
    ) {
        let last = block_at(slot);
        let oldest = block_at(last.saturating_sub((MAX_AGE + finality) * 2));
        let newest = self.order.back().map(|(slot, _)| block_after(*slot));
        let mut next = newest.unwrap_or(0).max(oldest);
        while next <= last {
            let hash = blockhash(genesis, timeline, next);
            self.slots.insert(hash, next);
            self.order.push_back((next, hash));
            next = block_after(next);
        }
        while let Some((first, hash)) = self.order.front()
            && *first < oldest
        {
            self.slots.remove(hash);
            self.order.pop_front();
        }
    }

    /// Forgets the blocks from `slot` on, which are no longer in the chain.
    pub(crate) fn take_back(&mut self, slot: u64) {
        while let Some((last, hash)) = self.order.back()
            && *last >= slot
        {
            self.slots.remove(hash);
            self.order.pop_back();
        }
    }

    /// Whether a transaction with this hash is young enough for the block after
    /// the one of `head`.
    pub(crate) fn is_valid(&self, hash: &SolanaHash, head: u64) -> bool {
        let slot = self.slots.get(hash);
        slot.is_some_and(|slot| *slot <= head && height(head) - height(*slot) <= MAX_AGE)
    }
}
