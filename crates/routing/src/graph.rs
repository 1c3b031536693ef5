//! All pools of a block, as routes are searched on them.

use amm::book::{PoolId, Pools};
use primitives::Address;

/// All pools of a block that routes may pass. It never changes; a later one
/// shares with it what stays as it was.
#[derive(Debug, Clone, Default)]
pub struct Graph {}

impl Graph {
    /// The graph of these pools. `worth` is the reference price of a token's
    /// smallest unit, in any currency, 0 where it is not known: it decides
    /// which tokens are worth passing, never what a route pays.
    #[must_use]
    pub fn new(_pools: &Pools, _worth: impl Fn(Address) -> f64) -> Self {
        Self {}
    }

    /// The graph after some pools changed or came into being.
    #[must_use]
    pub fn refreshed(
        &self,
        _pools: &Pools,
        _changed: &[PoolId],
        _worth: impl Fn(Address) -> f64,
    ) -> Self {
        Self {}
    }
}
