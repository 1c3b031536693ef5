//! The simulated nodes as programs meet them: over HTTP and WebSocket.

mod aggregator;
mod faults;
mod node;
mod serving;
mod socket;
mod solana;
mod starknet_rust;
