//! Reading classes.

use super::error::{CLASS_HASH_NOT_FOUND, CONTRACT_NOT_FOUND};
use super::hex::FeltParam;
use super::id::BlockId;
use crate::jsonrpc::{Answer, Params, result};
use crate::starknet::node::StarknetNode;
use primitives::Felt;

/// The class with a hash. All classes exist from the first block on.
pub(super) fn class(node: &StarknetNode, params: Params) -> Answer {
    let mut arguments = params.named(&["block_id", "class_hash"])?;
    let id: BlockId = arguments.required("block_id")?;
    let FeltParam(hash) = arguments.required("class_hash")?;
    let chain = node.read();
    id.state_at(&chain)?;
    let class = chain.world().contracts.class(hash);
    result(&class.ok_or(CLASS_HASH_NOT_FOUND)?.definition)
}

/// The class of a contract.
pub(super) fn class_at(node: &StarknetNode, params: Params) -> Answer {
    let mut arguments = params.named(&["block_id", "contract_address"])?;
    let id: BlockId = arguments.required("block_id")?;
    let FeltParam(address) = arguments.required("contract_address")?;
    let chain = node.read();
    let hash = chain.view(id.state_at(&chain)?).class_hash(address);
    if hash == Felt::ZERO {
        return Err(CONTRACT_NOT_FOUND);
    }
    let class = chain.world().contracts.class(hash);
    result(&class.ok_or(CLASS_HASH_NOT_FOUND)?.definition)
}
