//! When to ask again.

use axum::http::{HeaderMap, HeaderValue, header::RETRY_AFTER};

/// Says so, if that is known.
pub(crate) fn write(seconds: Option<u64>, headers: &mut HeaderMap) {
    if let Some(seconds) = seconds {
        headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
}
