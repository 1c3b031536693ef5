//! Request bodies.

use crate::error::Rejection;
use axum::{
    body::Bytes,
    extract::{FromRequest, Request},
    http::{HeaderMap, StatusCode, header::CONTENT_TYPE},
};
use serde::{Deserialize, de::DeserializeOwned};

/// A body of JSON. Anything else is refused in words.
#[derive(Debug)]
pub struct JsonBody<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for JsonBody<T> {
    type Rejection = Rejection;

    async fn from_request(request: Request, state: &S) -> Result<Self, Rejection> {
        let text = JsonText::from_request(request, state).await?;
        text.parse().map(Self)
    }
}

/// The text of a body that is declared to be JSON, to be parsed in place.
#[derive(Debug)]
pub(crate) struct JsonText(Bytes);

impl From<Bytes> for JsonText {
    fn from(text: Bytes) -> Self {
        Self(text)
    }
}

impl JsonText {
    pub(crate) fn bytes(&self) -> &Bytes {
        &self.0
    }

    /// Reads an object. A list of the same values is refused: what reads a
    /// structure would take it as the structure without its names.
    pub(crate) fn parse<'a, T: Deserialize<'a>>(&'a self) -> Result<T, Rejection> {
        let refusal = |problem: String| Rejection::invalid(format!("request body: {problem}"));
        if self.0.trim_ascii_start().starts_with(b"[") {
            return Err(refusal("must be an object, not an array".to_owned()));
        }
        serde_json::from_slice(&self.0).map_err(|error| refusal(error.to_string()))
    }
}

impl<S: Send + Sync> FromRequest<S> for JsonText {
    type Rejection = Rejection;

    async fn from_request(request: Request, state: &S) -> Result<Self, Rejection> {
        if !declares_json(request.headers()) {
            return Err(Rejection::NotJson);
        }
        let body = Bytes::from_request(request, state).await;
        body.map(Self).map_err(|error| match error.status() {
            StatusCode::PAYLOAD_TOO_LARGE => Rejection::BodyTooLarge,
            _ => Rejection::invalid("the request body could not be read".to_owned()),
        })
    }
}

/// `application/json` or `application/…+json`, whatever its parameters.
fn declares_json(headers: &HeaderMap) -> bool {
    let declared = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    let essence = declared.and_then(|value| value.split(';').next());
    essence.is_some_and(|essence| {
        let essence = essence.trim();
        // Nearly everyone writes just that.
        if essence.eq_ignore_ascii_case("application/json") {
            return true;
        }
        let essence = essence.to_ascii_lowercase();
        let subtype = essence.strip_prefix("application/");
        subtype.is_some_and(|subtype| subtype.ends_with("+json"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[test]
    fn json_is_declared_with_or_without_parameters() {
        let declares = |value: &'static str| {
            declares_json(&HeaderMap::from_iter([(
                CONTENT_TYPE,
                HeaderValue::from_static(value),
            )]))
        };
        assert!(declares("application/json"));
        assert!(declares("Application/JSON; charset=utf-8"));
        assert!(declares("application/problem+json"));
        assert!(!declares("text/json"));
        assert!(!declares("application/x-www-form-urlencoded"));
        assert!(!declares_json(&HeaderMap::new()));
    }
}
