//! Reading contracts.

use super::error::CONTRACT_NOT_FOUND;
use super::hex::{FeltParam, hex};
use super::id::BlockId;
use crate::jsonrpc::{Answer, Arguments, Params, RpcError, result};
use crate::starknet::execution::Execution;
use crate::starknet::node::StarknetNode;
use crate::starknet::syscalls::Syscalls;
use crate::starknet::transaction::Call;
use primitives::Felt;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FunctionCall {
    contract_address: FeltParam,
    entry_point_selector: FeltParam,
    calldata: Vec<FeltParam>,
}

/// Runs an entrypoint in the name of nobody and drops its effects.
pub(super) fn call(node: &StarknetNode, params: Params) -> Answer {
    let mut arguments = params.named(&["request", "block_id"])?;
    let request: FunctionCall = arguments.required("request")?;
    let id: BlockId = arguments.required("block_id")?;
    let call = Call {
        to: request.contract_address.0,
        selector: request.entry_point_selector.0,
        calldata: request.calldata.iter().map(|felt| felt.0).collect(),
    };
    let returned = {
        let chain = node.read();
        let view = id.view(&chain, node.now())?;
        Execution::new(view, None).call(Felt::ZERO, &call)?
    };
    result(&returned.iter().map(hex).collect::<Vec<_>>())
}

pub(super) fn class_hash(node: &StarknetNode, params: Params) -> Answer {
    let (class_hash, _) = contract(node, params.named(&["block_id", "contract_address"])?)?;
    result(&hex(&class_hash))
}

pub(super) fn nonce(node: &StarknetNode, params: Params) -> Answer {
    let (_, nonce) = contract(node, params.named(&["block_id", "contract_address"])?)?;
    result(&hex(&nonce))
}

/// Class and nonce of a contract.
fn contract(node: &StarknetNode, mut arguments: Arguments) -> Result<(Felt, Felt), RpcError> {
    let id: BlockId = arguments.required("block_id")?;
    let FeltParam(address) = arguments.required("contract_address")?;
    let chain = node.read();
    let at = id.state_at(&chain)?;
    let view = chain.view(at);
    let class_hash = view.class_hash(address);
    if class_hash == Felt::ZERO {
        return Err(CONTRACT_NOT_FOUND);
    }
    Ok((class_hash, Felt::from(view.nonce(address))))
}
