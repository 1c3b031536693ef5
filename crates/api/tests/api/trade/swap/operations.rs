//! What the operations of swaps have in common: the answers that the document
//! promises.

use crate::support::{Answer, Bench, Setting, send};
use api::RateLimits;
use axum::{body::Body, http::Request};
use serde_json::{Value, json};
use services::Policy;

const QUOTES: &str = "/swap/v3/quotes";
const BUILD: &str = "/swap/v3/build";
const SOURCES: &str = "/swap/v3/sources";

/// A quote that nobody gave.
const UNKNOWN: &str = r#"{"quoteId": "6f0c2b1e-8a57-4c0f-9d5e-2b7f3a1c4d60"}"#;

/// Asks each operation, the one with a body with that of an unknown quote.
async fn ask(bench: &Bench, path: &str, headers: &[(&str, &str)]) -> Answer {
    let mut request = if path == BUILD {
        Request::post(path).header("content-type", "application/json")
    } else {
        Request::get(path)
    };
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let body = if path == BUILD { UNKNOWN } else { "" };
    send(&bench.router, request, Body::from(body)).await
}

const ALL: [&str; 3] = [QUOTES, BUILD, SOURCES];

#[test]
fn the_document_promises_what_is_tested() {
    let (_, text) = &api::openapi_documents()[0];
    let document: Value = serde_json::from_str(text).unwrap();
    for (path, method, expected) in [
        (
            QUOTES,
            "get",
            json!(["200", "400", "401", "429", "500", "503"]),
        ),
        (
            BUILD,
            "post",
            json!([
                "200", "400", "401", "408", "413", "415", "429", "500", "503"
            ]),
        ),
        (
            SOURCES,
            "get",
            json!(["200", "400", "401", "429", "500", "503"]),
        ),
    ] {
        let answers = document["paths"][path][method]["responses"].as_object();
        let answers: Vec<&String> = answers.unwrap().keys().collect();
        assert_eq!(json!(answers), expected, "{path}");
    }
}

#[tokio::test]
async fn before_the_first_block_nothing_is_answered_as_empty_or_unknown() {
    let bench = Bench::with(Setting {
        more_tokens: None,
        ..Setting::default()
    })
    .await;
    for path in ALL {
        let message = "no block has been read yet; try again in a moment";
        assert_eq!(
            ask(&bench, path, &[]).await.refused(503),
            [message],
            "{path}"
        );
    }
}

#[tokio::test]
async fn a_wrong_key_is_refused() {
    let bench = Bench::new().await;
    for path in ALL {
        ask(&bench, path, &[("x-api-key", "nope")])
            .await
            .refused(401);
    }
}

#[tokio::test]
async fn a_failing_store_is_our_fault() {
    let bench = Bench::new().await;
    let key = bench.keys.create("test").await.unwrap();
    bench.store.close().await;
    for path in ALL {
        let key = [("x-api-key", key.secret.as_str())];
        ask(&bench, path, &key).await.refused(500);
    }
}

#[tokio::test]
async fn every_operation_is_counted() {
    let none = Policy {
        limit: 0,
        window_s: 300,
    };
    let bench = Bench::configured(|config| {
        config.rate_limits = Some(RateLimits {
            public: none,
            keyed: none,
        });
    })
    .await;
    for path in ALL {
        ask(&bench, path, &[]).await.refused(429);
    }
}

#[tokio::test]
async fn a_body_must_be_json_and_not_too_large() {
    let bench = Bench::configured(|config| config.max_body_bytes = 100).await;
    let text = Request::post(BUILD).header("content-type", "text/plain");
    send(&bench.router, text, Body::from(UNKNOWN))
        .await
        .refused(415);
    let large = format!("{UNKNOWN}{}", " ".repeat(100));
    let request = Request::post(BUILD).header("content-type", "application/json");
    send(&bench.router, request, Body::from(large))
        .await
        .refused(413);
}
