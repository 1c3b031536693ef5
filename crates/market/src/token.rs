//! A token of the list.

use crate::{listing::Listing, metadata::TokenMetadata, tag::Tag};
use primitives::Address;
use std::sync::Arc;

/// A token as the list shows it.
#[derive(Debug, Clone)]
pub struct Token {
    /// Its contract.
    pub address: Address,
    /// What it says of itself.
    pub metadata: TokenMetadata,
    /// What the curated list says of it.
    pub listing: Arc<Listing>,
    /// Volume of the last 24 hours, in USD.
    pub daily_volume_usd: f64,
    pub(crate) name_key: String,
    pub(crate) symbol_key: String,
}

impl Token {
    pub(crate) fn new(address: Address, metadata: &TokenMetadata, listing: Arc<Listing>) -> Self {
        Self {
            address,
            name_key: metadata.name.to_lowercase(),
            symbol_key: metadata.symbol.to_lowercase(),
            metadata: metadata.clone(),
            listing,
            daily_volume_usd: 0.0,
        }
    }

    /// Whether the operator has verified it.
    pub fn is_verified(&self) -> bool {
        self.has_tag(Tag::Verified)
    }

    /// Whether it carries a tag.
    pub fn has_tag(&self, tag: Tag) -> bool {
        self.listing.tags.contains(&tag)
    }
}
