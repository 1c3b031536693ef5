//! A Solana node.
//!
//! Answers are read for what this program needs of them. Fields that it does not
//! know are passed over: nodes grow new ones with every release.

mod accounts;
mod blocks;
mod client;
mod epochs;
mod nodes;
mod signatures;
mod transaction;
mod votes;

pub use accounts::RecentBlockhash;
pub use blocks::BlockProduction;
pub use client::SolanaClient;
pub use epochs::{EpochSchedule, LeaderSchedule};
pub use signatures::{MAX_SIGNATURES, SignatureEntry, SignaturePage};
pub use votes::{EpochCredits, IdentityStake, VoteAccount, VoteAccounts};
