//! JSON-RPC 2.0 over HTTP, for any chain.

mod backoff;
mod client;
mod endpoint;
mod envelope;
mod options;

pub(crate) use client::{JsonRpc, parse};
pub use endpoint::is_loopback;
pub(crate) use endpoint::shown;
pub use options::RpcOptions;
