//! Sending transactions and asking what became of them.

use super::broadcast::read;
use super::error::{INVALID_TXN_INDEX, TXN_HASH_NOT_FOUND, UNSUPPORTED_TX_VERSION};
use super::hex::{FeltParam, Hex, hex};
use super::id::BlockId;
use super::render::{PRE_CONFIRMED, ReceiptJson, TransactionJson, finality};
use super::spec::Spec;
use crate::jsonrpc::{Answer, Params, RpcError, result};
use crate::starknet::chain::Chain;
use crate::starknet::node::StarknetNode;
use crate::starknet::transaction::{Action, Request, Transaction};
use primitives::Felt;
use primitives::transaction_hash::Version;
use serde::Serialize;
use serde_json::json;
use std::sync::Arc;

pub(super) fn add_invoke(node: &StarknetNode, params: Params) -> Answer {
    let mut arguments = params.named(&["invoke_transaction"])?;
    let request = real(read(arguments.required("invoke_transaction")?)?)?;
    let Action::Invoke(_) = request.signed.action else {
        return Err(RpcError::invalid_params("type must be INVOKE"));
    };
    let hash = request.hash;
    node.take(request)?;
    result(&json!({ "transaction_hash": hex(&hash) }))
}

pub(super) fn add_deploy_account(node: &StarknetNode, params: Params) -> Answer {
    let mut arguments = params.named(&["deploy_account_transaction"])?;
    let request = real(read(arguments.required("deploy_account_transaction")?)?)?;
    let Action::DeployAccount(_) = request.signed.action else {
        return Err(RpcError::invalid_params("type must be DEPLOY_ACCOUNT"));
    };
    let (hash, address) = (request.hash, request.sender);
    node.take(request)?;
    result(&json!({ "transaction_hash": hex(&hash), "contract_address": hex(&address) }))
}

/// A transaction that is to be executed, not only simulated.
fn real((request, version): (Request, Version)) -> Result<Request, RpcError> {
    match version {
        Version::V3 => Ok(request),
        Version::QueryV3 => Err(UNSUPPORTED_TX_VERSION),
    }
}

pub(super) fn by_hash(node: &StarknetNode, spec: Spec, params: Params) -> Answer {
    let names = with_flags(spec, &["transaction_hash", "response_flags"]);
    let FeltParam(hash) = params.named(names)?.required("transaction_hash")?;
    let chain = node.read();
    let request = match chain.transaction(hash) {
        Some((transaction, _)) => &transaction.request,
        None => chain.waiting(hash).ok_or(TXN_HASH_NOT_FOUND)?,
    };
    result(&TransactionJson::with_hash(request))
}

pub(super) fn by_index(node: &StarknetNode, spec: Spec, params: Params) -> Answer {
    let names = with_flags(spec, &["block_id", "index", "response_flags"]);
    let mut arguments = params.named(names)?;
    let id: BlockId = arguments.required("block_id")?;
    let index: u64 = arguments.required("index")?;
    let transaction = {
        let chain = node.read();
        let block = id.sealed(&chain)?;
        let all = block.map_or(&chain.open().transactions, |block| &block.transactions);
        let index = usize::try_from(index).map_err(|_| INVALID_TXN_INDEX)?;
        all.get(index).cloned().ok_or(INVALID_TXN_INDEX)?
    };
    result(&TransactionJson::with_hash(&transaction.request))
}

/// Flags of 0.10 ask for proofs, of which no transaction here has any.
fn with_flags<'n>(spec: Spec, names: &'n [&'n str]) -> &'n [&'n str] {
    match spec {
        Spec::V0_9 => names.split_last().map_or(names, |(_, names)| names),
        Spec::V0_10 => names,
    }
}

#[derive(Serialize)]
struct PlacedReceiptJson<'b> {
    #[serde(flatten)]
    receipt: ReceiptJson<'b>,
    block_number: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    block_hash: Option<Hex<'b>>,
}

pub(super) fn receipt(node: &StarknetNode, params: Params) -> Answer {
    let FeltParam(hash) = params
        .named(&["transaction_hash"])?
        .required("transaction_hash")?;
    let included = Included::find(&node.read(), hash).ok_or(TXN_HASH_NOT_FOUND)?;
    result(&PlacedReceiptJson {
        receipt: ReceiptJson::new(&included.transaction, included.finality),
        block_number: included.block_number,
        block_hash: included.block_hash.as_ref().map(hex),
    })
}

pub(super) fn status(node: &StarknetNode, params: Params) -> Answer {
    let FeltParam(hash) = params
        .named(&["transaction_hash"])?
        .required("transaction_hash")?;
    let chain = node.read();
    let Some(included) = Included::find(&chain, hash) else {
        chain.waiting(hash).ok_or(TXN_HASH_NOT_FOUND)?;
        return result(&json!({ "finality_status": "RECEIVED" }));
    };
    let status = match &included.transaction.receipt.revert_reason {
        None => json!({
            "finality_status": included.finality,
            "execution_status": "SUCCEEDED",
        }),
        Some(reason) => json!({
            "finality_status": included.finality,
            "execution_status": "REVERTED",
            "failure_reason": reason,
        }),
    };
    result(&status)
}

/// An included transaction and where it is.
struct Included {
    transaction: Arc<Transaction>,
    block_number: u64,
    /// None in the block in the making.
    block_hash: Option<Felt>,
    finality: &'static str,
}

impl Included {
    fn find(chain: &Chain, hash: Felt) -> Option<Self> {
        let (transaction, block_number) = chain.transaction(hash)?;
        let block_hash = chain.by_number(block_number).map(|block| block.hash);
        Some(Self {
            transaction: Arc::clone(transaction),
            block_number,
            block_hash,
            finality: match block_hash {
                Some(_) => finality(block_number, chain.l1_accepted_number()),
                None => PRE_CONFIRMED,
            },
        })
    }
}
