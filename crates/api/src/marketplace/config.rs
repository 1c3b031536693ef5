//! What the operator decides about the marketplace.

use services::Policy;

/// The operator's choices.
#[derive(Debug, Clone)]
pub struct MarketplaceConfig {
    /// Where the marketplace is found, without a slash at the end: what is
    /// configured as its public address, or else the listener. Wallets want
    /// `https`.
    pub base_url: String,
    /// Where the pages of refusals are, without a slash at the end; under
    /// `base_url` if none is given.
    pub errors_url: Option<String>,
    /// What wallets show as the payee.
    pub label: String,
    /// The key of cursors: the same for all replicas, and after a restart. If
    /// none is given, one is made at the start.
    pub cursor_key: Option<[u8; 32]>,
    /// Limits on requests; none if they are not to be counted.
    pub limits: Option<MarketplaceLimits>,
}

impl Default for MarketplaceConfig {
    fn default() -> Self {
        Self {
            base_url: "http://127.0.0.1:8080".to_owned(),
            errors_url: None,
            label: "Stoa validator leases".to_owned(),
            cursor_key: None,
            limits: Some(MarketplaceLimits::default()),
        }
    }
}

impl MarketplaceConfig {
    pub(super) fn errors_url(&self) -> String {
        let under = || format!("{}/errors", self.base_url);
        self.errors_url.clone().unwrap_or_else(under)
    }
}

/// What buckets hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MarketplaceLimits {
    /// Lease tokens, for each identity.
    pub token_minting: Policy,
    /// New leases, for each trader.
    pub lease_creation: Policy,
    /// Looking through validators, for each address.
    pub browsing: Policy,
    /// Everything else, for each identity, or address where there is none.
    pub other: Policy,
}

impl Default for MarketplaceLimits {
    fn default() -> Self {
        let a_minute = |limit| Policy {
            limit,
            window_s: 60,
        };
        Self {
            token_minting: a_minute(12),
            lease_creation: a_minute(10),
            browsing: a_minute(600),
            other: a_minute(60),
        }
    }
}
