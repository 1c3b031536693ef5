//! Reading a chain, and sending to it, through a node that speaks JSON-RPC over HTTP.
//!
//! `jsonrpc` is the transport and knows no chain: timeouts, bounded retries,
//! a concurrency limit, bounded answers. `starknet` asks a Starknet node of
//! spec 0.8 to 0.10 and decodes what it says, `solana` does so with a Solana node.
//!
//! A node is not trusted: whatever it answers is a value or an [`RpcError`],
//! never a panic and never unbounded memory. The node's address may hold a
//! secret; only its scheme, host and port are ever shown.

mod error;
mod jsonrpc;
mod solana;
mod starknet;

pub use error::{NodeError, RpcError};
pub use jsonrpc::{RpcOptions, is_loopback};
pub use solana::{
    BlockProduction, EpochCredits, EpochSchedule, IdentityStake, LeaderSchedule, MAX_SIGNATURES,
    RecentBlockhash, SignatureEntry, SignaturePage, SolanaClient, VoteAccount, VoteAccounts,
};
pub use starknet::{
    AccountFacts, Block, BlockGas, BlockMark, Broadcast, BroadcastAction, ContractCall,
    DelegationPool, Event, EventPage, ExchangeAnswer, ExchangeQuestion, Executed, FeeEstimate,
    Finality, HeadsError, Imagined, MAX_BLOCKS, MAX_EVENT_PAGES, MAX_PAIRS, Membership,
    NumberedPool, PastEvent, PoolAnswer, PoolMember, PoolQuestion, SendError, Simulated,
    SpecVersion, StakerAnswer, StakerQuestion, StarkSigner, StarknetClient, TickedPool,
    TickedQuestion, Trade, TransactionReceipt, TransactionStatus, Transfers, Untold, VaultReading,
    asked, deposited, execution, named_pool, pool_event, ring_at_heads,
};
