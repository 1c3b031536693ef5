//! JSON-RPC over HTTP, and the way to the socket.

use super::methods::answer;
use super::socket;
use super::spec::Spec;
use crate::caller::Caller;
use crate::starknet::node::StarknetNode;
use crate::transport::{MAX_BODY_BYTES, respond};
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};

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
