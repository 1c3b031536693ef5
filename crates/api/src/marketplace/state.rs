//! What the marketplace answers from.

use super::{
    config::{MarketplaceConfig, MarketplaceLimits},
    cursor::Cursors,
    known_bearers::KnownBearers,
    pages::WrittenPages,
};
use crate::http::{client_address::AddressRange, streams::Streams};
use primitives::{Clock, Entropy, Timestamp};
use services::{RateLimiter, leasing::Leasing};
use std::{fmt, sync::Arc};

/// What these routes answer from. Clones share it.
#[derive(Clone)]
pub(crate) struct MarketplaceState(Arc<Parts>);

struct Parts {
    leasing: Leasing,
    limiter: RateLimiter,
    clock: Arc<dyn Clock>,
    trusted_proxies: Vec<AddressRange>,
    streams: Streams,
    config: MarketplaceConfig,
    errors_url: String,
    cursors: Cursors,
    known_bearers: KnownBearers,
    pages: WrittenPages,
}

impl fmt::Debug for MarketplaceState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MarketplaceState").finish_non_exhaustive()
    }
}

impl MarketplaceState {
    pub(crate) fn new(
        leasing: Leasing,
        limiter: RateLimiter,
        clock: Arc<dyn Clock>,
        entropy: &Arc<dyn Entropy>,
        trusted_proxies: Vec<AddressRange>,
        streams: Streams,
        config: MarketplaceConfig,
    ) -> Self {
        let cursor_key = config.cursor_key.unwrap_or_else(|| entropy.bytes());
        Self(Arc::new(Parts {
            leasing,
            limiter,
            clock,
            trusted_proxies,
            streams,
            errors_url: config.errors_url(),
            cursors: Cursors::new(cursor_key),
            config,
            known_bearers: KnownBearers::default(),
            pages: WrittenPages::default(),
        }))
    }

    pub(super) fn leasing(&self) -> &Leasing {
        &self.0.leasing
    }

    pub(super) fn limiter(&self) -> &RateLimiter {
        &self.0.limiter
    }

    pub(super) fn limits(&self) -> Option<&MarketplaceLimits> {
        self.0.config.limits.as_ref()
    }

    pub(super) fn now(&self) -> Timestamp {
        self.0.clock.now()
    }

    pub(super) fn trusted_proxies(&self) -> &[AddressRange] {
        &self.0.trusted_proxies
    }

    pub(super) fn streams(&self) -> &Streams {
        &self.0.streams
    }

    pub(super) fn base_url(&self) -> &str {
        &self.0.config.base_url
    }

    pub(super) fn label(&self) -> &str {
        &self.0.config.label
    }

    pub(super) fn cursors(&self) -> &Cursors {
        &self.0.cursors
    }

    pub(super) fn pages(&self) -> &WrittenPages {
        &self.0.pages
    }

    pub(super) fn known_bearers(&self) -> &KnownBearers {
        &self.0.known_bearers
    }

    pub(super) fn errors_url(&self) -> &str {
        &self.0.errors_url
    }
}
