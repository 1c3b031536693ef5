//! JSON-RPC over HTTP, and the way to the socket.

use super::methods::answer;
use super::socket;
use crate::caller::Caller;
use crate::solana::node::SolanaNode;
use crate::transport::{MAX_BODY_BYTES, respond};
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;

pub(crate) fn router(node: SolanaNode) -> axum::Router {
    axum::Router::new()
        .route("/solana", post(serve).get(socket::upgrade))
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .with_state(node)
}

async fn serve(State(node): State<SolanaNode>, headers: HeaderMap, body: Bytes) -> Response {
    let caller = Caller::of(&headers);
    let answered = tokio::task::spawn_blocking(move || answer(&node, caller, &body)).await;
    match answered {
        Ok((text, fault)) => respond(text, fault).await,
        Err(error) => {
            tracing::error!(%error, "a request to the simulated node failed");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}
