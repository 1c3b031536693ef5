//! Answers in fewer bytes, for callers who say that they can read them.

use axum::{
    body::Body,
    extract::Request,
    http::header::{ACCEPT_ENCODING, VARY},
    middleware::Next,
    response::Response,
};
use std::{convert::Infallible, pin::Pin};
use tower::{Layer, Service, ServiceExt};
use tower_http::{
    CompressionLevel,
    compression::{
        CompressionLayer, Predicate,
        predicate::{DefaultPredicate, SizeAbove},
    },
};

/// Bodies below this size are not worth compressing.
const MIN_BYTES: u64 = 1_024;

/// An answer that is waited for. It is small wherever it is moved to, unlike
/// the requests and answers in it.
type Awaited = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

/// Has a request answered, and the answer compressed if the caller accepts that
/// and it is worth it. A caller who does not speak of it does not pay for a
/// layer around every answer.
pub(crate) async fn answer(request: Request, next: Next) -> Response {
    let is_accepted = request.headers().contains_key(ACCEPT_ENCODING);
    let Ok(mut response) = begin(request, next, is_accepted).await;
    if !is_accepted && is_worth_it().should_compress(&response) {
        // Another caller would be answered with other bytes.
        response.headers_mut().append(VARY, ACCEPT_ENCODING.into());
    }
    response
}

fn begin(request: Request, mut next: Next, is_accepted: bool) -> Awaited {
    if !is_accepted {
        return next.call(request);
    }
    let layer = CompressionLayer::new()
        .quality(CompressionLevel::Fastest)
        .compress_when(is_worth_it());
    let answer = layer.layer(next).oneshot(request);
    Box::pin(async { answer.await.map(|response| response.map(Body::new)) })
}

fn is_worth_it() -> impl Predicate {
    DefaultPredicate::new().and(SizeAbove::new(MIN_BYTES))
}
