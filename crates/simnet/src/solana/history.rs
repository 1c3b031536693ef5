//! The transactions that are in the chain, by signature and by address.

use super::account::Account;
use super::execution::Outcome;
use super::programs::is_memo;
use super::wire::{Message, Transaction};
use primitives::{PublicKey, Signature};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, OnceLock};

/// A transaction in its place.
#[derive(Debug)]
pub(crate) struct HistoryEntry {
    /// How many came before it.
    pub(crate) number: u64,
    pub(crate) slot: u64,
    /// How many came before it in its block.
    pub(crate) index: u64,
    pub(crate) transaction: Transaction,
    pub(crate) outcome: Outcome,
    pub(crate) memo: Option<String>,
    /// Its line in lists of signatures, once somebody asked.
    pub(crate) line: OnceLock<String>,
}

impl HistoryEntry {
    /// What an account was before this transaction.
    fn before(&self, key: &PublicKey) -> Option<Account> {
        let keys = &self.transaction.message.keys;
        let index = keys.iter().position(|known| known == key)?;
        self.outcome.before.get(index).copied()
    }

    /// The accounts with what they were before.
    pub(crate) fn all_before(&self) -> impl Iterator<Item = (&PublicKey, &Account)> {
        let keys = self.transaction.message.keys.iter();
        keys.zip(&self.outcome.before)
    }

    /// The accounts with what they became.
    pub(crate) fn all_after(&self) -> impl Iterator<Item = (&PublicKey, &Account)> {
        let keys = self.transaction.message.keys.iter();
        keys.zip(&self.outcome.after)
    }
}

/// All memos of a message in one line, with their lengths.
pub(crate) fn memos(message: &Message) -> Option<String> {
    let memo = |data: &[u8]| {
        let text = std::str::from_utf8(data).unwrap_or("(unparseable)");
        format!("[{}] {text}", data.len())
    };
    let memos: Vec<String> = message
        .instructions
        .iter()
        .filter(|instruction| message.key(instruction.program).is_some_and(is_memo))
        .map(|instruction| memo(&instruction.data))
        .collect();
    (!memos.is_empty()).then(|| memos.join("; "))
}

/// Transactions in their order.
#[derive(Debug, Default)]
pub(crate) struct History {
    entries: VecDeque<Arc<HistoryEntry>>,
    by_signature: HashMap<Signature, u64>,
    by_address: HashMap<PublicKey, VecDeque<u64>>,
    /// Transactions that are no longer kept.
    forgotten: u64,
}

impl History {
    /// One that begins after `forgotten` transactions.
    pub(crate) fn after(forgotten: u64) -> Self {
        Self {
            forgotten,
            ..Self::default()
        }
    }

    pub(crate) fn forgotten(&self) -> u64 {
        self.forgotten
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn entries(&self) -> impl DoubleEndedIterator<Item = &Arc<HistoryEntry>> {
        self.entries.iter()
    }

    pub(crate) fn newest(&self) -> Option<&Arc<HistoryEntry>> {
        self.entries.back()
    }

    pub(crate) fn oldest(&self) -> Option<&Arc<HistoryEntry>> {
        self.entries.front()
    }

    /// How many there were up to a slot, forgotten ones included: the number of
    /// the first one after it.
    pub(crate) fn count_until(&self, slot: u64) -> u64 {
        let kept = self.entries.partition_point(|entry| entry.slot <= slot);
        let kept = u64::try_from(kept).unwrap_or(u64::MAX);
        self.forgotten.saturating_add(kept)
    }

    pub(crate) fn push(&mut self, slot: u64, transaction: Transaction, outcome: Outcome) {
        let number = match self.newest() {
            Some(newest) => newest.number + 1,
            None => self.forgotten,
        };
        let index = match self.newest() {
            Some(newest) if newest.slot == slot => newest.index + 1,
            _ => 0,
        };
        self.by_signature.insert(transaction.id(), number);
        for key in &transaction.message.keys {
            self.by_address.entry(*key).or_default().push_back(number);
        }
        self.entries.push_back(Arc::new(HistoryEntry {
            number,
            slot,
            index,
            memo: memos(&transaction.message),
            transaction,
            outcome,
            line: OnceLock::new(),
        }));
    }

    /// Takes the newest one back.
    pub(crate) fn take_back(&mut self) -> Option<Arc<HistoryEntry>> {
        let entry = self.entries.pop_back()?;
        self.unlist(&entry, VecDeque::pop_back);
        Some(entry)
    }

    /// Forgets the oldest one.
    pub(crate) fn forget(&mut self) {
        if let Some(entry) = self.entries.pop_front() {
            self.forgotten += 1;
            self.unlist(&entry, VecDeque::pop_front);
        }
    }

    fn unlist(&mut self, entry: &HistoryEntry, pop: fn(&mut VecDeque<u64>) -> Option<u64>) {
        self.by_signature.remove(&entry.transaction.id());
        for key in &entry.transaction.message.keys {
            if let Some(list) = self.by_address.get_mut(key) {
                pop(list);
                if list.is_empty() {
                    self.by_address.remove(key);
                }
            }
        }
    }

    fn numbered(&self, number: u64) -> Option<&Arc<HistoryEntry>> {
        let index = number.checked_sub(self.forgotten)?;
        self.entries.get(usize::try_from(index).ok()?)
    }

    pub(crate) fn by_signature(&self, signature: &Signature) -> Option<&Arc<HistoryEntry>> {
        self.numbered(*self.by_signature.get(signature)?)
    }

    /// The transactions with an address, newest first, of the numbers in
    /// `after..before`.
    pub(crate) fn by_address(
        &self,
        address: &PublicKey,
        after: u64,
        before: u64,
    ) -> impl Iterator<Item = &Arc<HistoryEntry>> {
        let list = self.by_address.get(address);
        let end = list.map_or(0, |list| list.partition_point(|number| *number < before));
        let numbers = list
            .into_iter()
            .flat_map(move |list| list.range(..end).rev());
        numbers
            .take_while(move |number| **number >= after)
            .filter_map(|number| self.numbered(*number))
    }

    /// What an account was at the end of a slot, if it has changed since.
    pub(crate) fn earlier(&self, key: &PublicKey, slot: u64) -> Option<Account> {
        let list = self.by_address.get(key)?;
        let later = self.count_until(slot);
        let first = list.partition_point(|number| *number < later);
        self.numbered(*list.get(first)?)?.before(key)
    }
}
