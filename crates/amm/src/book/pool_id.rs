//! The number of a pool in its book.

use serde::{Deserialize, Serialize};

/// The place of a pool in its book. Places are given in the order in which
/// pools come into being.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PoolId(pub(super) u32);

impl PoolId {
    /// The place, counted from 0.
    #[must_use]
    pub const fn index(self) -> u32 {
        self.0
    }

    pub(super) fn as_usize(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}
