//! The HTTP faces of Stoa.
//!
//! The trading API has the token list, the market API prices, candles, volumes
//! and TVL, the marketplace leases of validators; each can have a listener of
//! its own, or all are on one. Names of the first two follow the operator's
//! dialect.
//!
//! What is asked about the chain is answered from the published snapshot, never
//! from the store.
//! Whatever happens to it, the answer is a document that says what went wrong,
//! and carries the request's id.

mod api;
mod config;
mod console;
mod dialect;
mod docs;
mod http;
mod market;
mod marketplace;
mod network;
mod openapi;
mod operation;
mod paymaster;
mod trade;

pub use api::{Api, ApiServices};
pub use config::ApiConfig;
pub use dialect::{Dialect, UnknownDialect};
pub use http::client_address::{AddressRange, AddressRangeError};
pub use http::error::{ErrorBody, Problems, Rejection};
pub use http::json::JsonBody;
pub use http::json_answer::Json;
pub use http::limits::RateLimits;
pub use http::metrics::{REQUEST_SECONDS, REQUEST_SECONDS_BUCKETS, REQUESTS_TOTAL};
pub use http::middleware::SIMULATED_PERSON;
pub use http::server::{ConnectionLimits, Connections, serve};
pub use http::streams::StreamLimits;
pub use marketplace::{CatalogEntry, MarketplaceConfig, MarketplaceLimits, Slug};
pub use network::{NetworkSegment, NetworkSegmentError};
pub use openapi::openapi_documents;
