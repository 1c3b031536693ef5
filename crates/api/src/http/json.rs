//! Request bodies.

use super::error::Rejection;
use axum::{
    body::Bytes,
    extract::{FromRequest, Request},
    http::{
        HeaderMap, StatusCode,
        header::{CONTENT_ENCODING, CONTENT_TYPE},
    },
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
    /// structure would take it as the structure without its names. Other values
    /// would be refused with the structure's name, which is none of the caller's
    /// business.
    pub(crate) fn parse<'a, T: Deserialize<'a>>(&'a self) -> Result<T, Rejection> {
        let refusal = |problem: String| Rejection::invalid(format!("request body: {problem}"));
        match self.0.trim_ascii_start().first() {
            Some(b'{') | None => {}
            Some(b'[') => return Err(refusal("must be an object, not an array".to_owned())),
            Some(_) => return Err(refusal("must be an object".to_owned())),
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
        if is_encoded(request.headers()) {
            return Err(Rejection::Encoded);
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

/// Whether the body is something else than its bytes as they are.
pub(crate) fn is_encoded(headers: &HeaderMap) -> bool {
    let codings = headers.get_all(CONTENT_ENCODING).iter();
    codings.into_iter().any(|value| {
        let codings = value.as_bytes().split(|byte| *byte == b',');
        codings
            .map(<[u8]>::trim_ascii)
            .any(|coding| !coding.is_empty() && !coding.eq_ignore_ascii_case(b"identity"))
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

    #[test]
    fn only_identity_is_no_encoding() {
        let encoded = |values: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(CONTENT_ENCODING, HeaderValue::from_static(value));
            }
            is_encoded(&headers)
        };
        assert!(!encoded(&[]) && !encoded(&["identity"]) && !encoded(&["Identity, identity"]));
        assert!(!encoded(&[""]));
        for values in [
            &["gzip"][..],
            &["identity, br"],
            &["identity", "deflate"],
            &["x"],
        ] {
            assert!(encoded(values), "{values:?}");
        }
    }
}
