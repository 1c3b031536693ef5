//! How far a sender found what it has sent.

use primitives::Felt;
use store::SponsoredProgress;

/// How far something is that was sent for a purpose and is not settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sighting {
    /// The hash that speaks for the purpose.
    pub hash: Felt,
    /// How far it, or another attempt, is.
    pub progress: SponsoredProgress,
}
