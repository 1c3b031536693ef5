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

mod addressing;
mod alarm;
mod api;
mod arrival;
mod client_address;
mod compression;
mod config;
mod content;
mod cors;
mod dialect;
mod docs;
mod entity_tag;
mod error;
mod health;
mod json;
mod limits;
mod market;
mod marketplace;
mod metrics;
mod network;
mod openapi;
mod operation;
mod request_id;
mod seldom;
mod server;
mod shell;
mod trade;

pub use api::{Api, ApiServices};
pub use client_address::{AddressRange, AddressRangeError};
pub use config::{ApiConfig, RateLimits};
pub use dialect::{Dialect, UnknownDialect};
pub use error::{ErrorBody, Problems, Rejection};
pub use json::JsonBody;
pub use marketplace::{Entry, MarketplaceConfig, MarketplaceLimits, Slug};
pub use metrics::{REQUEST_SECONDS, REQUEST_SECONDS_BUCKETS, REQUESTS_TOTAL};
pub use network::{NetworkSegment, NetworkSegmentError};
pub use openapi::openapi_documents;
pub use server::{ConnectionLimits, Connections, serve};
