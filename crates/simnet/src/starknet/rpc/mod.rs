//! The node's JSON-RPC over HTTP and WebSocket.
//!
//! A request is answered on a blocking thread: the chain is locked only to look
//! blocks up, and large answers are written without holding up the runtime.

mod blocks;
mod broadcast;
mod calls;
mod classes;
mod control;
mod error;
mod events;
mod hex;
mod http;
mod id;
mod methods;
mod render;
mod simulate;
mod socket;
mod spec;
mod spoil;
mod storage;
mod subscriptions;
#[cfg(test)]
mod tests;
mod transactions;

pub(crate) use http::router;
