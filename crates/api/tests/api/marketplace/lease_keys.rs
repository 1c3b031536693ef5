//! `POST /v1/leases/{id}/credentials` and `/api-keys`.

use super::{
    lease_tokens::leased,
    support::{Ask, Market, OFFER, Person},
};
use crate::support::Answer;
use serde_json::{Value, json};
use services::leasing::KeyCost;

async fn reveal(market: &Market, person: &Person, lease: &str) -> Answer {
    let path = format!("/v1/leases/{lease}/credentials");
    market.send(Ask::post(&path).by(person)).await
}

async fn replace(market: &Market, person: &Person, lease: &str, body: &Value) -> Answer {
    let path = format!("/v1/leases/{lease}/api-keys");
    market.send(Ask::post(&path).by(person).json(body)).await
}

fn key(shown: &Value) -> String {
    shown["api_key"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_key_reads_its_lease_and_mints_its_tokens_and_nothing_else() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let lease = leased(&market, &id, 0).await;
    let shown = reveal(&market, &market.trader, &lease).await.data(200);
    assert_eq!(shown["key_version"], 1);
    assert_eq!(
        shown["jwks_url"],
        "https://lease.example/.well-known/jwks.json"
    );
    let key = key(&shown);
    assert!(key.starts_with(&format!("lk_{}_", shown["key_id"].as_str().unwrap())));
    let view = Ask::get(&format!("/v1/leases/{lease}")).bearer(&key);
    let view = market.send(view).await.data(200);
    assert_eq!(view["credentials_shown"], true);
    assert_eq!(view["key_version"], 1);
    let mint = Ask::post(&format!("/v1/leases/{lease}/token")).bearer(&key);
    market.send(mint).await.data(200);
    let other = leased(&market, &id, 5).await;
    for ask in [
        Ask::get(&format!("/v1/leases/{other}")),
        Ask::post(&format!("/v1/leases/{other}/token")),
    ] {
        let answer = market.send(ask.bearer(&key)).await;
        answer.problem(404, "lease-not-found");
    }
    for ask in [
        Ask::get("/v1/me"),
        Ask::get("/v1/leases"),
        Ask::get("/v1/api-tokens"),
        Ask::get(&format!("/v1/validators/{id}")),
        Ask::post("/v1/leases").key(&market.key()).json(&json!({})),
        Ask::post("/v1/users").json(&json!({})),
        Ask::post("/v1/validators").json(&json!({})),
        Ask::new("DELETE", "/v1/auth/session"),
        Ask::post(&format!("/v1/leases/{lease}/cancel")),
        Ask::post(&format!("/v1/leases/{lease}/credentials")),
        Ask::post(&format!("/v1/leases/{lease}/api-keys")).json(&json!({})),
    ] {
        let answer = market.send(ask.bearer(&key)).await;
        answer.problem(403, "forbidden");
    }
}

#[tokio::test]
async fn a_key_is_shown_once_and_replaced_by_the_expected_version() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let lease = leased(&market, &id, 0).await;
    let trader = &market.trader;
    let first = key(&reveal(&market, trader, &lease).await.data(200));
    reveal(&market, trader, &lease)
        .await
        .problem(404, "credentials-already-shown");
    let stale = json!({"expected_version": 7});
    replace(&market, trader, &lease, &stale)
        .await
        .problem(409, "concurrent-rotation");
    let next = replace(&market, trader, &lease, &json!({"expected_version": 1})).await;
    let second = key(&next.data(201));
    let read = |key: &str| Ask::get(&format!("/v1/leases/{lease}")).bearer(key);
    market
        .send(read(&first))
        .await
        .problem(401, "auth-required");
    market.send(read(&second)).await.data(200);
    replace(&market, trader, &lease, &json!({})).await.data(201);
    for wrong in [
        json!({"expected_version": -1}),
        json!({"more": 1}),
        json!([]),
    ] {
        let answer = replace(&market, trader, &lease, &wrong).await;
        answer.problem(400, "malformed-request");
    }
}

#[tokio::test]
async fn keys_are_for_active_leases_and_their_traders() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let lease = leased(&market, &id, 0).await;
    let body = json!({"validator_id": id, "epoch_start": market.epoch() + 9, "epoch_count": 1});
    let pending = market.ask_to_book(&market.trader, &body).await.data(201);
    let pending = pending["lease_id"].as_str().unwrap();
    let stranger = market.another_trader().await;
    for (person, lease, status, slug) in [
        (&market.trader, "x", 404, "lease-not-found"),
        (&stranger, lease.as_str(), 404, "lease-not-found"),
        (&market.owner, lease.as_str(), 403, "forbidden"),
        (&market.trader, pending, 422, "lease-not-active"),
    ] {
        let shown = reveal(&market, person, lease).await;
        shown.problem(status, slug);
        let replaced = replace(&market, person, lease, &json!({})).await;
        replaced.problem(status, slug);
    }
    market.node.advance_epochs(2).unwrap();
    market.leasing.epoch_watch().round().await.unwrap();
    reveal(&market, &market.trader, &lease)
        .await
        .problem(422, "lease-expired");
    replace(&market, &market.trader, &lease, &json!({}))
        .await
        .problem(422, "lease-expired");
    let nobody = Ask::post(&format!("/v1/leases/{lease}/credentials"));
    market.send(nobody).await.problem(401, "auth-required");
    let nobody = Ask::post(&format!("/v1/leases/{lease}/api-keys")).json(&json!({}));
    market.send(nobody).await.problem(401, "auth-required");
}

#[tokio::test]
async fn a_hash_that_fails_gives_no_key() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let lease = leased(&market, &id, 0).await;
    let market = market
        .with_options(|options| {
            options.key_cost = KeyCost {
                memory_kib: 1,
                passes: 1,
            };
        })
        .await;
    reveal(&market, &market.trader, &lease)
        .await
        .problem(500, "token-hash-failure");
    replace(&market, &market.trader, &lease, &json!({}))
        .await
        .problem(500, "token-hash-failure");
}
