//! What stands behind fails.

use super::support::{Ask, Market, OFFER, booking};
use primitives::{Entropy, SeededEntropy};
use serde_json::json;
use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

const WEBHOOK: &str = "/v1/webhooks/01ARZ3NDEKTSV4RRFFQ69G5FAV";

/// What is asked once there are leases.
fn later_asks(market: &Market, id: &str, gateway: &str) -> Vec<Ask> {
    vec![
        Ask::post("/v1/leases/01ARZ3NDEKTSV4RRFFQ69G5FAV/extend")
            .by(&market.trader)
            .key(&market.key())
            .json(&json!({"epoch_count": 1})),
        Ask::post(&format!(
            "/v1/validators/{id}/leases/01ARZ3NDEKTSV4RRFFQ69G5FAV/revoke"
        ))
        .by(&market.owner)
        .key(&market.key())
        .json(&json!({"reason": "x"})),
        Ask::post(&format!("/v1/admin/validators/{id}/stop"))
            .by(&market.staff)
            .json(&json!({"reason": "x"})),
        Ask::post(&format!("/v1/admin/validators/{id}/lift-stop"))
            .by(&market.staff)
            .json(&json!({"reason": "x"})),
        Ask::post(&format!("/v1/admin/strays/{}/refunds", "1".repeat(64))).by(&market.staff),
        Ask::get("/v1/revocations"),
        Ask::get("/v1/refunds").by(&market.owner),
        Ask::post(&format!("/v1/validators/{id}/service-tokens"))
            .by(&market.owner)
            .json(&json!({"name": "x"})),
        Ask::get(&format!("/v1/validators/{id}/service-tokens")).by(&market.owner),
        Ask::new(
            "DELETE",
            &format!("/v1/validators/{id}/service-tokens/abcdefgh"),
        )
        .by(&market.owner),
        Ask::post("/v1/leases/01ARZ3NDEKTSV4RRFFQ69G5FAV/rating")
            .by(&market.trader)
            .json(&json!({"stars": 5})),
        Ask::get(&format!("/v1/validators/{id}/ratings")),
        Ask::post("/v1/ratings/01ARZ3NDEKTSV4RRFFQ69G5FAV/reply")
            .by(&market.owner)
            .json(&json!({"text": "x"})),
        Ask::get("/v1/audit-log").by(&market.trader),
        Ask::post("/v1/webhooks")
            .by(&market.trader)
            .json(&json!({"url": "https://hooks.example", "events": ["lease.ending"]})),
        Ask::get("/v1/webhooks").by(&market.trader),
        Ask::get(WEBHOOK).by(&market.trader),
        Ask::new("PATCH", WEBHOOK)
            .by(&market.trader)
            .json(&json!({"enabled": true})),
        Ask::new("DELETE", WEBHOOK).by(&market.trader),
        Ask::post(&format!("{WEBHOOK}/secret")).by(&market.trader),
        Ask::post(&format!("{WEBHOOK}/test")).by(&market.trader),
        Ask::get(&format!("{WEBHOOK}/deliveries")).by(&market.trader),
        Ask::post(&format!(
            "{WEBHOOK}/deliveries/01ARZ3NDEKTSV4RRFFQ69G5FAV/redeliver"
        ))
        .by(&market.trader),
        Ask::get("/v1/admin/users").by(&market.staff),
        Ask::post("/v1/admin/users")
            .by(&market.staff)
            .json(&json!({"email": "a@b", "roles": []})),
        Ask::new("PUT", "/v1/admin/users/01ARZ3NDEKTSV4RRFFQ69G5FAV/roles")
            .by(&market.staff)
            .json(&json!({"roles": []})),
        Ask::post("/v1/usage/reports")
            .bearer(gateway)
            .json(&json!({"reports": []})),
        Ask::get("/v1/leases/01ARZ3NDEKTSV4RRFFQ69G5FAV/usage").by(&market.trader),
        Ask::get("/v1/leases/01ARZ3NDEKTSV4RRFFQ69G5FAV/events").by(&market.trader),
        Ask::get(&format!("/v1/validators/availability?validators={id}")),
        Ask::get("/v1/admin/leases").by(&market.staff),
        Ask::post("/v1/stream-tickets").by(&market.trader),
        Ask::get("/v1/stream?ticket=x"),
    ]
}

#[tokio::test]
async fn a_failing_store_is_a_database_error_that_says_nothing_else() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let body = booking(&id, market.epoch() + 1, 1);
    let gateway = market.gateway(&id).await;
    market.bench.store.close().await;
    let wallet = market.wallet(3).public_key();
    let signature = market.wallet(3).sign(b"x");
    let asks = [
        Ask::post("/v1/auth/challenge").json(&json!({"address": wallet})),
        Ask::post("/v1/auth/session")
            .json(&json!({"address": wallet, "nonce": "x", "signature": signature})),
        Ask::post("/v1/users").by(&market.trader).json(&json!({})),
        Ask::get("/v1/me").by(&market.trader),
        Ask::new("DELETE", "/v1/auth/session").by(&market.trader),
        Ask::get("/v1/admin/strays").by(&market.staff),
        Ask::post("/v1/validators/reclaim")
            .by(&market.owner)
            .json(&market.reclaim(0, &market.owner, wallet)),
        Ask::post("/v1/api-tokens")
            .by(&market.trader)
            .json(&json!({"name": "x"})),
        Ask::get("/v1/api-tokens").by(&market.trader),
        Ask::new("DELETE", "/v1/api-tokens/abcdefgh").by(&market.trader),
        Ask::post("/v1/validators")
            .by(&market.owner)
            .json(&market.registration(1, OFFER)),
        Ask::new("PUT", "/v1/validators/payout-wallet")
            .by(&market.owner)
            .json(&market.payout_change(0, wallet)),
        Ask::get(&format!("/v1/validators/{id}")),
        Ask::new("PATCH", &format!("/v1/validators/{id}"))
            .by(&market.owner)
            .json(&json!({"tier": "economy"})),
        Ask::get(&format!("/v1/validators/{id}/leases")).by(&market.owner),
        Ask::get(&format!("/v1/validators/{id}/stake")),
        Ask::get(&format!("/v1/validators/{id}/leader-schedule")),
        Ask::get("/v1/leader-schedule"),
        Ask::get("/v1/validators?sort=newest"),
        Ask::post("/v1/onboarding/sessions").by(&market.owner),
        Ask::get(&format!(
            "/v1/onboarding/sessions/lo_abcdefgh_{}",
            "x".repeat(43)
        )),
        Ask::post("/v1/leases")
            .by(&market.trader)
            .key(&market.key())
            .json(&body),
        Ask::get("/v1/leases").by(&market.trader),
        Ask::get("/v1/leases/01ARZ3NDEKTSV4RRFFQ69G5FAV").by(&market.trader),
        Ask::post("/v1/leases/01ARZ3NDEKTSV4RRFFQ69G5FAV/cancel").by(&market.trader),
        Ask::post("/v1/leases/01ARZ3NDEKTSV4RRFFQ69G5FAV/token").by(&market.trader),
        Ask::get("/.well-known/jwks.json"),
        Ask::post("/v1/leases/01ARZ3NDEKTSV4RRFFQ69G5FAV/credentials").by(&market.trader),
        Ask::post("/v1/leases/01ARZ3NDEKTSV4RRFFQ69G5FAV/api-keys")
            .by(&market.trader)
            .json(&json!({})),
        Ask::post("/v1/chain-pay/01ARZ3NDEKTSV4RRFFQ69G5FAV").json(&json!({"account": wallet})),
    ];
    for ask in asks.into_iter().chain(later_asks(&market, &id, &gateway)) {
        let problem = market.send(ask).await.problem(500, "database-error");
        assert_eq!(
            problem["detail"],
            "The database did not do what it was asked."
        );
    }
}

#[tokio::test]
async fn a_request_that_takes_too_long_is_an_internal_error() {
    let market = Market::configured(|config| {
        config.marketplace.limits = None;
        config.request_timeout = Duration::from_millis(50);
    })
    .await;
    // Whoever wants to write waits behind this.
    let _writing = market.bench.store.ledger().begin().await.unwrap();
    let body = booking("01ARZ3NDEKTSV4RRFFQ69G5FAV", 1, 1);
    let answer = market.ask_to_book(&market.trader, &body).await;
    let problem = answer.problem(500, "internal-error");
    assert_eq!(problem["detail"], "the answer took too long");
}

/// Randomness that has a bug: once so many draws were good, the next one panics.
#[derive(Debug)]
struct Broken {
    good: AtomicU32,
    source: SeededEntropy,
}

impl Broken {
    fn panic_after(&self, draws: u32) {
        self.good.store(draws, Ordering::Relaxed);
    }
}

impl Entropy for Broken {
    fn fill(&self, bytes: &mut [u8]) {
        let left = |good: u32| good.checked_sub(1);
        let drawn = self
            .good
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, left);
        assert!(drawn.is_ok(), "no randomness left");
        self.source.fill(bytes);
    }
}

#[tokio::test]
async fn a_booking_that_panics_anywhere_is_an_internal_error_and_leaves_nothing() {
    let broken = Arc::new(Broken {
        good: AtomicU32::new(u32::MAX),
        source: SeededEntropy::new(9),
    });
    let market = Market::new().await.with_entropy(broken.clone()).await;
    let id = market.register(0, OFFER).await;
    let body = booking(&id, 1_000, 2);
    let key = market.key();
    let ask = || Ask::post("/v1/leases").by(&market.trader).key(&key);
    let before = market.everything().await;
    let mut panics = 0;
    let booked = loop {
        broken.panic_after(panics);
        let answer = market.send(ask().json(&body)).await;
        broken.panic_after(u32::MAX);
        if answer.status == 201 {
            break answer;
        }
        let problem = answer.problem(500, "internal-error");
        assert_eq!(problem["detail"], "something went wrong on our side");
        assert_eq!(market.everything().await, before);
        assert_eq!(market.leasing.leases.check_calendar().await.unwrap(), []);
        panics += 1;
    };
    // The memo, the lease and the row of the audit log have names of their own.
    assert_eq!(panics, 3);
    assert_eq!(booked.header("idempotent-replayed"), None);
    assert_eq!(market.leasing.leases.check_calendar().await.unwrap(), []);
}
