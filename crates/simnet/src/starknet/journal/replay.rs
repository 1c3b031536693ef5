//! Reading a journal back.

use super::record::{Control, Record};
use crate::journal::frame::{HEAD_BYTES, Part};
use crate::journal::segment::{self, HEADER_BYTES};
use crate::journal::{Damage, OpenError};
use crate::starknet::chain::{Chain, KeptBlock};
use crate::starknet::transaction::Request;
use crate::starknet::world::{Genesis, World};
use primitives::U256;
use std::fs;
use std::path::Path;

/// An entry of the control: its kind, two numbers and a flag.
const MAX_CONTROL_BYTES: usize = HEAD_BYTES + 22;

/// A chain that was read back.
#[derive(Debug)]
pub(crate) struct Restored {
    pub(crate) chain: Chain,
    pub(crate) control: Control,
}

/// What a folder has.
#[derive(Debug, Default)]
pub(super) struct Read {
    pub(super) restored: Option<Restored>,
    /// All segments, from the oldest to the newest.
    pub(super) segments: Vec<ReadSegment>,
}

/// What was made of a segment.
#[derive(Debug)]
pub(super) struct ReadSegment {
    pub(super) number: u64,
    /// The height of its checkpoint.
    pub(super) base: u64,
    /// Its blocks after the checkpoint.
    pub(super) blocks: usize,
    /// The bytes that count.
    pub(super) length: u64,
    pub(super) damage: Damage,
}

/// Reads all segments, one after the other, and changes nothing.
pub(super) fn read(folder: &Path, genesis: Genesis, kept_blocks: usize) -> Result<Read, OpenError> {
    let mut replay = Replay {
        genesis,
        chain: None,
        control: Control::default(),
        unsealed: Vec::new(),
        begun: None,
    };
    let mut segments: Vec<ReadSegment> = Vec::new();
    let numbers = segment::numbers(folder)?;
    for number in &numbers {
        let path = segment::path(folder, *number);
        let bytes = fs::read(&path).map_err(OpenError::read(&path))?;
        let segment = segment::read(&bytes, genesis.seed, &path)?;
        let Used {
            base,
            blocks,
            mut damage,
            begins_anew,
        } = replay.segment(&segment.parts);
        if segment.header_damaged {
            damage.count_bytes(bytes.len().min(HEADER_BYTES));
        }
        damage.left_behind = base.is_none();
        // A segment is there with its checkpoint or not at all, and only the newest
        // one grows: nothing else can have been torn.
        if base.is_none() || Some(number) != numbers.last() {
            damage.bytes += u64::try_from(bytes.len()).unwrap_or(u64::MAX) - segment.length;
        }
        if begins_anew {
            for before in &mut segments {
                before.damage.left_behind = true;
            }
        }
        segments.push(ReadSegment {
            number: *number,
            base: base.unwrap_or(u64::MAX),
            blocks,
            length: segment.length,
            damage,
        });
    }
    let restored = replay.finish(kept_blocks);
    Ok(Read { restored, segments })
}

/// How a segment was used.
#[derive(Debug, Default)]
struct Used {
    /// The height of the checkpoint, if there is one.
    base: Option<u64>,
    blocks: usize,
    damage: Damage,
    /// The checkpoint does not continue what was read before.
    begins_anew: bool,
}

/// What is read of a checkpoint before its block.
#[derive(Debug)]
struct Checkpoint<'b> {
    values: Vec<&'b [u8]>,
    /// Some of the values may be missing.
    damaged: bool,
}

struct Replay {
    genesis: Genesis,
    chain: Option<Chain>,
    control: Control,
    /// Transactions from outside that are in no block yet.
    unsealed: Vec<Request>,
    /// The time of the block in the making.
    begun: Option<u64>,
}

impl Replay {
    /// Goes through a segment and takes whatever fits to what was before.
    fn segment(&mut self, parts: &[Part<'_>]) -> Used {
        let mut used = Used::default();
        let mut checkpoint = Some(Checkpoint {
            values: Vec::new(),
            // The first entry is the control, which is small and can be missed.
            damaged: matches!(parts.first(), Some(Part::Damaged(bytes)) if *bytes > MAX_CONTROL_BYTES),
        });
        for (index, part) in parts.iter().enumerate() {
            used.damage.count(part);
            let Part::Entry(entry) = part else {
                if let Some(checkpoint) = &mut checkpoint {
                    checkpoint.damaged |= index > 0;
                }
                continue;
            };
            if let Some(checkpoint) = &mut checkpoint
                && Record::is_values(entry)
            {
                checkpoint.values.push(entry);
                continue;
            }
            let done = match Record::read(entry) {
                Some(Record::Block(block)) => match checkpoint.take() {
                    Some(checkpoint) => self.begin(*block, &checkpoint, &mut used),
                    None => self.block(*block).map(|()| used.blocks += 1),
                },
                Some(record) => self.apply(record),
                None => None,
            };
            used.damage.useless_entries += u64::from(done.is_none());
        }
        used
    }

    /// Goes back to the block of a checkpoint, or begins with it where it does
    /// not continue what was read before.
    fn begin(
        &mut self,
        base: KeptBlock,
        checkpoint: &Checkpoint<'_>,
        used: &mut Used,
    ) -> Option<()> {
        let height = base.block.number;
        self.unsealed.clear();
        self.begun = None;
        used.base = Some(height);
        if let Some(chain) = &mut self.chain
            && chain
                .by_number(height)
                .is_some_and(|known| known.hash == base.block.hash)
        {
            chain.truncate(height);
            return Some(());
        }
        // The last block before the checkpoint may be lost, or the checkpoint's own
        // block, and this one is the next. Before the first block there is nothing.
        if self.has_parent_of(&base) || (checkpoint.damaged && height > 0) {
            return self.block(base);
        }
        let mut all = Vec::new();
        for entry in &checkpoint.values {
            let Some(Record::Values(values)) = Record::read(entry) else {
                return None;
            };
            all.extend(values.into_iter().filter(|(_, value)| *value != U256::ZERO));
        }
        used.begins_anew = self.chain.is_some();
        let world = World::new(self.genesis);
        self.chain = Some(Chain::resume(world, all, base));
        Some(())
    }

    /// Appends a block to its parent, and takes back what is above that: a reorg
    /// says so before, unless that was lost. `None` if the parent is not there.
    fn block(&mut self, kept: KeptBlock) -> Option<()> {
        let parent = kept.block.number.checked_sub(1)?;
        if self.chain.is_none() && parent == 0 {
            // The first block of a world follows from its seed.
            self.chain = Some(Chain::first(World::new(self.genesis)))
                .filter(|chain| chain.head().hash == kept.block.parent_hash);
        }
        self.has_parent_of(&kept).then(|| self.take_back(parent))?;
        let chain = self.chain.as_mut()?;
        chain.append(kept)?;
        self.begun = None;
        let sealed = &chain.head().transactions;
        self.unsealed
            .retain(|request| !sealed.iter().any(|sealed| sealed.hash() == request.hash));
        Some(())
    }

    fn has_parent_of(&self, kept: &KeptBlock) -> bool {
        let parent = kept.block.number.checked_sub(1);
        let known = self.chain.as_ref().zip(parent);
        known
            .and_then(|(chain, parent)| chain.by_number(parent))
            .is_some_and(|known| known.hash == kept.block.parent_hash)
    }

    /// Takes back the blocks above a height; their transactions wait again.
    fn take_back(&mut self, height: u64) {
        if let Some(chain) = &mut self.chain
            && chain.head().number > height
        {
            self.begun = None;
            let mut returning = chain.truncate(height);
            returning.append(&mut self.unsealed);
            self.unsealed = returning;
        }
    }

    /// `None` if the entry does not fit to what was before.
    fn apply(&mut self, record: Record) -> Option<()> {
        match record {
            Record::Control(control) => self.control = control,
            Record::Taken(request) => self.unsealed.push(*request),
            Record::Truncate(height) => {
                let oldest = self.chain.as_ref()?.first_number();
                (height >= oldest).then(|| self.take_back(height))?;
            }
            Record::Begun(timestamp) => self.begun = Some(timestamp),
            Record::Block(block) => self.block(*block)?,
            Record::Values(_) => return None,
        }
        Some(())
    }

    fn finish(self, kept_blocks: usize) -> Option<Restored> {
        let mut chain = self.chain?;
        chain.go_on(self.control.fork, kept_blocks, self.unsealed, self.begun);
        Some(Restored {
            chain,
            control: self.control,
        })
    }
}
