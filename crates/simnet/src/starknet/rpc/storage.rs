//! Reading the storage of contracts and its changes.

use super::error::CONTRACT_NOT_FOUND;
use super::hex::{FeltParam, hex};
use super::id::BlockId;
use super::render::state_diff;
use crate::jsonrpc::{Answer, Params, result};
use crate::starknet::hash::digest;
use crate::starknet::node::StarknetNode;
use crate::starknet::storage::{cells, place};
use primitives::Felt;
use serde_json::json;

/// What is at a place of a contract's storage; zero where nothing was written.
pub(super) fn value(node: &StarknetNode, params: Params) -> Answer {
    let mut arguments = params.named(&["contract_address", "key", "block_id"])?;
    let FeltParam(contract) = arguments.required("contract_address")?;
    let FeltParam(place) = arguments.required("key")?;
    let id: BlockId = arguments.required("block_id")?;
    let chain = node.read();
    let view = chain.view(id.state_at(&chain)?);
    if view.class_hash(contract) == Felt::ZERO {
        return Err(CONTRACT_NOT_FOUND);
    }
    let cells = chain
        .variable(contract, place)
        .map_or_else(Vec::new, |key| cells(&key, view.read(&key)));
    let value = cells.iter().find(|(at, _)| *at == place);
    result(&hex(&value.map_or(Felt::ZERO, |(_, value)| *value)))
}

/// What a block changed.
pub(super) fn update(node: &StarknetNode, params: Params) -> Answer {
    let id: BlockId = params.named(&["block_id"])?.required("block_id")?;
    let chain = node.read();
    let block = id.sealed(&chain)?.cloned();
    let (writes, number, parent) = match &block {
        Some(block) => (&block.writes, block.number, block.parent_hash),
        None => (
            &chain.open().writes,
            chain.open().number,
            chain.open().parent_hash,
        ),
    };
    let view = chain.view(number);
    let changes = writes
        .iter()
        .filter_map(|slot| view.state.key(*slot))
        .map(|key| (key, view.read(key)));
    let was_there = |contract| {
        let before = number.checked_sub(1);
        before.is_some_and(|before| chain.view(before).class_hash(contract) != Felt::ZERO)
    };
    let diff = state_diff(changes, was_there, |key| view.state.place(key, place));
    let old_root = if number == 0 {
        Felt::ZERO
    } else {
        digest("STATE", &[parent])
    };
    result(&match block {
        Some(block) => json!({
            "block_hash": hex(&block.hash),
            "old_root": hex(&old_root),
            "new_root": hex(&block.commitment("STATE")),
            "state_diff": diff,
        }),
        None => json!({ "old_root": hex(&old_root), "state_diff": diff }),
    })
}
