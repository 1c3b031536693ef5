//! Requests that others might read otherwise than we do.

use super::support::{Ask, Market, OFFER, Person};
use crate::{
    server::{DRAIN, served},
    strictness::raw,
};
use std::time::Duration;

/// Every route that reads a body, if only to find none.
async fn readers(market: &Market) -> Vec<Ask> {
    let id = market.register(0, OFFER).await;
    let (owner, trader) = (&market.owner, &market.trader);
    let by = |method: &str, path: &str, person: &Person| Ask::new(method, path).by(person);
    vec![
        Ask::post("/v1/auth/challenge"),
        Ask::post("/v1/auth/session"),
        by("POST", "/v1/users", owner),
        by("POST", "/v1/api-tokens", owner),
        by("POST", "/v1/validators", owner),
        by("PUT", "/v1/validators/payout-wallet", owner),
        by("POST", "/v1/validators/reclaim", owner),
        by("PATCH", &format!("/v1/validators/{id}"), owner),
        by("POST", "/v1/leases", trader).key(&market.key()),
        by("POST", "/v1/leases/x/cancel", trader),
        by("POST", "/v1/leases/x/token", trader),
        by("POST", "/v1/leases/x/credentials", trader),
        by("POST", "/v1/leases/x/api-keys", trader),
        by("POST", "/v1/leases/x/extend", trader).key(&market.key()),
        by("POST", "/v1/validators/x/leases/x/revoke", owner).key(&market.key()),
        by("POST", "/v1/admin/validators/x/stop", &market.staff),
        by("POST", "/v1/admin/validators/x/lift-stop", &market.staff),
        by("POST", "/v1/admin/strays/x/refunds", &market.staff),
        by("POST", "/v1/onboarding/sessions", owner),
        by("POST", "/v1/validators/x/service-tokens", owner),
        by("POST", "/v1/webhooks", trader),
        by("PATCH", "/v1/webhooks/x", trader),
        by("POST", "/v1/webhooks/x/secret", trader),
        by("POST", "/v1/webhooks/x/test", trader),
        by("POST", "/v1/webhooks/x/deliveries/x/redeliver", trader),
        by("POST", "/v1/stream-tickets", trader),
        by("POST", "/v1/leases/x/rating", trader),
        by("POST", "/v1/ratings/x/reply", owner),
        by("POST", "/v1/admin/users", &market.staff),
        by("PUT", "/v1/admin/users/x/roles", &market.staff),
        Ask::post("/v1/usage/reports").bearer(&market.gateway(&id).await),
        Ask::post("/v1/chain-pay/x"),
    ]
}

#[tokio::test]
async fn a_body_that_does_not_arrive_in_time_is_the_callers_fault() {
    let market = Market::configured(|config| {
        config.marketplace.limits = None;
        // Enough to look up credentials first.
        config.request_timeout = Duration::from_secs(2);
    })
    .await;
    let asks = readers(&market).await;
    let before = market.everything().await;
    let sent = asks.into_iter().map(|ask| market.send(ask.endless()));
    for answer in futures_util::future::join_all(sent).await {
        let problem = answer.problem(408, "request-timeout");
        let is_for_wallet = problem["instance"] == "/v1/chain-pay/x";
        assert_eq!(problem["message"].is_string(), is_for_wallet);
    }
    assert_eq!(market.everything().await, before);
}

#[tokio::test]
async fn a_body_with_a_content_encoding_is_refused() {
    let market = Market::new().await;
    for (ask, coding) in readers(&market).await.into_iter().zip(
        ["gzip", "br", "identity, deflate", "nonsense"]
            .into_iter()
            .cycle(),
    ) {
        let ask = ask.header("content-encoding", coding).text("{}");
        let answer = market.send(ask).await;
        answer.problem(415, "unsupported-media-type");
    }
    let untyped = Ask::post("/v1/onboarding/sessions").by(&market.owner);
    let untyped = untyped.header("content-encoding", "gzip").raw("{}");
    let answer = market.send(untyped).await;
    answer.problem(415, "unsupported-media-type");
}

#[tokio::test]
async fn every_operation_refuses_two_hosts() {
    let market = Market::new().await;
    let document = super::openapi::document();
    for (path, item) in document["paths"].as_object().unwrap() {
        for method in item.as_object().unwrap().keys() {
            let ask = Ask::new(&method.to_uppercase(), &path.replace(['{', '}'], ""))
                .header("host", "a.example")
                .header("host", "b.example");
            let problem = market.send(ask).await.problem(400, "malformed-request");
            let told = "the request must have exactly one Host header";
            assert_eq!(problem["detail"], told, "{method} {path}");
        }
    }
}

#[tokio::test]
async fn a_request_without_a_host_is_refused() {
    let market = Market::new().await;
    let (address, stop, server) = served(market.bench.router.clone(), DRAIN).await;
    let request = "GET /v1/epoch HTTP/1.1\r\nconnection: close\r\n\r\n";
    let answer = raw(address, request).await;
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
    assert!(answer.contains("/errors/malformed-request"), "{answer}");
    stop.cancel();
    server.await.unwrap().unwrap();
}

#[tokio::test]
async fn bodies_are_described_as_strictly_as_they_are_read() {
    let document = super::openapi::document();
    let mut strict = 0;
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
            let Some(schema) = schema["$ref"].as_str() else {
                continue;
            };
            let schema = document.pointer(&schema[1..]).unwrap();
            // Wallets may send more than is asked for.
            let takes_more = path == "/v1/chain-pay/{memo}";
            let is_strict = schema["additionalProperties"] == false;
            assert_eq!(is_strict, !takes_more, "{method} {path}");
            strict += u32::from(is_strict);
        }
    }
    assert_eq!(strict, 22);
}
