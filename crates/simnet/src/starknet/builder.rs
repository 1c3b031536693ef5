//! A block in the making.

use super::block::{Block, block_hash};
use super::contracts::erc20::transfer_call;
use super::execution::{CallFailure, Contracts, Effects, Execution};
use super::state::{Key, Slot, State};
use super::transaction::{Invoke, Prices, Receipt, Resources, Transaction, with_headroom};
use super::world::{SEQUENCER, STRK};
use primitives::{Felt, U256};

/// Includes transactions one after the other; each sees the ones before it.
#[derive(Debug)]
pub(crate) struct BlockBuilder<'c> {
    contracts: &'c Contracts,
    state: &'c mut State,
    number: u64,
    parent_hash: Felt,
    timestamp: u64,
    prices: Prices,
    transactions: Vec<Transaction>,
    writes: Vec<Slot>,
}

impl<'c> BlockBuilder<'c> {
    pub(crate) fn new(
        contracts: &'c Contracts,
        state: &'c mut State,
        number: u64,
        parent_hash: Felt,
        timestamp: u64,
    ) -> Self {
        Self {
            contracts,
            state,
            number,
            parent_hash,
            timestamp,
            prices: Prices::USUAL,
            transactions: Vec::new(),
            writes: Vec::new(),
        }
    }

    /// The state so far, to be read at [`Self::number`].
    pub(crate) fn state(&self) -> &State {
        self.state
    }

    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Writes outside of any transaction: only the first block does.
    pub(crate) fn write(&mut self, key: Key, value: U256) {
        self.writes
            .extend(self.state.write(key, self.number, value));
    }

    /// Runs the calls, all or none, and charges the fee in either case. A sender
    /// who cannot pay it is refused, and nothing happens.
    pub(crate) fn include(
        &mut self,
        invoke: &Invoke,
        resources: Resources,
    ) -> Result<(), CallFailure> {
        let fee = resources.fee(self.prices);
        let (effects, nonce, reverted) = self.run(invoke, fee)?;
        for (key, value) in effects.writes {
            self.write(key, value);
        }
        self.transactions.push(Transaction {
            hash: invoke.hash,
            sender: invoke.sender,
            nonce,
            calldata: invoke.calldata(),
            signature: Box::default(),
            bounds: with_headroom(resources, self.prices),
            tip: 0,
            receipt: Receipt {
                fee,
                resources,
                events: effects.events,
                revert_reason: reverted.map(|failure| failure.to_string()),
            },
        });
        Ok(())
    }

    /// The effects of a transaction, its nonce and why its calls were reverted.
    fn run(
        &self,
        invoke: &Invoke,
        fee: u128,
    ) -> Result<(Effects, u64, Option<CallFailure>), CallFailure> {
        let fresh = || Execution::new(self.contracts, self.state, self.number);
        let mut execution = fresh();
        let reverted = invoke
            .calls
            .iter()
            .try_for_each(|call| execution.call(invoke.sender, call).map(drop))
            .err();
        if reverted.is_some() {
            execution = fresh();
        }
        if fee > 0 {
            let payment = transfer_call(STRK, SEQUENCER, U256::from(fee));
            execution.call(invoke.sender, &payment)?;
        }
        let nonce_key = Key::nonce(invoke.sender);
        let nonce = execution.read(&nonce_key);
        execution.write(nonce_key, nonce.saturating_add(U256::ONE));
        Ok((execution.finish(), nonce.saturating_to(), reverted))
    }

    pub(crate) fn seal(self) -> Block {
        Block {
            number: self.number,
            hash: block_hash(
                self.parent_hash,
                self.number,
                self.timestamp,
                &self.transactions,
            ),
            parent_hash: self.parent_hash,
            timestamp: self.timestamp,
            prices: self.prices,
            transactions: self.transactions,
            writes: self.writes,
        }
    }
}

/// The key and value that say that a contract of `class_hash` is at `address`.
pub(crate) fn deployment(address: Felt, class_hash: Felt) -> (Key, U256) {
    (Key::class_hash(address), super::hash::from_felt(class_hash))
}
