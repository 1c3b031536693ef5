//! The specification's errors.

use super::hex::hex;
use crate::journal::KeepError;
use crate::jsonrpc::RpcError;
use crate::starknet::failure::{CallFailure, Revert};
use crate::starknet::refusal::Refusal;
use serde_json::{Value, json};

pub(super) const CONTRACT_NOT_FOUND: RpcError = RpcError::new(20, "Contract not found");
pub(super) const ENTRYPOINT_NOT_FOUND: RpcError =
    RpcError::new(21, "Requested entrypoint does not exist in the contract");
pub(super) const BLOCK_NOT_FOUND: RpcError = RpcError::new(24, "Block not found");
pub(super) const INVALID_TXN_INDEX: RpcError =
    RpcError::new(27, "Invalid transaction index in a block");
pub(super) const CLASS_HASH_NOT_FOUND: RpcError = RpcError::new(28, "Class hash not found");
pub(super) const TXN_HASH_NOT_FOUND: RpcError = RpcError::new(29, "Transaction hash not found");
pub(super) const PAGE_SIZE_TOO_BIG: RpcError = RpcError::new(31, "Requested page size is too big");
pub(super) const INVALID_CONTINUATION_TOKEN: RpcError =
    RpcError::new(33, "The supplied continuation token is invalid or unknown");
pub(super) const TOO_MANY_KEYS_IN_FILTER: RpcError =
    RpcError::new(34, "Too many keys provided in a filter");
pub(super) const INVALID_SUBSCRIPTION_ID: RpcError = RpcError::new(66, "Invalid subscription id");
pub(super) const TOO_MANY_BLOCKS_BACK: RpcError =
    RpcError::new(68, "Cannot go back more than 1024 blocks");
pub(super) const UNSUPPORTED_TX_VERSION: RpcError =
    RpcError::new(61, "the transaction version is not supported");
const CONTRACT_ERROR: RpcError = RpcError::new(40, "Contract error");
const TRANSACTION_EXECUTION_ERROR: RpcError = RpcError::new(41, "Transaction execution error");
const INVALID_TRANSACTION_NONCE: RpcError = RpcError::new(52, "Invalid transaction nonce");
const INSUFFICIENT_RESOURCES_FOR_VALIDATE: RpcError = RpcError::new(
    53,
    "The transaction's resources don't cover validation or the minimal transaction fee",
);
const INSUFFICIENT_ACCOUNT_BALANCE: RpcError = RpcError::new(
    54,
    "Account balance is smaller than the transaction's max_fee",
);
const VALIDATION_FAILURE: RpcError = RpcError::new(55, "Account validation failed");
const NON_ACCOUNT: RpcError = RpcError::new(58, "Sender address is not an account contract");
const DUPLICATE_TX: RpcError = RpcError::new(
    59,
    "A transaction with the same hash already exists in the mempool",
);
const UNEXPECTED_ERROR: RpcError = RpcError::new(63, "An unexpected error occurred");
const REPLACEMENT_TRANSACTION_UNDERPRICED: RpcError =
    RpcError::new(64, "Replacement transaction is underpriced");

impl From<CallFailure> for RpcError {
    fn from(failure: CallFailure) -> Self {
        match failure {
            CallFailure::ContractNotFound(_) => CONTRACT_NOT_FOUND,
            CallFailure::EntrypointNotFound(_) => ENTRYPOINT_NOT_FOUND,
            CallFailure::Reverted { .. } => {
                CONTRACT_ERROR.with_data(json!({ "revert_error": execution_error(&failure) }))
            }
        }
    }
}

impl From<Refusal> for RpcError {
    fn from(refusal: Refusal) -> Self {
        let error = match refusal {
            Refusal::Duplicate(_) => return DUPLICATE_TX,
            Refusal::Replacement(_) => return REPLACEMENT_TRANSACTION_UNDERPRICED,
            Refusal::NotAnAccount(_) => return NON_ACCOUNT,
            Refusal::ClassNotFound(_) => return CLASS_HASH_NOT_FOUND,
            Refusal::Nonce { .. } => INVALID_TRANSACTION_NONCE,
            Refusal::Bounds { .. } => INSUFFICIENT_RESOURCES_FOR_VALIDATE,
            Refusal::Balance { .. } => INSUFFICIENT_ACCOUNT_BALANCE,
            Refusal::NotDeployed(_) | Refusal::Validation(_) => VALIDATION_FAILURE,
            Refusal::Full | Refusal::NotKept(_) => UNEXPECTED_ERROR,
        };
        error.with_data(refusal.to_string())
    }
}

impl From<KeepError> for RpcError {
    fn from(error: KeepError) -> Self {
        Self::INTERNAL.with_data(json!({ "reason": error.reason() }))
    }
}

/// A transaction of a simulation cannot be executed.
pub(super) fn not_executed(index: usize, cause: impl Into<Value>) -> RpcError {
    TRANSACTION_EXECUTION_ERROR.with_data(json!({
        "transaction_index": index,
        "execution_error": cause.into(),
    }))
}

/// The calls that failed within each other, and at last why.
pub(super) fn execution_error(failure: &CallFailure) -> Value {
    match failure {
        CallFailure::Reverted {
            contract,
            class_hash,
            selector,
            revert,
        } => json!({
            "contract_address": hex(contract),
            "class_hash": hex(class_hash),
            "selector": hex(selector),
            "error": match revert {
                Revert::Reason(reason) => json!(reason),
                Revert::Inner(inner) => execution_error(inner),
            },
        }),
        _ => json!(failure.to_string()),
    }
}
