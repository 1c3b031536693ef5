//! `POST /v1/leases/{id}/rating`, `GET /v1/validators/{id}/ratings` and
//! `POST /v1/ratings/{id}/reply`.

use super::{
    lease_tokens::leased,
    support::{Ask, Market, OFFER, Person},
    usage,
};
use crate::support::Answer;
use rstest::rstest;
use serde_json::{Value, json};
use world::{
    Engine::{self, Postgres, Sqlite},
    TestDatabase,
};

async fn rate(market: &Market, person: &Person, lease: &str, body: &Value) -> Answer {
    let path = format!("/v1/leases/{lease}/rating");
    market.send(Ask::post(&path).by(person).json(body)).await
}

async fn reply(market: &Market, person: &Person, rating: &str, body: &Value) -> Answer {
    let path = format!("/v1/ratings/{rating}/reply");
    market.send(Ask::post(&path).by(person).json(body)).await
}

async fn ratings(market: &Market, validator: &str, query: &str) -> Value {
    let path = format!("/v1/validators/{validator}/ratings{query}");
    let answer = market.send(Ask::get(&path)).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()
}

async fn validator(market: &Market, id: &str) -> Value {
    let path = format!("/v1/validators/{id}");
    market.send(Ask::get(&path)).await.data(200)
}

async fn report(market: &Market, validator: &str, lease: &str, number: u16, signs: u64) {
    let gateway = market.gateway(validator).await;
    let report = usage::report(market, number, lease, signs);
    usage::send(market, &gateway, &[report]).await.data(200);
}

/// Ends what is leased up to now.
async fn complete(market: &Market) {
    market.node.advance_epochs(2).unwrap();
    market.leasing.epoch_watch().round().await.unwrap();
}

#[rstest]
#[tokio::test]
async fn a_lease_that_was_used_is_rated_once_when_it_is_over(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let market = Market::at(&database.location).await;
    let id = market.register(0, OFFER).await;
    let lease = leased(&market, &id, 0).await;
    let trader = &market.trader;
    let good = json!({"stars": 4, "comment": " Answered every handshake. "});
    report(&market, &id, &lease, 1, 9_999).await;
    rate(&market, trader, &lease, &good)
        .await
        .problem(422, "rating-not-yet-eligible");
    complete(&market).await;
    let told = rate(&market, trader, &lease, &good).await;
    let told = told.problem(422, "rating-not-yet-eligible");
    assert!(told["detail"].as_str().unwrap().contains("9999"), "{told}");
    report(&market, &id, &lease, 2, 1).await;
    assert_eq!(
        validator(&market, &id).await["rating"],
        json!({"average": null, "count": 0})
    );
    let rated = rate(&market, trader, &lease, &good).await.data(201);
    assert_eq!(rated["stars"], 4);
    assert_eq!(rated["comment"], "Answered every handshake.");
    assert_eq!(rated["reply"], Value::Null);
    rate(&market, trader, &lease, &good)
        .await
        .problem(409, "already-rated");
    assert_eq!(
        validator(&market, &id).await["rating"],
        json!({"average": 4.0, "count": 1})
    );
    assert_eq!(ratings(&market, &id, "").await["data"], json!([rated]));
}

#[tokio::test]
async fn a_rating_fails_for_the_first_thing_that_is_wrong() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let lease = leased(&market, &id, 0).await;
    let stranger = market.another_trader().await;
    for wrong in [
        json!({}),
        json!({"stars": 0}),
        json!({"stars": 6, "comment": ""}),
        json!({"stars": 4.5}),
        json!({"stars": "5"}),
        json!({"stars": null}),
    ] {
        rate(&market, &stranger, "x", &wrong)
            .await
            .problem(400, "invalid-stars");
    }
    for comment in [
        json!(""),
        json!("  "),
        json!("a\nb"),
        json!("x".repeat(2_001)),
        json!(7),
    ] {
        rate(
            &market,
            &stranger,
            "x",
            &json!({"stars": 1, "comment": comment}),
        )
        .await
        .problem(400, "invalid-comment");
    }
    let good = json!({"stars": 1, "comment": "x".repeat(2_000)});
    for (person, lease, status, slug) in [
        (&stranger, "x", 404, "lease-not-found"),
        (&stranger, lease.as_str(), 404, "lease-not-found"),
        (&market.owner, lease.as_str(), 403, "forbidden"),
        (&market.staff, lease.as_str(), 403, "forbidden"),
        (
            &market.trader,
            lease.as_str(),
            422,
            "rating-not-yet-eligible",
        ),
    ] {
        rate(&market, person, lease, &good)
            .await
            .problem(status, slug);
    }
    let more = json!({"stars": 1, "more": 1});
    rate(&market, &market.trader, &lease, &more)
        .await
        .problem(400, "malformed-request");
    let nobody = Ask::post(&format!("/v1/leases/{lease}/rating")).json(&good);
    market.send(nobody).await.problem(401, "auth-required");
}

#[rstest]
#[tokio::test]
async fn the_owner_replies_once(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let market = Market::at(&database.location).await;
    let id = market.register(0, OFFER).await;
    let lease = leased(&market, &id, 0).await;
    report(&market, &id, &lease, 1, 10_000).await;
    complete(&market).await;
    let rated = rate(&market, &market.trader, &lease, &json!({"stars": 2})).await;
    let rating = rated.id(201);
    let good = json!({"text": "We are sorry."});
    for wrong in [
        json!({}),
        json!({"text": ""}),
        json!({"text": "x".repeat(2_001)}),
        json!({"text": 7}),
    ] {
        reply(&market, &market.trader, "x", &wrong)
            .await
            .problem(400, "invalid-reply-text");
    }
    let none = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
    for (person, rating, status, slug) in [
        (&market.owner, "x", 404, "rating-not-found"),
        (&market.trader, none, 404, "rating-not-found"),
        (&market.trader, rating.as_str(), 403, "forbidden"),
        (&market.staff, rating.as_str(), 403, "forbidden"),
    ] {
        reply(&market, person, rating, &good)
            .await
            .problem(status, slug);
    }
    let replied = reply(&market, &market.owner, &rating, &good)
        .await
        .data(201);
    assert_eq!(replied["reply"]["text"], "We are sorry.");
    reply(&market, &market.owner, &rating, &good)
        .await
        .problem(409, "already-replied");
    assert_eq!(ratings(&market, &id, "").await["data"], json!([replied]));
    let nobody = Ask::post(&format!("/v1/ratings/{rating}/reply")).json(&good);
    market.send(nobody).await.problem(401, "auth-required");
}

#[tokio::test]
async fn ratings_are_listed_and_validators_are_sorted_by_them() {
    let market = Market::new().await;
    let mut ids = Vec::new();
    for number in 0..3 {
        ids.push(market.register(number, OFFER).await);
    }
    // The first has no rating, the second 3, the third 5 and 4.
    let mut leases = vec![
        (leased(&market, &ids[1], 0).await, &ids[1], 3),
        (leased(&market, &ids[2], 0).await, &ids[2], 5),
    ];
    complete(&market).await;
    leases.push((leased(&market, &ids[2], 0).await, &ids[2], 4));
    complete(&market).await;
    for (number, (lease, validator, stars)) in (0..).zip(&leases) {
        report(&market, validator, lease, number, 10_000).await;
        rate(&market, &market.trader, lease, &json!({"stars": stars}))
            .await
            .data(201);
    }
    let mut sorted = Vec::new();
    let mut cursor = String::new();
    for _ in 0..3 {
        let path = format!("/v1/validators?sort=rating&limit=1{cursor}");
        let page = market.send(Ask::get(&path)).await.json();
        sorted.push(page["data"][0]["public_id"].as_str().unwrap().to_owned());
        let next = page["meta"]["next_cursor"].as_str().unwrap_or_default();
        cursor = format!("&cursor={next}");
    }
    ids.reverse();
    assert_eq!(sorted, ids);
    let page = ratings(&market, &ids[0], "?limit=1").await;
    assert_eq!(page["data"][0]["stars"], 4);
    let next = page["meta"]["next_cursor"].as_str().unwrap();
    let page = ratings(&market, &ids[0], &format!("?limit=1&cursor={next}")).await;
    assert_eq!(page["data"][0]["stars"], 5);
    assert_eq!(page["meta"]["next_cursor"], Value::Null);
    let ask = |rest: &str| Ask::get(&format!("/v1/validators/{rest}"));
    for (rest, status, slug) in [
        ("x/ratings", 404, "validator-not-found"),
        ("x/ratings?limit=51", 400, "invalid-limit"),
        ("x/ratings?cursor=x", 400, "invalid-cursor"),
    ] {
        market.send(ask(rest)).await.problem(status, slug);
    }
    let bad = ask(&format!("{}/ratings", ids[0])).bearer("wrong");
    market.send(bad).await.problem(401, "auth-required");
}
