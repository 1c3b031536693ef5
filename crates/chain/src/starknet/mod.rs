//! A Starknet node, spec 0.8 to 0.10.

mod block;
mod broadcast;
mod calls;
mod client;
mod event_heights;
mod exchange;
mod fees;
mod felt;
mod heads;
mod holdings;
mod outcome;
mod pools;
mod readings;
mod receipts;
mod sending;
mod signer;
mod simulation;
mod spec;
mod supplies;
mod text;
mod venues;
mod watched;

pub use block::Block;
pub use broadcast::{Broadcast, BroadcastAction, ContractCall, execution};
pub use client::{MAX_BLOCKS, StarknetClient};
pub use exchange::{BlockGas, ExchangeAnswer, ExchangeQuestion};
pub use fees::FeeEstimate;
pub use heads::{HeadsError, ring_at_heads};
pub use outcome::{Executed, Finality, TransactionReceipt, TransactionStatus};
pub use pools::{MAX_PAIRS, PoolAnswer, PoolQuestion};
pub use receipts::{Event, Transfers};
pub use sending::SendError;
pub use signer::StarkSigner;
pub use simulation::{Imagined, Simulated};
pub use spec::SpecVersion;
pub use venues::{Untold, pool_event};
