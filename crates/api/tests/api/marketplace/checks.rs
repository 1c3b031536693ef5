//! The order in which a request is looked at.

use super::support::{Ask, Market, OFFER, booking};
use crate::support::Answer;
use serde_json::json;

/// One request, mended step by step: each refusal is of the next check.
#[tokio::test]
async fn a_booking_fails_for_the_first_thing_that_is_wrong() {
    let market = Market::configured(|config| {
        let limits = config.marketplace.limits.as_mut().unwrap();
        limits.lease_creation.limit = 9;
    })
    .await;
    let id = market.register(0, OFFER).await;
    let (start, key) = (market.epoch() + 1, market.key());
    let refused = |answer: Answer, status, slug| {
        answer.problem(status, slug);
    };
    let bad = json!({"validator_id": "x", "epoch_start": 1e30, "epoch_count": 0, "more": 1});

    // 401 before anything.
    refused(
        market.send(Ask::post("/v1/leases").raw("x")).await,
        401,
        "auth-required",
    );
    let by = || Ask::post("/v1/leases").by(&market.trader);
    // The key before the body.
    refused(
        market.send(by().raw("x")).await,
        400,
        "idempotency-key-missing",
    );
    refused(
        market.send(by().key("x").raw("x")).await,
        400,
        "idempotency-key-malformed",
    );
    // The lookup of the key before the fields.
    market
        .send(by().key(&key).json(&booking(&id, start, 1)))
        .await
        .data(201);
    refused(
        market.send(by().key(&key).json(&bad)).await,
        422,
        "idempotency-key-reused",
    );
    // The shape before the fields, the fields before what they are about.
    let fresh = market.key();
    refused(
        market.send(by().key(&fresh).json(&bad)).await,
        400,
        "malformed-request",
    );
    let unknown = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
    let body = booking(unknown, start, 31);
    refused(
        market.send(by().key(&fresh).json(&body)).await,
        400,
        "invalid-epoch-count",
    );
    let body = booking(unknown, start, 1);
    refused(
        market.send(by().key(&fresh).json(&body)).await,
        404,
        "validator-not-found",
    );
    // Whose it is before conflicts.
    let taken = booking(&id, start, 1);
    let owner = Ask::post("/v1/leases")
        .by(&market.owner)
        .key(&fresh)
        .json(&taken);
    refused(market.send(owner).await, 403, "cannot-lease-own-validator");
    refused(
        market.send(by().key(&fresh).json(&taken)).await,
        409,
        "lease-slot-taken",
    );
    // The bucket, which holds nine, before the key.
    market
        .send(by())
        .await
        .problem(400, "idempotency-key-missing");
    refused(market.send(by()).await, 429, "rate-limit-exceeded");
    refused(
        market.send(Ask::post("/v1/leases")).await,
        401,
        "auth-required",
    );
}

#[tokio::test]
async fn a_change_fails_for_the_first_thing_that_is_wrong() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let ask = |id: &str| Ask::new("PATCH", &format!("/v1/validators/{id}"));
    market
        .send(ask("x").raw("x"))
        .await
        .problem(401, "auth-required");
    let by = |id| ask(id).by(&market.trader);
    market
        .send(by("x").raw("x"))
        .await
        .problem(415, "unsupported-media-type");
    market
        .send(by("x").text("x"))
        .await
        .problem(400, "register-invalid-field");
    market
        .send(by("x").json(&json!({})))
        .await
        .problem(422, "patch-validator-empty");
    market
        .send(by("x").json(&json!({"tier": "economy"})))
        .await
        .problem(404, "validator-not-found");
    let wrong = json!({"tier": "gold"});
    market
        .send(by(&id).json(&wrong))
        .await
        .problem(422, "register-invalid-tier");
    market
        .send(by(&id).json(&json!({"tier": "economy"})))
        .await
        .problem(403, "forbidden");
}
