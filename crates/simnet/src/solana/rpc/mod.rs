//! The node's JSON-RPC over HTTP and WebSocket.
//!
//! A request is answered on a blocking thread: signatures take long to check,
//! and the chain is locked only to look.

mod accounts;
mod cluster;
mod control;
mod error;
mod history;
mod http;
mod methods;
mod params;
mod render;
mod send;
mod socket;
mod spoil;
mod subscriptions;
#[cfg(test)]
mod tests;

pub(crate) use http::router;
pub(crate) use methods::answer;
