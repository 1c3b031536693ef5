//! What the console steers our own simulated networks by: a path of the same origin,
//! since a page of the console may talk to no other.
//!
//! Accounts of these networks sign whatever they are given. That is no secret's loss:
//! everybody knows their keys. Pages of others may not ask all the same, as at the
//! nodes themselves.

mod accounts;
mod control;
mod execute;
mod origin;
mod pay;
mod refusal;
mod state;

pub(crate) use state::{Simulated, Simulator};

use axum::{
    Router,
    extract::DefaultBodyLimit,
    middleware,
    routing::{get, post},
};

/// Bytes of a request: calls of the longest route have fewer.
const MAX_BODY_BYTES: usize = 256 * 1024;

/// The routes, for the API to serve beside its own.
pub(crate) fn routes(simulator: Simulator) -> Router {
    Router::new()
        .route("/simulator/accounts", get(accounts::accounts))
        .route("/simulator/rpc", post(control::control))
        .route("/simulator/execute", post(execute::execute))
        .route("/simulator/pay", post(pay::pay))
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .layer(middleware::from_fn(origin::own_pages_alone))
        .with_state(simulator)
}
