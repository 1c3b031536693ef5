//! Server-sent events: an answer that goes on.
//!
//! Nothing waits here for a slow reader. What is told next is made when the reader
//! has taken what was told before, from what is so then.

use super::streams::Seat;
use axum::{
    http::{
        HeaderName, HeaderValue,
        header::{CACHE_CONTROL, CONTENT_TYPE},
    },
    response::{
        IntoResponse, Response,
        sse::{Event, KeepAlive, Sse},
    },
};
use futures_util::{Stream, StreamExt, future, stream};
use std::{convert::Infallible, time::Duration};

/// How often a silent stream shows that it lives.
const SIGN_OF_LIFE: Duration = Duration::from_secs(15);

/// How long a client that lost its stream waits before it asks again.
const RETRY: Duration = Duration::from_secs(2);

/// Events that were sent, by name.
const EVENTS: &str = "stoa_stream_events_total";

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// Keeps proxies from gathering what should pass at once.
const X_ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

const MEDIA_TYPE: &str = "text/event-stream";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StreamEvent {
    /// What a client says to go on from here.
    pub(crate) id: String,
    pub(crate) name: &'static str,
    /// One line of JSON.
    pub(crate) data: String,
}

/// The last event that a client of an earlier stream got, as it says.
pub(crate) fn last_event_id(headers: &axum::http::HeaderMap) -> Option<&str> {
    headers.get(LAST_EVENT_ID)?.to_str().ok()
}

/// Whether an answer goes on until somebody ends it.
pub(crate) fn is_endless(response: &Response) -> bool {
    let kind = response.headers().get(CONTENT_TYPE);
    kind.is_some_and(|kind| kind == MEDIA_TYPE)
}

/// An answer of events, some at a time; the seat is held for as long as it goes on.
pub(crate) fn answer(
    events: impl Stream<Item = Vec<StreamEvent>> + Send + 'static,
    seat: Seat,
) -> Response {
    let begun = stream::once(future::ready(Event::default().retry(RETRY)));
    let events = events.flat_map(stream::iter).map(move |event| {
        let _held = &seat;
        metrics::counter!(EVENTS, "event" => event.name).increment(1);
        let written = Event::default().id(event.id).event(event.name);
        written.data(event.data)
    });
    let events = begun.chain(events).map(Ok::<_, Infallible>);
    let alive = KeepAlive::new().interval(SIGN_OF_LIFE);
    let mut response = Sse::new(events).keep_alive(alive).into_response();
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_ACCEL_BUFFERING, HeaderValue::from_static("no"));
    response
}
