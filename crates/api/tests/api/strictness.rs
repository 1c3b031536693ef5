//! Requests that others might read otherwise than we do: without one host, with
//! a body that does not come, is packed, or is no object.

use crate::{
    server::{DRAIN, served},
    support::{Answer, Bench, send},
};
use axum::{
    Router,
    body::Body,
    http::{Request, request::Builder},
    routing::get,
};
use serde_json::Value;
use std::{future, net::SocketAddr, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// Every path that reads a body.
const READERS: [&str; 5] = [
    "/dca/v3/orders",
    "/dca/v3/orders/preview",
    "/swap/v3/build",
    "/v3/tokens/prices",
    "/v1/tokens/prices",
];

fn json_post(path: &str) -> Builder {
    Request::post(path).header("content-type", "application/json")
}

/// A body that never comes.
pub(crate) fn endless() -> Body {
    let never = futures_util::stream::pending::<Result<bytes::Bytes, std::io::Error>>();
    Body::from_stream(never)
}

/// Sends these bytes; answers with everything that comes back.
pub(crate) async fn raw(address: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

#[tokio::test]
async fn every_operation_refuses_two_hosts() {
    let bench = Bench::new().await;
    for (name, text) in api::openapi_documents() {
        // In their own words: tests/api/marketplace/strictness.rs and
        // tests/api/paymaster.rs.
        if ["marketplace.json", "paymaster.json", "openapi.json"].contains(&name) {
            continue;
        }
        let document: Value = serde_json::from_str(&text).unwrap();
        for (path, item) in document["paths"].as_object().unwrap() {
            for method in item.as_object().unwrap().keys() {
                let uri = path.replace(['{', '}'], "");
                let request = Request::builder()
                    .method(method.to_uppercase().as_str())
                    .uri(uri)
                    .header("host", "a.example")
                    .header("host", "b.example");
                let messages = bench.send(request).await.refused(400);
                let message = "the request must have exactly one Host header";
                assert_eq!(messages, [message], "{method} {path}");
            }
        }
    }
}

#[tokio::test]
async fn a_preflight_needs_one_host_too() {
    let bench = Bench::new().await;
    let twice = Request::options("/v1/starknet/tokens")
        .header("host", "a.example")
        .header("host", "a.example");
    bench.send(twice).await.refused(400);
}

#[tokio::test]
async fn only_requests_of_http_1_0_may_have_no_host() {
    let bench = Bench::new().await;
    let (address, stop, server) = served(bench.router.clone(), DRAIN).await;
    for (version, host, status) in [
        ("1.1", "host: x\r\n", "200"),
        ("1.1", "", "400"),
        ("1.0", "", "200"),
    ] {
        let request = format!(
            "GET /v1/starknet/tokens/ETH HTTP/{version}\r\n{host}connection: close\r\n\r\n"
        );
        let answer = raw(address, &request).await;
        let line = format!("HTTP/{version} {status}");
        assert!(answer.starts_with(&line), "{answer}");
    }
    stop.cancel();
    server.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_body_that_does_not_arrive_in_time_is_the_callers_fault() {
    let bench = Bench::configured(|config| config.request_timeout = Duration::from_millis(1)).await;
    for path in READERS {
        let answer = send(&bench.router, json_post(path), endless()).await;
        let message = "the request body did not arrive in time";
        assert_eq!(answer.refused(408), [message], "{path}");
        assert!(answer.header("x-ratelimit-remaining").is_some());
    }
}

#[tokio::test]
async fn a_slow_answer_is_ours_whatever_comes_of_the_body() {
    let bench = Bench::configured(|config| config.request_timeout = Duration::from_millis(1)).await;
    let routes = Router::new().route("/slow", get(future::pending::<String>));
    let request = Request::get("/slow");
    let answer = bench.send_with(routes, request, endless()).await;
    let message = "the answer took too long; try again in a moment";
    assert_eq!(answer.refused(503), [message]);
}

#[tokio::test]
async fn a_slow_body_is_refused_over_a_socket() {
    let bench =
        Bench::configured(|config| config.request_timeout = Duration::from_millis(50)).await;
    let (address, stop, server) = served(bench.router.clone(), DRAIN).await;
    let request = "POST /v3/tokens/prices HTTP/1.1\r\nhost: x\r\n\
                   content-type: application/json\r\ncontent-length: 100\r\n\r\n{\"tokens\"";
    // The connection ends with the answer: nobody knows where the next request begins.
    let answer = raw(address, request).await;
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    stop.cancel();
    server.await.unwrap().unwrap();
}

async fn encoded(bench: &Bench, path: &str, coding: &str) -> Answer {
    let request = json_post(path).header("content-encoding", coding);
    let body = r#"{"tokens":["0x30"],"quoteId":"01890f3e-8f4b-7c5e-9d7a-0123456789ab"}"#;
    send(&bench.router, request, Body::from(body)).await
}

#[tokio::test]
async fn a_body_with_a_content_encoding_is_refused() {
    let bench = Bench::new().await;
    for path in READERS {
        for coding in ["gzip", "br", "identity, deflate", "nonsense"] {
            let messages = encoded(&bench, path, coding).await.refused(415);
            let message = "the request body must be sent without a Content-Encoding";
            assert_eq!(messages, [message], "{path} {coding}");
        }
        let plain = encoded(&bench, path, "identity").await;
        assert_ne!(plain.status, 415, "{path}");
    }
}

#[tokio::test]
async fn a_body_that_is_no_object_is_refused_in_words_of_the_callers() {
    let bench = Bench::new().await;
    for path in READERS {
        for (body, message) in [
            ("7", "request body: must be an object"),
            ("\"x\"", "request body: must be an object"),
            ("null", "request body: must be an object"),
            ("[]", "request body: must be an object, not an array"),
        ] {
            let answer = send(&bench.router, json_post(path), Body::from(body)).await;
            assert_eq!(answer.refused(400), [message], "{path} {body}");
        }
    }
}
