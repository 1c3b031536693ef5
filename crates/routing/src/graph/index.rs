//! Where every pair lies, and what its first units cost: lists of all pairs,
//! since a search may ask for any of them.

use super::topology::PairId;
use std::sync::Arc;

/// A board with so many rows is full, whatever is in them.
pub(super) const ROWS: u32 = 1 << 14;

/// The board of a pair, and its row there, in as few bytes as they need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place(u32);

/// Where a pair lies, and how many bytes it has there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) place: Place,
    pub(super) bytes: u32,
}

/// A pair that is not there: nobody has a board of this number.
const NOWHERE: Entry = Entry {
    place: Place(u32::MAX),
    bytes: 0,
};

impl Place {
    pub(super) const fn new(board: u32, row: u32) -> Self {
        Self(board.saturating_mul(ROWS).saturating_add(row))
    }

    pub(super) const fn board(self) -> usize {
        (self.0 / ROWS) as usize
    }

    pub(super) const fn row(self) -> u32 {
        self.0 % ROWS
    }
}

/// What is known of every pair.
#[derive(Debug, Default)]
pub(super) struct Index {
    entries: Vec<Entry>,
    /// The prices of the first unit in both directions; 0 where nothing can be
    /// sold.
    rates: Vec<[f64; 2]>,
}

/// The index of the graph before, which the next one may write on once nobody
/// reads it any more: to bring it up to date is much less than to copy it.
#[derive(Debug)]
pub(super) struct Outdated {
    index: Arc<Index>,
    /// The pairs that were written since.
    written: Vec<PairId>,
}

impl Outdated {
    /// The index before one in which these pairs were written; `None` if pairs
    /// came since.
    pub(super) fn new(before: &Arc<Index>, written: Vec<PairId>, now: &Index) -> Option<Self> {
        let is_as_long = before.entries.len() == now.entries.len();
        is_as_long.then(|| Self {
            index: Arc::clone(before),
            written,
        })
    }

    /// What the index after it is, if that has this many pairs and nobody reads
    /// this one any more.
    fn caught_up(self, now: &Index, pairs: usize) -> Option<Index> {
        let index = Arc::into_inner(self.index);
        let mut index = index.filter(|index| index.entries.len() == pairs)?;
        for pair in self.written {
            index.put(pair, now.entry(pair), now.rates_of(pair));
        }
        Some(index)
    }

    pub(super) fn bytes(&self) -> usize {
        self.index.bytes() + size_of::<PairId>() * self.written.capacity()
    }
}

impl Index {
    /// A copy with room for this many pairs, made of the one before if that is
    /// possible.
    pub(super) fn copy(&self, pairs: usize, outdated: Option<Outdated>) -> Self {
        let current = outdated.and_then(|outdated| outdated.caught_up(self, pairs));
        current.unwrap_or_else(|| Self {
            entries: extended(&self.entries, pairs, NOWHERE),
            rates: extended(&self.rates, pairs, [0.0; 2]),
        })
    }

    #[inline]
    pub(super) fn entry(&self, pair: PairId) -> Entry {
        self.entries.get(pair as usize).copied().unwrap_or(NOWHERE)
    }

    fn rates_of(&self, pair: PairId) -> [f64; 2] {
        self.rates.get(pair as usize).copied().unwrap_or_default()
    }

    pub(super) fn rates(&self) -> &[f64] {
        self.rates.as_flattened()
    }

    pub(super) fn put(&mut self, pair: PairId, entry: Entry, rates: [f64; 2]) {
        let at = pair as usize;
        if let (Some(old), Some(paid)) = (self.entries.get_mut(at), self.rates.get_mut(at)) {
            (*old, *paid) = (entry, rates);
        }
    }

    /// Where a pair was that is no longer there.
    pub(super) fn leave(&mut self, pair: PairId) -> Entry {
        let entry = self.entries.get_mut(pair as usize);
        entry.map_or(NOWHERE, |entry| std::mem::replace(entry, NOWHERE))
    }

    pub(super) const fn bytes(&self) -> usize {
        size_of::<Entry>() * self.entries.capacity() + size_of::<[f64; 2]>() * self.rates.capacity()
    }
}

/// A list that is at least as long as this.
fn extended<T: Copy>(list: &[T], len: usize, rest: T) -> Vec<T> {
    let mut longer = Vec::with_capacity(len);
    longer.extend_from_slice(list);
    longer.resize(len, rest);
    longer
}
