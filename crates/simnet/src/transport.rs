//! How much of a request is read, and sending answers over HTTP, faults of
//! transport included.

use crate::fault::FaultKind;
use axum::body::{Body, Bytes};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, Stream};
use std::io;

/// Bytes of a request, over HTTP or a socket.
pub(crate) const MAX_BODY_BYTES: usize = 1 << 20;

/// Padding of an oversized answer, in megabytes.
pub(crate) const OVERSIZED_MEGABYTES: usize = 64;

const MEGABYTE: usize = 1 << 20;

/// What a client that asks too often is told to wait.
const RETRY_AFTER_SECONDS: &str = "1";

const JSON: (header::HeaderName, &str) = (header::CONTENT_TYPE, "application/json");

/// The response that carries an answer, if there is one, in the way of `fault`.
pub(crate) async fn respond(answer: Option<String>, fault: Option<FaultKind>) -> Response {
    let text = match (answer, fault) {
        (None, None | Some(FaultKind::Delay(_))) => None,
        (answer, _) => Some(answer.unwrap_or_default()),
    };
    if let Some(FaultKind::Delay(delay)) = fault {
        tokio::time::sleep(delay).await;
    }
    let Some(text) = text else {
        return StatusCode::NO_CONTENT.into_response();
    };
    match fault {
        Some(FaultKind::Dropped) => Body::from_stream(cut_off(None)).into_response(),
        Some(FaultKind::Http5xx) => StatusCode::SERVICE_UNAVAILABLE.into_response(),
        Some(FaultKind::Http429) => (
            StatusCode::TOO_MANY_REQUESTS,
            [(header::RETRY_AFTER, RETRY_AFTER_SECONDS)],
        )
            .into_response(),
        Some(FaultKind::Malformed) => ([JSON], malformed(&text)).into_response(),
        Some(FaultKind::Truncated) => {
            let length = (header::CONTENT_LENGTH, text.len().to_string());
            let begin = Bytes::from(half(&text));
            ([JSON], [length], Body::from_stream(cut_off(Some(begin)))).into_response()
        }
        Some(FaultKind::Oversized) => ([JSON], Body::from_stream(padded(text))).into_response(),
        _ => ([JSON], text).into_response(),
    }
}

/// The first half of an answer, and something that JSON does not know.
pub(crate) fn malformed(text: &str) -> String {
    format!("{}\u{fffd}", half(text))
}

pub(crate) fn half(text: &str) -> String {
    text.chars().take(text.chars().count() / 2).collect()
}

/// A body that breaks off after its beginning. Whatever the server has in hand
/// by then is sent; a body without a beginning takes its headers with it.
fn cut_off(begin: Option<Bytes>) -> impl Stream<Item = io::Result<Bytes>> {
    let broken = || io::Error::from(io::ErrorKind::ConnectionReset);
    stream::unfold(begin, move |begin| async move {
        match begin {
            Some(begin) if !begin.is_empty() => Some((Ok(begin), Some(Bytes::new()))),
            begin => {
                if begin.is_some() {
                    tokio::task::yield_now().await;
                }
                Some((Err(broken()), None))
            }
        }
    })
}

/// White space, which JSON allows, and then the answer.
fn padded(text: String) -> impl Stream<Item = io::Result<Bytes>> {
    let space = Bytes::from(vec![b' '; MEGABYTE]);
    let padding = std::iter::repeat_n(space, OVERSIZED_MEGABYTES);
    stream::iter(padding.chain([Bytes::from(text)]).map(Ok))
}
