//! What is known of the code of contracts in settled blocks ahead.

use primitives::{Address, BlockRef};
use std::collections::{BTreeMap, BTreeSet};

/// A stretch of blocks ahead, and the contracts that get other code in it.
#[derive(Debug, Default)]
pub(super) struct Outlook {
    /// The last block of the stretch; `None` before any was looked at.
    pub(super) end: Option<BlockRef>,
    /// Contracts by the blocks that give them other code.
    pub(super) recoded: BTreeMap<u64, BTreeSet<Address>>,
}

impl Outlook {
    /// The contracts that get other code in a block.
    pub(super) fn recoded(&self, block: u64) -> impl Iterator<Item = &Address> {
        self.recoded.get(&block).into_iter().flatten()
    }

    pub(super) fn covers(&self, block: u64) -> bool {
        self.end.is_some_and(|end| block <= end.number)
    }
}
