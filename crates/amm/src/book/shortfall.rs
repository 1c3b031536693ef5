//! What must have been in a pool, by what is taken out of it.
//!
//! A pool that is taken over in the middle of its life is known to the tick, but
//! not by what it owes in fees: what it holds is at least what its positions are
//! worth.

use super::{Book, Change, Movement};
use crate::Signed;

impl Book {
    /// What a change takes out of a pool beyond what is known to be in it, as a
    /// change that comes before it. Only for pools that were taken over.
    #[must_use]
    pub fn shortfall(&self, change: &Change) -> Option<Change> {
        let Change::Moved { pool, movement } = *change else {
            return None;
        };
        let (Movement::Swapped { delta, .. }
        | Movement::Position { delta, .. }
        | Movement::Held(delta)) = movement
        else {
            return None;
        };
        let held = self.pools().get(pool)?.pool.holdings();
        let missing = |held: u128, delta: Signed| {
            let taken = if delta.is_negative() {
                delta.magnitude()
            } else {
                0
            };
            Signed::positive(taken.saturating_sub(held))
        };
        let ([held0, held1], [delta0, delta1]) = (held, delta);
        let missing = [missing(held0, delta0), missing(held1, delta1)];
        let movement = Movement::Held(missing);
        (missing != [Signed::ZERO; 2]).then_some(Change::Moved { pool, movement })
    }
}
