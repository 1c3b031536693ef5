//! Simulated nodes: seeded worlds behind the JSON-RPC of real ones.
//!
//! A node makes its whole history from a seed and a clock, goes on producing
//! blocks, and answers over HTTP like the real thing. The same seed and the same
//! clock give the same chain, hash for hash. Its contracts decode calldata by
//! themselves and share no code with what they are used to test.

mod caller;
mod fault;
mod journal;
mod jsonrpc;
mod objects;
mod socket;
mod solana;
mod starknet;
mod transport;

pub use fault::{FaultError, FaultKind, UnknownFault};
pub use journal::{KeepError, OpenError};
pub use solana::{
    SimulatedValidator, SlotReorgError, SlotSteerError, SolanaConfig, SolanaKeypair, SolanaNode,
};
pub use starknet::{
    Action, Funding, History, HistoryProgress, PrefundedAccount, Refusal, ReorgError,
    SignedTransaction, StarknetConfig, StarknetNode, SteerError,
};
