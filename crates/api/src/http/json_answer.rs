//! Answers in JSON. Each ends with a newline, so that whoever reads one in a
//! terminal finds the prompt where it belongs.

use axum::{
    body::Body,
    http::{HeaderValue, StatusCode, header::CONTENT_TYPE},
    response::{IntoResponse, Response},
};
use primitives::{Impossible, OrImpossible as _};
use serde::Serialize;

/// Enough for most answers, which then never move while they are written.
const USUAL_BYTES: usize = 1_024;

const JSON: HeaderValue = HeaderValue::from_static("application/json");

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
                let mut response = Response::new(Body::from(text));
                response.headers_mut().insert(CONTENT_TYPE, JSON);
                response
            }
            // It was told where it was found.
            Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        }
    }
}

/// A body as it is sent.
pub(crate) fn line(body: &impl Serialize) -> Result<Vec<u8>, Impossible> {
    let mut text = Vec::with_capacity(USUAL_BYTES);
    let written = serde_json::to_writer(&mut text, body);
    written.or_impossible("a body can be written")?;
    text.push(b'\n');
    Ok(text)
}
