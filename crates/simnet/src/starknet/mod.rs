//! The simulated Starknet node.

mod aggregator;
mod block;
mod builder;
mod chain;
mod class;
mod config;
mod contract;
mod contracts;
mod execution;
mod failure;
mod feed;
mod gas;
mod hash;
mod journal;
mod ledger;
mod mempool;
mod network;
mod node;
mod process;
mod refusal;
mod rpc;
mod serving;
mod state;
mod storage;
mod syscalls;
mod trace;
mod transaction;
#[cfg(test)]
mod wallet;
mod world;

pub use chain::ReorgError;
pub use config::{History, HistoryProgress, StarknetConfig};
pub use ledger::SteerError;
pub use node::StarknetNode;
pub use refusal::Refusal;
pub use transaction::{Action, SignedTransaction};
pub use world::{Funding, PrefundedAccount};
