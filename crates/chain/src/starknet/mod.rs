//! A Starknet node, spec 0.8 to 0.10.

mod block;
mod calls;
mod client;
mod exchange;
mod felt;
mod heads;
mod holdings;
mod pools;
mod readings;
mod receipts;
mod simulation;
mod spec;
mod supplies;
mod text;
mod venues;

pub use block::Block;
pub use client::{MAX_BLOCKS, StarknetClient};
pub use exchange::{BlockGas, ExchangeAnswer, ExchangeQuestion};
pub use heads::{HeadsError, ring_at_heads};
pub use pools::{MAX_PAIRS, PoolAnswer, PoolQuestion};
pub use receipts::{Event, Transfers};
pub use simulation::{Imagined, Simulated};
pub use spec::SpecVersion;
pub use venues::{Untold, pool_event};
