//! What browsers are told. Any page may call the API: it has no cookies that
//! could be abused.
//!
//! By hand, since `tower-http` answers a preflight with 200, and callers know 204.

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::Response,
};

const ALLOWED_METHODS: &str = "GET, POST, PUT, PATCH, DELETE, OPTIONS";
const ALLOWED_HEADERS: &str = "accept, content-type, cache-control, if-none-match, x-api-key, \
    api-key, x-paymaster-api-key, x-request-id, ask-signature, authorization, idempotency-key, \
    last-event-id";

/// On every answer; as constants they are not checked for each of them.
const ANY_ORIGIN: HeaderValue = HeaderValue::from_static("*");
const EXPOSED_HEADERS: HeaderValue = HeaderValue::from_static(
    "x-request-id, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, retry-after, \
     etag, x-partial-bucket, idempotent-replayed, signature, x-stoa-provisional",
);

/// Seconds for which a browser may remember a preflight's answer.
const MAX_AGE_S: &str = "3600";

/// The answer to a browser that asks before it asks.
pub(crate) fn preflight() -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    for (name, value) in [
        (header::ACCESS_CONTROL_ALLOW_METHODS, ALLOWED_METHODS),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, ALLOWED_HEADERS),
        (header::ACCESS_CONTROL_MAX_AGE, MAX_AGE_S),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Lets any page read an answer and the headers that matter.
pub(crate) fn allow(headers: &mut HeaderMap) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, ANY_ORIGIN);
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED_HEADERS);
}
