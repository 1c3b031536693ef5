//! Pairs of tokens with their pools, a few on each board.
//!
//! A board is made anew when one of its pairs changes, and shared by graphs
//! until then. Its lists are flat: what a search reads lies together.

use crate::ladder;
use amm::book::{PoolId, PoolView, VenueId};
use amm::{Curve as _, Ladder, Rung, Side};
use std::ops::Range;

/// Pairs on a board.
pub(crate) const BOARD: usize = 16;

/// Some pairs.
#[derive(Debug, Clone, Default)]
pub(crate) struct Board {
    pairs: Vec<Span>,
    rungs: Vec<Rung>,
    slots: Vec<Slot>,
    changes: Vec<(f64, f64)>,
}

/// Where the parts of a pair lie, and what is asked first.
#[derive(Debug, Clone, Copy)]
struct Span {
    /// The first rung of selling the one token, of selling the other, and the end.
    rungs: [u32; 3],
    /// The first pool, and the end.
    slots: [u32; 2],
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
}

/// A pair on a board.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PairView<'a> {
    board: &'a Board,
    span: &'a Span,
}

impl<'a> PairView<'a> {
    /// The price of the first unit in both directions; 0 where nothing can be
    /// sold.
    pub(super) fn rates(&self) -> [f64; 2] {
        [0, 1].map(|way| ladder::first_price(self.rungs(way)))
    }

    /// Where the rungs of a direction lie on the board.
    pub(crate) fn rung_range(&self, way: Way) -> [u32; 2] {
        let [first, second, end] = self.span.rungs;
        if way == 0 {
            [first, second]
        } else {
            [second, end]
        }
    }

    /// The merged curve.
    pub(crate) fn rungs(&self, way: Way) -> &'a [Rung] {
        self.board.rungs(self.rung_range(way))
    }

    /// Its pools that can be traded with.
    pub(crate) fn slots(&self) -> &'a [Slot] {
        let [start, end] = self.span.slots;
        let slots = self.board.slots.get(start as usize..end as usize);
        slots.unwrap_or_default()
    }

    /// The place of a pool; slots stand in the order of their pools.
    fn slot(&self, pool: PoolId) -> Option<&'a Slot> {
        let slots = self.slots();
        let found = slots.binary_search_by_key(&pool, |slot| slot.pool).ok()?;
        slots.get(found)
    }

    /// Where the slope of a pool's curve changes, and by how much. A pool that
    /// is alone has none: its curve is the pair's.
    pub(crate) fn changes(&self, slot: &Slot, way: Way) -> &'a [(f64, f64)] {
        let [first, second] = slot.counts.map(usize::from);
        let begin = slot.changes as usize + if way == 0 { 0 } else { first };
        let count = if way == 0 { first } else { second };
        let changes = self.board.changes.get(begin..begin + count);
        changes.unwrap_or_default()
    }
}

impl Board {
    pub(crate) fn pair(&self, place: usize) -> Option<PairView<'_>> {
        let span = self.pairs.get(place)?;
        Some(PairView { board: self, span })
    }

    /// The rungs of a range that [`PairView::rung_range`] gave.
    pub(crate) fn rungs(&self, [start, end]: [u32; 2]) -> &[Rung] {
        let rungs = self.rungs.get(start as usize..end as usize);
        rungs.unwrap_or_default()
    }

    /// An empty board with room for what another one holds.
    pub(super) fn like(other: &Self) -> Self {
        Self {
            pairs: Vec::with_capacity(other.pairs.len()),
            rungs: Vec::with_capacity(other.rungs.len()),
            slots: Vec::with_capacity(other.slots.len()),
            changes: Vec::with_capacity(other.changes.len()),
        }
    }

    pub(super) const fn pair_count(&self) -> usize {
        self.pairs.len()
    }

    /// Adds some neighbouring pairs as they are on another board.
    pub(super) fn copy(&mut self, other: &Self, pairs: Range<usize>) {
        let spans = other.pairs.get(pairs).unwrap_or_default();
        let (Some(first), Some(last)) = (spans.first(), spans.last()) else {
            return;
        };
        let rungs = [first.rungs[0], last.rungs[2]].map(|at| at as usize);
        let slots = [first.slots[0], last.slots[1]].map(|at| at as usize);
        let changes = slots.map(|at| {
            let slot = other.slots.get(at);
            slot.map_or(other.changes.len(), |slot| slot.changes as usize)
        });
        let from = |[start, end]: [usize; 2]| start..end;
        let moved = |before: usize, begin: usize, at: u32| {
            place(before + (at as usize).saturating_sub(begin))
        };
        let (rungs_before, slots_before) = (self.rungs.len(), self.slots.len());
        let changes_before = self.changes.len();
        self.pairs.extend(spans.iter().map(|span| Span {
            rungs: span.rungs.map(|at| moved(rungs_before, rungs[0], at)),
            slots: span.slots.map(|at| moved(slots_before, slots[0], at)),
        }));
        let copied = other.slots.get(from(slots)).unwrap_or_default();
        self.slots.extend(copied.iter().map(|slot| Slot {
            changes: moved(changes_before, changes[0], slot.changes),
            ..*slot
        }));
        let copied = other.rungs.get(from(rungs)).unwrap_or_default();
        self.rungs.extend_from_slice(copied);
        let copied = other.changes.get(from(changes)).unwrap_or_default();
        self.changes.extend_from_slice(copied);
    }

    /// Adds a pair of these pools. `look` gives a pool, and whether its first
    /// token is the pair's second. Pools that `before` has and that did not
    /// change are taken from there.
    pub(super) fn add<'a>(
        &mut self,
        pools: &[PoolId],
        look: impl Fn(PoolId) -> Option<(PoolView<'a>, bool)>,
        before: Option<(PairView<'_>, &dyn Fn(PoolId) -> bool)>,
        merging: &mut Vec<(f64, f64)>,
    ) {
        let first_slot = self.slots.len();
        self.open();
        for pool in pools {
            let known =
                before.filter(|(pair, is_changed)| pair.slots().len() > 1 && !is_changed(*pool));
            if let Some((pair, _)) = known {
                // A pool without a slot could not be traded with, and cannot now.
                if let Some(slot) = pair.slot(*pool) {
                    self.copy_pool(pair, slot);
                }
            } else if let Some((pool, flipped)) = look(*pool) {
                self.add_pool(&pool, flipped);
            }
        }
        let slots = self.slots.get(first_slot..).unwrap_or_default().to_vec();
        let changes = std::mem::take(&mut self.changes);
        self.close_with(|rungs, way| {
            merging.clear();
            for slot in &slots {
                let begin = slot.changes as usize;
                let [first, second] = slot.counts.map(usize::from);
                let range = if way == 0 {
                    begin..begin + first
                } else {
                    begin + first..begin + first + second
                };
                merging.extend_from_slice(changes.get(range).unwrap_or_default());
            }
            ladder::merge(merging, rungs);
        });
        self.changes = changes;
        if let Some([alone]) = self.slots.get_mut(first_slot..) {
            alone.counts = [0, 0];
            self.changes.truncate(alone.changes as usize);
        }
    }

    fn copy_pool(&mut self, pair: PairView<'_>, slot: &Slot) {
        let changes = place(self.changes.len());
        for way in [0, 1] {
            self.changes.extend_from_slice(pair.changes(slot, way));
        }
        self.slots.push(Slot { changes, ..*slot });
    }

    fn open(&mut self) {
        self.pairs.push(Span {
            rungs: [place(self.rungs.len()); 3],
            slots: [place(self.slots.len()); 2],
        });
    }

    /// A pool that nobody can trade with leaves no trace.
    fn add_pool(&mut self, pool: &PoolView<'_>, flipped: bool) {
        if pool.router().is_none() {
            return;
        }
        let Ok(curve) = pool.curve() else { return };
        let changes = place(self.changes.len());
        let sides = if flipped {
            [Side::Token1, Side::Token0]
        } else {
            Side::BOTH
        };
        let counts = sides.map(|side| self.add_changes(&curve.ladder(side)));
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

    fn add_changes(&mut self, ladder: &Ladder) -> u16 {
        let before = self.changes.len();
        let mut slope = 0.0;
        for rung in ladder.rungs() {
            self.changes.push((rung.z, rung.slope - slope));
            slope = rung.slope;
        }
        if ladder.end().is_finite() && slope > 0.0 {
            self.changes.push((ladder.end(), -slope));
        }
        u16::try_from(self.changes.len() - before).unwrap_or(u16::MAX)
    }

    fn close_with(&mut self, mut rungs: impl FnMut(&mut Vec<Rung>, Way)) {
        rungs(&mut self.rungs, 0);
        let second = place(self.rungs.len());
        rungs(&mut self.rungs, 1);
        let (end, last_slot) = (place(self.rungs.len()), place(self.slots.len()));
        let Some(span) = self.pairs.last_mut() else {
            return;
        };
        span.rungs = [span.rungs[0], second, end];
        span.slots[1] = last_slot;
    }

    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>()
            + size_of::<Span>() * self.pairs.capacity()
            + size_of::<Rung>() * self.rungs.capacity()
            + size_of::<Slot>() * self.slots.capacity()
            + size_of::<(f64, f64)>() * self.changes.capacity()
    }
}

/// A place in a list: no board has 2³² of anything.
fn place(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
