//! What people say of a chain, beside what the chain says itself.

use amm::book::Registry;
use market::{Listings, price::METHOD};
use sha2::{Digest as _, Sha256};
use std::sync::Arc;

/// The curated part of what is known.
#[derive(Debug, Clone, Default)]
pub struct Known {
    /// Of tokens.
    pub listings: Arc<Listings>,
    /// Of exchanges.
    pub venues: Arc<Registry>,
}

impl Known {
    /// Tells venues apart by what decides which events are followed. A venue
    /// that is only switched on or off, or a class that becomes known, changes
    /// nothing that is stored.
    ///
    /// Figures hang on the anchors and on the method of prices, so that others
    /// of these make other figures from the first block on.
    pub(crate) fn venues_digest(&self) -> [u8; 32] {
        let mut digest = Sha256::new();
        digest.update(METHOD.to_be_bytes());
        for anchors in [&self.anchors.stables, &self.anchors.hubs] {
            digest.update(anchors.len().to_be_bytes());
            for anchor in anchors {
                digest.update(anchor.to_bytes());
            }
        }
        for venue in self.venues.venues() {
            digest.update(venue.contract.to_bytes());
            digest.update(format!("{:?}", venue.kind));
            digest.update(venue.start_block.to_be_bytes());
        }
        digest.finalize().into()
    }
}
