//! The chain: its time, its accounts and its transactions.
//!
//! A transaction from outside goes into the block after the newest one, and is
//! seen when that block's slot comes. A block without transactions is nothing
//! but its slot. Fees are burnt.

use super::account::{Account, Accounts};
use super::blockhashes::{Blockhashes, MAX_AGE, blockhash};
use super::config::{PAST_EPOCHS, Rules};
use super::execution::{Outcome, execute};
use super::failure::TransactionError;
use super::history::{History, HistoryEntry};
use super::timeline::{Timeline, block_after, block_at, height};
use super::wire::{Message, Transaction};
use super::world::World;
use primitives::{PublicKey, SolanaHash};
use std::collections::HashSet;
use std::sync::Arc;
use thiserror::Error;

/// How sure it is that something stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Commitment {
    Processed,
    Confirmed,
    Finalized,
}

/// Slots after which a block counts as confirmed.
const CONFIRMED_SLOTS: u64 = 2;

/// Accounts that there can be.
const MAX_ACCOUNTS: usize = 2_000_000;

/// Transactions that are not final yet, as a multiple of what is kept.
const MAX_UNFINAL: usize = 4;

/// Why a reorg was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("depth {depth} is not between 1 and {possible}: the slots below are final")]
pub struct SlotReorgError {
    /// The depth that was asked for.
    pub depth: u64,
    /// The deepest possible now.
    pub possible: u64,
}

/// Why a transaction is not in the chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(crate) enum Rejection {
    #[error(transparent)]
    Transaction(#[from] TransactionError),
    /// There is no room for more.
    #[error("the simulated chain takes no more transactions or accounts for now")]
    Full,
}

/// One chain.
#[derive(Debug)]
pub(crate) struct Chain {
    pub(crate) rules: Rules,
    pub(crate) world: Arc<World>,
    timeline: Timeline,
    /// The slot when somebody last looked.
    slot: u64,
    accounts: Accounts,
    history: History,
    blockhashes: Blockhashes,
}

impl Chain {
    /// A chain with some epochs behind it and nothing in them.
    pub(crate) fn new(rules: Rules, now: u64) -> Self {
        let slot = rules.slots_per_epoch * PAST_EPOCHS;
        let timeline = Timeline::new(slot, now, rules.slot_ms);
        let world = World::new(&rules);
        let accounts = world.accounts();
        Self::with(rules, world, timeline, accounts, 0, now)
    }

    /// A chain that goes on with these accounts, after some transactions that
    /// nobody remembers.
    pub(crate) fn with(
        rules: Rules,
        world: World,
        timeline: Timeline,
        accounts: Accounts,
        forgotten: u64,
        now: u64,
    ) -> Self {
        let mut chain = Self {
            rules,
            world: Arc::new(world),
            slot: timeline.slot_at(now),
            timeline,
            accounts,
            history: History::after(forgotten),
            blockhashes: Blockhashes::default(),
        };
        chain.follow();
        chain
    }

    pub(crate) fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    pub(crate) fn history(&self) -> &History {
        &self.history
    }

    /// The slot that it is, whether it has a block or not.
    pub(crate) fn slot(&self) -> u64 {
        self.slot
    }

    /// Whether nothing has passed since the last look.
    pub(crate) fn is_at(&self, now: u64) -> bool {
        self.timeline.slot_at(now) <= self.slot
    }

    /// Lets the slots until now pass.
    pub(crate) fn look(&mut self, now: u64) {
        self.slot = self.slot.max(self.timeline.slot_at(now));
        self.follow();
    }

    /// Steers the chain anew.
    pub(crate) fn steer(&mut self, timeline: Timeline, now: u64) {
        self.timeline = timeline;
        self.look(now);
    }

    fn follow(&mut self) {
        let finality = self.rules.finality_slots;
        let genesis = &self.world.genesis;
        self.blockhashes
            .follow(genesis, &self.timeline, self.slot, finality);
        let finalized = self.head(Commitment::Finalized);
        while self.history.len() > self.rules.kept_transactions
            && let Some(oldest) = self.history.oldest()
            && oldest.slot <= finalized
        {
            self.history.forget();
        }
    }

    /// The newest block as seen with a commitment.
    pub(crate) fn head(&self, commitment: Commitment) -> u64 {
        let behind = match commitment {
            Commitment::Processed => 0,
            Commitment::Confirmed => CONFIRMED_SLOTS.min(self.rules.finality_slots),
            Commitment::Finalized => self.rules.finality_slots,
        };
        block_at(self.slot.saturating_sub(behind))
    }

    /// How sure a slot is, if it has come.
    pub(crate) fn commitment_of(&self, slot: u64) -> Option<Commitment> {
        [
            Commitment::Finalized,
            Commitment::Confirmed,
            Commitment::Processed,
        ]
        .into_iter()
        .find(|commitment| slot <= self.head(*commitment))
    }

    /// The time of a slot in seconds.
    pub(crate) fn time_of(&self, slot: u64) -> u64 {
        self.timeline.time_of(slot) / 1_000
    }

    pub(crate) fn blockhash(&self, slot: u64) -> SolanaHash {
        blockhash(&self.world.genesis, &self.timeline, slot)
    }

    /// The last height at which a transaction with the hash of this slot's
    /// block is taken.
    pub(crate) fn last_valid_height(slot: u64) -> u64 {
        height(slot).saturating_add(MAX_AGE)
    }

    pub(crate) fn is_blockhash_valid(&self, hash: &SolanaHash, head: u64) -> bool {
        self.blockhashes.is_valid(hash, head)
    }

    /// An account at the end of a slot.
    pub(crate) fn account(&self, key: &PublicKey, slot: u64) -> Account {
        let earlier = self.history.earlier(key, slot);
        earlier.unwrap_or_else(|| self.accounts.get(key))
    }

    /// What a message would do after the block of `head`.
    pub(crate) fn try_out(
        &self,
        message: &Message,
        head: u64,
    ) -> Result<Outcome, TransactionError> {
        let keys = message.keys.iter();
        let before = keys.map(|key| self.account(key, head)).collect();
        execute(before, message)
    }

    /// Whether a transaction names every account once, is of this time and is
    /// new, after the block of `head`.
    pub(crate) fn check_fresh(
        &self,
        transaction: &Transaction,
        head: u64,
    ) -> Result<(), TransactionError> {
        let keys = &transaction.message.keys;
        if keys.iter().collect::<HashSet<_>>().len() != keys.len() {
            return Err(TransactionError::AccountLoadedTwice);
        }
        if !self.is_blockhash_valid(&transaction.message.blockhash, head) {
            return Err(TransactionError::BlockhashNotFound);
        }
        let known = self.history.by_signature(&transaction.id());
        if known.is_some_and(|entry| entry.slot <= head) {
            return Err(TransactionError::AlreadyProcessed);
        }
        Ok(())
    }

    /// What a transaction will do in the block in the making, and the slot of
    /// that. Signatures were checked.
    pub(crate) fn prepare(&self, transaction: &Transaction) -> Result<(u64, Outcome), Rejection> {
        let most = self.rules.kept_transactions.saturating_mul(MAX_UNFINAL);
        if self.history.len() >= most || self.accounts.len() >= MAX_ACCOUNTS {
            return Err(Rejection::Full);
        }
        let head = self.head(Commitment::Processed);
        self.check_fresh(transaction, head)?;
        if self.history.by_signature(&transaction.id()).is_some() {
            return Err(TransactionError::AlreadyProcessed.into());
        }
        let outcome = self.try_out(&transaction.message, u64::MAX)?;
        Ok((block_after(self.slot), outcome))
    }

    /// Puts a transaction into the chain.
    pub(crate) fn append(&mut self, slot: u64, transaction: Transaction, outcome: Outcome) {
        self.history.push(slot, transaction, outcome);
        if let Some(entry) = self.history.newest() {
            for (key, account) in entry.all_after() {
                self.accounts.set(*key, *account);
            }
        }
    }

    /// Puts a transaction that was in the chain before into it again.
    pub(crate) fn append_again(&mut self, slot: u64, transaction: Transaction) -> Option<()> {
        let newest = self.history.newest().map_or(0, |entry| entry.slot);
        let outcome = self.try_out(&transaction.message, u64::MAX).ok()?;
        (slot >= newest).then(|| self.append(slot, transaction, outcome))
    }

    /// The first slot and the timeline of a fork that replaces the newest
    /// `depth` slots; all that are not final, without a depth.
    pub(crate) fn plan_reorg(&self, depth: Option<u64>) -> Result<(u64, Timeline), SlotReorgError> {
        let possible = self.slot - self.head(Commitment::Finalized);
        let depth = depth.unwrap_or(possible);
        if !(1..=possible).contains(&depth) {
            return Err(SlotReorgError { depth, possible });
        }
        let first = self.slot - depth + 1;
        let mut timeline = self.timeline.clone();
        timeline.fork(first);
        Ok((first, timeline))
    }

    /// Takes back all transactions from `slot` on, the waiting ones too.
    pub(crate) fn take_back(&mut self, slot: u64) {
        while self
            .history
            .newest()
            .is_some_and(|entry| entry.slot >= slot)
        {
            if let Some(entry) = self.history.take_back() {
                undo(&mut self.accounts, &entry);
            }
        }
        self.blockhashes.take_back(slot);
    }

    /// The accounts as they were before the oldest transaction that is kept.
    pub(crate) fn base(&self) -> Accounts {
        let mut accounts = self.accounts.clone();
        for entry in self.history.entries().rev() {
            undo(&mut accounts, entry);
        }
        accounts
    }

    #[cfg(test)]
    pub(crate) fn accounts(&self) -> &Accounts {
        &self.accounts
    }
}

fn undo(accounts: &mut Accounts, entry: &HistoryEntry) {
    for (key, account) in entry.all_before() {
        accounts.set(*key, *account);
    }
}
