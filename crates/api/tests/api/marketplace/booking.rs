//! `POST /v1/leases`.

use super::support::{Ask, Market, OFFER, Offer, booking};
use primitives::SignedDuration;
use serde_json::{Value, json};

#[tokio::test]
async fn a_booking_waits_for_its_payment() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let start = market.epoch() + 1;
    let body = booking(&id, start, 2);
    let booked = market.ask_to_book(&market.trader, &body).await.data(201);
    assert_eq!(booked["state"], "pending_payment");
    assert_eq!(booked["mode"], "exclusive");
    assert_eq!(
        (&booked["epoch_start"], &booked["epoch_end"]),
        (&json!(start), &json!(start + 2))
    );
    let payment = &booked["payment"];
    let memo = payment["memo"].as_str().unwrap();
    assert_eq!(
        payment["solana_pay_url"],
        format!("solana:https://lease.example/v1/chain-pay/{memo}")
    );
    assert_eq!(payment["amount_lamports"], 3_000_000_000_u64);
    assert_eq!(payment["amount_sol"], "3");
    // 15 minutes from 2023-11-14T22:13:20.25Z.
    assert_eq!(payment["expires_at"], "2023-11-14T22:28:20.25Z");
    assert_eq!(booked["warnings"], json!([]));
    let lease = market.lease(booked["lease_id"].as_str().unwrap()).await;
    assert_eq!(lease["state"], "pending_payment");
    assert_eq!(&lease["payment"], payment);
    assert_eq!(
        (&lease["epoch_count"], &lease["total_lamports"]),
        (&json!(2), &json!(3_000_000_000_u64))
    );
}

#[tokio::test]
async fn a_seat_has_its_own_price() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let mut body = booking(&id, market.epoch(), 1);
    body["mode"] = json!("shared");
    let booked = market.ask_to_book(&market.trader, &body).await.data(201);
    assert_eq!(booked["mode"], "shared");
    assert_eq!(booked["payment"]["amount_lamports"], 200_000_000);
}

#[tokio::test]
async fn what_is_booked_is_not_booked_again() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let first = market.book(&id).await;
    let start = market.epoch() + 1;
    let other = market.another_trader().await;
    let before = market.everything().await;
    let overlapping = booking(&id, start + 1, 5);
    let problem = market
        .ask_to_book(&other, &overlapping)
        .await
        .problem(409, "lease-slot-taken");
    assert_eq!(
        problem["extensions"]["conflicting_lease_id"],
        first["lease_id"]
    );
    let mut shared = booking(&id, start - 1, 2);
    shared["mode"] = json!("shared");
    let problem = market
        .ask_to_book(&other, &shared)
        .await
        .problem(409, "shared-capacity-full");
    assert_eq!(problem["extensions"]["first_full_epoch"], start);
    assert_eq!(market.everything().await, before);
    let after = booking(&id, start + 2, 5);
    market.ask_to_book(&other, &after).await.data(201);
}

#[tokio::test]
async fn seats_are_booked_until_none_is_left() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let start = market.epoch() + 1;
    let mut body = booking(&id, start, 1);
    body["mode"] = json!("shared");
    for _ in 0..2 {
        market.ask_to_book(&market.trader, &body).await.data(201);
    }
    let full = market.ask_to_book(&market.trader, &body).await;
    full.problem(409, "shared-capacity-full");
    let exclusive = booking(&id, start, 1);
    let taken = market.ask_to_book(&market.trader, &exclusive).await;
    taken.problem(409, "lease-slot-taken");
}

#[tokio::test]
async fn an_unpaid_booking_frees_its_epochs() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let booked = market.book(&id).await;
    market
        .bench
        .clock
        .advance(SignedDuration::from_secs(15 * 60 + 121));
    let mut sweeper = market.leasing.sweeper();
    sweeper.round().await.unwrap();
    let lease = market.lease(booked["lease_id"].as_str().unwrap()).await;
    assert_eq!(
        (&lease["state"], &lease["end_reason"]),
        (&json!("expired"), &json!("unpaid"))
    );
    assert_eq!(lease["payment"], Value::Null);
    market.book(&id).await;
}

#[tokio::test]
async fn epochs_are_checked_from_the_first_to_the_last() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    for (start, count, slug) in [
        (json!(2_147_483_648_i64), json!(0), "invalid-epoch-start"),
        (json!(-2_147_483_649_i64), json!(1), "invalid-epoch-start"),
        (json!(1e30), json!(1), "invalid-epoch-start"),
        (json!(1.5), json!(1), "invalid-epoch-start"),
        (json!(1), json!(0), "invalid-epoch-count"),
        (json!(-1), json!(31), "invalid-epoch-count"),
        (json!(1), json!(-1), "invalid-epoch-count"),
        (json!(1), json!(1.5), "invalid-epoch-count"),
        (json!(1), json!(1e30), "invalid-epoch-count"),
        (json!(-1), json!(1), "invalid-epoch-range"),
        (json!(2_147_483_640), json!(30), "invalid-epoch-range"),
        (json!("1"), json!(1), "malformed-request"),
        (json!(1), json!("1"), "malformed-request"),
        (json!(null), json!(1), "malformed-request"),
        (json!(1), json!([]), "malformed-request"),
    ] {
        let body = json!({"validator_id": id, "epoch_start": start, "epoch_count": count});
        let answer = market.ask_to_book(&market.trader, &body).await;
        answer.problem(400, slug);
    }
}

#[tokio::test]
async fn other_fields_are_checked_too() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let good = booking(&id, market.epoch(), 1);
    for (field, value) in [
        ("validator_id", json!(null)),
        ("validator_id", json!(7)),
        ("validator_id", json!("nonsense")),
        ("mode", json!("both")),
        ("mode", json!(1)),
        ("price", json!(1)),
    ] {
        let mut body = good.clone();
        body[field] = value;
        let answer = market.ask_to_book(&market.trader, &body).await;
        let problem = answer.problem(400, "malformed-request");
        assert!(problem["detail"].as_str().unwrap().contains(field));
    }
    let leases = market.send(Ask::get("/v1/leases").by(&market.trader)).await;
    assert_eq!(leases.data(200), json!([]));
}

#[tokio::test]
async fn a_booking_needs_somebody_to_book_from() {
    let market = Market::new().await;
    let alone = Offer {
        shared: None,
        ..OFFER
    };
    let dear = Offer {
        price_sol: "9000000000",
        shared: None,
        ..OFFER
    };
    let (id, dear) = (
        market.register(0, alone).await,
        market.register(1, dear).await,
    );
    let unknown = booking("01ARZ3NDEKTSV4RRFFQ69G5FAV", 1, 1);
    let answer = market.ask_to_book(&market.trader, &unknown).await;
    answer.problem(404, "validator-not-found");
    let good = booking(&id, market.epoch(), 1);
    let staff = market.ask_to_book(&market.staff, &good).await;
    staff.problem(403, "forbidden");
    let owner = market.ask_to_book(&market.owner, &good).await;
    owner.problem(403, "cannot-lease-own-validator");
    let mut shared = good.clone();
    shared["mode"] = json!("shared");
    let answer = market.ask_to_book(&market.trader, &shared).await;
    answer.problem(422, "shared-not-offered");
    let answer = market
        .ask_to_book(&market.trader, &booking(&dear, 1, 2))
        .await;
    answer.problem(400, "lease-total-overflow");
    market
        .ask_to_book(&market.trader, &booking(&dear, 1, 1))
        .await
        .data(201);
}

#[tokio::test]
async fn past_epochs_are_booked_with_a_warning() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let codes = |booked: &Value| {
        let warnings = booked["warnings"].as_array().unwrap().iter();
        warnings
            .map(|it| it["code"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let over = booking(&id, market.epoch() - 3, 2);
    let over = market.ask_to_book(&market.trader, &over).await.data(201);
    assert_eq!(codes(&over), ["epochs-over"]);
    let begun = booking(&id, market.epoch(), 2);
    let begun = market.ask_to_book(&market.trader, &begun).await.data(201);
    assert_eq!(codes(&begun), ["epochs-begun"]);
}

#[tokio::test]
async fn without_a_public_address_the_link_says_that_wallets_refuse_it() {
    let market = Market::configured(|config| {
        config.marketplace.limits = None;
        "http://127.0.0.1:8080".clone_into(&mut config.marketplace.base_url);
    })
    .await;
    let id = market.register(0, OFFER).await;
    let booked = market.book(&id).await;
    let url = booked["payment"]["solana_pay_url"].as_str().unwrap();
    assert!(
        url.starts_with("solana:http://127.0.0.1:8080/v1/chain-pay/"),
        "{url}"
    );
    assert_eq!(booked["warnings"][0]["code"], "plain-http");
}

#[tokio::test]
async fn a_trader_has_at_most_fifty_unpaid_bookings() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let start = market.epoch() + 1;
    let wish = |number: i64| booking(&id, start + number, 1);
    let mut last = Value::Null;
    for number in 0..50 {
        let answer = market.ask_to_book(&market.trader, &wish(number)).await;
        last = answer.data(201);
    }
    let more = wish(50);
    let refused = market.ask_to_book(&market.trader, &more).await;
    let problem = refused.problem(409, "too-many-unpaid-bookings");
    assert_eq!(problem["extensions"]["limit"], 50);
    // Others have bookings of their own.
    let other = market.another_trader().await;
    market.ask_to_book(&other, &wish(51)).await.data(201);
    let lease = last["lease_id"].as_str().unwrap();
    let cancel = Ask::post(&format!("/v1/leases/{lease}/cancel")).by(&market.trader);
    market.send(cancel).await.data(200);
    market.ask_to_book(&market.trader, &more).await.data(201);
}
