//! Reading blocks.

use super::hex::hex;
use super::id::BlockId;
use super::render::{BlockJson, Body, HeaderJson, PreConfirmedJson};
use super::spec::Spec;
use crate::jsonrpc::{Answer, Params, result};
use crate::starknet::node::StarknetNode;
use primitives::BlockRef;
use serde_json::json;

/// The head's hash and number; control methods answer with it too.
pub(super) fn head(node: &StarknetNode) -> Answer {
    hash_and_number(node.head())
}

pub(super) fn hash_and_number(block: BlockRef) -> Answer {
    result(&json!({ "block_hash": hex(&block.hash), "block_number": block.number }))
}

pub(super) fn block(node: &StarknetNode, spec: Spec, body: Body, params: Params) -> Answer {
    // Flags of 0.10 ask for proofs, of which no transaction here has any.
    let names: &[&str] = match (spec, body) {
        (Spec::V0_9, _) | (_, Body::Hashes) => &["block_id"],
        (Spec::V0_10, _) => &["block_id", "response_flags"],
    };
    let id: BlockId = params.named(names)?.required("block_id")?;
    let chain = node.read();
    if let Some(block) = id.sealed(&chain)?.cloned() {
        let l1_accepted = chain.l1_accepted_number();
        drop(chain);
        return result(&BlockJson::new(&block, spec, body, l1_accepted));
    }
    let open = chain.open();
    let (number, prices) = (open.number, open.prices);
    let transactions = open.transactions.clone();
    let timestamp = open.time(node.now());
    drop(chain);
    let header = HeaderJson::new(number, timestamp, prices);
    result(&PreConfirmedJson::new(header, &transactions, body))
}

pub(super) fn transaction_count(node: &StarknetNode, params: Params) -> Answer {
    let id: BlockId = params.named(&["block_id"])?.required("block_id")?;
    let chain = node.read();
    let block = id.sealed(&chain)?;
    let transactions = block.map_or(&chain.open().transactions, |block| &block.transactions);
    result(&transactions.len())
}
