//! What became of a transaction.

use super::felt::{WireFelt, u128_from_hex};
use crate::{
    error::{RpcError, cut},
    jsonrpc::{JsonRpc, parse},
};
use primitives::{BlockRef, Felt};
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};

/// What a node knows of a transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TransactionStatus {
    /// It waits for a block.
    Waiting,
    /// It will not be in any block, for this reason.
    Rejected(String),
    /// It was executed.
    Executed(Executed),
}

/// How a transaction was executed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Executed {
    /// How firmly.
    pub finality: Finality,
    /// Why its calls were undone, if they were. Its fee is paid all the same.
    pub revert_reason: Option<String>,
}

/// How firmly a transaction is part of the chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Finality {
    /// In the block in the making.
    PreConfirmed,
    /// In a block.
    AcceptedOnL2,
    /// In a block that the base layer knows.
    AcceptedOnL1,
}

/// What a transaction cost, and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransactionReceipt {
    /// Its block; none while that is in the making.
    pub block: Option<BlockRef>,
    /// How it was executed.
    pub executed: Executed,
    /// What its sender paid, in FRI.
    pub fee: u128,
}

#[derive(Serialize)]
struct OfTransaction {
    transaction_hash: WireFelt,
}

#[derive(Deserialize)]
struct WireStatus {
    finality_status: WireFinality,
    #[serde(default)]
    execution_status: Option<Execution>,
    #[serde(default)]
    failure_reason: Option<String>,
}

/// Names of every spec that is supported.
#[derive(Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum WireFinality {
    Received,
    Candidate,
    Rejected,
    #[serde(alias = "PENDING")]
    PreConfirmed,
    AcceptedOnL2,
    AcceptedOnL1,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum Execution {
    Succeeded,
    Reverted,
}

#[derive(Deserialize)]
struct WireReceipt {
    finality_status: Finality,
    execution_status: Execution,
    #[serde(default)]
    revert_reason: Option<String>,
    actual_fee: Fee,
    #[serde(default)]
    block_hash: Option<WireFelt>,
    #[serde(default)]
    block_number: Option<u64>,
}

#[derive(Deserialize)]
struct Fee {
    #[serde(deserialize_with = "amount")]
    amount: u128,
}

pub(super) fn amount<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u128, D::Error> {
    let text = String::deserialize(deserializer)?;
    u128_from_hex(&text).ok_or_else(|| D::Error::custom("an amount has at most 128 bits"))
}

/// `None` if the node does not know it.
pub(super) async fn status(
    rpc: &JsonRpc,
    hash: Felt,
) -> Result<Option<TransactionStatus>, RpcError> {
    const METHOD: &str = "starknet_getTransactionStatus";
    let question = OfTransaction {
        transaction_hash: WireFelt(hash),
    };
    let status: WireStatus = match rpc.call(METHOD, &question).await {
        Err(error) if error.is_transaction_not_found() => return Ok(None),
        answer => answer?,
    };
    Ok(Some(told(status)))
}

fn told(status: WireStatus) -> TransactionStatus {
    let finality = match status.finality_status {
        WireFinality::Received | WireFinality::Candidate => return TransactionStatus::Waiting,
        WireFinality::Rejected => {
            return TransactionStatus::Rejected(reason(status.failure_reason));
        }
        WireFinality::PreConfirmed => Finality::PreConfirmed,
        WireFinality::AcceptedOnL2 => Finality::AcceptedOnL2,
        WireFinality::AcceptedOnL1 => Finality::AcceptedOnL1,
    };
    let reverted = status.execution_status == Some(Execution::Reverted);
    TransactionStatus::Executed(Executed {
        finality,
        revert_reason: reverted.then(|| reason(status.failure_reason)),
    })
}

/// In the order of the hashes; `None` for what was not executed yet.
pub(super) async fn receipts(
    rpc: &JsonRpc,
    hashes: &[Felt],
) -> Result<Vec<Option<TransactionReceipt>>, RpcError> {
    const METHOD: &str = "starknet_getTransactionReceipt";
    let questions: Vec<_> = hashes
        .iter()
        .map(|hash| OfTransaction {
            transaction_hash: WireFelt(*hash),
        })
        .collect();
    rpc.batch(METHOD, &questions, |_, answer| match answer {
        Ok(receipt) => parse::<WireReceipt>(METHOD, receipt).map(|receipt| Some(receipt.into())),
        Err(error) if error.is_transaction_not_found() => Ok(None),
        Err(error) => Err(error),
    })
    .await
}

impl From<WireReceipt> for TransactionReceipt {
    fn from(receipt: WireReceipt) -> Self {
        let place = receipt.block_number.zip(receipt.block_hash);
        let reverted = receipt.execution_status == Execution::Reverted;
        Self {
            block: place.map(|(number, WireFelt(hash))| BlockRef { number, hash }),
            executed: Executed {
                finality: receipt.finality_status,
                revert_reason: reverted.then(|| reason(receipt.revert_reason)),
            },
            fee: receipt.actual_fee.amount,
        }
    }
}

fn reason(words: Option<String>) -> String {
    words.map_or_else(
        || "the node does not say why".to_owned(),
        |words| cut(&words),
    )
}
