//! Rate limits and keys.

use crate::support::{Answer, Bench, get};
use api::{ApiConfig, RateLimits};
use axum::http::{HeaderValue, Request};
use primitives::SignedDuration;
use services::Policy;

const TOKENS: &str = "/v1/starknet/tokens";

fn few(config: &mut ApiConfig) {
    let policy = |limit| Policy {
        limit,
        window_s: 300,
    };
    config.rate_limits = Some(RateLimits {
        public: policy(2),
        keyed: policy(4),
    });
}

/// Limit, remaining and reset.
fn standing(answer: &Answer) -> Option<(&str, &str, &str)> {
    Some((
        answer.header("x-ratelimit-limit")?,
        answer.header("x-ratelimit-remaining")?,
        answer.header("x-ratelimit-reset")?,
    ))
}

async fn with_key(bench: &Bench, key: &str) -> Answer {
    bench.send(get(TOKENS).header("x-api-key", key)).await
}

#[tokio::test]
async fn the_public_tier_admits_300_requests_in_5_minutes() {
    let bench = Bench::new().await;
    let answer = bench.get(TOKENS).await;
    // The clock stands at 1700000000.25 s: the end is rounded up.
    assert_eq!(standing(&answer), Some(("300", "299", "1700000301")));
}

#[tokio::test]
async fn a_used_up_window_is_refused_until_it_ends() {
    let bench = Bench::configured(few).await;
    assert_eq!(bench.get(TOKENS).await.status, 200);
    bench.clock.advance(SignedDuration::from_millis(1_500));
    assert_eq!(bench.get(TOKENS).await.status, 200);
    let answer = bench.get(TOKENS).await;
    assert_eq!(
        answer.refused(429),
        [
            "more than 2 requests in 300 seconds; try again in 299 s, or send an API key in the \
             header x-api-key for 4 requests in 300 seconds: whoever runs this service makes one \
             with `stoa key create`"
        ]
    );
    assert_eq!(answer.header("retry-after"), Some("299"));
    assert_eq!(standing(&answer), Some(("2", "0", "1700000301")));
    bench.clock.advance(SignedDuration::from_secs(299));
    let answer = bench.get(TOKENS).await;
    assert_eq!(standing(&answer), Some(("2", "1", "1700000601")));
}

#[tokio::test]
async fn every_answer_of_the_api_is_counted() {
    let bench = Bench::configured(few).await;
    let bad = bench.get(&format!("{TOKENS}?size=0")).await;
    assert_eq!((bad.status.as_u16(), standing(&bad).unwrap().1), (400, "1"));
    let unknown = bench.get("/nothing").await;
    assert_eq!(
        (unknown.status.as_u16(), standing(&unknown).unwrap().1),
        (404, "0")
    );
    bench.send(Request::post(TOKENS)).await.refused(429);
}

#[tokio::test]
async fn health_figures_and_documentation_are_free() {
    let bench = Bench::configured(few).await;
    for path in [
        "/healthz",
        "/readyz",
        "/metrics",
        "/docs",
        "/openapi/trade.json",
    ] {
        for _ in 0..3 {
            let answer = bench.get(path).await;
            assert_ne!(answer.status, 429);
            assert_eq!(standing(&answer), None, "{path}");
        }
    }
}

#[tokio::test]
async fn preflights_are_free() {
    let bench = Bench::configured(few).await;
    for _ in 0..5 {
        let preflight = Request::options(TOKENS).header("origin", "https://app.example");
        let answer = bench
            .send(preflight.header("access-control-request-method", "GET"))
            .await;
        assert_eq!((answer.status.as_u16(), standing(&answer)), (204, None));
    }
    assert_eq!(standing(&bench.get(TOKENS).await).unwrap().1, "1");
}

#[tokio::test]
async fn a_valid_key_has_a_higher_tier_of_its_own() {
    let bench = Bench::configured(few).await;
    let key = bench.keys.create("mine").await.unwrap().secret;
    for remaining in ["3", "2", "1", "0"] {
        let answer = with_key(&bench, &key).await;
        assert_eq!(standing(&answer), Some(("4", remaining, "1700000301")));
        assert_eq!(answer.status, 200);
    }
    with_key(&bench, &key).await.refused(429);
    // Nothing of it was counted for the address.
    assert_eq!(standing(&bench.get(TOKENS).await).unwrap().1, "1");
}

#[tokio::test]
async fn a_new_key_is_not_refused_for_what_its_address_has_used_up() {
    let bench = Bench::configured(few).await;
    for _ in 0..3 {
        bench.get(TOKENS).await;
    }
    bench.get(TOKENS).await.refused(429);
    for stranger in 0..20 {
        with_key(&bench, &guess(stranger)).await.refused(429);
        with_key(&bench, "nonsense").await.refused(429);
    }
    let key = bench.keys.create("mine").await.unwrap().secret;
    let answer = with_key(&bench, &key).await;
    assert_eq!(standing(&answer), Some(("4", "3", "1700000301")));
    assert_eq!(answer.status, 200);
}

/// A key that nobody made.
fn guess(number: u32) -> String {
    format!("stoa_{number:064x}")
}

#[tokio::test]
async fn a_key_in_use_does_not_depend_on_what_others_at_its_address_do() {
    let bench = Bench::configured(few).await;
    let key = bench.keys.create("mine").await.unwrap().secret;
    assert_eq!(with_key(&bench, &key).await.status, 200);
    bench.get(TOKENS).await;
    bench.get(TOKENS).await;
    bench.get(TOKENS).await.refused(429);
    bench.clock.advance(SignedDuration::from_secs(60));
    assert_eq!(with_key(&bench, &key).await.status, 200);
}

#[tokio::test]
async fn finding_a_token_is_counted_like_listing_them() {
    let bench = Bench::configured(few).await;
    assert_eq!(bench.get(TOKENS).await.status, 200);
    let token = format!("{TOKENS}/ETH");
    assert_eq!(bench.get(&token).await.status, 200);
    bench.get(&token).await.refused(429);
}

#[tokio::test]
async fn an_unknown_key_is_refused_and_counted_for_the_address() {
    let bench = Bench::configured(few).await;
    let guessed = guess(0);
    for (key, remaining) in [("nonsense", "1"), (guessed.as_str(), "0")] {
        let answer = with_key(&bench, key).await;
        assert_eq!(answer.refused(401), ["the x-api-key is not a valid key"]);
        assert_eq!(standing(&answer), Some(("2", remaining, "1700000301")));
    }
    with_key(&bench, &guessed).await.refused(429);
}

#[tokio::test]
async fn guessing_on_does_not_reach_the_store_when_the_window_is_used_up() {
    let bench = Bench::configured(few).await;
    for number in 0..100 {
        let answer = with_key(&bench, &guess(number)).await;
        answer.refused(if number < 2 { 401 } else { 429 });
    }
    let key = bench.keys.create("mine").await.unwrap().secret;
    bench.store.close().await;
    // Asking the closed store would be a 500.
    with_key(&bench, &key).await.refused(429);
}

#[tokio::test]
async fn a_revoked_key_ends_within_seconds() {
    let bench = Bench::new().await;
    let key = bench.keys.create("mine").await.unwrap();
    assert_eq!(with_key(&bench, &key.secret).await.status, 200);
    assert!(bench.keys.revoke(&key.id).await.unwrap());
    bench.clock.advance(SignedDuration::from_secs(10));
    with_key(&bench, &key.secret).await.refused(401);
}

#[tokio::test]
async fn several_keys_or_unreadable_ones_are_no_key() {
    let bench = Bench::new().await;
    let key = bench.keys.create("mine").await.unwrap().secret;
    let twice = get(TOKENS)
        .header("x-api-key", &key)
        .header("x-api-key", &key);
    bench.send(twice).await.refused(401);
    let unreadable = HeaderValue::from_bytes(b"\xff\xfe").unwrap();
    bench
        .send(get(TOKENS).header("x-api-key", unreadable))
        .await
        .refused(401);
    with_key(&bench, "").await.refused(401);
}

#[tokio::test]
async fn without_limits_nothing_is_counted_but_keys_are_still_checked() {
    let bench = Bench::configured(|config| config.rate_limits = None).await;
    for _ in 0..400 {
        let answer = bench.get(TOKENS).await;
        assert_eq!((answer.status.as_u16(), standing(&answer)), (200, None));
    }
    let refused = with_key(&bench, "nonsense").await;
    refused.refused(401);
    assert_eq!(standing(&refused), None);
    let key = bench.keys.create("mine").await.unwrap().secret;
    assert_eq!(with_key(&bench, &key).await.status, 200);
}
