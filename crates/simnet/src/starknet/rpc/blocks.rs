//! Reading blocks.

use super::Spec;
use super::hex::hex;
use super::id::BlockId;
use super::render::{BlockJson, Body, PreConfirmedJson};
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
    let (block, head, l1_accepted) = {
        let chain = node.read();
        let block = id.sealed(&chain)?.cloned();
        (block, chain.head().clone(), chain.l1_accepted_number())
    };
    match block {
        Some(block) => result(&BlockJson::new(&block, spec, body, l1_accepted)),
        None => result(&PreConfirmedJson::new(
            head.number + 1,
            node.now().max(head.timestamp),
        )),
    }
}

pub(super) fn transaction_count(node: &StarknetNode, params: Params) -> Answer {
    let id: BlockId = params.named(&["block_id"])?.required("block_id")?;
    let chain = node.read();
    let block = id.sealed(&chain)?;
    result(&block.map_or(0, |block| block.transactions.len()))
}
