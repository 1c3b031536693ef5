//! Refusals that do not depend on what is asked for.

use crate::support::{Bench, get};
use api::JsonBody;
use axum::{
    Router,
    body::Body,
    http::{Method, Request, header::CONTENT_TYPE},
    routing::post,
};
use std::{future, time::Duration};

#[tokio::test]
async fn an_unknown_path_is_not_found() {
    let bench = Bench::new().await;
    for path in ["/nothing", "/v1", "/v1/starknet", "/healthz/", "/openapi"] {
        let messages = bench.get(path).await.refused(404);
        assert_eq!(
            messages,
            ["there is nothing at this path; see /docs"],
            "{path}"
        );
    }
}

#[tokio::test]
async fn a_wrong_method_is_told_the_right_ones() {
    let bench = Bench::new().await;
    for path in [
        "/v1/starknet/tokens",
        "/v1/starknet/tokens/ETH",
        "/healthz",
        "/docs",
    ] {
        for method in ["POST", "DELETE", "BREW"] {
            let answer = bench
                .send(Request::builder().method(method).uri(path))
                .await;
            let messages = answer.refused(405);
            assert!(messages[0].contains("Allow header"), "{messages:?}");
            assert_eq!(answer.header("allow"), Some("GET,HEAD"), "{method} {path}");
        }
    }
}

#[derive(serde::Deserialize)]
struct Number {
    n: u64,
}

async fn sent(
    bench: &Bench,
    request: axum::http::request::Builder,
    body: Body,
) -> crate::support::Answer {
    let echo = post(|JsonBody(Number { n }): JsonBody<Number>| async move { n.to_string() });
    bench
        .send_with(Router::new().route("/echo", echo), request, body)
        .await
}

fn json_post() -> axum::http::request::Builder {
    Request::post("/echo").header(CONTENT_TYPE, "application/json; charset=utf-8")
}

#[tokio::test]
async fn a_body_of_json_is_read() {
    let bench = Bench::new().await;
    let seven = sent(&bench, json_post(), Body::from(r#"{"n":7}"#)).await;
    assert_eq!(seven.text(), "7");
    let wrong = sent(&bench, json_post(), Body::from(r#"{"n":"7"}"#)).await;
    assert!(wrong.refused(400)[0].starts_with("request body: invalid type"));
    let broken = sent(&bench, json_post(), Body::from("{")).await;
    assert!(broken.refused(400)[0].starts_with("request body: "));
}

#[tokio::test]
async fn a_body_of_another_type_is_refused() {
    let bench = Bench::new().await;
    let untyped = sent(&bench, Request::post("/echo"), Body::from("7")).await;
    assert_eq!(
        untyped.refused(415),
        ["the request body must be sent as application/json"]
    );
}

#[tokio::test]
async fn a_body_that_is_too_large_is_refused_declared_or_not() {
    let bench = Bench::configured(|config| config.max_body_bytes = 10).await;
    let (fits, is_longer) = (r#"{"n":1234}"#, r#"{"n":12345}"#);
    let declared = json_post().header("content-length", "11");
    let message = "the request body is too large";
    assert_eq!(
        sent(&bench, declared, Body::from(is_longer))
            .await
            .refused(413),
        [message]
    );
    let absurd = json_post().header("content-length", "99999999999999999999999");
    assert_eq!(
        sent(&bench, absurd, Body::empty()).await.refused(413),
        [message]
    );
    assert_eq!(
        sent(&bench, json_post(), Body::from(is_longer))
            .await
            .refused(413),
        [message]
    );
    assert_eq!(
        sent(&bench, json_post(), Body::from(fits)).await.status,
        200
    );
}

async fn panics() -> &'static str {
    panic!("a bug")
}

#[tokio::test]
async fn a_panic_is_answered_without_its_cause() {
    let bench = Bench::new().await;
    let routes = Router::new().route("/panic", axum::routing::get(panics));
    let answer = bench.send_with(routes, get("/panic"), Body::empty()).await;
    assert_eq!(answer.refused(500), ["something went wrong on our side"]);
    assert!(answer.header("x-ratelimit-remaining").is_some());
}

#[tokio::test]
async fn a_request_that_takes_too_long_is_given_up() {
    let bench = Bench::configured(|config| config.request_timeout = Duration::from_millis(1)).await;
    let routes = Router::new().route("/slow", axum::routing::get(future::pending::<String>));
    let answer = bench.send_with(routes, get("/slow"), Body::empty()).await;
    assert_eq!(
        answer.refused(503),
        ["the answer took too long; try again in a moment"]
    );
    assert_eq!(answer.header("retry-after"), Some("1"));
    assert!(answer.header("x-ratelimit-remaining").is_some());
}

#[tokio::test]
async fn a_failing_store_is_our_fault_and_says_nothing_else() {
    let bench = Bench::new().await;
    let key = bench.keys.create("test").await.unwrap();
    bench.store.close().await;
    for path in ["/v1/starknet/tokens", "/v1/starknet/tokens/ETH"] {
        let request = Request::builder().method(Method::GET).uri(path);
        let answer = bench.send(request.header("x-api-key", &key.secret)).await;
        assert_eq!(answer.refused(500), ["something went wrong on our side"]);
        assert_eq!(bench.get(path).await.status, 200);
    }
}
