//! The simulated Starknet node.

mod block;
mod builder;
mod chain;
mod config;
mod contract;
mod contracts;
mod execution;
mod fault;
mod feed;
mod hash;
mod node;
mod rpc;
mod state;
mod transaction;
mod world;

pub use chain::ReorgError;
pub use config::{History, StarknetConfig};
pub use fault::{FaultError, FaultKind, UnknownFault};
pub use node::StarknetNode;
pub use world::{Funding, PrefundedAccount};
