//! A short name of a token.

use serde::{Deserialize, Serialize};

/// The place of a token among those that figures are kept of, given in the
/// order in which the chain shows them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TokenId(pub u32);

impl TokenId {
    /// The place as an index.
    pub fn index(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}
