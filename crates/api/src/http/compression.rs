//! Answers in fewer bytes, for callers who say that they can read them.

use axum::{
    body::Body,
    extract::FromRequestParts,
    http::{
        self, HeaderMap, HeaderValue,
        header::{ACCEPT_ENCODING, CONTENT_ENCODING, VARY},
        request::Parts,
    },
    response::Response,
};
use std::{convert::Infallible, future::ready};
use tower::{Layer, ServiceExt, service_fn};
use tower_http::{
    CompressionLevel,
    compression::{
        CompressionLayer, Predicate,
        predicate::{DefaultPredicate, SizeAbove},
    },
};

/// Bodies below this size are not worth compressing.
const MIN_BYTES: u64 = 1_024;

/// What an answer varies by that would be other bytes for another caller.
pub(crate) const BY_ENCODING: HeaderValue = HeaderValue::from_static("accept-encoding");

/// Whether a text is worth compressing.
pub(crate) fn is_long(text: &[u8]) -> bool {
    u64::try_from(text.len()).is_ok_and(|length| length >= MIN_BYTES)
}

/// Whether the caller asks for gzip without a weight, as clients do. Handlers
/// that have an answer as gzip need not look at finer wishes: what they do not
/// compress is compressed here.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WantsGzip(pub(crate) bool);

impl WantsGzip {
    fn of(headers: &HeaderMap) -> Self {
        let wishes = headers.get_all(ACCEPT_ENCODING).iter();
        let mut wishes = wishes
            .filter_map(|value| value.to_str().ok())
            .flat_map(|text| text.split(','));
        Self(wishes.any(|wish| wish.trim().eq_ignore_ascii_case("gzip")))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for WantsGzip {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::of(&parts.headers))
    }
}

/// What a caller says of compression.
#[derive(Debug)]
pub(crate) struct Accepted(Vec<HeaderValue>);

impl Accepted {
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let accepted = headers.get_all(ACCEPT_ENCODING).iter();
        Self(accepted.cloned().collect())
    }

    /// Whether an answer is still to be compressed, if it is worth it: the
    /// caller speaks of it, and the handler did not do so. Who does not speak
    /// of compression does not pay for it.
    pub(crate) fn still_wants(&self, response: &Response) -> bool {
        !self.0.is_empty() && !response.headers().contains_key(CONTENT_ENCODING)
    }

    /// Compresses an answer, if it is worth it.
    pub(crate) async fn compress(self, response: Response) -> Response {
        let mut asking = http::Request::new(());
        for encodings in self.0 {
            asking.headers_mut().append(ACCEPT_ENCODING, encodings);
        }
        let mut response = Some(response);
        let answered = move |_| ready(Ok::<_, Infallible>(response.take().unwrap_or_default()));
        let layer = CompressionLayer::new()
            .quality(CompressionLevel::Fastest)
            .compress_when(is_worth_it());
        let Ok(response) = layer.layer(service_fn(answered)).oneshot(asking).await;
        response.map(Body::new)
    }
}

/// Tells that an answer that is not compressed would be so for others.
pub(crate) fn mark(response: &mut Response) {
    let is_encoded = response.headers().contains_key(CONTENT_ENCODING);
    if !is_encoded && is_worth_it().should_compress(response) {
        response.headers_mut().append(VARY, BY_ENCODING);
    }
}

fn is_worth_it() -> impl Predicate {
    DefaultPredicate::new().and(SizeAbove::new(MIN_BYTES))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_is_wanted_by_whoever_names_it_without_a_weight() {
        let wants = |values: &[&'static str]| {
            let values = values.iter().map(|it| HeaderValue::from_static(it));
            WantsGzip::of(&values.map(|it| (ACCEPT_ENCODING, it)).collect()).0
        };
        // Node's fetch, Python's requests, browsers, reqwest.
        assert!(wants(&["gzip, deflate"]));
        assert!(wants(&["br, gzip, deflate"]));
        assert!(wants(&["gzip, deflate, br, zstd"]));
        assert!(wants(&["gzip"]));
        assert!(wants(&["br", "GZIP"]));
        for other in [&[][..], &["identity"], &["gzip;q=0"], &["*"], &["gzipped"]] {
            assert!(!wants(other), "{other:?}");
        }
    }
}
