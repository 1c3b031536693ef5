//! The node's JSON-RPC over HTTP and WebSocket.
//!
//! A request is answered on a blocking thread: the chain is locked only to look
//! blocks up, and large answers are written without holding up the runtime.

mod blocks;
mod broadcast;
mod calls;
mod classes;
mod control;
mod error;
mod events;
mod hex;
mod id;
mod render;
mod simulate;
mod socket;
mod spoil;
mod storage;
mod subscriptions;
#[cfg(test)]
mod tests;
mod transactions;

use super::node::StarknetNode;
use super::world::token_list::CHAIN_ID;
use crate::caller::Caller;
use crate::fault::FaultKind;
use crate::jsonrpc::{self, Answer, Params, RpcError};
use crate::transport::respond;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use primitives::{felt_to_hex, short_string};
use render::Body;

/// Bytes of a request.
const MAX_BODY_BYTES: usize = 1 << 20;

/// The version of the specification that an endpoint speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spec {
    V0_9,
    V0_10,
}

impl Spec {
    fn name(self) -> &'static str {
        match self {
            Self::V0_9 => "0.9.0",
            Self::V0_10 => "0.10.0",
        }
    }
}

pub(crate) fn router(node: StarknetNode) -> axum::Router {
    let speak = |spec: Spec| post(move |node, headers, body| serve(spec, node, headers, body));
    let subscribe = |spec: Spec| {
        get(
            move |node, headers, upgrade| async move { socket::upgrade(spec, node, &headers, upgrade) },
        )
    };
    axum::Router::new()
        .route("/starknet", speak(Spec::V0_9))
        .route("/starknet/rpc/v0_9", speak(Spec::V0_9))
        .route("/starknet/rpc/v0_10", speak(Spec::V0_10))
        .route("/starknet/ws", subscribe(Spec::V0_9))
        .route("/starknet/ws/rpc/v0_9", subscribe(Spec::V0_9))
        .route("/starknet/ws/rpc/v0_10", subscribe(Spec::V0_10))
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .with_state(node)
}

async fn serve(
    spec: Spec,
    State(node): State<StarknetNode>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let caller = Caller::of(&headers);
    let answered = tokio::task::spawn_blocking(move || answer(&node, spec, caller, &body)).await;
    match answered {
        Ok((text, fault)) => respond(text, fault).await,
        Err(error) => {
            tracing::error!(%error, "a request to the simulated node failed");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

/// The answer to the bytes of a request, if it asks for one, and the fault with
/// which it is to be sent.
fn answer(
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

fn call(node: &StarknetNode, spec: Spec, method: &str, params: Params) -> Answer {
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
        "sim_fault" => control::fault(node, params),
        "sim_accounts" => without(params, || control::accounts(node)),
        _ => Err(RpcError::method_not_found(method)),
    }
}

/// A method that takes no parameters.
fn without(params: Params, method: impl FnOnce() -> Answer) -> Answer {
    params.named(&[]).and_then(|_| method())
}
