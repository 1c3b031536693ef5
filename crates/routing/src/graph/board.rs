//! Pairs of tokens with their pools, as they lie in memory.
//!
//! A board is written once and then shared by graphs. Its lists are flat: what
//! a search reads lies together.

use super::order::Merger;
use super::topology::PairId;
use crate::ladder;
use amm::book::{PoolId, PoolView, VenueId};
use amm::{Curve as _, Pieces, Rung, Side};

/// Some pairs, or one that is large.
#[derive(Debug, Clone, Default)]
pub(super) struct Board {
    rows: Vec<Row>,
    rungs: Vec<Rung>,
    slots: Vec<Slot>,
    changes: Vec<(f64, f64)>,
    /// For every pair, as long as its changes: the pools whose changes follow
    /// each other in the one direction, and then in the other.
    order: Vec<u32>,
}

/// A pair, and where its parts end. They begin where those of the row above end.
#[derive(Debug, Clone, Copy, Default)]
struct Row {
    pair: PairId,
    /// The rungs of selling the one token, and of selling the other.
    rungs: [u32; 2],
    slots: u32,
}

/// A pool of a pair.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slot {
    pub(crate) pool: PoolId,
    pub(crate) venue: VenueId,
    /// Whether its first token is the pair's second.
    flipped: bool,
    /// Where its changes of slope begin; how many for either direction.
    changes: u32,
    counts: [u16; 2],
}

/// How long lists are.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Size {
    pub(super) rows: usize,
    pub(super) rungs: usize,
    pub(super) slots: usize,
    pub(super) changes: usize,
}

impl Size {
    pub(super) const fn of_rows(rows: usize) -> Self {
        Self {
            rows,
            rungs: 0,
            slots: 0,
            changes: 0,
        }
    }

    pub(super) const fn bytes(self) -> usize {
        size_of::<Row>() * self.rows
            + size_of::<Rung>() * self.rungs
            + size_of::<Slot>() * self.slots
            + (size_of::<(f64, f64)>() + size_of::<u32>()) * self.changes
    }
}

impl std::ops::Add for Size {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            rows: self.rows + other.rows,
            rungs: self.rungs + other.rungs,
            slots: self.slots + other.slots,
            changes: self.changes + other.changes,
        }
    }
}

/// A direction within a pair: 0 sells its first token, 1 its second.
pub(crate) type Way = usize;

impl Slot {
    /// Which of the pool's tokens is sold.
    pub(crate) const fn side(&self, way: Way) -> Side {
        if self.flipped == (way == 0) {
            Side::Token1
        } else {
            Side::Token0
        }
    }

    /// Where its changes in a direction begin and end.
    #[inline]
    pub(super) const fn range(&self, way: Way) -> [u32; 2] {
        let middle = self.changes + self.counts[0] as u32;
        if way == 0 {
            [self.changes, middle]
        } else {
            [middle, middle + self.counts[1] as u32]
        }
    }
}

/// A pair on a board.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PairView<'a> {
    board: &'a Board,
    /// Where the rungs of selling the one token begin, of the other, and the end.
    rungs: [u32; 3],
    slots: [u32; 2],
}

impl<'a> PairView<'a> {
    /// The price of the first unit in both directions; 0 where nothing can be
    /// sold.
    pub(super) fn rates(&self) -> [f64; 2] {
        [0, 1].map(|way| ladder::first_price(self.rungs(way)))
    }

    /// The merged curve.
    #[inline]
    pub(crate) fn rungs(&self, way: Way) -> &'a [Rung] {
        let [first, second, end] = self.rungs;
        let range = if way == 0 {
            [first, second]
        } else {
            [second, end]
        };
        part(&self.board.rungs, range)
    }

    /// Its pools that can be traded with, in the order of their numbers.
    #[inline]
    pub(crate) fn slots(&self) -> &'a [Slot] {
        part(&self.board.slots, self.slots)
    }

    /// Where the slope of a pool's curve changes, and by how much. A pool that
    /// is alone has none: its curve is the pair's.
    #[inline]
    pub(crate) fn changes(&self, slot: &Slot, way: Way) -> &'a [(f64, f64)] {
        part(&self.board.changes, slot.range(way))
    }

    /// Where the changes of its pools begin, in both directions, and end.
    fn all_changes(&self) -> [u32; 2] {
        range_of(self.slots())
    }

    /// How its changes follow each other.
    fn order(&self, way: Way) -> &'a [u32] {
        let [begin, end] = self.all_changes();
        let first = self.slots().iter().map(|slot| u32::from(slot.counts[0]));
        let middle = begin + first.sum::<u32>();
        let range = if way == 0 {
            [begin, middle]
        } else {
            [middle, end]
        };
        part(&self.board.order, range)
    }

    /// How much of a board it takes.
    pub(super) fn size(&self) -> Size {
        let [first, _, end] = self.rungs;
        let changes = self.all_changes();
        Size {
            rows: 1,
            rungs: (end - first) as usize,
            slots: self.slots().len(),
            changes: (changes[1] - changes[0]) as usize,
        }
    }
}

impl Board {
    /// A board with room for so much.
    pub(super) fn with_room(size: Size) -> Self {
        Self {
            rows: Vec::with_capacity(size.rows),
            rungs: Vec::with_capacity(size.rungs),
            slots: Vec::with_capacity(size.slots),
            changes: Vec::with_capacity(size.changes),
            order: Vec::with_capacity(size.changes),
        }
    }

    /// Gives back memory that is not used.
    pub(super) fn fit(&mut self) {
        self.rows.shrink_to_fit();
        self.rungs.shrink_to_fit();
        self.slots.shrink_to_fit();
        self.changes.shrink_to_fit();
        self.order.shrink_to_fit();
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Its pairs, row by row.
    pub(super) fn pairs(&self) -> impl Iterator<Item = PairId> + '_ {
        self.rows.iter().map(|row| row.pair)
    }

    #[inline]
    pub(super) fn pair(&self, row: u32) -> Option<PairView<'_>> {
        let at = row as usize;
        let above = at.checked_sub(1).and_then(|at| self.rows.get(at));
        let begin = above.copied().unwrap_or_default();
        let row = self.rows.get(at)?;
        Some(PairView {
            board: self,
            rungs: [begin.rungs[1], row.rungs[0], row.rungs[1]],
            slots: [begin.slots, row.slots],
        })
    }

    /// Adds a pair as it is on another board.
    pub(super) fn copy(&mut self, number: PairId, pair: &PairView<'_>) {
        self.copy_slots(pair, pair.slots());
        self.order
            .extend_from_slice(part(&pair.board.order, pair.all_changes()));
        self.rungs.extend_from_slice(pair.rungs(0));
        let first = place(self.rungs.len());
        self.rungs.extend_from_slice(pair.rungs(1));
        self.end_row(number, first);
    }

    /// Adds a pair. `new` are those of its pools that changed or came, in the
    /// order of their numbers, and `look` gives such a pool, and in which way
    /// its first token is sold. The others are as they were `before`.
    pub(super) fn add<'a>(
        &mut self,
        number: PairId,
        before: Option<&PairView<'_>>,
        new: &[PoolId],
        look: impl Fn(PoolId) -> Option<(PoolView<'a>, Way)>,
        merger: &mut Merger,
    ) {
        let begin = self.slots.len();
        self.add_pools(before, new, look, merger.pieces());
        let slots = self.slots.get(begin..).unwrap_or_default();
        let mut ends = [0; 2];
        if let [alone] = slots {
            for (way, end) in ends.iter_mut().enumerate() {
                ladder::add(part(&self.changes, alone.range(way)), &mut self.rungs);
                *end = place(self.rungs.len());
            }
            self.forget_alone(begin);
        } else {
            let old = before.map(PairView::slots).unwrap_or_default();
            merger.begin(old, slots, new);
            for (way, end) in ends.iter_mut().enumerate() {
                let were = before.map(|pair| pair.order(way)).unwrap_or_default();
                let (order, rungs) = (&mut self.order, &mut self.rungs);
                merger.merge(were, slots, &self.changes, way, order, rungs);
                *end = place(self.rungs.len());
            }
        }
        self.end_row(number, ends[0]);
    }

    /// Adds the pools of a pair in the order of their numbers.
    fn add_pools<'a>(
        &mut self,
        before: Option<&PairView<'_>>,
        new: &[PoolId],
        look: impl Fn(PoolId) -> Option<(PoolView<'a>, Way)>,
        pieces: &mut Pieces,
    ) {
        let mut kept = before.map(PairView::slots).unwrap_or_default();
        for number in new {
            let earlier = kept.partition_point(|slot| slot.pool < *number);
            let (same, rest) = kept.split_at(earlier);
            if let Some(before) = before {
                self.copy_slots(before, same);
            }
            let changed = rest.split_first().filter(|(slot, _)| slot.pool == *number);
            kept = changed.map_or(rest, |(_, rest)| rest);
            if let Some((pool, way)) = look(*number) {
                self.add_pool(&pool, way == 1, pieces);
            }
        }
        if let Some(before) = before {
            self.copy_slots(before, kept);
        }
    }

    /// Adds neighbouring pools of a pair on another board.
    fn copy_slots(&mut self, pair: &PairView<'_>, slots: &[Slot]) {
        let Some(first) = slots.first() else {
            return;
        };
        let (here, there) = (place(self.changes.len()), first.changes);
        let changes = part(&pair.board.changes, range_of(slots));
        self.changes.extend_from_slice(changes);
        self.slots.extend(slots.iter().map(|slot| Slot {
            changes: here + (slot.changes - there),
            ..*slot
        }));
    }

    /// A pool that nobody can trade with leaves no trace.
    fn add_pool(&mut self, pool: &PoolView<'_>, flipped: bool, pieces: &mut Pieces) {
        if !pool.venue.is_routed() {
            return;
        }
        let Ok(curve) = pool.curve() else { return };
        let changes = place(self.changes.len());
        let sides = if flipped {
            [Side::Token1, Side::Token0]
        } else {
            Side::BOTH
        };
        let counts = sides.map(|side| {
            pieces.clear();
            curve.pieces(side, pieces);
            self.add_changes(pieces)
        });
        if counts == [0, 0] {
            return;
        }
        self.slots.push(Slot {
            pool: pool.id,
            venue: pool.pool.venue(),
            flipped,
            changes,
            counts,
        });
    }

    fn add_changes(&mut self, pieces: &Pieces) -> u16 {
        let before = self.changes.len();
        let mut slope = 0.0;
        for (z, next) in pieces.starts() {
            self.changes.push((*z, next - slope));
            slope = *next;
        }
        if pieces.end().is_finite() && slope > 0.0 {
            self.changes.push((pieces.end(), -slope));
        }
        u16::try_from(self.changes.len() - before).unwrap_or(u16::MAX)
    }

    /// Forgets the changes of a pool that is alone in its pair.
    fn forget_alone(&mut self, begin: usize) {
        if let Some([alone]) = self.slots.get_mut(begin..) {
            alone.counts = [0, 0];
            self.changes.truncate(alone.changes as usize);
        }
    }

    fn end_row(&mut self, pair: PairId, first_rungs: u32) {
        self.rows.push(Row {
            pair,
            rungs: [first_rungs, place(self.rungs.len())],
            slots: place(self.slots.len()),
        });
    }

    /// What is on it.
    pub(super) const fn size(&self) -> Size {
        Size {
            rows: self.rows.len(),
            rungs: self.rungs.len(),
            slots: self.slots.len(),
            changes: self.changes.len(),
        }
    }

    /// The bytes that it takes.
    pub(super) const fn bytes(&self) -> usize {
        let lists = Size {
            rows: self.rows.capacity(),
            rungs: self.rungs.capacity(),
            slots: self.slots.capacity(),
            changes: self.changes.capacity(),
        };
        size_of::<Self>() + lists.bytes()
    }
}

/// Where the changes of neighbouring pools begin and end.
fn range_of(slots: &[Slot]) -> [u32; 2] {
    match (slots.first(), slots.last()) {
        (Some(first), Some(last)) => [first.changes, last.range(1)[1]],
        _ => [0, 0],
    }
}

/// A part of a list; nothing if the list is shorter.
#[inline]
fn part<T>(list: &[T], [start, end]: [u32; 2]) -> &[T] {
    list.get(start as usize..end as usize).unwrap_or_default()
}

/// A place in a list: no board has 2³² of anything.
fn place(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
