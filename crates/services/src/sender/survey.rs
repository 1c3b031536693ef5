//! What an account has, and what calls would cost it.

use super::admission::AccountView;
use chain::FeeEstimate;
use primitives::transaction_hash::ResourceBounds;

/// A look at an account before it makes calls.
#[derive(Debug, Clone, Copy)]
pub struct Survey {
    pub(super) view: AccountView,
    pub(super) bounds: ResourceBounds,
    pub(super) estimate: FeeEstimate,
    pub(super) tip: u64,
}

impl Survey {
    /// What the node expects the calls to cost, in the smallest unit of STRK.
    pub fn fee(&self) -> u128 {
        self.estimate.overall_fee
    }
}
