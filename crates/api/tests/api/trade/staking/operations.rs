//! What the operations of staking have in common: the answers that the document
//! promises.

use super::support::Desk;
use crate::{
    strictness::endless,
    support::{Answer, Bench, send},
};
use api::RateLimits;
use axum::{body::Body, http::Request};
use serde_json::{Value, json};
use services::Policy;
use std::time::Duration;
use trading::staking::WithdrawalNames;

const INFO: &str = "/staking/v3";
const MEMBER: &str = "/staking/v3/pools/0x1/members/0x2";
const ACTIONS: [&str; 4] = [
    "/staking/v3/pools/0x1/members/0x2/stake",
    "/staking/v3/pools/0x1/members/0x2/initiate-withdraw",
    "/staking/v3/pools/0x1/members/0x2/claim-withdraw",
    "/staking/v3/pools/0x1/members/0x2/claim-rewards",
];

/// A body that all actions take.
const BODY: &str = r#"{"userAddress": "0x2", "amount": "1", "restake": false}"#;

fn all() -> impl Iterator<Item = &'static str> {
    [INFO, MEMBER].into_iter().chain(ACTIONS)
}

async fn ask(bench: &Bench, path: &str, headers: &[(&str, &str)]) -> Answer {
    let is_action = ACTIONS.contains(&path);
    let mut request = if is_action {
        Request::post(path).header("content-type", "application/json")
    } else {
        Request::get(path)
    };
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let body = if is_action { BODY } else { "" };
    send(&bench.router, request, Body::from(body)).await
}

#[test]
fn the_document_promises_what_is_tested() {
    let (_, text) = &api::openapi_documents()[0];
    let document: Value = serde_json::from_str(text).unwrap();
    let plain = json!(["200", "400", "401", "404", "429", "500", "503"]);
    let with_body = json!([
        "200", "400", "401", "404", "408", "413", "415", "429", "500", "503"
    ]);
    let paths = document["paths"].as_object().unwrap().iter();
    let mut operations = 0;
    for (path, item) in paths.filter(|(path, _)| path.starts_with(INFO)) {
        for (method, operation) in item.as_object().unwrap() {
            let answers = operation["responses"].as_object().unwrap();
            let answers: Vec<&String> = answers.keys().collect();
            let expected = if method == "post" { &with_body } else { &plain };
            assert_eq!(json!(answers), *expected, "{path}");
            operations += 1;
        }
    }
    assert_eq!(operations, all().count());
}

#[tokio::test]
async fn where_there_is_no_staker_nothing_is_found() {
    let bench = Bench::new().await;
    for path in all() {
        let message = "staking is not offered here: no staker is configured";
        assert_eq!(
            ask(&bench, path, &[]).await.refused(404),
            [message],
            "{path}"
        );
    }
}

#[tokio::test]
async fn before_the_staker_was_read_nothing_is_answered_as_unknown() {
    let desk = Desk::unread(WithdrawalNames::Documented).await;
    for path in all() {
        let message = "no block has been read yet; try again in a moment";
        let answer = ask(&desk.bench, path, &[]).await;
        assert_eq!(answer.refused(503), [message], "{path}");
    }
}

#[tokio::test]
async fn a_wrong_key_is_refused() {
    let bench = Bench::new().await;
    for path in all() {
        let answer = ask(&bench, path, &[("x-api-key", "nope")]).await;
        answer.refused(401);
    }
}

#[tokio::test]
async fn a_failing_store_is_our_fault() {
    let bench = Bench::new().await;
    let key = bench.keys.create("test").await.unwrap();
    bench.store.close().await;
    for path in all() {
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
    for path in all() {
        ask(&bench, path, &[]).await.refused(429);
    }
}

#[tokio::test]
async fn a_body_must_be_json_and_not_too_large_and_arrive() {
    let bench = Bench::configured(|config| config.max_body_bytes = 100).await;
    for path in ACTIONS {
        let text = Request::post(path).header("content-type", "text/plain");
        let answer = send(&bench.router, text, Body::from(BODY)).await;
        answer.refused(415);
        let large = format!("{BODY}{}", " ".repeat(100));
        let request = Request::post(path).header("content-type", "application/json");
        let answer = send(&bench.router, request, Body::from(large)).await;
        answer.refused(413);
    }
    let hasty = |config: &mut api::ApiConfig| config.request_timeout = Duration::from_millis(1);
    let bench = Bench::configured(hasty).await;
    for path in ACTIONS {
        let request = Request::post(path).header("content-type", "application/json");
        send(&bench.router, request, endless()).await.refused(408);
    }
}
