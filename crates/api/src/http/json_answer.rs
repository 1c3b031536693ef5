//! Answers in JSON. Each ends with a newline, so that whoever reads one in a
//! terminal finds the prompt where it belongs.

use axum::{
    http::{HeaderValue, StatusCode, header::CONTENT_TYPE},
    response::{IntoResponse, Response},
};
use primitives::{Impossible, OrImpossible as _};
use serde::Serialize;

/// An answer of a body that is written as JSON.
#[derive(Debug, Clone, Copy)]
pub struct Json<T>(
    /// The body.
    pub T,
);

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        match line(&self.0) {
            Ok(text) => {
                let json = HeaderValue::from_static("application/json");
                ([(CONTENT_TYPE, json)], text).into_response()
            }
            // It was told where it was found.
            Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        }
    }
}

/// A body as it is sent.
pub(crate) fn line(body: &impl Serialize) -> Result<Vec<u8>, Impossible> {
    let text = serde_json::to_vec(body);
    let mut text = text.or_impossible("a body can be written")?;
    text.push(b'\n');
    Ok(text)
}
