//! `POST /v1/leases/{id}/extend`.

use super::{
    lease_tokens::{leased, pay_with},
    support::{Ask, Market, OFFER, Offer, Person, booking},
};
use crate::support::Answer;
use rstest::rstest;
use serde_json::{Value, json};
use std::pin::pin;
use tokio::select;
use world::{
    Engine::{self, Postgres, Sqlite},
    TestDatabase,
};

fn path(lease: &str) -> String {
    format!("/v1/leases/{lease}/extend")
}

async fn extend(market: &Market, person: &Person, lease: &str, body: &Value) -> Answer {
    let ask = Ask::post(&path(lease)).by(person).key(&market.key());
    market.send(ask.json(body)).await
}

async fn extend_by(market: &Market, lease: &str, count: i64) -> Answer {
    extend(
        market,
        &market.trader,
        lease,
        &json!({"epoch_count": count}),
    )
    .await
}

#[tokio::test]
async fn an_extension_is_paid_by_its_own_memo_and_moves_the_end() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let lease = leased(&market, &id, 0).await;
    let before = market.lease(&lease).await;
    let end = before["epoch_end"].as_i64().unwrap();
    assert_eq!(before["pending_extension"], Value::Null);
    let made = extend_by(&market, &lease, 3).await.data(201);
    assert_eq!(made["lease_id"], lease.as_str());
    assert_eq!(made["extension"]["status"], "open");
    assert_eq!(made["extension"]["epoch_from"], end);
    assert_eq!(made["extension"]["epoch_to"], end + 3);
    assert_eq!(made["payment"]["amount_lamports"], 4_500_000_000_u64);
    assert_eq!(made["payment"], made["extension"]["payment"]);
    let memo = made["payment"]["memo"].as_str().unwrap();
    let view = market.lease(&lease).await;
    assert_eq!(view["epoch_end"], end, "it is not paid");
    assert_eq!(view["pending_extension"], made["extension"]);
    let second = extend_by(&market, &lease, 1).await;
    second.problem(409, "extension-already-pending");
    pay_with(&market, memo, &market.wallet(4)).await;
    let view = market.lease(&lease).await;
    assert_eq!(view["epoch_end"], end + 3);
    assert_eq!(view["epoch_count"], 5);
    assert_eq!(view["total_lamports"], 7_500_000_000_u64);
    assert_eq!(view["price_lamports"], 1_500_000_000_u64);
    assert_eq!(view["pending_extension"], Value::Null);
    assert_eq!(view["extensions"][0]["status"], "settled");
    assert!(view["extensions"][0]["settled_signature"].is_string());
    let paid = Ask::post(&format!("/v1/chain-pay/{memo}"));
    let paid = paid.json(&json!({"account": market.wallet(4).public_key()}));
    let paid = market.send(paid).await;
    paid.problem(404, "chain-pay-memo-not-found");
    extend_by(&market, &lease, 26)
        .await
        .problem(422, "extension-exceeds-cap");
    extend_by(&market, &lease, 25).await.data(201);
}

#[tokio::test]
async fn a_repeated_request_extends_once() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let lease = leased(&market, &id, 0).await;
    let key = market.key();
    let ask = |body: &str| {
        let ask = Ask::post(&path(&lease)).by(&market.trader).key(&key);
        market.send(ask.text(body))
    };
    let first = ask(r#"{"epoch_count":1}"#).await;
    first.data(201);
    let again = ask(r#"{"epoch_count":1}"#).await;
    assert_eq!(again.body, first.body);
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    ask(r#"{"epoch_count":2}"#)
        .await
        .problem(422, "idempotency-key-reused");
    let without = Ask::post(&path(&lease)).by(&market.trader);
    let without = market.send(without.json(&json!({"epoch_count": 1}))).await;
    without.problem(400, "idempotency-key-missing");
    let wrong = Ask::post(&path(&lease)).by(&market.trader).key("x");
    let wrong = market.send(wrong.json(&json!({"epoch_count": 1}))).await;
    wrong.problem(400, "idempotency-key-malformed");
    assert_eq!(
        market.lease(&lease).await["extensions"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[tokio::test]
async fn refusals_come_in_their_order() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let lease = leased(&market, &id, 0).await;
    let stranger = market.another_trader().await;
    let one = json!({"epoch_count": 1});
    // The epoch after the lease is somebody else's.
    let pending = booking(&id, market.epoch() + 2, 1);
    let pending = market.ask_to_book(&market.trader, &pending).await;
    let pending = pending.data(201);
    market
        .send(Ask::post(&path(&lease)))
        .await
        .problem(401, "auth-required");
    for (person, lease, body, status, slug) in [
        (
            &stranger,
            "x",
            json!({"epoch_count": 0}),
            400,
            "invalid-epoch-count",
        ),
        (
            &stranger,
            "x",
            json!({"epoch_count": 31}),
            400,
            "invalid-epoch-count",
        ),
        (
            &stranger,
            "x",
            json!({"epoch_count": 1.5}),
            400,
            "invalid-epoch-count",
        ),
        (
            &stranger,
            "x",
            json!({"epoch_count": "1"}),
            400,
            "malformed-request",
        ),
        (&stranger, "x", json!({}), 400, "malformed-request"),
        (
            &stranger,
            "x",
            json!({"epoch_count": 1, "y": 1}),
            400,
            "malformed-request",
        ),
        (&stranger, "x", one.clone(), 404, "lease-not-found"),
        (
            &stranger,
            lease.as_str(),
            one.clone(),
            404,
            "lease-not-found",
        ),
        (&market.owner, lease.as_str(), one.clone(), 403, "forbidden"),
        (
            &market.trader,
            lease.as_str(),
            json!({"epoch_count": 29}),
            422,
            "extension-exceeds-cap",
        ),
    ] {
        let answer = extend(&market, person, lease, &body).await;
        answer.problem(status, slug);
    }
    let problem = extend_by(&market, &lease, 4)
        .await
        .problem(409, "lease-slot-taken");
    let holder = &problem["extensions"]["conflicting_lease_id"];
    assert_eq!(*holder, pending["lease_id"]);
    let unpaid = pending["lease_id"].as_str().unwrap();
    extend_by(&market, unpaid, 1)
        .await
        .problem(422, "lease-not-active");
    let pause = Ask::new("PATCH", &format!("/v1/validators/{id}")).by(&market.owner);
    market
        .send(pause.json(&json!({"status": "paused"})))
        .await
        .data(200);
    extend_by(&market, &lease, 1)
        .await
        .problem(404, "validator-not-found");
    market.node.advance_epochs(2).unwrap();
    market.leasing.epoch_watch().round().await.unwrap();
    extend_by(&market, &lease, 1)
        .await
        .problem(422, "lease-expired");
}

#[tokio::test]
async fn seats_prices_and_numbers_have_limits() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let mut body = booking(&id, market.epoch(), 1);
    body["mode"] = json!("shared");
    let seat = market.ask_to_book(&market.trader, &body).await.data(201);
    let memo = seat["payment"]["memo"].as_str().unwrap();
    pay_with(&market, memo, &market.wallet(3)).await;
    let seat = seat["lease_id"].as_str().unwrap();
    let other = market.another_trader().await;
    let mut next = booking(&id, market.epoch() + 1, 1);
    next["mode"] = json!("shared");
    for _ in 0..2 {
        market.ask_to_book(&other, &next).await.data(201);
    }
    let problem = extend_by(&market, seat, 1).await;
    let problem = problem.problem(409, "shared-capacity-full");
    assert_eq!(
        problem["extensions"]["first_full_epoch"],
        market.epoch() + 1
    );
    let none = Ask::new("PATCH", &format!("/v1/validators/{id}")).by(&market.owner);
    market
        .send(none.json(&json!({"shared_enabled": false})))
        .await
        .data(200);
    extend_by(&market, seat, 1)
        .await
        .problem(422, "shared-not-offered");
    // The last epochs that have numbers.
    let far = market
        .register(
            1,
            Offer {
                shared: None,
                ..OFFER
            },
        )
        .await;
    let last = booking(&far, i64::from(i32::MAX) - 1, 1);
    let booked = market.ask_to_book(&market.trader, &last).await.data(201);
    pay_with(
        &market,
        booked["payment"]["memo"].as_str().unwrap(),
        &market.wallet(3),
    )
    .await;
    let lease = booked["lease_id"].as_str().unwrap();
    extend_by(&market, lease, 1)
        .await
        .problem(400, "invalid-epoch-range");
    let first = leased(&market, &far, 0).await;
    let dear = Ask::new("PATCH", &format!("/v1/validators/{far}")).by(&market.owner);
    let dear = dear.json(&json!({"price_sol": "9000000000"}));
    market.send(dear).await.data(200);
    extend_by(&market, &first, 2)
        .await
        .problem(400, "lease-total-overflow");
}

#[rstest]
#[tokio::test]
async fn an_extension_that_came_second_lost_a_race(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let market = Market::at(&database.location).await;
    let id = market.register(0, OFFER).await;
    let lease = leased(&market, &id, 0).await;
    let ledger = market.bench.store.ledger();
    let row = ledger.lease(lease.parse().unwrap()).await.unwrap().unwrap();
    // Somebody has an extension all but written.
    let mut first = ledger.begin().await.unwrap();
    first.lock_validator(row.validator).await.unwrap();
    let window = leasing::EpochWindow::new(row.window.end().into(), 1).unwrap();
    let memo: leasing::Memo = "FIRST-EXTENSION".parse().unwrap();
    let (payout, platform) = (row.payment.payout(), row.payment.platform());
    let extension = leasing::Extension {
        id: row.id,
        lease: row.id,
        window,
        price: row.price,
        created_at: row.created_at,
        payment: leasing::Payment::new(memo, payout, platform).unwrap(),
        pay_until: row.pay_until,
        stage: leasing::ExtensionStage::Open,
    };
    first.insert_extension(&extension).await.unwrap();
    first
        .claim_exclusive(row.validator, window, row.id)
        .await
        .unwrap();
    // The same request twice: as soon as one of them is told that the other is
    // being answered, that one has looked at the lease and waits.
    let key = market.key();
    let ask = || {
        let ask = Ask::post(&path(&lease)).by(&market.trader).key(&key);
        market.send(ask.json(&json!({"epoch_count": 1})))
    };
    let (mut one, mut other) = (pin!(ask()), pin!(ask()));
    let (told, waiting) = select! {
        told = &mut one => (told, other),
        told = &mut other => (told, one),
    };
    told.problem(409, "idempotency-conflict");
    first.commit().await.unwrap();
    waiting.await.problem(409, "extension-race");
    extend_by(&market, &lease, 1)
        .await
        .problem(409, "extension-already-pending");
}
