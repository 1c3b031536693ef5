//! Refusals by HTTP itself, as JSON-RPC bodies.

use super::{
    envelope::{RpcAnswer, RpcError},
    state::PaymasterState,
};
use crate::http::{
    error::Rejection,
    json_answer::Json,
    limits::Caller,
    middleware::{OwnAnswers, PendingAnswer},
    retry_after,
};
use axum::{
    extract::Request,
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use serde_json::value::RawValue;

/// Who asks, for the one who counts.
#[derive(Debug, Clone)]
pub(super) struct Asking(pub(super) Caller);

struct Pending;

impl OwnAnswers for PaymasterState {
    fn expect(&self, request: &mut Request) -> Box<dyn PendingAnswer> {
        let keys = [super::state::X_PAYMASTER_API_KEY];
        let caller = self.limits().caller_with(request, &keys);
        request.extensions_mut().insert(Asking(caller));
        Box::new(Pending)
    }
}

impl PendingAnswer for Pending {
    fn refusal(&self, rejection: Rejection) -> Response {
        refused(rejection)
    }

    fn finish(&self, answer: Result<Response, Rejection>) -> Response {
        answer.unwrap_or_else(refused)
    }
}

/// A refusal that concerns the whole request.
pub(super) fn refused(rejection: Rejection) -> Response {
    let (status, retry_after_s) = (rejection.status(), rejection.retry_after_s());
    let error = error(rejection);
    let body = Json(RpcAnswer::<()>::new(RawValue::NULL, Err(error)));
    let mut response = (status, body).into_response();
    retry_after::write(retry_after_s, response.headers_mut());
    response
}

/// A refusal as one call is told.
pub(super) fn error(rejection: Rejection) -> RpcError {
    let status = rejection.status();
    let words = rejection.into_messages().join("; ");
    match status {
        StatusCode::TOO_MANY_REQUESTS => RpcError::too_many(&words),
        status if status.is_server_error() => RpcError::internal(&words),
        _ => RpcError::invalid_request(&words),
    }
}
