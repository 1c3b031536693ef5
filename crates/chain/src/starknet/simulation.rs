//! What transactions of an account would do at a block, without any effect.
//!
//! No signature is checked and no fee is charged, so that any account that is
//! deployed can be imagined to make any calls. Each transaction is simulated on
//! the state of the block alone.

use super::{
    broadcast::{Broadcast, BroadcastAction, ContractCall, WireTransaction, execution},
    calls::{ByHash, is_silence},
    felt::WireFelt,
};
use crate::{
    error::RpcError,
    jsonrpc::{JsonRpc, parse},
};
use primitives::transaction_hash::{Invoke, Terms, Version};
use primitives::{Address, Felt};
use serde::{Deserialize, Serialize, de::Error as _};
use serde_json::value::RawValue;
use std::collections::BTreeSet;

const SIMULATE: &str = "starknet_simulateTransactions";

/// A transaction that nobody sends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imagined {
    /// Who would send it.
    pub account: Address,
    /// How many they sent before.
    pub nonce: u64,
    /// What the account would be made to call, in this order.
    pub calls: Vec<ContractCall>,
}

/// What would become of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Simulated {
    /// It would succeed.
    Succeeded,
    /// It would be reverted, for this reason.
    Reverted(String),
    /// The node cannot say.
    Unknown,
}

#[derive(Serialize)]
struct Question {
    block_id: ByHash,
    transactions: [WireTransaction; 1],
    simulation_flags: [&'static str; 2],
}

impl Question {
    /// Who allows nothing only wants to know.
    fn new(imagined: &Imagined, block_hash: Felt) -> Self {
        let invoke = Broadcast {
            action: BroadcastAction::Invoke(Invoke {
                sender: imagined.account.felt(),
                calldata: execution(&imagined.calls),
                account_deployment_data: Vec::new(),
            }),
            terms: Terms {
                nonce: imagined.nonce,
                ..Terms::default()
            },
            signature: Vec::new(),
        };
        Self {
            block_id: ByHash {
                block_hash: WireFelt(block_hash),
            },
            transactions: [WireTransaction::new(&invoke, Version::QueryV3)],
            simulation_flags: ["SKIP_VALIDATE", "SKIP_FEE_CHARGE"],
        }
    }
}

#[derive(Deserialize)]
struct Outcome {
    transaction_trace: Trace,
}

#[derive(Deserialize)]
struct Trace {
    execute_invocation: Execution,
}

#[derive(Deserialize)]
struct Execution {
    #[serde(default)]
    revert_reason: Option<String>,
}

/// Simulates each transaction for itself; the answers are in their order.
pub(super) async fn simulate(
    rpc: &JsonRpc,
    imagined: &[Imagined],
    block_hash: Felt,
) -> Result<Vec<Simulated>, RpcError> {
    let questions: Vec<_> = imagined
        .iter()
        .map(|imagined| Question::new(imagined, block_hash))
        .collect();
    rpc.batch(SIMULATE, &questions, |_, answer| simulated(answer))
        .await
}

fn simulated(answer: Result<&RawValue, RpcError>) -> Result<Simulated, RpcError> {
    match answer {
        Ok(result) => {
            let [outcome]: [Outcome; 1] = parse(SIMULATE, result)?;
            let reason = outcome.transaction_trace.execute_invocation.revert_reason;
            Ok(reason.map_or(Simulated::Succeeded, Simulated::Reverted))
        }
        Err(error) if error.is_block_not_found() => Err(error),
        Err(RpcError::Node { source, .. }) if !source.is_overload() => Ok(Simulated::Unknown),
        Err(RpcError::TooLarge { .. }) => Ok(Simulated::Unknown),
        Err(error) if is_silence(&error) => Ok(Simulated::Unknown),
        Err(error) => Err(error),
    }
}

#[derive(Serialize)]
struct OfBlock {
    block_id: ByHash,
}

#[derive(Deserialize)]
struct Transactions {
    transactions: Vec<Sent>,
}

/// Only transactions of accounts name a sender.
#[derive(Deserialize)]
struct Sent {
    sender_address: Option<WireFelt>,
}

/// Who sent the transactions of a block, each once, at most `limit`, in order.
pub(super) async fn senders(
    rpc: &JsonRpc,
    block_hash: Felt,
    limit: usize,
) -> Result<Vec<Address>, RpcError> {
    let question = OfBlock {
        block_id: ByHash {
            block_hash: WireFelt(block_hash),
        },
    };
    let Transactions { transactions } = rpc.call("starknet_getBlockWithTxs", &question).await?;
    let mut seen = BTreeSet::new();
    let senders = transactions
        .into_iter()
        .filter_map(|sent| sent.sender_address)
        .map(|WireFelt(sender)| Address::new(sender))
        .filter(|sender| seen.insert(*sender));
    Ok(senders.take(limit).collect())
}

#[derive(Serialize)]
struct OfContract {
    block_id: ByHash,
    contract_address: WireFelt,
}

/// How many transactions each account has sent at a block; `None` where there
/// is no account.
pub(super) async fn nonces(
    rpc: &JsonRpc,
    accounts: &[Address],
    block_hash: Felt,
) -> Result<Vec<Option<u64>>, RpcError> {
    const METHOD: &str = "starknet_getNonce";
    let questions: Vec<_> = accounts
        .iter()
        .map(|account| OfContract {
            block_id: ByHash {
                block_hash: WireFelt(block_hash),
            },
            contract_address: WireFelt(account.felt()),
        })
        .collect();
    rpc.batch(METHOD, &questions, |_, answer| match answer {
        Ok(nonce) => {
            let WireFelt(nonce) = parse(METHOD, nonce)?;
            let nonce = u64::try_from(nonce);
            nonce
                .map(Some)
                .map_err(|_| RpcError::malformed(METHOD, too_large()))
        }
        Err(error) if error.is_block_not_found() => Err(error),
        Err(RpcError::Node { source, .. }) if !source.is_overload() => Ok(None),
        Err(error) => Err(error),
    })
    .await
}

fn too_large() -> serde_json::Error {
    serde_json::Error::custom("a nonce has at most 64 bits")
}
