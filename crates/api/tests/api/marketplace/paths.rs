//! Everything under the marketplace's paths is answered in its way.

use super::support::{Ask, Market};

const PREFIXES: [&str; 19] = [
    "/v1/admin",
    "/v1/auth",
    "/v1/users",
    "/v1/me",
    "/v1/api-tokens",
    "/v1/validators",
    "/v1/onboarding",
    "/v1/leases",
    "/v1/refunds",
    "/v1/revocations",
    "/v1/chain-pay",
    "/v1/solana-pay",
    "/v1/stake",
    "/v1/leader-schedule",
    "/v1/epoch",
    "/v1/usage",
    "/v1/audit-log",
    "/v1/ratings",
    "/v1/webhooks",
];

#[tokio::test]
async fn unknown_paths_under_its_prefixes_are_problems() {
    let market = Market::new().await;
    for prefix in PREFIXES {
        for rest in ["/a/b/c/d", "/a//b", "/%00/%FF/x"] {
            let path = format!("{prefix}{rest}");
            let problem = market.send(Ask::get(&path)).await.problem(404, "not-found");
            assert_eq!(problem["instance"], path);
            let detail = problem["detail"].as_str().unwrap();
            assert!(detail.contains(&path), "{detail}");
        }
    }
    for path in [
        "/v1/auth",
        "/v1/auth/",
        "/v1/onboarding",
        "/v1/stake/",
        "/v1/epoch/",
        "/v1/chain-pay",
    ] {
        market.send(Ask::get(path)).await.problem(404, "not-found");
    }
}

#[tokio::test]
async fn wrong_methods_are_problems_that_name_the_right_ones() {
    let market = Market::new().await;
    for (method, path, allowed) in [
        ("GET", "/v1/auth/challenge", "POST"),
        ("DELETE", "/v1/leases", "POST,GET,HEAD"),
        ("POST", "/v1/epoch", "GET,HEAD"),
        ("PUT", "/v1/validators", "GET,HEAD,POST"),
        ("DELETE", "/v1/validators/x", "GET,HEAD,PATCH"),
        ("PUT", "/v1/chain-pay/x", "GET,HEAD,POST"),
        ("PUT", "/v1/solana-pay/x", "GET,HEAD,POST"),
        ("POST", "/errors/forbidden", "GET,HEAD"),
        ("BREW", "/v1/me", "GET,HEAD"),
    ] {
        let answer = market.send(Ask::new(method, path)).await;
        answer.problem(405, "method-not-allowed");
        let sorted = |text: &str| {
            let mut words: Vec<_> = text.split(',').map(str::to_owned).collect();
            words.sort();
            words
        };
        assert_eq!(
            sorted(answer.header("allow").unwrap()),
            sorted(allowed),
            "{method} {path}"
        );
    }
}

#[tokio::test]
async fn paths_beside_its_prefixes_are_not_its_own() {
    let market = Market::new().await;
    for path in [
        "/v1/authority",
        "/v1/leases2",
        "/v1/nothing",
        "/nothing",
        "/v2/leases",
    ] {
        market.bench.get(path).await.refused(404);
    }
    assert_eq!(market.bench.get("/v1/starknet/tokens").await.status, 200);
}

#[tokio::test]
async fn on_a_listener_of_its_own_every_refusal_is_a_problem() {
    let market = Market::new().await;
    let alone = market.bench.api.marketplace_router().unwrap();
    let ask = |path: &str| {
        let request = axum::http::Request::get(path);
        crate::support::send(&alone, request, axum::body::Body::empty())
    };
    for path in ["/nothing", "/v1/starknet/tokens", "/v1/leases/a/b/c", "/"] {
        ask(path).await.problem(404, "not-found");
    }
    assert_eq!(ask("/v1/validators").await.status, 200);
    for path in [
        "/healthz",
        "/docs",
        "/openapi/marketplace.json",
        "/errors",
        "/metrics",
    ] {
        assert_eq!(ask(path).await.status, 200, "{path}");
    }
}

#[tokio::test]
async fn without_a_market_its_paths_are_not_there() {
    let bench = crate::support::Bench::new().await;
    bench.get("/v1/validators").await.refused(404);
    assert!(bench.api.marketplace_router().is_none());
}

#[tokio::test]
async fn head_is_answered_like_get() {
    let market = Market::new().await;
    let answer = market.send(Ask::new("HEAD", "/v1/validators")).await;
    assert_eq!((answer.status.as_u16(), answer.text()), (200, ""));
}
