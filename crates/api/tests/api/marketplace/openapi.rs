//! `/openapi/marketplace.json`.

use super::support::{Ask, Market};
use api::Slug;
use serde_json::{Value, json};
use std::collections::BTreeSet;

pub(super) fn document() -> Value {
    let documents = api::openapi_documents();
    let (_, text) = documents
        .iter()
        .find(|(name, _)| *name == "marketplace.json")
        .unwrap();
    serde_json::from_str(text).unwrap()
}

fn operations(document: &Value) -> Vec<(String, String, Value)> {
    let paths = document["paths"].as_object().unwrap().iter();
    let operations = paths.flat_map(|(path, item)| {
        let methods = item.as_object().unwrap().iter();
        methods.map(|(method, operation)| (method.to_uppercase(), path.clone(), operation.clone()))
    });
    operations.collect()
}

#[tokio::test]
async fn every_documented_operation_is_routed() {
    let market = Market::new().await;
    let all = operations(&document());
    assert_eq!(all.len(), 66);
    for (method, path, _) in all {
        let answer = market
            .send(Ask::new(&method, &path.replace(['{', '}'], "")))
            .await;
        let slug = answer.slug().unwrap_or_default();
        assert!(
            !["not-found", "method-not-allowed"].contains(&slug.as_str()),
            "{method} {path}"
        );
    }
}

#[test]
fn every_operation_is_described_with_its_refusals_and_headers() {
    let document = document();
    let mut ids = BTreeSet::new();
    for (method, path, operation) in operations(&document) {
        for field in ["summary", "description", "operationId"] {
            assert!(operation[field].is_string(), "{method} {path} {field}");
        }
        assert!(ids.insert(operation["operationId"].to_string()));
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            assert!(parameter["description"].is_string(), "{parameter}");
            assert!(!parameter["example"].is_null(), "{parameter}");
        }
        let answers = operation["responses"].as_object().unwrap();
        assert!(answers.contains_key("429"), "{method} {path}");
        for (status, answer) in answers {
            for header in [
                "X-Request-Id",
                "X-RateLimit-Limit",
                "X-RateLimit-Remaining",
                "X-RateLimit-Reset",
            ] {
                assert!(
                    answer["headers"][header].is_object(),
                    "{method} {path} {status} {header}"
                );
            }
            let refusal = &answer["content"]["application/problem+json"]["schema"]["$ref"];
            assert_eq!(
                refusal == "#/components/schemas/Problem",
                !status.starts_with('2'),
                "{method} {path} {status}"
            );
        }
    }
}

#[test]
fn the_table_of_slugs_is_in_the_document() {
    let document = document();
    let told = document["x-problems"].as_array().unwrap();
    assert_eq!(told.len(), Slug::ALL.len());
    assert!(
        told.iter()
            .any(|it| it["slug"] == "lease-not-active" && it["statuses"] == json!([422, 403]))
    );
}

#[test]
fn what_needs_credentials_says_so() {
    let document = document();
    for (method, path, operation) in operations(&document) {
        let own = &operation["security"];
        let needs = own.is_null();
        let answers = operation["responses"].as_object().unwrap();
        let may_lack = answers.get("401").is_some_and(|it| {
            it["description"]
                .as_str()
                .unwrap()
                .contains("`auth-required`")
        });
        assert!(may_lack || !needs, "{method} {path}");
    }
}

#[tokio::test]
async fn an_empty_bucket_is_refused_by_every_operation() {
    let market = Market::configured(|config| {
        let limits = config.marketplace.limits.as_mut().unwrap();
        for policy in [
            &mut limits.browsing,
            &mut limits.other,
            &mut limits.lease_creation,
            &mut limits.token_minting,
        ] {
            policy.limit = 1;
        }
    })
    .await;
    for (method, path, _) in operations(&document()) {
        let path = path.replace(['{', '}'], "");
        // The first one may be let through.
        for last in [false, true] {
            let answer = market
                .send(Ask::new(&method, &path).by(&market.trader))
                .await;
            if last {
                answer.problem(429, "rate-limit-exceeded");
            }
        }
    }
}
