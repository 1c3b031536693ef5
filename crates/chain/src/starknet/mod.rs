//! A Starknet node, spec 0.8 to 0.10.

mod block;
mod client;
mod felt;
mod heads;
mod readings;
mod spec;
mod text;
mod transfers;

pub use block::Block;
pub use client::{MAX_BLOCKS, StarknetClient};
pub use heads::{HeadsError, ring_at_heads};
pub use spec::SpecVersion;
