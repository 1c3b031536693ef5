//! Giving a transaction to a node, once.
//!
//! An answer can be lost while the transaction is not, so that nothing is sent
//! again blindly: the node is asked for the hash that the sender computed, and
//! only a transaction that it does not know is given to it once more. It is the
//! same transaction to the last bit; even taken twice it is executed once.

use super::{
    broadcast::{Broadcast, BroadcastAction, WireTransaction},
    felt::WireFelt,
    outcome,
};
use crate::{error::RpcError, jsonrpc::JsonRpc};
use primitives::{Felt, transaction_hash::Version};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Why a transaction was not sent, as far as that is known.
#[derive(Debug, Error)]
pub enum SendError {
    /// The node does not take it. Nothing of it will happen.
    #[error("the transaction is refused")]
    Refused(#[source] RpcError),
    /// It may have been taken or not: ask for its hash before anything else is
    /// sent in its place.
    #[error("whether the transaction was taken is not known")]
    Unknown(#[source] RpcError),
}

#[derive(Serialize)]
struct Invocation {
    invoke_transaction: WireTransaction,
}

#[derive(Serialize)]
struct Deployment {
    deploy_account_transaction: WireTransaction,
}

#[derive(Deserialize)]
struct Taken {
    transaction_hash: WireFelt,
}

/// Gives the transaction of this hash to the node.
pub(super) async fn send(
    rpc: &JsonRpc,
    broadcast: &Broadcast,
    hash: Felt,
) -> Result<(), SendError> {
    let transaction = WireTransaction::new(broadcast, Version::V3);
    match &broadcast.action {
        BroadcastAction::Invoke(_) => {
            let question = Invocation {
                invoke_transaction: transaction,
            };
            send_once(rpc, "starknet_addInvokeTransaction", &question, hash).await
        }
        BroadcastAction::DeployAccount { .. } => {
            let question = Deployment {
                deploy_account_transaction: transaction,
            };
            send_once(rpc, "starknet_addDeployAccountTransaction", &question, hash).await
        }
    }
}

async fn send_once(
    rpc: &JsonRpc,
    method: &'static str,
    question: &impl Serialize,
    hash: Felt,
) -> Result<(), SendError> {
    let mut attempt = 1;
    loop {
        let error = match rpc.call_once::<_, Taken>(method, question).await {
            Ok(taken) if taken.transaction_hash == WireFelt(hash) => return Ok(()),
            Ok(taken) => {
                let theirs = taken.transaction_hash.0;
                return Err(SendError::Unknown(RpcError::WrongHash {
                    ours: hash,
                    theirs,
                }));
            }
            Err(error) if error.is_duplicate_transaction() => return Ok(()),
            // What was lost before may be why it is refused now.
            Err(error) if attempt == 1 && error.is_verdict() => {
                return Err(SendError::Refused(error));
            }
            Err(error) => error,
        };
        let known = outcome::status(rpc, hash).await;
        if known.map_err(SendError::Unknown)?.is_some() {
            return Ok(());
        }
        if error.is_verdict() || !rpc.pause(method, attempt, &error).await {
            return Err(SendError::Unknown(error));
        }
        attempt += 1;
    }
}
