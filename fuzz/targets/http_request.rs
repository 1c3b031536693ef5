//! Requests to the whole API: every route, its queries, headers and bodies.
//!
//! An input is a request as HTTP/1.1 writes it; `@trader@` and such words stand for
//! what the service knows. No request makes the server fail, and what is said to be
//! JSON is.

#![no_main]

mod service;

use axum::{
    body::{Body, to_bytes},
    extract::ConnectInfo,
    http::{HeaderName, HeaderValue, Request, header::CONTENT_TYPE, header::HOST},
};
use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use serde::de::IgnoredAny;
use service::Service;
use std::{cell::LazyCell, net::SocketAddr};
use tokio::runtime::{Builder, Runtime};
use tower::ServiceExt as _;

thread_local! {
    static STAGE: LazyCell<(Runtime, Service)> = LazyCell::new(|| {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let service = runtime.block_on(Service::new());
        (runtime, service)
    });
}

// Its making is not part of the time of the first input.
fuzz_target!(init: STAGE.with(|it| _ = LazyCell::force(it)), |text: &str| {
    STAGE.with(|stage| {
        let (runtime, service) = &**stage;
        let text = service.named(text);
        if let Some(request) = request(&text) {
            runtime.block_on(answered(service, request, &text));
        }
    });
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    fuzz::mutate(data, size, max_size, seed)
});

/// The request of a text, if HTTP lets it be one.
fn request(text: &str) -> Option<Request<Body>> {
    let (head, body) = text.split_once("\n\n").unwrap_or((text, ""));
    let mut lines = head.split('\n');
    let (method, path) = lines.next()?.split_once(' ')?;
    let mut request = Request::builder().method(method).uri(path);
    for line in lines {
        let (name, value) = line.split_once(": ")?;
        let name: HeaderName = name.parse().ok()?;
        request = request.header(name, HeaderValue::from_str(value).ok()?);
    }
    let mut request = request.body(Body::from(body.to_owned())).ok()?;
    let host = HeaderValue::from_static("stoa.example");
    request.headers_mut().entry(HOST).or_insert(host);
    let peer = SocketAddr::from(([9, 9, 9, 9], 1234));
    request.extensions_mut().insert(ConnectInfo(peer));
    Some(request)
}

async fn answered(service: &Service, request: Request<Body>, asked: &str) {
    let answer = service.router.clone().oneshot(request).await;
    let (parts, body) = answer.expect("an answer").into_parts();
    let kind = parts.headers.get(CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if kind == "text/event-stream" {
        return;
    }
    let body = to_bytes(body, usize::MAX).await.expect("a body");
    let told = String::from_utf8_lossy(&body);
    let status = parts.status;
    assert!(!status.is_server_error(), "{status} {told} to {asked}");
    let is_plain = !parts.headers.contains_key("content-encoding") && !body.is_empty();
    if is_plain && kind.ends_with("json") {
        let is_json = serde_json::from_slice::<IgnoredAny>(&body).is_ok();
        assert!(is_json, "{told} to {asked}");
    }
}
