//! Writing a journal, segment by segment.

use super::record::{ACCOUNTS, EPOCHS, FORGOTTEN, TAKEN_BACK, store_timeline, store_transaction};
use super::replay;
use crate::journal::codec::{Stored, store_list};
use crate::journal::frame::Group;
use crate::journal::segment;
use crate::journal::{KeepError, OpenError, SegmentFile, lock};
use crate::solana::account::Account;
use crate::solana::chain::Chain;
use crate::solana::config::Rules;
use crate::solana::timeline::Timeline;
use crate::solana::wire::Transaction;
use primitives::PublicKey;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A segment that is longer is ended, unless most of it is its checkpoint.
const MAX_SEGMENT_BYTES: u64 = 16 << 20;
const MAX_CHECKPOINTS_WORTH: u64 = 4;

/// Accounts in one entry.
const ACCOUNTS_PER_ENTRY: usize = 1_000;

/// The journal of a chain, open for writing. Others cannot open it meanwhile.
#[derive(Debug)]
pub(crate) struct Journal {
    folder: PathBuf,
    seed: u64,
    number: u64,
    file: Option<SegmentFile>,
    /// The length at which the segment is ended.
    most: u64,
    _lock: File,
}

impl Journal {
    /// Opens the folder, which is made if there is none, and reads the chain
    /// that it has.
    pub(crate) fn open(
        folder: &Path,
        rules: Rules,
        clock: u64,
    ) -> Result<(Self, Option<Chain>), OpenError> {
        fs::create_dir_all(folder).map_err(KeepError::at(folder))?;
        let mut journal = Self {
            folder: folder.to_owned(),
            seed: rules.seed,
            number: 0,
            file: None,
            most: MAX_SEGMENT_BYTES,
            _lock: lock(folder)?,
        };
        let mut restored = None;
        let mut damaged = Vec::new();
        for number in segment::numbers(folder)?.into_iter().rev() {
            journal.number = journal.number.max(number + 1);
            let path = segment::path(folder, number);
            let (chain, damage) = replay::read(&path, rules, clock)?;
            restored = chain;
            if damage.is_any() {
                damaged.push((path, damage));
            }
            if restored.is_some() {
                break;
            }
        }
        let goes_on = restored.as_ref().map_or_else(
            || "with a new chain".to_owned(),
            |chain| format!("from slot {}", chain.slot()),
        );
        for (path, damage) in damaged {
            damage.settle(&path, &goes_on)?;
        }
        // What was read begins a segment of its own: a torn end is left behind.
        if let Some(chain) = &restored {
            journal.begin(chain)?;
        }
        Ok((journal, restored))
    }

    /// Begins a segment with all that the chain is, and deletes those before.
    pub(crate) fn begin(&mut self, chain: &Chain) -> Result<(), KeepError> {
        let seed = self.seed;
        let segment = SegmentFile::create(&self.folder, |out| checkpoint(seed, chain, out))?;
        let file = segment.publish(&self.folder, self.number)?;
        let worth = file.bytes().saturating_mul(MAX_CHECKPOINTS_WORTH);
        self.most = worth.max(MAX_SEGMENT_BYTES);
        self.file = Some(file);
        let failed = KeepError::at(&self.folder);
        let numbers = segment::numbers(&self.folder);
        let numbers = numbers.map_err(|error| failed(io::Error::other(error)))?;
        for number in numbers.into_iter().filter(|number| *number < self.number) {
            let path = segment::path(&self.folder, number);
            fs::remove_file(&path).map_err(KeepError::at(&path))?;
        }
        self.number += 1;
        Ok(())
    }

    /// Keeps a transaction of a slot.
    pub(crate) fn transaction(
        &mut self,
        slot: u64,
        transaction: &Transaction,
    ) -> Result<(), KeepError> {
        let mut group = Group::default();
        group.push(|out| store_transaction(slot, transaction, out));
        self.append(group, false)
    }

    /// Keeps how the chain is steered, and that the transactions from a slot on
    /// are no longer in it, if they are not.
    pub(crate) fn steered(
        &mut self,
        timeline: &Timeline,
        taken_back: Option<u64>,
    ) -> Result<(), KeepError> {
        let mut group = Group::default();
        if let Some(slot) = taken_back {
            group.push(|out| {
                out.push(TAKEN_BACK);
                slot.store(out);
            });
        }
        group.push(|out| store_timeline(timeline, out));
        self.append(group, true)
    }

    fn append(&mut self, group: Group, durable: bool) -> Result<(), KeepError> {
        match &mut self.file {
            Some(file) => file.append(&group.finish(), durable),
            None => Ok(()),
        }
    }

    /// Ends the segment if it is large.
    pub(crate) fn tidy(&mut self, chain: &Chain) -> Result<(), KeepError> {
        let bytes = self.file.as_ref().map_or(0, SegmentFile::bytes);
        if bytes > self.most {
            self.begin(chain)?;
        }
        Ok(())
    }

    /// Makes every further write fail.
    #[cfg(test)]
    pub(crate) fn break_for_test(&mut self) {
        if let Some(file) = &mut self.file {
            file.break_for_test();
        }
    }
}

fn checkpoint(seed: u64, chain: &Chain, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(&segment::header(seed))?;
    let mut group = Group::default();
    group.push(|out| store_timeline(chain.timeline(), out));
    group.push(|out| {
        out.push(EPOCHS);
        chain.rules.slots_per_epoch.store(out);
    });
    let base = chain.base();
    let accounts: Vec<(PublicKey, Account)> = base.iter().map(|(k, a)| (*k, *a)).collect();
    for accounts in accounts.chunks(ACCOUNTS_PER_ENTRY) {
        group.push(|out| {
            out.push(ACCOUNTS);
            store_list(accounts, out);
        });
    }
    group.push(|out| {
        out.push(FORGOTTEN);
        chain.history().forgotten().store(out);
    });
    for entry in chain.history().entries() {
        group.push(|out| store_transaction(entry.slot, &entry.transaction, out));
    }
    out.write_all(&group.finish())
}
