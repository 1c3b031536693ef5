//! What people say of a chain, beside what the chain says itself.

use crate::global::GlobalFeed;
use amm::book::Registry;
use market::{
    Listings,
    following::Following,
    price::{AnchorList, METHOD},
};
use primitives::Address;
use sha2::{Digest as _, Sha256};
use std::{collections::BTreeMap, sync::Arc};

/// How events of venues are read: a number that is raised whenever the same block
/// may come to tell something else of pools than before.
const READING: u32 = 3;

/// The curated part of what is known.
#[derive(Debug, Clone, Default)]
pub struct Known {
    /// Of tokens.
    pub listings: Arc<Listings>,
    /// Of exchanges.
    pub venues: Arc<Registry>,
    /// Of the tokens that prices hang on.
    pub anchors: Arc<AnchorList>,
    /// Of what else is worth keeping.
    pub following: Arc<Following>,
    /// What the wider market says: it changes, and never what is indexed.
    pub global: GlobalFeed,
}

impl Known {
    /// Tells apart what decides which events are followed and what they mean:
    /// contracts of venues, how their events are read, anchors, and the method of
    /// prices. A venue that is only switched on or off, or a class that becomes
    /// known, changes nothing that is stored.
    pub(crate) fn digest(&self) -> [u8; 32] {
        let mut digest = Sha256::new();
        digest.update(METHOD.to_be_bytes());
        digest.update(READING.to_be_bytes());
        for venue in self.venues.venues() {
            digest.update(venue.contract.to_bytes());
            digest.update(format!("{:?}", venue.kind));
            digest.update(venue.start_block.to_be_bytes());
        }
        for (role, anchors) in [
            ("stables", &self.anchors.stables),
            ("hubs", &self.anchors.hubs),
        ] {
            digest.update(role);
            for anchor in anchors {
                digest.update(anchor.to_bytes());
            }
        }
        digest.finalize().into()
    }

    /// The first block of which it matters which contracts it gave other code; none
    /// if there are no venues.
    pub(crate) fn code_from(&self) -> Option<u64> {
        let venues = self.venues.venues().iter();
        venues.map(|venue| venue.start_block).min()
    }

    /// The contracts that are followed, each with what tells apart what is
    /// configured of it.
    pub(crate) fn leads(&self) -> BTreeMap<Address, [u8; 32]> {
        let mut leads = BTreeMap::new();
        for lead in &self.following.leads {
            let mut digest = Sha256::new();
            digest.update(lead.from_block.to_be_bytes());
            for birth in &lead.births {
                digest.update(birth.event.to_bytes_be());
                digest.update(format!("{:?}{:?}", birth.named, birth.from_block));
            }
            let digest = digest.finalize().into();
            leads.entry(lead.contract).or_insert(digest);
        }
        leads
    }
}
