//! The boards of all pairs.
//!
//! When pairs change, they are written on new boards, and the next graph shares
//! all other boards with the one before. What a board held of changed pairs is
//! waste then. There are never more boards than what is still read on them
//! justifies: beyond that, what is left on the emptiest ones moves to new ones,
//! a little with every block, so that waste stays within a limit.

use super::batch::{FULL, Rewrite};
use super::board::{Board, PairView, Size, Way};
use super::index::{Index, NOWHERE, Place, Spare};
use super::order::Merger;
use super::topology::{NONE, PairId};
use amm::book::{PoolId, PoolView};
use std::sync::{Arc, Mutex};

/// A board more than are needed may be there for so many of those,
const SPARE: usize = 2;
/// and so many in any case.
const FEW: usize = 4;

/// The boards of all pairs.
#[derive(Debug, Clone, Default)]
pub(super) struct Boards {
    boards: Vec<Shared>,
    index: Arc<Index>,
    spare: Arc<Mutex<Option<Spare>>>,
}

/// A board, and how many of its bytes are still read.
#[derive(Debug, Clone, Default)]
struct Shared {
    board: Arc<Board>,
    live: usize,
    /// Whether it is for one pair alone.
    is_own: bool,
}

impl Boards {
    #[inline]
    pub(super) fn pair(&self, pair: PairId) -> Option<PairView<'_>> {
        let place = self.index.place(pair);
        let shared = self.boards.get(place.board())?;
        shared.board.pair(place.row())
    }

    /// The price of the first unit of every sale; 0 where nothing can be sold.
    pub(super) fn rates(&self) -> &[f64] {
        self.index.rates()
    }

    /// The bytes that they take.
    pub(super) fn bytes(&self) -> usize {
        let boards = self.boards.iter().map(|shared| shared.board.bytes());
        let spare = self.spare.lock().ok();
        let spare = spare.and_then(|spare| Some(spare.as_ref()?.bytes()));
        boards.sum::<usize>()
            + size_of::<Shared>() * self.boards.capacity()
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
        let spare = before.spare.lock().ok().and_then(|mut spare| spare.take());
        let is_free = |(_, shared): &(u32, &Shared)| shared.live == 0;
        let free = (0..).zip(&before.boards).filter(is_free);
        Self {
            before,
            boards: before.boards.clone(),
            free: free.map(|(number, _)| number).collect(),
            index: before.index.copy(pairs, spare),
            written: Vec::new(),
            left: 0,
            new: Vec::new(),
            merger: Merger::default(),
        }
    }

    /// A pair will be written, and is no longer read where it was; a board on
    /// which none is goes.
    pub(super) fn leave(&mut self, pair: PairId) {
        let place = self.index.place(pair);
        let Some(shared) = self.boards.get_mut(place.board()) else {
            return;
        };
        let bytes = shared.board.pair(place.row());
        let bytes = bytes.map_or(0, |pair| pair.size().bytes());
        self.index.put(pair, NOWHERE, [0.0; 2]);
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
        let mut common: Vec<(usize, u32)> = common
            .map(|(number, shared)| (shared.live, number))
            .collect();
        common.sort_unstable();
        let live: usize = common.iter().map(|(live, _)| live).sum();
        let needed = (live + self.left).div_ceil(FULL);
        let mut boards = common.into_iter();
        let mut moved = Vec::new();
        while boards.len() + self.left.div_ceil(FULL) > needed + needed / SPARE + FEW
            && let Some((live, number)) = boards.next()
        {
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
            |(row, pair): &(u32, PairId)| self.index.place(*pair) == Place::new(number, *row);
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
        let mut before = self.before.pair(pair.number);
        if let Some(before) = before.filter(|_| pair.changed.is_empty()) {
            board.copy(pair.number, &before);
            return;
        }
        self.new.clear();
        self.new.extend(pair.changed.iter().map(|(_, pool)| *pool));
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
            let rates = board.pair(row).map_or([0.0; 2], |pair| pair.rates());
            self.index.put(pair, Place::new(number, row), rates);
        }
        let shared = Shared {
            live: board.size().bytes(),
            board: Arc::new(board),
            is_own,
        };
        match self.boards.get_mut(number as usize) {
            Some(free) => *free = shared,
            None => self.boards.push(shared),
        }
    }

    pub(super) fn finish(self) -> Boards {
        let spare = Spare::new(&self.before.index, self.written, &self.index);
        Boards {
            boards: self.boards,
            index: Arc::new(self.index),
            spare: Arc::new(Mutex::new(spare)),
        }
    }
}
