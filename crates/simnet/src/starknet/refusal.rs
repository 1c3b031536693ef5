//! Why a transaction is not taken.

use primitives::{Felt, U256, felt_to_hex};
use thiserror::Error;

/// Why the node refuses a transaction, before anything of it happens.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Refusal {
    /// The very same transaction waits or is included already.
    #[error("transaction {} is known already", felt_to_hex(*.0))]
    Duplicate(Felt),
    /// The nonce was used before, or is too far in the future.
    #[error("account nonce is {expected}, transaction nonce is {given}")]
    Nonce {
        /// The account's next nonce.
        expected: u64,
        /// The nonce of the transaction.
        given: u64,
    },
    /// Another transaction with the same nonce waits, and this one does not offer
    /// enough more.
    #[error("a transaction of this sender with nonce {0} waits already, and does not offer less")]
    Replacement(u64),
    /// The bounds do not cover the least that a transaction costs.
    #[error("{resource} bound of {given} is below {least}")]
    Bounds {
        /// The kind of gas, and whether its amount or its price is meant.
        resource: String,
        /// What the sender allows.
        given: u128,
        /// What is needed.
        least: u128,
    },
    /// The account does not own the most that it may have to pay.
    #[error("balance {balance} is below the maximal fee {max_fee}")]
    Balance {
        /// STRK of the sender, in FRI.
        balance: U256,
        /// Amounts by prices of all bounds, in FRI.
        max_fee: U256,
    },
    /// Nothing is deployed at the sender's address.
    #[error("requested contract address {} is not deployed", felt_to_hex(*.0))]
    NotDeployed(Felt),
    /// The sender is a contract of another kind.
    #[error("contract {} is not an account", felt_to_hex(*.0))]
    NotAnAccount(Felt),
    /// No such class is declared.
    #[error("class {} is not declared", felt_to_hex(*.0))]
    ClassNotFound(Felt),
    /// The account itself does not agree.
    #[error("{0}")]
    Validation(String),
    /// Too many transactions wait.
    #[error("the mempool is full")]
    Full,
    /// The transaction cannot be kept, and so it is not taken.
    #[error("{0}")]
    NotKept(String),
}
