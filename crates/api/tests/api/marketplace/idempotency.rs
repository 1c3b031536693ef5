//! Requests that are done once, however often they are sent.

use super::support::{Ask, Market, OFFER, booking};
use primitives::{SignedDuration, Ulid};
use serde_json::{Value, json};
use services::leasing::Claim;
use sha2::{Digest as _, Sha256};

async fn leases(market: &Market) -> usize {
    let list = market.send(Ask::get("/v1/leases").by(&market.trader)).await;
    list.data(200).as_array().unwrap().len()
}

#[tokio::test]
async fn a_key_is_required_and_strict() {
    let market = Market::new().await;
    let body = booking("nonsense", 1, 1);
    let ask = || Ask::post("/v1/leases").by(&market.trader).json(&body);
    market
        .send(ask())
        .await
        .problem(400, "idempotency-key-missing");
    let key = market.key();
    for wrong in [
        "",
        "936da01f-9abd-4d9d-80c7-02af85c822a8",
        &key[..25],
        &format!("{key}0"),
        &format!("8{}", &key[1..]),
        &format!("{}U", &key[..25]),
        &format!("\"{key}\""),
    ] {
        let answer = market.send(ask().key(wrong)).await;
        answer.problem(400, "idempotency-key-malformed");
    }
    let twice = market.send(ask().key(&key).key(&key)).await;
    twice.problem(400, "idempotency-key-malformed");
}

#[tokio::test]
async fn a_repeated_request_gets_the_same_bytes_for_24_hours() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let body = booking(&id, market.epoch() + 1, 2);
    let key = market.key();
    let ask = |key: &str| {
        Ask::post("/v1/leases")
            .by(&market.trader)
            .key(key)
            .json(&body)
    };
    let first = market.send(ask(&key)).await;
    assert_eq!(
        (first.status.as_u16(), first.header("idempotent-replayed")),
        (201, None)
    );
    // The lease changes, its first answer does not; either case is the same key.
    let lease = first.json()["data"]["lease_id"]
        .as_str()
        .unwrap()
        .to_owned();
    let cancel = format!("/v1/leases/{lease}/cancel");
    market
        .send(Ask::post(&cancel).by(&market.trader))
        .await
        .data(200);
    for key in [key.clone(), key.to_lowercase()] {
        let again = market.send(ask(&key)).await;
        assert_eq!(again.status, 201);
        assert_eq!(again.body, first.body);
        assert_eq!(again.header("content-type"), first.header("content-type"));
        assert_eq!(again.header("idempotent-replayed"), Some("true"));
    }
    assert_eq!(leases(&market).await, 1);
    market.bench.clock.advance(SignedDuration::from_hours(24));
    let later = market.send(ask(&key)).await;
    assert_eq!(
        (later.status.as_u16(), later.header("idempotent-replayed")),
        (201, None)
    );
    assert_ne!(later.body, first.body);
    assert_eq!(leases(&market).await, 2);
}

#[tokio::test]
async fn a_key_is_for_one_body_and_one_user() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let (key, start) = (market.key(), market.epoch() + 1);
    let ask = |body: &Value| Ask::post("/v1/leases").key(&key).text(&body.to_string());
    let body = booking(&id, start, 1);
    market.send(ask(&body).by(&market.trader)).await.data(201);
    let other = booking(&id, start + 1, 1);
    let reused = market.send(ask(&other).by(&market.trader)).await;
    reused.problem(422, "idempotency-key-reused");
    // The same in other bytes is another body.
    let spaced = Ask::post("/v1/leases")
        .key(&key)
        .text(&format!("{body} "))
        .by(&market.trader);
    market
        .send(spaced)
        .await
        .problem(422, "idempotency-key-reused");
    assert_eq!(leases(&market).await, 1);
    let someone = market.another_trader().await;
    market.send(ask(&other).by(&someone)).await.data(201);
}

#[tokio::test]
async fn a_refusal_frees_the_key() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let key = market.key();
    let ask = |text: &str| {
        Ask::post("/v1/leases")
            .by(&market.trader)
            .key(&key)
            .text(text)
    };
    market
        .send(ask("{"))
        .await
        .problem(400, "malformed-request");
    let start = market.epoch() + 1;
    let wrong = booking(&id, start, 31).to_string();
    market
        .send(ask(&wrong))
        .await
        .problem(400, "invalid-epoch-count");
    let unknown = booking("01ARZ3NDEKTSV4RRFFQ69G5FAV", start, 1).to_string();
    market
        .send(ask(&unknown))
        .await
        .problem(404, "validator-not-found");
    let good = booking(&id, start, 1).to_string();
    market.send(ask(&good)).await.data(201);
}

#[tokio::test]
async fn a_request_in_flight_is_a_conflict_until_it_ends() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let body = booking(&id, market.epoch() + 1, 1).to_string();
    let key = market.key();
    let ask = |body: &str| {
        Ask::post("/v1/leases")
            .by(&market.trader)
            .key(&key)
            .text(body)
    };
    let digest = Sha256::digest(body.as_bytes()).into();
    let ulid: Ulid = key.parse().unwrap();
    let user = market.trader.user.id;
    let held = market
        .leasing
        .keys
        .claim(user, "POST", "/v1/leases", ulid, digest)
        .await
        .unwrap();
    assert!(matches!(held, Claim::Fresh(_)));
    let conflict = market.send(ask(&body)).await;
    conflict.problem(409, "idempotency-conflict");
    assert_eq!(conflict.header("retry-after"), Some("1"));
    // Another body is another body, in flight or not.
    let other = market.send(ask(&format!("{body} "))).await;
    other.problem(422, "idempotency-key-reused");
    drop(held);
    market.send(ask(&body)).await.data(201);
    assert_eq!(leases(&market).await, 1);
}

#[tokio::test]
async fn many_copies_of_one_request_book_once() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let body = booking(&id, market.epoch() + 1, 1);
    let key = market.key();
    let copies = (0..20).map(|_| {
        market.send(
            Ask::post("/v1/leases")
                .by(&market.trader)
                .key(&key)
                .json(&body),
        )
    });
    let answers = futures_util::future::join_all(copies).await;
    let made: Vec<_> = answers.iter().filter(|it| it.status == 201).collect();
    assert!(!made.is_empty());
    assert!(made.iter().all(|it| it.body == made[0].body));
    for answer in answers.iter().filter(|it| it.status != 201) {
        answer.problem(409, "idempotency-conflict");
    }
    assert_eq!(leases(&market).await, 1);
}

#[tokio::test]
async fn a_body_without_a_type_takes_no_key() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let (key, body) = (market.key(), booking(&id, market.epoch() + 1, 1));
    let ask = || Ask::post("/v1/leases").by(&market.trader).key(&key);
    let untyped = market.send(ask().raw(&body.to_string())).await;
    untyped.problem(415, "unsupported-media-type");
    market
        .send(ask().json(&json!({})))
        .await
        .problem(400, "malformed-request");
    market.send(ask().json(&body)).await.data(201);
}
