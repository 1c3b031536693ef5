//! The errors of the network's JSON-RPC.

use crate::journal::KeepError;
use crate::jsonrpc::RpcError;
use crate::solana::chain::Rejection;
use crate::solana::node::SendError;
use primitives::Signature;
use serde_json::{Value, json};
use std::borrow::Cow;

pub(super) const SIGNATURE_VERIFICATION: RpcError =
    RpcError::new(-32003, "Transaction signature verification failure");

fn error(code: i32, message: String) -> RpcError {
    RpcError {
        code,
        message: Cow::Owned(message),
        data: None,
    }
}

/// Parameters that the method cannot take, with the reason where clients of
/// this network look for it.
pub(super) fn invalid(reason: impl Into<String>) -> RpcError {
    error(-32602, reason.into())
}

/// A history was to begin or end at a transaction that is not there.
pub(super) fn transaction_not_found(signature: &Signature) -> RpcError {
    error(-32020, format!("Transaction {signature} not found"))
}

pub(super) fn preflight(message: String, result: Value) -> RpcError {
    error(-32002, message).with_data(result)
}

pub(super) fn block_not_available(slot: u64) -> RpcError {
    error(-32004, format!("Block not available for slot {slot}"))
}

pub(super) fn slot_skipped(slot: u64) -> RpcError {
    let reason = "was skipped, or missing due to ledger jump to recent snapshot";
    error(-32007, format!("Slot {slot} {reason}"))
}

pub(super) fn unsupported_version(version: u8) -> RpcError {
    error(
        -32015,
        format!(
            "Transaction version ({version}) is not supported by the requesting client. Please \
             try the request again with the following configuration parameter: \
             \"maxSupportedTransactionVersion\": {version}"
        ),
    )
}

pub(super) fn min_context_slot(slot: u64) -> RpcError {
    error(
        -32016,
        "Minimum context slot has not been reached".to_owned(),
    )
    .with_data(json!({ "contextSlot": slot }))
}

/// A failure of the node itself.
fn internal(reason: &str) -> RpcError {
    RpcError::INTERNAL.with_data(json!({ "reason": reason }))
}

pub(super) fn not_kept(error: &KeepError) -> RpcError {
    internal(&error.reason())
}

pub(super) fn not_sent(error: &SendError) -> RpcError {
    match error {
        SendError::Keep(error) => not_kept(error),
        SendError::Rejected(rejection) => match rejection {
            Rejection::Transaction(error) => invalid(error.to_string()),
            Rejection::Full => internal(&rejection.to_string()),
        },
    }
}
