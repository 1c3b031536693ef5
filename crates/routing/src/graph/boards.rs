//! Where every pair lies.
//!
//! When pairs change, they are written on new boards, and the next graph shares
//! all other boards with the one before. What a board held of changed pairs is
//! waste then. There are never more boards than what is still read on them
//! justifies: beyond that, what is left on the emptiest ones moves to new ones,
//! a little with every block, so that waste stays within a limit.

use super::board::{Board, PairView, Size, Way};
use super::order::Merger;
use super::topology::{NONE, PairId};
use amm::book::{PoolId, PoolView};
use std::sync::Arc;

/// Bytes from which on a board is full.
const FULL: usize = 128 * 1024;

/// A board more than are needed may be there for so many of those,
const SPARE: usize = 3;
/// and so many in any case.
const FEW: usize = 4;

/// A pair with so many pools changes with nearly every block. It has a board of
/// its own, and no other pair has to move because of it.
const LARGE: usize = 64;

/// The boards of all pairs.
#[derive(Debug, Clone, Default)]
pub(super) struct Boards {
    boards: Vec<Shared>,
    places: Arc<Vec<Place>>,
}

/// A board, and how many of its bytes are still read.
#[derive(Debug, Clone, Default)]
struct Shared {
    board: Arc<Board>,
    live: usize,
    /// Whether it is for one pair alone.
    is_own: bool,
}

/// The board of a pair, and its row there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    board: u32,
    row: u32,
}

/// A pair that is not there.
const NOWHERE: Place = Place {
    board: NONE,
    row: NONE,
};

impl Boards {
    #[inline]
    pub(super) fn pair(&self, pair: PairId) -> Option<PairView<'_>> {
        let place = self.places.get(pair as usize)?;
        let shared = self.boards.get(place.board as usize)?;
        shared.board.pair(place.row)
    }

    /// The bytes that they take.
    pub(super) fn bytes(&self) -> usize {
        let boards = self.boards.iter().map(|shared| shared.board.bytes());
        boards.sum::<usize>()
            + size_of::<Shared>() * self.boards.capacity()
            + size_of::<Place>() * self.places.capacity()
    }
}

/// The boards of the next graph, while pairs are written.
pub(super) struct Edition<'a> {
    before: &'a Boards,
    boards: Vec<Shared>,
    /// Numbers that no board has.
    free: Vec<u32>,
    places: Vec<Place>,
    /// What is being written on.
    open: Board,
    merger: Merger,
}

impl<'a> Edition<'a> {
    /// Those that there are, and room for this many pairs.
    pub(super) fn new(before: &'a Boards, pairs: usize) -> Self {
        let mut places = Vec::with_capacity(pairs);
        places.extend_from_slice(&before.places);
        places.resize(pairs, NOWHERE);
        let is_free = |(_, shared): &(u32, &Shared)| shared.live == 0;
        let free = (0..).zip(&before.boards).filter(is_free);
        Self {
            before,
            boards: before.boards.clone(),
            free: free.map(|(number, _)| number).collect(),
            places,
            open: Board::default(),
            merger: Merger::default(),
        }
    }

    /// Says which pairs will be written next, with what beside that which they
    /// are of now. To look at some pairs beforehand costs little, since one look
    /// does not wait for the other, and then nobody waits while they are written.
    pub(super) fn announce(&mut self, pairs: &[PairId], mut more: Size) {
        self.turn_if_full();
        let known: Vec<_> = pairs.iter().map(|pair| self.before.pair(*pair)).collect();
        let size = |pair: &Option<PairView<'_>>| pair.map_or(Size::default(), |pair| pair.size());
        let sizes: Vec<Size> = known.iter().map(size).collect();
        for (pair, size) in pairs.iter().zip(sizes) {
            if !self.leave(*pair, size.bytes()) {
                more += size;
            }
        }
        self.open.make_room(more);
    }

    /// Writes a pair that was announced, whose pools are `all`. Those in
    /// `changed` changed or came since the edition before; both lists are in the
    /// order of numbers. `look` gives a pool, and in which way of the pair its
    /// first token is sold. Says the prices of the first unit.
    pub(super) fn write<'p>(
        &mut self,
        pair: PairId,
        all: &[PoolId],
        changed: &[PoolId],
        look: impl Fn(PoolId) -> Option<(PoolView<'p>, Way)>,
    ) -> [f64; 2] {
        // Of a pool that is alone no changes of slope are kept.
        let before = self.before.pair(pair);
        let before = before.filter(|before| before.slots().len() > 1);
        let before = before.as_ref();
        let new = if before.is_some() { changed } else { all };
        if all.len() < LARGE {
            self.open.add(pair, before, new, look, &mut self.merger);
            self.open.last_rates()
        } else {
            let mut board = before.map_or_else(Board::default, Board::like);
            board.add(pair, before, new, look, &mut self.merger);
            board.fit();
            let rates = board.last_rates();
            self.put_up(board, true);
            rates
        }
    }

    pub(super) fn finish(mut self) -> Boards {
        self.tidy();
        self.turn();
        Boards {
            boards: self.boards,
            places: Arc::new(self.places),
        }
    }

    /// Moves what is left on the emptiest boards, until there are not too many.
    fn tidy(&mut self) {
        let common = (0..).zip(&self.boards);
        let common = common.filter(|(_, shared)| shared.live > 0 && !shared.is_own);
        let mut common: Vec<(usize, u32)> = common
            .map(|(number, shared)| (shared.live, number))
            .collect();
        common.sort_unstable();
        let live: usize = common.iter().map(|(live, _)| live).sum();
        let needed = (live + self.open.size().bytes()).div_ceil(FULL);
        let mut spare = (common.len() + 1).saturating_sub(needed + needed / SPARE + FEW);
        for (_, number) in common {
            if spare == 0 {
                break;
            }
            self.empty(number);
            if !self.turn_if_full() {
                spare -= 1;
            }
        }
    }

    /// Takes a board off, and writes what was still read on it anew.
    fn empty(&mut self, number: u32) {
        let Some(shared) = self.boards.get_mut(number as usize) else {
            return;
        };
        let Shared { board, .. } = std::mem::take(shared);
        self.free.push(number);
        self.open.make_room(board.size());
        for (row, pair) in (0..).zip(board.pairs()) {
            let place = Place { board: number, row };
            if self.places.get(pair as usize) == Some(&place)
                && let Some(view) = board.pair(row)
            {
                self.open.copy(pair, &view);
            }
        }
    }

    /// A pair of so many bytes is no longer read where it was; a board on which
    /// none is goes. Says whether it was the pair's own.
    fn leave(&mut self, pair: PairId, bytes: usize) -> bool {
        let place = self.places.get_mut(pair as usize);
        let place = place.map_or(NOWHERE, |place| std::mem::replace(place, NOWHERE));
        let Some(shared) = self.boards.get_mut(place.board as usize) else {
            return false;
        };
        let is_own = shared.is_own;
        shared.live = shared.live.saturating_sub(bytes);
        if shared.live == 0 {
            *shared = Shared::default();
            self.free.push(place.board);
        }
        is_own
    }

    fn turn_if_full(&mut self) -> bool {
        let is_full = self.open.size().bytes() >= FULL;
        if is_full {
            self.turn();
        }
        is_full
    }

    /// Puts up what is written, and goes on with an empty board.
    fn turn(&mut self) {
        if !self.open.is_empty() {
            let mut full = std::mem::take(&mut self.open);
            full.fit();
            self.put_up(full, false);
        }
    }

    /// Puts a board up: its pairs are read there from now on.
    fn put_up(&mut self, board: Board, is_own: bool) {
        let next = u32::try_from(self.boards.len()).unwrap_or(NONE);
        let number = self.free.pop().unwrap_or(next);
        for (row, pair) in (0..).zip(board.pairs()) {
            if let Some(place) = self.places.get_mut(pair as usize) {
                *place = Place { board: number, row };
            }
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
}
