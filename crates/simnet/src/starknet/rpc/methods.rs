//! Every method by its name.

use super::render::Body;
use super::spec::Spec;
use super::{blocks, calls, classes, control, events, simulate, spoil, storage, transactions};
use crate::caller::Caller;
use crate::fault::FaultKind;
use crate::jsonrpc::{self, Answer, Params, RpcError};
use crate::starknet::network::CHAIN_ID;
use crate::starknet::node::StarknetNode;
use primitives::{felt_to_hex, short_string};

/// The answer to the bytes of a request, if it asks for one, and the fault with
/// which it is to be sent.
pub(super) fn answer(
    node: &StarknetNode,
    spec: Spec,
    caller: Caller,
    body: &[u8],
) -> (Option<String>, Option<FaultKind>) {
    spoil::answer(node, body, |method, params| {
        caller.check(method)?;
        call(node, spec, method, params)
    })
}

pub(super) fn call(node: &StarknetNode, spec: Spec, method: &str, params: Params) -> Answer {
    match method {
        "starknet_specVersion" => without(params, || jsonrpc::result(spec.name())),
        "starknet_chainId" => without(params, || {
            jsonrpc::result(&felt_to_hex(short_string(CHAIN_ID)))
        }),
        "starknet_syncing" => without(params, || jsonrpc::result(&false)),
        "starknet_blockNumber" => without(params, || jsonrpc::result(&node.head().number)),
        "starknet_blockHashAndNumber" => without(params, || blocks::head(node)),
        "starknet_getBlockWithTxHashes" => blocks::block(node, spec, Body::Hashes, params),
        "starknet_getBlockWithTxs" => blocks::block(node, spec, Body::Transactions, params),
        "starknet_getBlockWithReceipts" => blocks::block(node, spec, Body::Receipts, params),
        "starknet_getBlockTransactionCount" => blocks::transaction_count(node, params),
        "starknet_getEvents" => events::events(node, spec, params),
        "starknet_call" => calls::call(node, params),
        "starknet_getClassHashAt" => calls::class_hash(node, params),
        "starknet_getNonce" => calls::nonce(node, params),
        "starknet_getClass" => classes::class(node, params),
        "starknet_getClassAt" => classes::class_at(node, params),
        "starknet_getStorageAt" => storage::value(node, params),
        "starknet_getStateUpdate" => storage::update(node, params),
        "starknet_getTransactionByHash" => transactions::by_hash(node, spec, params),
        "starknet_getTransactionByBlockIdAndIndex" => transactions::by_index(node, spec, params),
        "starknet_getTransactionReceipt" => transactions::receipt(node, params),
        "starknet_getTransactionStatus" => transactions::status(node, params),
        "starknet_addInvokeTransaction" => transactions::add_invoke(node, params),
        "starknet_addDeployAccountTransaction" => transactions::add_deploy_account(node, params),
        "starknet_estimateFee" => simulate::estimate_fee(node, params),
        "starknet_simulateTransactions" => simulate::simulate(node, params),
        "sim_mine" => control::mine(node, params),
        "sim_advance" => control::advance(node, params),
        "sim_reorg" => control::reorg(node, params),
        "sim_pause" => without(params, || control::pause(node)),
        "sim_resume" => without(params, || control::resume(node)),
        "sim_congest" => control::congest(node, params),
        "sim_fault" => control::fault(node, params),
        "sim_accounts" => without(params, || control::accounts(node)),
        _ => Err(RpcError::method_not_found(method)),
    }
}

/// A method that takes no parameters.
fn without(params: Params, method: impl FnOnce() -> Answer) -> Answer {
    params.named(&[]).and_then(|_| method())
}
