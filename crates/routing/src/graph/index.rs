//! Where every pair lies, and what its first units cost: lists of all pairs,
//! since a search may ask for any of them.

use super::topology::PairId;
use std::sync::Arc;

/// A board with so many rows is full, whatever is in them.
pub(super) const ROWS: u32 = 1 << 14;

/// The board of a pair, and its row there, in as few bytes as they need: all
/// places are copied with every block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place(u32);

/// A pair that is not there: nobody has a board of this number.
pub(super) const NOWHERE: Place = Place(u32::MAX);

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
    places: Vec<Place>,
    /// The prices of the first unit in both directions; 0 where nothing can be
    /// sold.
    rates: Vec<[f64; 2]>,
}

/// The index of the graph before, which the next one may write on once nobody
/// reads it any more: to bring it up to date is much less than to copy it.
#[derive(Debug)]
pub(super) struct Spare {
    index: Arc<Index>,
    /// The pairs that were written since.
    written: Vec<PairId>,
}

impl Spare {
    /// The index before one in which these pairs were written; `None` if pairs
    /// came since.
    pub(super) fn new(before: &Arc<Index>, written: Vec<PairId>, now: &Index) -> Option<Self> {
        let is_as_long = before.places.len() == now.places.len();
        is_as_long.then(|| Self {
            index: Arc::clone(before),
            written,
        })
    }

    /// What the index after it is, if that has this many pairs and nobody reads
    /// this one any more.
    fn caught_up(self, now: &Index, pairs: usize) -> Option<Index> {
        let index = Arc::into_inner(self.index);
        let mut index = index.filter(|index| index.places.len() == pairs)?;
        for pair in self.written {
            index.put(pair, now.place(pair), now.rates_of(pair));
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
    pub(super) fn copy(&self, pairs: usize, spare: Option<Spare>) -> Self {
        let spare = spare.and_then(|spare| spare.caught_up(self, pairs));
        spare.unwrap_or_else(|| Self {
            places: extended(&self.places, pairs, NOWHERE),
            rates: extended(&self.rates, pairs, [0.0; 2]),
        })
    }

    #[inline]
    pub(super) fn place(&self, pair: PairId) -> Place {
        self.places.get(pair as usize).copied().unwrap_or(NOWHERE)
    }

    fn rates_of(&self, pair: PairId) -> [f64; 2] {
        self.rates.get(pair as usize).copied().unwrap_or_default()
    }

    pub(super) fn rates(&self) -> &[f64] {
        self.rates.as_flattened()
    }

    pub(super) fn put(&mut self, pair: PairId, place: Place, rates: [f64; 2]) {
        let at = pair as usize;
        if let (Some(old), Some(paid)) = (self.places.get_mut(at), self.rates.get_mut(at)) {
            (*old, *paid) = (place, rates);
        }
    }

    pub(super) const fn bytes(&self) -> usize {
        size_of::<Place>() * self.places.capacity() + size_of::<[f64; 2]>() * self.rates.capacity()
    }
}

/// A list that is at least as long as this.
fn extended<T: Copy>(list: &[T], len: usize, rest: T) -> Vec<T> {
    let mut longer = Vec::with_capacity(len);
    longer.extend_from_slice(list);
    longer.resize(len, rest);
    longer
}
