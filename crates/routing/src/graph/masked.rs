//! First prices without the pools of some venues, found once for each graph:
//! those who leave venues out mostly leave out the same.

use crate::VenueSet;
use std::sync::{Arc, Mutex, PoisonError};

/// Sets of venues that are remembered.
const MAX_SETS: usize = 4;

/// What is remembered, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Masked(Mutex<Vec<(VenueSet, Arc<[f64]>)>>);

impl Masked {
    /// The prices without these venues, as they are known or else made.
    pub(super) fn get(&self, avoid: VenueSet, make: impl FnOnce() -> Vec<f64>) -> Arc<[f64]> {
        if let Some(known) = self.known(avoid) {
            return known;
        }
        // Nobody waits for it: at worst two make the same.
        let rates: Arc<[f64]> = make().into();
        let mut sets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if sets.len() >= MAX_SETS {
            sets.remove(0);
        }
        sets.push((avoid, Arc::clone(&rates)));
        rates
    }

    fn known(&self, avoid: VenueSet) -> Option<Arc<[f64]>> {
        let sets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = sets.iter().find(|(set, _)| *set == avoid);
        known.map(|(_, rates)| Arc::clone(rates))
    }

    pub(super) fn bytes(&self) -> usize {
        let sets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sets.iter().map(|(_, rates)| size_of_val(&**rates)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ONE, VENUES, add, add_ranges, market};

    /// All sets of three venues.
    fn sets() -> Vec<VenueSet> {
        let mut book = market(&[]);
        for venue in VENUES {
            add(&mut book, venue, &([1, 2], [ONE, ONE], 300));
        }
        add_ranges(&mut book, [1, 2], 0);
        let venues: Vec<_> = book.pools().iter().map(|pool| pool.pool.venue()).collect();
        let is_in = |set: u32, place: usize| set & 1 << place != 0;
        let set = |set: u32| {
            let places = venues.iter().enumerate();
            places
                .filter(|(place, _)| is_in(set, *place))
                .map(|(_, venue)| *venue)
                .collect()
        };
        (0..8).map(set).collect()
    }

    #[test]
    fn what_is_known_is_not_made_again() {
        let (masked, sets) = (Masked::default(), sets());
        let first = masked.get(sets[1], || vec![1.0, 2.0]);
        let again = masked.get(sets[1], || panic!("it is known"));
        assert!(Arc::ptr_eq(&first, &again));
        assert_eq!(masked.get(sets[2], || vec![3.0]).len(), 1);
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let (masked, sets) = (Masked::default(), sets());
        for set in &sets {
            masked.get(*set, || vec![1.0]);
        }
        assert_eq!(masked.bytes(), MAX_SETS * size_of::<f64>());
        masked.get(sets[7], || panic!("it is the newest"));
        assert!(masked.get(sets[0], Vec::new).is_empty());
    }
}
