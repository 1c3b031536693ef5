//! The client against a node that misbehaves on demand, over real sockets.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a failed step is a failed test"
)]

mod batches;
mod blocks;
mod failures;
mod holdings;
mod node;
mod secrets;
mod solana;
mod tokens;
mod watched;
