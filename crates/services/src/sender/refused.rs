//! Why nothing is sent.

use crate::fault::Fault;
use chain::RpcError;
use primitives::{Address, Impossible, U256};
use store::{Reservation, StoreError};
use thiserror::Error;

/// Why nothing is sent.
#[derive(Debug, Error)]
pub enum SendRefused {
    /// Something that Stoa stands on failed.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// There is no account at the address.
    #[error("no account is deployed at {0}")]
    NoAccount(Address),
    /// The calls would fail.
    #[error("the node says that the calls would fail")]
    WouldFail(#[source] RpcError),
    /// The node does not take the transaction.
    #[error("the node does not take the transaction")]
    NotTaken(#[source] RpcError),
    /// One transaction may not cost so much.
    #[error("a transaction may cost {allowed} at most, and this one more")]
    TooExpensive {
        /// What it may cost, if 128 bits can say it.
        max_fee: Option<u128>,
        /// The most that is allowed.
        allowed: u128,
    },
    /// The account has too little.
    #[error("{needed} is needed, with what is under way and the reserve, and there is {balance}")]
    Balance {
        /// For all that may have to be paid.
        needed: U256,
        /// What there is.
        balance: U256,
    },
    /// Too many are under way.
    #[error("{0} transactions are under way already")]
    InFlight(usize),
    /// The sponsor does not pay for it.
    #[error("the sponsor does not pay: {0:?}")]
    NotReserved(Reservation),
    /// What was final is not part of the chain any more.
    #[error(
        "the transaction with nonce {nonce}, final in block {block}, is not part of the chain \
         any more: the ledger is of another chain, or its history was rewritten"
    )]
    TakenBack {
        /// Its place among what the account sent.
        nonce: u64,
        /// Where it was.
        block: u64,
    },
}

impl SendRefused {
    /// Whether another account may do better.
    pub(super) fn is_of_an_account(&self) -> bool {
        matches!(
            self,
            Self::NoAccount(_) | Self::Balance { .. } | Self::InFlight(_) | Self::TakenBack { .. }
        )
    }
}

impl From<StoreError> for SendRefused {
    fn from(error: StoreError) -> Self {
        Self::Fault(error.into())
    }
}

impl From<RpcError> for SendRefused {
    fn from(error: RpcError) -> Self {
        Self::Fault(error.into())
    }
}

impl From<Impossible> for SendRefused {
    fn from(met: Impossible) -> Self {
        Self::Fault(met.into())
    }
}
