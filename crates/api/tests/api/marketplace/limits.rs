//! Buckets.

use super::support::{Ask, Market, OFFER, Person, booking};
use crate::support::Answer;
use axum::http::Request;
use primitives::{Clock as _, SignedDuration};
use serde_json::json;

async fn limited() -> Market {
    Market::configured(|_| ()).await
}

/// Limit, remaining, and the seconds until the bucket is full.
fn standing(market: &Market, answer: &Answer) -> (u64, u64, i64) {
    let number = |name| answer.header(name).unwrap().parse::<u64>().unwrap();
    let reset = answer
        .header("x-ratelimit-reset")
        .unwrap()
        .parse::<i64>()
        .unwrap();
    let now = market.bench.clock.now().as_second();
    (
        number("x-ratelimit-limit"),
        number("x-ratelimit-remaining"),
        reset - now,
    )
}

async fn me(market: &Market, person: &Person) -> Answer {
    market.send(Ask::get("/v1/me").by(person)).await
}

#[tokio::test]
async fn a_bucket_is_emptied_at_once_and_fills_evenly() {
    let market = limited().await;
    for left in (0..60).rev() {
        let answer = me(&market, &market.trader).await;
        assert_eq!(answer.status, 200);
        let (limit, remaining, _) = standing(&market, &answer);
        assert_eq!((limit, remaining), (60, left));
    }
    let refused = me(&market, &market.trader).await;
    let problem = refused.problem(429, "rate-limit-exceeded");
    assert!(
        problem["detail"]
            .as_str()
            .unwrap()
            .contains("60 requests in 60 seconds")
    );
    assert_eq!(refused.header("retry-after"), Some("1"));
    // The clock stands at a quarter of a second: full in a minute, rounded up.
    assert_eq!(standing(&market, &refused), (60, 0, 61));
    market.bench.clock.advance(SignedDuration::from_secs(1));
    assert_eq!(me(&market, &market.trader).await.status, 200);
    me(&market, &market.trader)
        .await
        .problem(429, "rate-limit-exceeded");
    // Others have buckets of their own.
    assert_eq!(me(&market, &market.owner).await.status, 200);
}

#[tokio::test]
async fn leases_are_made_ten_in_a_minute_by_each_trader() {
    let market = limited().await;
    let id = market.register(0, OFFER).await;
    let start = market.epoch() + 1;
    for n in 0..10 {
        let body = booking(&id, start + n, 1);
        let answer = market.ask_to_book(&market.trader, &body).await;
        let (limit, remaining, _) = standing(&market, &answer);
        assert_eq!(
            (answer.status.as_u16(), limit, remaining),
            (201, 10, 9 - u64::try_from(n).unwrap())
        );
    }
    let body = booking(&id, start + 20, 1);
    let refused = market.ask_to_book(&market.trader, &body).await;
    refused.problem(429, "rate-limit-exceeded");
    assert_eq!(refused.header("retry-after"), Some("6"));
    // The bucket of everything else is another one.
    assert_eq!(me(&market, &market.trader).await.status, 200);
    let other = market.another_trader().await;
    market.ask_to_book(&other, &body).await.data(201);
    market.bench.clock.advance(SignedDuration::from_secs(6));
    let body = booking(&id, start + 21, 1);
    market.ask_to_book(&market.trader, &body).await.data(201);
}

#[tokio::test]
async fn browsing_is_counted_for_the_address_600_times_a_minute() {
    let market = limited().await;
    let browse = || market.send(Ask::get("/v1/validators").by(&market.trader));
    let answer = browse().await;
    assert_eq!(standing(&market, &answer), (600, 599, 1));
    for _ in 0..599 {
        assert_eq!(browse().await.status, 200);
    }
    let refused = browse().await;
    refused.problem(429, "rate-limit-exceeded");
    // Everything else is counted elsewhere, by address where nobody is known.
    let epoch = market.send(Ask::get("/v1/epoch")).await;
    let (limit, remaining, _) = standing(&market, &epoch);
    assert_eq!((epoch.status.as_u16(), limit, remaining), (200, 60, 59));
}

#[tokio::test]
async fn every_refusal_is_counted_and_says_so() {
    let market = limited().await;
    let refusals = [
        (Ask::get("/v1/leases/nonsense"), 401),
        (Ask::get("/v1/me").bearer("nonsense"), 401),
        (Ask::get("/v1/me").header("authorization", "Basic x"), 401),
        (Ask::get("/v1/leases/a/b/c"), 404),
        (Ask::new("PUT", "/v1/epoch"), 405),
        (Ask::post("/v1/auth/challenge").raw("x"), 415),
        (Ask::post("/v1/auth/challenge").text("x"), 400),
        (Ask::get("/v1/validators/nonsense"), 404),
        (Ask::post("/v1/chain-pay/x").json(&json!({})), 400),
    ];
    for (left, (ask, status)) in (0..60_u64).rev().zip(refusals) {
        let answer = market.send(ask).await;
        assert_eq!(answer.status, status, "{}", answer.text());
        let (limit, remaining, _) = standing(&market, &answer);
        assert_eq!((limit, remaining), (60, left), "{}", answer.text());
    }
}

#[tokio::test]
async fn credentials_are_looked_at_before_the_bucket() {
    let market = limited().await;
    for _ in 0..60 {
        market.send(Ask::get("/v1/epoch")).await.data(200);
    }
    market
        .send(Ask::get("/v1/epoch"))
        .await
        .problem(429, "rate-limit-exceeded");
    // Nothing is looked up for these, so that they are not worth refusing.
    market
        .send(Ask::get("/v1/me"))
        .await
        .problem(401, "auth-required");
    let unreadable = Ask::get("/v1/me").header("authorization", "Basic x");
    market.send(unreadable).await.problem(401, "auth-required");
}

#[tokio::test]
async fn good_credentials_do_not_depend_on_what_their_address_has_left() {
    let market = limited().await;
    for _ in 0..60 {
        market.send(Ask::get("/v1/epoch")).await.data(200);
    }
    market
        .send(Ask::get("/v1/epoch"))
        .await
        .problem(429, "rate-limit-exceeded");
    // This process has never seen them, as after a restart.
    me(&market, &market.trader).await.data(200);
    let guess = Ask::get("/v1/me").bearer("lm_abcdefgh_x");
    market.send(guess).await.problem(429, "rate-limit-exceeded");
}

#[tokio::test]
async fn an_address_that_guesses_without_end_is_not_looked_up_any_more() {
    let market = limited().await;
    for n in 0..100 {
        let guess = Ask::get("/v1/me").bearer(&format!("lm_abcdefgh_{n:043}"));
        assert!(market.send(guess).await.status.is_client_error());
    }
    // Now the store is asked for those alone whom the bucket lets through.
    market.bench.store.close().await;
    me(&market, &market.trader)
        .await
        .problem(429, "rate-limit-exceeded");
}

#[tokio::test]
async fn guessing_credentials_is_limited() {
    let market = limited().await;
    me(&market, &market.trader).await.data(200);
    for n in 0..60 {
        let guess = Ask::get("/v1/me").bearer(&format!("lm_abcdefgh_{n:043}"));
        market.send(guess).await.problem(401, "auth-required");
    }
    let guess = Ask::get("/v1/me").bearer("lm_abcdefgh_x");
    market.send(guess).await.problem(429, "rate-limit-exceeded");
    // Who is known does not depend on what others at the address do.
    me(&market, &market.trader).await.data(200);
}

#[tokio::test]
async fn pages_pictures_and_preflights_are_free() {
    let market = limited().await;
    for path in [
        "/errors",
        "/errors/forbidden",
        "/icons/lease.svg",
        "/docs",
        "/healthz",
    ] {
        let answer = market.send(Ask::get(path)).await;
        assert_eq!(
            (answer.status.as_u16(), answer.header("x-ratelimit-limit")),
            (200, None),
            "{path}"
        );
    }
    let preflight = market.bench.send(Request::options("/v1/leases")).await;
    assert_eq!(
        (
            preflight.status.as_u16(),
            preflight.header("x-ratelimit-limit")
        ),
        (204, None)
    );
}

#[tokio::test]
async fn the_other_apis_count_by_themselves() {
    let market = limited().await;
    for _ in 0..60 {
        market.send(Ask::get("/v1/epoch")).await.data(200);
    }
    market
        .send(Ask::get("/v1/epoch"))
        .await
        .problem(429, "rate-limit-exceeded");
    let tokens = market.bench.get("/v1/starknet/tokens").await;
    assert_eq!(
        (tokens.status.as_u16(), tokens.header("x-ratelimit-limit")),
        (200, Some("300"))
    );
}

#[tokio::test]
async fn without_limits_nothing_is_counted() {
    let market = Market::new().await;
    for _ in 0..70 {
        let answer = me(&market, &market.trader).await;
        assert_eq!(
            (answer.status.as_u16(), answer.header("x-ratelimit-limit")),
            (200, None)
        );
    }
}
