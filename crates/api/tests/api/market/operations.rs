//! What every operation has in common: the answers that the document promises.

use super::support::{Market, Operation, document, post};
use crate::support::{Bench, Setting};
use api::{ApiConfig, Dialect, RateLimits};
use axum::http::Request;
use serde_json::{Value, json};
use services::Policy;
use std::collections::BTreeSet;

/// A token of the bench, which has no price.
const TOKEN: &str = "0x30";

/// Every promise is kept by a test here, or among the refusals.
#[test]
fn the_document_promises_what_is_tested() {
    for operation in Operation::all(TOKEN) {
        let mut expected = vec![
            "200", "304", "400", "401", "408", "413", "415", "429", "500", "503",
        ];
        let is_prices = operation.path.ends_with("tokens/prices");
        expected.retain(|status| match *status {
            "304" => !is_prices,
            "408" | "413" | "415" => operation.method == "POST",
            _ => true,
        });
        let Operation { method, path, .. } = &operation;
        assert_eq!(operation.answers, expected, "{method} {path}");
    }
}

#[tokio::test]
async fn before_the_first_block_nothing_is_answered_as_empty_or_unknown() {
    let bench = Bench::with(Setting {
        more_tokens: None,
        ..Setting::default()
    })
    .await;
    for operation in Operation::all(TOKEN) {
        let answer = operation.ask(&bench, TOKEN, &[]).await;
        let message = "no block has been read yet; try again in a moment";
        assert_eq!(answer.refused(503), [message], "{}", operation.path);
    }
}

#[tokio::test]
async fn a_wrong_key_is_refused() {
    let bench = Bench::new().await;
    for operation in Operation::all(TOKEN) {
        let answer = operation.ask(&bench, TOKEN, &[("x-api-key", "nope")]).await;
        answer.refused(401);
    }
}

#[tokio::test]
async fn a_failing_store_is_our_fault() {
    let bench = Bench::new().await;
    let key = bench.keys.create("test").await.unwrap();
    bench.store.close().await;
    for operation in Operation::all(TOKEN) {
        let key = [("x-api-key", key.secret.as_str())];
        operation.ask(&bench, TOKEN, &key).await.refused(500);
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
    for operation in Operation::all(TOKEN) {
        operation.ask(&bench, TOKEN, &[]).await.refused(429);
    }
}

#[tokio::test]
async fn bodies_must_be_json_and_short() {
    let bench = Bench::configured(|config: &mut ApiConfig| config.max_body_bytes = 100).await;
    for path in ["/v3/tokens/prices", "/v1/tokens/prices"] {
        bench.send(Request::post(path)).await.refused(415);
        post(&bench, path, "x".repeat(101)).await.refused(413);
    }
}

#[tokio::test]
async fn every_operation_answers_in_both_dialects_and_has_nothing_new_for_those_who_know() {
    for dialect in [Dialect::Plain, Dialect::Avnu] {
        let market = Market::speaking(1, dialect).await;
        let token = market.address("ETH").await;
        for operation in Operation::all(&token) {
            let Operation { method, path, .. } = &operation;
            let answer = operation.ask(&market.bench, &token, &[]).await;
            assert_eq!(answer.status, 200, "{method} {path}: {}", answer.text());
            let body = answer.json();
            assert!(body.as_array().is_none_or(|it| !it.is_empty()), "{path}");
            if !operation.answers.contains(&"304".to_owned()) {
                assert_eq!(answer.header("etag"), None, "{method} {path}");
                continue;
            }
            let tag = answer.header("etag").unwrap();
            let again = operation
                .ask(&market.bench, &token, &[("if-none-match", tag)])
                .await;
            assert_eq!(
                (again.status.as_u16(), again.body.len()),
                (304, 0),
                "{path}"
            );
            for header in ["etag", "cache-control", "x-partial-bucket"] {
                assert_eq!(again.header(header), answer.header(header), "{path}");
            }
        }
    }
}

#[tokio::test]
async fn answers_have_the_documented_fields_and_no_others() {
    let market = Market::new(2).await;
    let document = document();
    let token = market.address("STRK").await;
    for operation in Operation::all(&token) {
        let body = operation.ask(&market.bench, &token, &[]).await.json();
        let items = body.as_array().cloned().unwrap_or_else(|| vec![body]);
        assert!(!items.is_empty(), "{}", operation.path);
        for item in &items {
            check(&document, &operation.schema, item);
        }
    }
}

/// Compares an object, and the objects in it, with its schema.
fn check(document: &Value, name: &str, item: &Value) {
    let schema = &document["components"]["schemas"][name];
    let keys: BTreeSet<&str> = item
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    let known: BTreeSet<&str> = schema["properties"]
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    let required: BTreeSet<&str> = schema["required"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it.as_str().unwrap())
        .collect();
    assert!(keys.is_subset(&known), "{name}: {keys:?}");
    assert!(required.is_subset(&keys), "{name}: {required:?}");
    for (key, value) in item.as_object().unwrap() {
        let property = &schema["properties"][key];
        let inner = |property: &Value| {
            let reference = property["$ref"].as_str();
            reference.map(|it| it.rsplit('/').next().unwrap().to_owned())
        };
        if let (Some(name), Value::Object(_)) = (inner(property), value) {
            check(document, &name, value);
        }
        if let (Some(name), Value::Array(values)) = (inner(&property["items"]), value) {
            let objects = values.iter().filter(|it| it.is_object());
            objects.for_each(|it| check(document, &name, it));
        }
    }
}

#[tokio::test]
async fn every_listener_of_the_market_has_the_market_and_not_the_list() {
    let bench = Bench::new().await;
    let router = bench.api.market_router();
    let get = |path| crate::support::send(&router, Request::get(path), axum::body::Body::empty());
    assert_eq!(get("/v3/tokens").await.json(), json!([]));
    get("/v1/starknet/tokens").await.refused(404);
    let router = bench.api.trade_router();
    let get = |path| crate::support::send(&router, Request::get(path), axum::body::Body::empty());
    assert_eq!(get("/v1/tokens/prices?token=0x30").await.json(), json!([]));
    get("/v3/tokens").await.refused(404);
}
