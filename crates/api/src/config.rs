//! What the operator decides about the HTTP faces.

use crate::{
    dialect::Dialect,
    http::{client_address::AddressRange, limits::RateLimits, streams::StreamLimits},
    marketplace::MarketplaceConfig,
    network::NetworkSegment,
};
use services::AnswerSigner;
use std::time::Duration;

/// The operator's choices.
#[derive(Debug, Clone)]
pub struct ApiConfig {
    /// The path segment that names the network.
    pub network: NetworkSegment,
    /// Whose names the answers use.
    pub dialect: Dialect,
    /// Proxies whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<AddressRange>,
    /// Limits on requests; none if they are not to be counted.
    pub rate_limits: Option<RateLimits>,
    /// How many streams there may be.
    pub streams: StreamLimits,
    /// A request that takes longer is given up.
    pub request_timeout: Duration,
    /// The largest request body that is read.
    pub max_body_bytes: usize,
    /// Whether the figures are on the public listeners, too.
    pub public_metrics: bool,
    /// Who signs answers of the trading and market APIs, for callers who ask for it.
    pub signer: Option<AnswerSigner>,
    /// How the marketplace names itself and limits its callers; unused without one.
    pub marketplace: MarketplaceConfig,
}

impl Default for ApiConfig {
    fn default() -> Self {
        Self {
            network: NetworkSegment::default(),
            dialect: Dialect::default(),
            trusted_proxies: Vec::new(),
            rate_limits: Some(RateLimits::default()),
            streams: StreamLimits::default(),
            request_timeout: Duration::from_secs(30),
            max_body_bytes: 1024 * 1024,
            public_metrics: true,
            signer: None,
            marketplace: MarketplaceConfig::default(),
        }
    }
}
