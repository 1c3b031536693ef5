//! Requests, and what comes back.

use super::{Bench, seen};
use axum::{
    Router,
    body::{Body, Bytes, HttpBody as _, to_bytes},
    extract::ConnectInfo,
    http::{
        HeaderMap, HeaderValue, Request, StatusCode,
        header::{CONTENT_TYPE, HOST},
        request::Builder,
    },
    response::Response,
};
use serde_json::Value;
use std::net::SocketAddr;
use tower::ServiceExt;

const PEER: &str = "9.9.9.9:1234";

pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.header("content-type"), Some("application/json"));
        serde_json::from_slice(&self.body).unwrap()
    }

    /// Whatever is JSON ends with a newline.
    fn check_ending(&self) {
        let kind = self.header("content-type").unwrap_or_default();
        let is_plain = self.header("content-encoding").is_none() && !self.body.is_empty();
        if is_plain && kind.ends_with("json") {
            assert!(self.body.ends_with(b"\n"), "{}", self.text());
        }
    }

    /// The slug of a problem document.
    pub(crate) fn slug(&self) -> Option<String> {
        if self.header("content-type") != Some("application/problem+json") {
            return None;
        }
        let body: Value = serde_json::from_slice(&self.body).unwrap();
        let (_, slug) = body["type"].as_str().unwrap().rsplit_once('/').unwrap();
        Some(slug.to_owned())
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// The messages of a refusal with this status.
    #[track_caller]
    pub(crate) fn refused(&self, status: u16) -> Vec<String> {
        assert_eq!(self.status, status, "{}", self.text());
        let body = self.json();
        let fields: Vec<_> = body.as_object().unwrap().keys().collect();
        assert_eq!(fields, ["messages"]);
        let messages: Vec<String> = serde_json::from_value(body["messages"].clone()).unwrap();
        assert!(!messages.is_empty() && messages.iter().all(|text| !text.is_empty()));
        assert!(self.header("x-request-id").is_some());
        messages
    }
}

pub(crate) fn get(path: &str) -> Builder {
    Request::get(path)
}

pub(crate) async fn send(router: &Router, request: Builder, body: Body) -> Answer {
    let method = request.method_ref().cloned().unwrap_or_default();
    let path = request.uri_ref().map(|uri| uri.path().to_owned());
    let (body, sent) = known(body).await;
    // Apart: tests hold many of them.
    let response = Box::pin(respond(router, request, body)).await;
    let (parts, body) = response.into_parts();
    let kind = parts.headers.get(CONTENT_TYPE);
    // What does not end is not waited for.
    let is_endless = kind.is_some_and(|kind| kind == "text/event-stream");
    let body = if is_endless { Body::empty() } else { body };
    let answer = Answer {
        status: parts.status,
        headers: parts.headers,
        body: to_bytes(body, usize::MAX).await.unwrap().to_vec(),
    };
    answer.check_ending();
    if let Some(slug) = answer.slug() {
        seen::note_slug(&slug, answer.status.as_u16());
    }
    let path = path.unwrap_or_default();
    seen::note_example(method.as_str(), &path, sent.as_deref(), &answer);
    answer
}

/// A body, and its bytes if they are there at once.
async fn known(body: Body) -> (Body, Option<Bytes>) {
    if body.size_hint().exact().is_none() {
        return (body, None);
    }
    let bytes = to_bytes(body, usize::MAX).await.unwrap();
    (Body::from(bytes.clone()), Some(bytes))
}

/// The answer to a request of a known peer, whose body is still to be read.
pub(super) async fn respond(router: &Router, request: Builder, body: Body) -> Response {
    let peer: SocketAddr = PEER.parse().unwrap();
    let mut request = request.body(body).unwrap();
    if request
        .extensions()
        .get::<ConnectInfo<SocketAddr>>()
        .is_none()
    {
        request.extensions_mut().insert(ConnectInfo(peer));
    }
    let host = HeaderValue::from_static("stoa.example");
    request.headers_mut().entry(HOST).or_insert(host);
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let response = router.clone().oneshot(request).await.unwrap();
    seen::note(method.as_str(), &path, response.status().as_u16());
    response
}

impl Bench {
    pub(crate) async fn send(&self, request: Builder) -> Answer {
        send(&self.router, request, Body::empty()).await
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send(get(path)).await
    }

    /// Sends to the API with further routes.
    pub(crate) async fn send_with(&self, routes: Router, request: Builder, body: Body) -> Answer {
        send(&self.api.surround(routes), request, body).await
    }
}
