//! The simulated Solana node beside the network's own virtual machine.
//!
//! [`Pair`] gives both the same accounts, the same blockhash and the same bytes,
//! and ends the test where they disagree: about whether a transaction is one,
//! whether it is taken, how it ends, what it costs, or about any account that it
//! names. [`Draft`] writes the bytes, good and bad ones.

#![expect(
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    clippy::unwrap_used,
    reason = "only tests use this crate, and a failed step is a failed test"
)]

mod beyond;
mod draft;
mod machine;
mod node;
mod pair;

pub use draft::{
    COMPUTE_BUDGET, Call, Draft, Lookup, MEMO_V1, MEMO_V3, Role, SYSTEM, UPGRADEABLE_LOADER, VOTE,
    address, resigned, system,
};
pub use pair::Pair;

/// What becomes of a transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The bytes are none.
    Unreadable,
    /// Somebody who has to did not sign.
    Unsigned,
    /// It is not taken, for this reason, and costs nothing.
    Refused(String),
    /// It is in the chain. The error, if there is one, is in the network's JSON.
    Landed {
        /// `null` if it succeeded.
        error: serde_json::Value,
        /// What the payer paid.
        fee: u64,
    },
}

/// An account as both see it; `None` where there is nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holding {
    /// What it holds.
    pub lamports: u64,
    /// The program that it belongs to.
    pub owner: primitives::PublicKey,
    /// Bytes of data.
    pub space: usize,
}
