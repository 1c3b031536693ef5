//! The simulated Solana node.

mod account;
mod airdrop;
mod blockhashes;
mod budget;
mod chain;
mod config;
mod digest;
mod execution;
mod failure;
mod history;
mod journal;
mod node;
mod programs;
#[cfg(test)]
mod properties;
mod rpc;
mod serving;
#[cfg(test)]
mod testing;
mod timeline;
mod validators;
mod wallet;
mod wire;
mod world;

pub use chain::SlotReorgError;
pub use config::SolanaConfig;
pub use node::{SlotSteerError, SolanaNode};
pub use validators::SimulatedValidator;
pub use wallet::SolanaKeypair;
