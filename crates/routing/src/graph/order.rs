//! The merged curve of a pair, from its pools' changes of slope.
//!
//! How the changes follow each other is remembered as the pools whose next one
//! it is: when a few pools change, theirs are put among the rest, and nothing is
//! sorted anew.

use super::board::{Slot, Way};
use crate::ladder::{self, Climb};
use amm::book::PoolId;
use amm::{Pieces, Rung};

/// A pool that changed or is no longer there. No list is as long.
const GONE: u32 = u32::MAX;

/// A change of slope, and the pool whose it is.
#[derive(Debug, Clone, Copy)]
struct Fresh {
    pool: u32,
    change: (f64, f64),
}

impl Fresh {
    /// By what changes follow each other, whatever was before: where they are,
    /// and then the number of the pool. What is positive has the order of its
    /// bits.
    const fn place(&self) -> (u64, u32) {
        (self.change.0.to_bits(), self.pool)
    }
}

/// What follows of a pool: its number now, and where its next change is. Of one
/// that changed or is no longer there nothing is.
#[derive(Debug, Clone, Copy)]
struct Rest {
    pool: u32,
    next: u32,
}

/// Merges pools. It remembers nothing but its memory.
#[derive(Debug, Default)]
pub(super) struct Merger {
    /// For every pool before, what follows of it.
    rest: Vec<Rest>,
    /// The pools that changed or came.
    new: Vec<u32>,
    fresh: Vec<Fresh>,
    rungs: Vec<Rung>,
    pieces: Pieces,
}

impl Merger {
    /// The bytes of its longer lists.
    pub(super) const fn bytes(&self) -> usize {
        size_of::<Rung>() * self.rungs.capacity() + size_of::<Fresh>() * self.fresh.capacity()
    }

    /// A list for the curve of a pool.
    pub(super) const fn pieces(&mut self) -> &mut Pieces {
        &mut self.pieces
    }

    /// Begins a pair of which the pools in `new` changed or came. All lists are
    /// in the order of the pools' numbers.
    pub(super) fn begin(&mut self, old: &[Slot], slots: &[Slot], new: &[PoolId]) {
        self.rest.clear();
        self.new.clear();
        let gone = Rest {
            pool: GONE,
            next: GONE,
        };
        let (mut before, mut new) = (old.iter(), new.iter().peekable());
        for (slot, pool) in slots.iter().zip(0..GONE) {
            while new.next_if(|pool| **pool < slot.pool).is_some() {}
            if new.peek() == Some(&&slot.pool) {
                self.new.push(pool);
                continue;
            }
            let between = before.by_ref().take_while(|was| was.pool != slot.pool);
            self.rest.extend(between.map(|_| gone));
            self.rest.push(Rest { pool, next: GONE });
        }
        self.rest.resize(old.len(), gone);
    }

    /// Writes the curve in a direction, and how the changes of these pools
    /// follow each other, from how those before `were`.
    pub(super) fn merge(
        &mut self,
        were: &[u32],
        slots: &[Slot],
        changes: &[(f64, f64)],
        way: Way,
        order: &mut Vec<u32>,
        rungs: &mut Vec<Rung>,
    ) {
        self.sort_new(slots, changes, way);
        for rest in &mut self.rest {
            let slot = slots.get(rest.pool as usize);
            rest.next = slot.map_or(GONE, |slot| slot.range(way)[0]);
        }
        // Both lists are made long enough beforehand: to ask at every change
        // whether there is room takes longer than to write it.
        let begin = order.len();
        let most = were.len() + self.fresh.len();
        order.resize(begin + most, GONE);
        if self.rungs.len() < most {
            self.rungs.resize(most, ladder::NO_RUNG);
        }
        let mut places = order.get_mut(begin..).unwrap_or_default().iter_mut();
        let mut climb = Climb::new(&mut self.rungs);
        let mut put = |Fresh { pool, change }: Fresh| {
            if let Some(place) = places.next() {
                *place = pool;
            }
            climb.pass(change);
        };
        let mut fresh = self.fresh.iter();
        let mut first = place_of_first(&fresh);
        for was in were {
            let Some(rest) = self.rest.get_mut(*was as usize) else {
                continue;
            };
            let Some(change) = changes.get(rest.next as usize).copied() else {
                continue;
            };
            rest.next += 1;
            let pool = rest.pool;
            let kept = Fresh { pool, change };
            // The first test is the cheap one, and nearly always the last.
            while first.0 <= change.0.to_bits() && first < kept.place() {
                fresh.next().copied().map(&mut put);
                first = place_of_first(&fresh);
            }
            put(kept);
        }
        fresh.copied().for_each(&mut put);
        let count = climb.finish();
        let written = most - places.len();
        order.truncate(begin + written);
        rungs.extend_from_slice(self.rungs.get(..count).unwrap_or_default());
    }

    /// The changes of the new pools in their order.
    fn sort_new(&mut self, slots: &[Slot], changes: &[(f64, f64)], way: Way) {
        self.fresh.clear();
        for pool in self.new.iter().copied() {
            let range = slots.get(pool as usize).map(|slot| slot.range(way));
            let [start, end] = range.unwrap_or_default();
            let changes = changes.get(start as usize..end as usize);
            let changes = changes.unwrap_or_default().iter();
            self.fresh.extend(changes.map(|change| Fresh {
                pool,
                change: *change,
            }));
        }
        if self.new.len() > 1 {
            self.fresh.sort_unstable_by_key(Fresh::place);
        }
    }
}

/// The place of the next one; behind all others if there is none.
fn place_of_first(fresh: &std::slice::Iter<'_, Fresh>) -> (u64, u32) {
    let first = fresh.as_slice().first();
    first.map_or((u64::MAX, GONE), Fresh::place)
}
