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
const SPARE: usize = 2;
/// and so many in any case.
const FEW: usize = 4;

/// A pair with so many pools changes often, and is long. It has a board of its
/// own that goes with it, and no other pair has to move because of it.
const LARGE: usize = 16;

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

/// The board of a pair, and its row there, in as few bytes as they need: all
/// places are copied with every block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place(u32);

/// A pair that is not there: nobody has a board of this number.
const NOWHERE: Place = Place(u32::MAX);

/// A board with so many rows is full, whatever is in them.
const ROWS: u32 = 1 << 13;

const _: () = assert!(Size::of_rows(ROWS as usize).bytes() >= FULL);

impl Place {
    const fn new(board: u32, row: u32) -> Self {
        Self(board.saturating_mul(ROWS).saturating_add(row))
    }

    const fn board(self) -> usize {
        (self.0 / ROWS) as usize
    }

    const fn row(self) -> u32 {
        self.0 % ROWS
    }
}

impl Boards {
    #[inline]
    pub(super) fn pair(&self, pair: PairId) -> Option<PairView<'_>> {
        let place = self.places.get(pair as usize)?;
        let shared = self.boards.get(place.board())?;
        shared.board.pair(place.row())
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
    /// How large the pairs are about that were announced and not written yet.
    awaited: std::vec::IntoIter<Size>,
    /// The pools of a pair that are read anew.
    new: Vec<PoolId>,
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
            awaited: Vec::new().into_iter(),
            new: Vec::new(),
            merger: Merger::default(),
        }
    }

    /// Says which pairs will be written next, and about how large that is which
    /// changed of them. To look at many pairs beforehand costs little, since one
    /// look does not wait for the other, and then nobody waits while they are
    /// written.
    pub(super) fn announce(&mut self, pairs: &[(PairId, Size)]) {
        let known: Vec<_> = pairs
            .iter()
            .map(|(pair, _)| self.before.pair(*pair))
            .collect();
        let size = |pair: &Option<PairView<'_>>| pair.map_or(Size::default(), |pair| pair.size());
        let sizes: Vec<Size> = known.iter().map(size).collect();
        let mut awaited = Vec::with_capacity(pairs.len());
        for ((pair, changed), before) in pairs.iter().zip(sizes) {
            self.leave(*pair, before.bytes());
            let kept = if before.slots > 1 {
                before
            } else {
                Size::default()
            };
            awaited.push(kept + *changed);
        }
        self.awaited = awaited.into_iter();
    }

    /// Writes a pair that was announced. The pools in `changed` changed or came
    /// since the edition before, in the order of their numbers. `look` gives a
    /// pool, and in which way of the pair its first token is sold. Says the
    /// prices of the first unit.
    pub(super) fn write<'p>(
        &mut self,
        pair: PairId,
        changed: &[PoolId],
        look: impl Fn(PoolId) -> Option<(PoolView<'p>, Way)>,
    ) -> [f64; 2] {
        let mut before = self.before.pair(pair);
        self.new.clear();
        self.new.extend_from_slice(changed);
        // Of a pool that is alone no changes of slope are kept.
        if let Some([alone]) = before.map(|before| before.slots()) {
            if let Err(place) = self.new.binary_search(&alone.pool) {
                self.new.insert(place, alone.pool);
            }
            before = None;
        }
        let size = self.awaited.next().unwrap_or_default();
        if size.slots < LARGE {
            if self.turn_if_full() || self.open.is_empty() {
                self.open.make_room(full_of(size, self.awaited.as_slice()));
            }
            self.open
                .add(pair, before.as_ref(), &self.new, look, &mut self.merger);
            self.open.last_rates()
        } else {
            let mut board = Board::default();
            board.make_room(size);
            board.add(pair, before.as_ref(), &self.new, look, &mut self.merger);
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
        let mut written = self.open.size().bytes();
        let live: usize = common.iter().map(|(live, _)| live).sum();
        let needed = (live + written).div_ceil(FULL);
        let mut boards = common.into_iter();
        while boards.len() + written.div_ceil(FULL) > needed + needed / SPARE + FEW
            && let Some((live, number)) = boards.next()
        {
            written += live;
            self.empty(number);
        }
    }

    /// Takes a board off, and writes what was still read on it anew.
    fn empty(&mut self, number: u32) {
        let Some(shared) = self.boards.get_mut(number as usize) else {
            return;
        };
        let Shared { board, .. } = std::mem::take(shared);
        for (row, pair) in (0..).zip(board.pairs()) {
            if self.places.get(pair as usize) == Some(&Place::new(number, row))
                && let Some(view) = board.pair(row)
            {
                if self.turn_if_full() || self.open.is_empty() {
                    self.open.make_room(board.size());
                }
                self.open.copy(pair, &view);
            }
        }
        self.free.push(number);
    }

    /// A pair of so many bytes is no longer read where it was; a board on which
    /// none is goes.
    fn leave(&mut self, pair: PairId, bytes: usize) {
        let place = self.places.get_mut(pair as usize);
        let place = place.map_or(NOWHERE, |place| std::mem::replace(place, NOWHERE));
        let Some(shared) = self.boards.get_mut(place.board()) else {
            return;
        };
        shared.live = shared.live.saturating_sub(bytes);
        if shared.live == 0 {
            *shared = Shared::default();
            self.free.extend(u32::try_from(place.board()));
        }
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
                *place = Place::new(number, row);
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

/// What is on a full board of pairs like these, and a little more.
fn full_of(first: Size, rest: &[Size]) -> Size {
    let small = rest.iter().filter(|size| size.slots < LARGE);
    let all = small.fold(first, |all, size| all + *size);
    let bytes = all.bytes().max(1);
    let share = |items: usize| (items * (FULL + FULL / 8)).div_ceil(bytes);
    Size {
        rows: share(all.rows),
        rungs: share(all.rungs),
        slots: share(all.slots),
        changes: share(all.changes),
    }
}
