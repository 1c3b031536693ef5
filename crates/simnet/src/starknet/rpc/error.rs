//! The specification's errors.

use super::hex::hex;
use crate::jsonrpc::RpcError;
use crate::starknet::execution::CallFailure;
use serde_json::json;

pub(super) const CONTRACT_NOT_FOUND: RpcError = RpcError::new(20, "Contract not found");
pub(super) const ENTRYPOINT_NOT_FOUND: RpcError =
    RpcError::new(21, "Requested entrypoint does not exist in the contract");
pub(super) const BLOCK_NOT_FOUND: RpcError = RpcError::new(24, "Block not found");
pub(super) const PAGE_SIZE_TOO_BIG: RpcError = RpcError::new(31, "Requested page size is too big");
pub(super) const INVALID_CONTINUATION_TOKEN: RpcError =
    RpcError::new(33, "The supplied continuation token is invalid or unknown");
pub(super) const TOO_MANY_KEYS_IN_FILTER: RpcError =
    RpcError::new(34, "Too many keys provided in a filter");
pub(super) const INVALID_SUBSCRIPTION_ID: RpcError = RpcError::new(66, "Invalid subscription id");
pub(super) const TOO_MANY_BLOCKS_BACK: RpcError =
    RpcError::new(68, "Cannot go back more than 1024 blocks");
const CONTRACT_ERROR: RpcError = RpcError::new(40, "Contract error");

impl From<CallFailure> for RpcError {
    fn from(failure: CallFailure) -> Self {
        match failure {
            CallFailure::ContractNotFound(_) => CONTRACT_NOT_FOUND,
            CallFailure::EntrypointNotFound(_) => ENTRYPOINT_NOT_FOUND,
            CallFailure::Reverted {
                contract,
                class_hash,
                selector,
                revert,
            } => CONTRACT_ERROR.with_data(json!({
                "revert_error": {
                    "contract_address": hex(&contract),
                    "class_hash": hex(&class_hash),
                    "selector": hex(&selector),
                    "error": revert.to_string(),
                }
            })),
        }
    }
}
