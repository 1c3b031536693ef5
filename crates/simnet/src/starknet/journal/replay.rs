//! Reading a journal back.

use super::record::{Control, Record};
use crate::journal::segment::{self, HEADER_BYTES};
use crate::journal::{OpenError, frame};
use crate::starknet::chain::{Chain, KeptBlock};
use crate::starknet::transaction::Request;
use crate::starknet::world::{Genesis, World};
use primitives::U256;
use std::fs;
use std::path::Path;

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
    /// All segments by number, with the height of their checkpoints.
    pub(super) segments: Vec<(u64, u64)>,
    /// Bytes and blocks of the newest segment as far as they can be used; `None`
    /// if it cannot be continued.
    pub(super) complete: Option<(u64, usize)>,
}

/// Reads all segments, one after the other.
pub(super) fn read(folder: &Path, genesis: Genesis, kept_blocks: usize) -> Result<Read, OpenError> {
    let mut replay = Replay {
        genesis,
        chain: None,
        control: Control::default(),
        unsealed: Vec::new(),
    };
    let mut read = Read::default();
    for number in segment::numbers(folder)? {
        let path = segment::path(folder, number);
        let bytes = fs::read(&path).map_err(OpenError::read(&path))?;
        let entries = segment::entries(&bytes, genesis.seed, &path)?.unwrap_or_default();
        let (entries, length) = frame::complete(entries);
        let used = replay.segment(&entries);
        if used.is_none() {
            tracing::warn!(path = %path.display(), "a segment without a checkpoint is passed over");
        }
        let base = used.as_ref().map_or(u64::MAX, |used| used.base);
        read.segments.push((number, base));
        read.complete = used.filter(|used| used.whole).and_then(|used| {
            let length = u64::try_from(HEADER_BYTES + length).ok()?;
            Some((length, used.blocks))
        });
    }
    read.restored = replay.finish(kept_blocks);
    Ok(read)
}

/// What was made of a segment.
struct Used {
    base: u64,
    blocks: usize,
    /// Every complete entry made sense.
    whole: bool,
}

struct Replay {
    genesis: Genesis,
    chain: Option<Chain>,
    control: Control,
    /// Transactions from outside that are in no block yet.
    unsealed: Vec<Request>,
}

impl Replay {
    /// Goes through a segment; `None` if it has no checkpoint.
    fn segment(&mut self, entries: &[&[u8]]) -> Option<Used> {
        let (control, rest) = entries.split_first()?;
        let Some(Record::Control(control)) = Record::read(control) else {
            return None;
        };
        let values = rest.iter().take_while(|entry| Record::is_values(entry));
        let (values, rest) = rest.split_at_checked(values.count())?;
        let (base, rest) = rest.split_first()?;
        let Some(Record::Block(base)) = Record::read(base) else {
            return None;
        };
        let height = base.block.number;
        self.begin(*base, values)?;
        self.control = control;
        let mut used = Used {
            base: height,
            blocks: 0,
            whole: true,
        };
        for entry in rest {
            let record = Record::read(entry);
            used.blocks += usize::from(matches!(record, Some(Record::Block(_))));
            if record.and_then(|record| self.apply(record)).is_none() {
                used.whole = false;
                break;
            }
        }
        Some(used)
    }

    /// Goes back to the block of a checkpoint, or begins with it where it does
    /// not continue what was read before.
    fn begin(&mut self, base: KeptBlock, values: &[&[u8]]) -> Option<()> {
        let height = base.block.number;
        self.unsealed.clear();
        if let Some(chain) = &mut self.chain
            && chain
                .by_number(height)
                .is_some_and(|known| known.hash == base.block.hash)
        {
            chain.truncate(height);
            return Some(());
        }
        let mut all = Vec::new();
        for entry in values {
            let Some(Record::Values(values)) = Record::read(entry) else {
                return None;
            };
            all.extend(values.into_iter().filter(|(_, value)| *value != U256::ZERO));
        }
        let world = World::new(self.genesis);
        self.chain = Some(Chain::resume(world, all, base));
        Some(())
    }

    /// `None` if the entry does not fit to what was before.
    fn apply(&mut self, record: Record) -> Option<()> {
        let chain = self.chain.as_mut()?;
        match record {
            Record::Control(control) => self.control = control,
            Record::Taken(request) => self.unsealed.push(*request),
            Record::Block(kept) => {
                chain.append(*kept)?;
                let sealed = &chain.head().transactions;
                self.unsealed
                    .retain(|request| !sealed.iter().any(|sealed| sealed.hash() == request.hash));
            }
            Record::Truncate(height) => {
                chain.by_number(height)?;
                let mut returning = chain.truncate(height);
                returning.append(&mut self.unsealed);
                self.unsealed = returning;
            }
            Record::Values(_) => return None,
        }
        Some(())
    }

    fn finish(self, kept_blocks: usize) -> Option<Restored> {
        let mut chain = self.chain?;
        chain.go_on(self.control.fork, kept_blocks, self.unsealed);
        Some(Restored {
            chain,
            control: self.control,
        })
    }
}
