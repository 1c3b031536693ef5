//! Blocks as the chain keeps them.

use super::gas::Prices;
use super::hash::digest;
use super::state::Slot;
use super::transaction::Transaction;
use primitives::{BlockRef, Felt};
use std::sync::Arc;

/// A sealed block. It never changes; readers share it.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) number: u64,
    pub(crate) hash: Felt,
    pub(crate) parent_hash: Felt,
    /// Seconds since 1970.
    pub(crate) timestamp: u64,
    pub(crate) prices: Prices,
    pub(crate) transactions: Vec<Arc<Transaction>>,
    /// What the block wrote into the state, to take it back in a reorg.
    pub(crate) writes: Vec<Slot>,
}

impl Block {
    /// Height and hash.
    pub(crate) fn reference(&self) -> BlockRef {
        BlockRef {
            number: self.number,
            hash: self.hash,
        }
    }

    /// A value that commits to the block, in place of a root that the simulated
    /// chain does not compute.
    pub(crate) fn commitment(&self, of: &str) -> Felt {
        digest(of, &[self.hash])
    }

    /// Whether not all that happened was the world's own doing.
    pub(crate) fn has_outside_transactions(&self) -> bool {
        self.transactions
            .iter()
            .any(|transaction| transaction.request.is_from_outside())
    }

    /// Events of all transactions.
    pub(crate) fn event_count(&self) -> usize {
        self.transactions
            .iter()
            .map(|transaction| transaction.receipt.events.len())
            .sum()
    }
}

/// The hash of a block commits to its place, its time and its transactions. Its
/// place is a height on a fork: an empty block that replaces an empty one is
/// another block.
pub(crate) fn block_hash(
    parent_hash: Felt,
    number: u64,
    fork: u64,
    timestamp: u64,
    transactions: &[Arc<Transaction>],
) -> Felt {
    let place = (u128::from(fork) << 64) | u128::from(number);
    let mut parts = vec![parent_hash, Felt::from(place), Felt::from(timestamp)];
    parts.extend(transactions.iter().map(|transaction| transaction.hash()));
    digest("BLOCK", &parts)
}
