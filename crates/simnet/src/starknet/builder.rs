//! A block in the making.

use super::block::{Block, block_hash};
use super::execution::{Contracts, View};
use super::gas::Prices;
use super::process::{self, Charge};
use super::refusal::Refusal;
use super::state::{Key, Slot, State};
use super::transaction::{Deed, Receipt, Request, Transaction};
use primitives::{Felt, U256};
use std::sync::Arc;

/// The block that follows the head: what is in it so far. Its writes are in the
/// state already, where only those see them who read at its height.
#[derive(Debug)]
pub(crate) struct OpenBlock {
    pub(crate) number: u64,
    pub(crate) parent_hash: Felt,
    /// Seconds since 1970: the block's time once it has begun, and until then the
    /// earliest that it can have.
    pub(crate) timestamp: u64,
    pub(crate) prices: Prices,
    pub(crate) transactions: Vec<Arc<Transaction>>,
    pub(crate) writes: Vec<Slot>,
}

impl OpenBlock {
    /// The first block of the world of `seed`.
    pub(crate) fn first(seed: u64, timestamp: u64) -> Self {
        Self::new(seed, 0, Felt::ZERO, timestamp)
    }

    /// The block after `parent`.
    pub(crate) fn after(parent: &Block, seed: u64) -> Self {
        Self::new(seed, parent.number + 1, parent.hash, parent.timestamp)
    }

    fn new(seed: u64, number: u64, parent_hash: Felt, timestamp: u64) -> Self {
        Self {
            number,
            parent_hash,
            timestamp,
            prices: Prices::of_block(seed, number),
            transactions: Vec::new(),
            writes: Vec::new(),
        }
    }

    /// Whether it has its first transaction. Its time is fixed from then on:
    /// contracts have seen it.
    pub(crate) fn has_begun(&self) -> bool {
        !self.transactions.is_empty()
    }

    /// The time that a transaction sees which comes into it at `now`.
    pub(crate) fn time(&self, now: u64) -> u64 {
        if self.has_begun() {
            self.timestamp
        } else {
            self.timestamp.max(now)
        }
    }

    /// The block as it is, made after `fork` reorgs.
    pub(crate) fn seal(self, fork: u64) -> Block {
        let hash = block_hash(
            self.parent_hash,
            self.number,
            fork,
            self.timestamp,
            &self.transactions,
        );
        Block {
            number: self.number,
            hash,
            parent_hash: self.parent_hash,
            timestamp: self.timestamp,
            prices: self.prices,
            transactions: self.transactions,
            writes: self.writes,
        }
    }
}

/// Includes transactions one after the other; each sees the ones before it.
#[derive(Debug)]
pub(crate) struct BlockBuilder<'c> {
    pub(crate) contracts: &'c Contracts,
    pub(crate) state: &'c mut State,
    pub(crate) open: &'c mut OpenBlock,
}

impl BlockBuilder<'_> {
    /// The state so far.
    pub(crate) fn view(&self) -> View<'_> {
        View {
            contracts: self.contracts,
            state: self.state,
            at: self.open.number,
            time: self.open.timestamp,
            earlier: None,
        }
    }

    /// Writes outside of any transaction: only the first block does.
    pub(crate) fn write(&mut self, key: Key, value: U256) {
        let slot = self.state.write(key, self.open.number, value);
        self.open.writes.extend(slot);
    }

    /// Includes a transaction that is known to be valid.
    pub(crate) fn include(&mut self, request: Request, charge: Charge) -> Result<(), Refusal> {
        let outcome = process::apply(self.view(), &request, self.open.prices, charge, false)?;
        for (key, value) in outcome.effects.writes {
            self.write(key, value);
        }
        self.open.transactions.push(Arc::new(Transaction {
            request,
            receipt: Receipt {
                fee: outcome.fee,
                resources: outcome.resources,
                events: outcome.effects.events,
                revert_reason: outcome.reversal.map(|reversal| reversal.to_string()),
            },
        }));
        Ok(())
    }

    /// Includes calls of one of the world's own actors.
    pub(crate) fn act(&mut self, hash: Felt, deed: &Deed, charge: Charge) -> Result<(), Refusal> {
        let nonce = self.view().nonce(deed.sender);
        let request = Request::of_actor(hash, deed, nonce, self.open.prices);
        self.include(request, charge)
    }
}
