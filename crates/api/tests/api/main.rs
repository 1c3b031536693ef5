//! The API over its router, without sockets except where sockets are the point.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot go on fails"
)]

mod client_address;
mod console;
mod docs;
mod error;
mod head_start;
mod health;
mod limits;
mod market;
mod marketplace;
mod metrics;
mod middleware;
mod openapi;
mod paymaster;
mod server;
mod signing;
mod strictness;
mod support;
mod trade;
mod vertical;
