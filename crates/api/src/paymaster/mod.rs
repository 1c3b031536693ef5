//! The paymaster: JSON-RPC at the address itself.
//!
//! Whatever becomes of a request, the answer is a JSON-RPC body, and every call of
//! a batch counts against its caller's limit.

mod answers;
mod built;
mod calls;
mod description;
mod envelope;
mod executed;
mod handler;
mod hex;
mod params;
mod state;
mod wire;

pub(crate) use state::PaymasterState;

use axum::Router;
use utoipa::OpenApi as _;
use utoipa_axum::{router::OpenApiRouter, routes};

fn described() -> OpenApiRouter<PaymasterState> {
    let description = description::Description::openapi();
    OpenApiRouter::with_openapi(description).routes(routes!(handler::handle))
}

/// `POST /`, which all methods share.
pub(crate) fn routes(state: PaymasterState) -> Router {
    let (routes, _) = described().split_for_parts();
    routes.with_state(state)
}

/// What the OpenAPI documents say of that route.
pub(crate) fn document() -> utoipa::openapi::OpenApi {
    described().into_openapi()
}
