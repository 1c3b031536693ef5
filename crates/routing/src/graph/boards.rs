//! The boards of all pairs.
//!
//! When pairs change, they are written on new boards, and the next graph shares
//! all other boards with the one before. What a board held of changed pairs is
//! waste then. Boards never take more room than what is still read on them
//! justifies: beyond that, what is left on the emptiest ones moves to new ones,
//! a little with every block, so that waste stays within a limit.

use super::batch::{FULL, Rewrite};
use super::board::{Board, PairView, Size, Way};
use super::index::{Entry, Index, Outdated, Place};
use super::order::Merger;
use super::topology::{NONE, PairId};
use amm::book::{PoolId, PoolView};
use std::sync::{Arc, Mutex};

/// Beside what is read, so many fifths of it may be there that are not,
const FIFTHS: usize = 2;
/// and so many boards in any case.
const FEW: usize = 4;

/// The boards of all pairs.
#[derive(Debug, Clone, Default)]
pub(super) struct Boards {
    all: Vec<Shared>,
    index: Arc<Index>,
    spare: Arc<Mutex<Spare>>,
}

/// What the edition after this one may write on again.
#[derive(Debug, Default)]
struct Spare {
    index: Option<Outdated>,
    merger: Merger,
}

/// A board, how many bytes it has, and how many of them are still read.
#[derive(Debug, Clone, Default)]
struct Shared {
    board: Arc<Board>,
    bytes: usize,
    live: usize,
    /// Whether it is for one pair alone.
    is_own: bool,
}

impl Shared {
    /// What it takes: a small board is no better than a full one.
    fn room(&self) -> usize {
        self.bytes.max(FULL)
    }
}

impl Boards {
    #[inline]
    pub(super) fn pair(&self, pair: PairId) -> Option<PairView<'_>> {
        let Entry { place, .. } = self.index.entry(pair);
        let shared = self.all.get(place.board())?;
        shared.board.pair(place.row())
    }

    /// The price of the first unit of every sale; 0 where nothing can be sold.
    pub(super) fn rates(&self) -> &[f64] {
        self.index.rates()
    }

    /// The bytes that they take.
    pub(super) fn bytes(&self) -> usize {
        let boards = self.all.iter().map(|shared| shared.board.bytes());
        let spare = self.spare.lock().map(|spare| {
            let index = spare.index.as_ref().map_or(0, Outdated::bytes);
            index + spare.merger.bytes()
        });
        boards.sum::<usize>()
            + size_of::<Shared>() * self.all.capacity()
            + self.index.bytes()
            + spare.unwrap_or_default()
    }
}

/// The boards of the next graph, while pairs are written.
pub(super) struct Edition<'a> {
    before: &'a Boards,
    boards: Vec<Shared>,
    /// Numbers that no board has.
    free: Vec<u32>,
    index: Index,
    /// The pairs that were written.
    written: Vec<PairId>,
    /// Bytes of pairs that will be written on boards with others.
    left: usize,
    /// The pools of a pair that are read anew.
    new: Vec<PoolId>,
    merger: Merger,
}

impl<'a> Edition<'a> {
    /// Those that there are, and room for this many pairs.
    pub(super) fn new(before: &'a Boards, pairs: usize) -> Self {
        let spare = before.spare.lock();
        let spare = spare.map_or_else(
            |_| Spare::default(),
            |mut spare| std::mem::take(&mut *spare),
        );
        let is_free = |(_, shared): &(u32, &Shared)| shared.live == 0;
        let free = (0..).zip(&before.all).filter(is_free);
        Self {
            before,
            boards: before.all.clone(),
            free: free.map(|(number, _)| number).collect(),
            index: before.index.copy(pairs, spare.index),
            written: Vec::new(),
            left: 0,
            new: Vec::new(),
            merger: spare.merger,
        }
    }

    /// A pair will be written, and is no longer read where it was; a board on
    /// which none is goes.
    pub(super) fn leave(&mut self, pair: PairId) {
        let Entry { place, bytes } = self.index.leave(pair);
        let Some(shared) = self.boards.get_mut(place.board()) else {
            return;
        };
        let bytes = bytes as usize;
        self.left += if shared.is_own { 0 } else { bytes };
        shared.live = shared.live.saturating_sub(bytes);
        if shared.live == 0 {
            *shared = Shared::default();
            self.free.extend(u32::try_from(place.board()));
        }
    }

    /// Takes off the emptiest boards, until there are not too many once all is
    /// written. Says which pairs were still read there: they have to be written.
    pub(super) fn tidy(&mut self) -> Vec<PairId> {
        let common = (0..).zip(&self.boards);
        let common = common.filter(|(_, shared)| shared.live > 0 && !shared.is_own);
        let mut common: Vec<_> = common
            .map(|(number, shared)| (shared.live, shared.room(), number))
            .collect();
        common.sort_unstable();
        let live: usize = common.iter().map(|(live, ..)| live).sum();
        let mut taken: usize = common.iter().map(|(_, room, _)| room).sum();
        let needed = live + self.left;
        let most = needed + needed * FIFTHS / 5 + FEW * FULL;
        let mut moved = Vec::new();
        for (live, room, number) in common {
            if taken + self.left.next_multiple_of(FULL) <= most {
                break;
            }
            taken -= room;
            self.left += live;
            self.take_off(number, &mut moved);
        }
        moved
    }

    /// Takes a board off, and adds the pairs that were still read on it.
    fn take_off(&mut self, number: u32, moved: &mut Vec<PairId>) {
        let Some(shared) = self.boards.get_mut(number as usize) else {
            return;
        };
        let Shared { board, .. } = std::mem::take(shared);
        let pairs = (0..).zip(board.pairs());
        let is_there =
            |(row, pair): &(u32, PairId)| self.index.entry(*pair).place == Place::new(number, *row);
        moved.extend(pairs.filter(is_there).map(|(_, pair)| pair));
        self.free.push(number);
    }

    /// Writes pairs. `look` gives a pool, and in which way of its pair the first
    /// token is sold.
    pub(super) fn write<'p>(
        &mut self,
        batch: &[Rewrite<'_>],
        look: impl Fn(PoolId) -> Option<(PoolView<'p>, Way)>,
    ) {
        let small = batch.iter().filter(|pair| !pair.is_large());
        let mut common = Board::with_room(small.fold(Size::default(), |all, pair| all + pair.size));
        for pair in batch {
            if pair.is_large() {
                let mut own = Board::with_room(pair.size);
                self.add(&mut own, pair, &look);
                self.put_up(own, true);
            } else {
                self.add(&mut common, pair, &look);
            }
        }
        self.put_up(common, false);
    }

    fn add<'p>(
        &mut self,
        board: &mut Board,
        pair: &Rewrite<'_>,
        look: impl Fn(PoolId) -> Option<(PoolView<'p>, Way)>,
    ) {
        self.new.clear();
        self.new.extend(pair.changed());
        let mut before = pair.before;
        if let Some(before) = before.filter(|_| self.new.is_empty()) {
            board.copy(pair.number, &before);
            return;
        }
        // Of a pool that is alone no changes of slope are kept.
        if let Some([alone]) = before.map(|before| before.slots()) {
            if let Err(place) = self.new.binary_search(&alone.pool) {
                self.new.insert(place, alone.pool);
            }
            before = None;
        }
        let merger = &mut self.merger;
        board.add(pair.number, before.as_ref(), &self.new, look, merger);
    }

    /// Puts a board up: its pairs are read there from now on.
    fn put_up(&mut self, mut board: Board, is_own: bool) {
        if board.is_empty() {
            return;
        }
        board.fit();
        let next = u32::try_from(self.boards.len()).unwrap_or(NONE);
        let number = self.free.pop().unwrap_or(next);
        self.written.extend(board.pairs());
        for (row, pair) in (0..).zip(board.pairs()) {
            let Some(view) = board.pair(row) else {
                continue;
            };
            let entry = Entry {
                place: Place::new(number, row),
                bytes: u32::try_from(view.size().bytes()).unwrap_or(u32::MAX),
            };
            self.index.put(pair, entry, view.rates());
        }
        let bytes = board.size().bytes();
        let shared = Shared {
            board: Arc::new(board),
            bytes,
            live: bytes,
            is_own,
        };
        match self.boards.get_mut(number as usize) {
            Some(free) => *free = shared,
            None => self.boards.push(shared),
        }
    }

    pub(super) fn finish(self) -> Boards {
        let spare = Spare {
            index: Outdated::new(&self.before.index, self.written, &self.index),
            merger: self.merger,
        };
        Boards {
            all: self.boards,
            index: Arc::new(self.index),
            spare: Arc::new(Mutex::new(spare)),
        }
    }
}
