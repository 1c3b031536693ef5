//! Why something is not done, in the words and the form of the API.

use api::{ErrorBody, Json};
use axum::{
    http::StatusCode,
    response::{IntoResponse, Response},
};

/// A status, and one message.
#[derive(Debug)]
pub(super) struct Refusal(StatusCode, String);

impl Refusal {
    pub(super) fn invalid(message: impl Into<String>) -> Self {
        Self(StatusCode::BAD_REQUEST, message.into())
    }

    pub(super) fn foreign_page() -> Self {
        let words = "the simulator is refused to pages of other hosts (Origin)";
        Self(StatusCode::FORBIDDEN, words.to_owned())
    }

    /// The node did not do it; what it said helps whoever steers it.
    pub(super) fn node(failure: impl std::fmt::Display) -> Self {
        Self(StatusCode::BAD_GATEWAY, format!("the node: {failure}"))
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let Self(status, message) = self;
        let body = ErrorBody {
            messages: vec![message],
        };
        (status, Json(body)).into_response()
    }
}
