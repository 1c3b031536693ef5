//! How the changes of slope of many pools follow each other, remembered: when a
//! few pools change, theirs are put among the rest, and nothing is sorted anew.

use super::board::{Slot, Way};
use amm::book::PoolId;

/// A change that is no longer there.
const GONE: u32 = u32::MAX;

/// The places of changes in a list, in the order in which they follow each
/// other.
#[derive(Debug, Clone, Default)]
pub(super) struct Order(Vec<u32>);

impl Order {
    /// The order of the changes of these pools in a direction, from what `was`
    /// the order of what pools. The pools in `new` changed since, or came. The
    /// changes are left in `sorted`.
    pub(super) fn new(
        was: Option<(&[u32], &[Slot])>,
        slots: &[Slot],
        new: &[PoolId],
        changes: &[(f64, f64)],
        way: Way,
        sorted: &mut Vec<(f64, f64)>,
    ) -> Self {
        sorted.clear();
        let (was, old) = was.unwrap_or_default();
        let is_fresh = |slot: &&Slot| was.is_empty() || new.binary_search(&slot.pool).is_ok();
        let fresh = slots.iter().filter(is_fresh);
        let fresh = fresh.flat_map(|slot| places(slot, way));
        let fresh = fresh.filter_map(|place| Some((place, *changes.get(place as usize)?)));
        let mut fresh: Vec<(u32, (f64, f64))> = fresh.collect();
        fresh.sort_unstable_by_key(|(_, change)| place_of(change));
        let mut order = Vec::with_capacity(was.len() + fresh.len());
        let mut put = |place: u32, change: (f64, f64)| {
            order.push(place);
            sorted.push(change);
        };
        let mut fresh = fresh.into_iter().peekable();
        let moved = moved(old, slots, new, way);
        for place in was {
            let place = moved.get(*place as usize).copied().unwrap_or(GONE);
            let Some(change) = changes.get(place as usize) else {
                continue;
            };
            let here = place_of(change);
            while let Some((place, change)) = fresh.next_if(|(_, change)| place_of(change) < here) {
                put(place, change);
            }
            put(place, *change);
        }
        fresh.for_each(|(place, change)| put(place, change));
        order.shrink_to_fit();
        Self(order)
    }

    pub(super) fn places(&self) -> &[u32] {
        &self.0
    }

    /// The bytes that it takes.
    pub(super) const fn bytes(&self) -> usize {
        size_of::<u32>() * self.0.capacity()
    }
}

/// By what changes follow each other, whatever was before: where they are, and
/// then anything that tells them apart. What is positive has the order of its
/// bits.
fn place_of((z, change): &(f64, f64)) -> u128 {
    u128::from(z.to_bits()) << 64 | u128::from(change.to_bits())
}

fn places(slot: &Slot, way: Way) -> std::ops::Range<u32> {
    let [start, end] = slot.range(way);
    start..end
}

/// Where changes of old slots are now, [`GONE`] if they are not. Both lists of
/// slots are in the order of their pools.
fn moved(old: &[Slot], slots: &[Slot], new: &[PoolId], way: Way) -> Vec<u32> {
    let end = old.last().map_or(0, |slot| slot.range(1)[1]);
    let mut moved = vec![GONE; end as usize];
    let mut slots = slots.iter().peekable();
    for was in old {
        while slots.next_if(|slot| slot.pool < was.pool).is_some() {}
        if new.binary_search(&was.pool).is_ok() {
            continue;
        }
        if let Some(slot) = slots.next_if(|slot| slot.pool == was.pool) {
            let range = places(was, way);
            let range = range.start as usize..range.end as usize;
            let places = moved.get_mut(range).unwrap_or_default().iter_mut();
            places
                .zip(self::places(slot, way))
                .for_each(|(to, place)| *to = place);
        }
    }
    moved
}
