//! What a plan is measured by.

use crate::Costs;

/// A sale, in floating point. A purchase is searched as the sale of about what it
/// will cost.
#[derive(Debug, Clone)]
pub(super) struct Goal {
    /// What is sold by a single swap, and by more than one.
    pub(super) one: f64,
    pub(super) many: f64,
    /// Costs in the bought token.
    pub(super) costs: Costs,
    pub(super) max_swaps: usize,
}

impl Goal {
    /// What goes through the pools with so many swaps.
    pub(super) const fn amount(&self, swaps: usize) -> f64 {
        if swaps <= 1 { self.one } else { self.many }
    }

    /// What is left of what so many swaps buy, whose gas costs this.
    pub(super) fn net(&self, bought: f64, swaps: usize, cost: f64) -> f64 {
        bought * (1.0 - self.costs.fee(swaps)) - cost
    }
}
