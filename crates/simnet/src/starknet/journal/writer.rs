//! Writing a journal.

use super::record::{self, Control};
use super::replay::{self, Read, ReadSegment, Restored};
use crate::journal::frame::Group;
use crate::journal::{KeepError, OpenError, SegmentFile, lock, segment};
use crate::starknet::block::Block;
use crate::starknet::chain::Chain;
use crate::starknet::transaction::Request;
use crate::starknet::world::Genesis;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A segment has a share of the kept blocks, within these limits.
const SEGMENTS: usize = 4;
const MIN_SEGMENT_BLOCKS: usize = 64;
const MAX_SEGMENT_BLOCKS: usize = 10_000;

/// A segment that is longer is ended, however few blocks it has.
const MAX_SEGMENT_BYTES: u64 = 128 << 20;

/// Variables in one entry of a checkpoint.
const VALUES_PER_ENTRY: usize = 1_000;

/// What happened to a chain.
#[derive(Debug)]
pub(crate) enum Change<'c> {
    /// A block was appended.
    Block,
    /// The blocks above this height were replaced by those that are there now.
    Reorg(u64),
    /// A transaction from outside was taken.
    Taken(&'c Request),
    /// Only the control was changed.
    Control,
}

/// The journal of a chain, open for writing. Others cannot open it meanwhile.
#[derive(Debug)]
pub(crate) struct Journal {
    folder: PathBuf,
    genesis: Genesis,
    segment_blocks: usize,
    /// By number, with the height of their checkpoints.
    segments: Vec<(u64, u64)>,
    current: Option<Current>,
    _lock: File,
}

/// The segment that grows.
#[derive(Debug)]
struct Current {
    file: SegmentFile,
    blocks: usize,
}

impl Journal {
    /// Opens the folder, which is made if there is none, and reads the chain
    /// that it has.
    pub(crate) fn open(
        folder: &Path,
        genesis: Genesis,
        kept_blocks: usize,
    ) -> Result<(Self, Option<Restored>), OpenError> {
        fs::create_dir_all(folder).map_err(KeepError::at(folder))?;
        let mut journal = Self {
            folder: folder.to_owned(),
            genesis,
            segment_blocks: (kept_blocks / SEGMENTS).clamp(MIN_SEGMENT_BLOCKS, MAX_SEGMENT_BLOCKS),
            segments: Vec::new(),
            current: None,
            _lock: lock(folder)?,
        };
        let Read { restored, segments } = replay::read(folder, genesis, kept_blocks)?;
        let bases = segments
            .iter()
            .map(|segment| (segment.number, segment.base));
        journal.segments = bases.collect();
        let damaged = settle(folder, &segments, restored.as_ref())?;
        if let Some(Restored { chain, control }) = restored.as_ref().filter(|_| damaged) {
            // All that is left in one segment, so that those before can go.
            journal.begin(chain, chain.first_number(), *control)?;
        } else if let Some(newest) = segments.last().filter(|_| !damaged) {
            journal.current = Some(Current {
                file: SegmentFile::reopen(segment::path(folder, newest.number), newest.length)?,
                blocks: newest.blocks,
            });
        }
        Ok((journal, restored))
    }

    /// The chain as the folder has it, whatever it is in memory.
    pub(crate) fn restore(&self, kept_blocks: usize) -> Result<Option<Restored>, OpenError> {
        Ok(replay::read(&self.folder, self.genesis, kept_blocks)?.restored)
    }

    /// Keeps a change. `durable` means even if the power fails.
    pub(crate) fn keep(
        &mut self,
        chain: &Chain,
        control: Control,
        changes: &[Change<'_>],
        durable: bool,
    ) -> Result<(), KeepError> {
        let base = self.segments.last().map_or(u64::MAX, |(_, base)| *base);
        let below = |change: &Change<'_>| matches!(change, Change::Reorg(to) if *to < base);
        // What is below a segment's checkpoint cannot be taken back in it.
        if let Some(Change::Reorg(to)) = changes.iter().find(|change| below(change)) {
            return self.begin(chain, *to, control);
        }
        let mut group = Group::default();
        let mut blocks = 0;
        for change in changes {
            blocks += push(&mut group, chain, control, change);
        }
        if let Some(timestamp) = begun(chain) {
            group.push(|out| record::begun(timestamp, out));
        }
        let Some(current) = &mut self.current else {
            return self.begin(chain, chain.first_number(), control);
        };
        current.file.append(&group.finish(), durable)?;
        current.blocks += blocks;
        if current.blocks >= self.segment_blocks || current.file.bytes() >= MAX_SEGMENT_BYTES {
            self.begin(chain, chain.head().number, control)?;
        }
        Ok(())
    }

    /// Begins a segment with a checkpoint at the height `at`, followed by all
    /// later blocks. It is there as a whole or not at all.
    pub(crate) fn begin(
        &mut self,
        chain: &Chain,
        at: u64,
        control: Control,
    ) -> Result<(), KeepError> {
        let number = self.segments.last().map_or(0, |(number, _)| number + 1);
        // The block below a reorg may be too old by now.
        let at = at.max(chain.first_number());
        let mut blocks = 0;
        let segment = SegmentFile::create(&self.folder, |out| {
            blocks = write(self.genesis.seed, chain, at, control, out)?;
            Ok(())
        })?;
        if let Some(current) = &mut self.current {
            current.file.sync()?;
        }
        let file = segment.publish(&self.folder, number)?;
        let segment = Current { file, blocks };
        self.current = Some(segment);
        self.segments.push((number, at));
        self.forget(chain.first_number())
    }

    /// Makes sure that all is kept even if the power fails.
    pub(crate) fn sync(&mut self) -> Result<(), KeepError> {
        self.current
            .as_mut()
            .map_or(Ok(()), |current| current.file.sync())
    }

    /// Deletes the segments that nothing needs when `oldest` is the oldest kept
    /// block: those before a checkpoint at or below it that no reorg undercut.
    fn forget(&mut self, oldest: u64) -> Result<(), KeepError> {
        let mut lowest = u64::MAX;
        let mut needed = 0;
        for (index, (_, base)) in self.segments.iter().enumerate().rev() {
            lowest = lowest.min(*base);
            if *base <= oldest && *base == lowest {
                needed = index;
                break;
            }
        }
        for (number, _) in self.segments.drain(..needed) {
            let path = segment::path(&self.folder, number);
            fs::remove_file(&path).map_err(KeepError::at(&path))?;
        }
        Ok(())
    }

    /// Makes every further write fail.
    #[cfg(test)]
    pub(crate) fn break_for_test(&mut self) {
        let Some(current) = &mut self.current else {
            return;
        };
        current.file.break_for_test();
    }
}

/// The time of the block in the making, if it has begun.
fn begun(chain: &Chain) -> Option<u64> {
    let open = chain.open();
    open.has_begun().then_some(open.timestamp)
}

/// Adds a change to a group; answers with the number of its blocks.
fn push(group: &mut Group, chain: &Chain, control: Control, change: &Change<'_>) -> usize {
    let push_block = |group: &mut Group, block: &Block| {
        let writes = chain.writes_of(block);
        group.push(|out| record::block(block, &writes, out));
    };
    match change {
        Change::Block => {
            push_block(group, chain.head());
            1
        }
        Change::Reorg(to) => {
            group.push(|out| record::truncate(*to, out));
            group.push(|out| record::control(control, out));
            let blocks = chain.range(to + 1, u64::MAX);
            for block in &blocks {
                push_block(group, block);
            }
            blocks.len()
        }
        Change::Taken(request) => {
            group.push(|out| record::taken(request, out));
            0
        }
        Change::Control => {
            group.push(|out| record::control(control, out));
            0
        }
    }
}

/// Keeps damaged segments aside and says what is lost. Whether there are any.
fn settle(
    folder: &Path,
    segments: &[ReadSegment],
    restored: Option<&Restored>,
) -> Result<bool, KeepError> {
    let goes_on = restored.map_or_else(
        || "with a new chain".to_owned(),
        |Restored { chain, .. }| {
            let (first, head) = (chain.first_number(), chain.head().number);
            format!("with blocks {first} to {head}")
        },
    );
    let mut damaged = false;
    for segment in segments.iter().filter(|segment| segment.damage.is_any()) {
        let path = segment::path(folder, segment.number);
        segment.damage.settle(&path, &goes_on)?;
        damaged = true;
    }
    Ok(damaged)
}

/// Fills a new segment; answers with the number of blocks after its checkpoint.
fn write(
    seed: u64,
    chain: &Chain,
    at: u64,
    control: Control,
    out: &mut dyn Write,
) -> io::Result<usize> {
    out.write_all(&segment::header(seed))?;
    let mut checkpoint = Group::default();
    checkpoint.push(|out| record::control(control, out));
    for values in chain.values_before(at).chunks(VALUES_PER_ENTRY) {
        checkpoint.push(|out| record::values(values, out));
    }
    let mut blocks = chain.range(at, u64::MAX).into_iter();
    let base = blocks.next().ok_or(io::ErrorKind::InvalidInput)?;
    checkpoint.push(|out| record::block(&base, &chain.writes_of(&base), out));
    out.write_all(&checkpoint.finish())?;
    let later = blocks.len();
    for block in blocks {
        let mut group = Group::default();
        group.push(|out| record::block(&block, &chain.writes_of(&block), out));
        out.write_all(&group.finish())?;
    }
    for request in chain.unsealed() {
        let mut group = Group::default();
        group.push(|out| record::taken(request, out));
        out.write_all(&group.finish())?;
    }
    if let Some(timestamp) = begun(chain) {
        let mut group = Group::default();
        group.push(|out| record::begun(timestamp, out));
        out.write_all(&group.finish())?;
    }
    Ok(later)
}
