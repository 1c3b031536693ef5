//! `POST /v1/leases/{id}/token` and `/.well-known/jwks.json`.

use super::support::{Ask, Market, OFFER, Person, booking};
use crate::support::Answer;
use base64::{Engine as _, prelude::BASE64_STANDARD};
use leasing::{Gateway, Jwks, verify_lease_token};
use primitives::{Clock as _, SignedDuration};
use serde_json::{Value, json};
use services::leasing::{RemoteSigner, TokenSigner};
use simnet::SolanaKeypair;

const JWKS: &str = "/.well-known/jwks.json";

fn path(lease: &str) -> String {
    format!("/v1/leases/{lease}/token")
}

async fn mint(market: &Market, person: &Person, lease: &str) -> Answer {
    market.send(Ask::post(&path(lease)).by(person)).await
}

/// Pays a booking.
async fn pay(market: &Market, booked: &Value) {
    let memo = booked["payment"]["memo"].as_str().unwrap();
    pay_with(market, memo, &market.wallet(3)).await;
}

/// Pays what a memo stands for.
pub(super) async fn pay_with(market: &Market, memo: &str, payer: &SolanaKeypair) {
    let unsigned = market
        .leasing
        .payments
        .transaction(memo, payer.public_key());
    let mut bytes = unsigned.await.unwrap().transaction;
    let signature = payer.sign(&bytes[65..]);
    bytes[1..65].copy_from_slice(signature.as_bytes());
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "sendTransaction",
        "params": [BASE64_STANDARD.encode(&bytes), {"encoding": "base64"}]});
    let client = reqwest::Client::new().post(market.node_url.clone());
    let sent = client
        .header("content-type", "application/json")
        .body(call.to_string());
    let sent = sent.send().await.unwrap().text().await.unwrap();
    assert!(sent.contains(&signature.to_string()), "{sent}");
    market.node.mine(10).unwrap();
    market.leasing.settlement().round().await.unwrap();
}

/// A lease of two epochs, the first so many ahead, that is paid.
pub(super) async fn leased(market: &Market, validator: &str, ahead: i64) -> String {
    let body = booking(validator, market.epoch() + ahead, 2);
    let booked = market.ask_to_book(&market.trader, &body).await.data(201);
    pay(market, &booked).await;
    booked["lease_id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_token_is_verified_with_the_published_keys() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let lease = leased(&market, &id, 0).await;
    let minted = mint(&market, &market.trader, &lease).await.data(200);
    assert_eq!(minted["token_type"], "Bearer");
    assert_eq!(minted["expires_in"], 600);
    assert_eq!(minted["lease_id"], lease);
    assert_eq!(minted["endpoint"], Value::Null);
    let keys = market.send(Ask::get(JWKS)).await;
    assert_eq!(keys.status, 200, "{}", keys.text());
    assert_eq!(keys.header("cache-control"), Some("public, max-age=300"));
    let key = &keys.json()["keys"][0];
    assert_eq!(
        (&key["kty"], &key["crv"], &key["use"], &key["alg"]),
        (
            &json!("EC"),
            &json!("P-256"),
            &json!("sig"),
            &json!("ES256")
        )
    );
    let keys: Jwks = serde_json::from_slice(&keys.body).unwrap();
    let identity = market.validator(0).identity.public_key();
    assert_eq!(minted["validator_identity"], identity.to_string());
    let gateway = Gateway {
        identity,
        issuer: &market.leasing.options().uri,
        now: market.bench.clock.now(),
        epoch: u64::try_from(market.epoch()).unwrap(),
    };
    let token = minted["token"].as_str().unwrap();
    let claims = verify_lease_token(token, &keys, &gateway, |_| false).unwrap();
    assert_eq!(claims.sub.to_string(), lease);
    assert_eq!(claims.trader, market.trader.user.id);
    assert_eq!(claims.mode, "exclusive");
}

#[tokio::test]
async fn tokens_are_for_active_leases_in_their_epochs_and_for_their_traders() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let pending = market.book(&id).await;
    let pending = pending["lease_id"].as_str().unwrap();
    mint(&market, &market.trader, pending)
        .await
        .problem(403, "lease-not-active");
    let ahead = leased(&market, &id, 5).await;
    mint(&market, &market.trader, &ahead)
        .await
        .problem(403, "lease-epoch-out-of-range");
    for person in [&market.owner, &market.staff] {
        let answer = mint(&market, person, &ahead).await;
        answer.problem(403, "forbidden");
    }
    let stranger = market.another_trader().await;
    mint(&market, &stranger, &ahead)
        .await
        .problem(404, "lease-not-found");
    for unknown in ["x", "01ARZ3NDEKTSV4RRFFQ69G5FAV"] {
        let answer = mint(&market, &market.trader, unknown).await;
        answer.problem(404, "lease-not-found");
    }
    let nobody = market.send(Ask::post(&path(&ahead))).await;
    nobody.problem(401, "auth-required");
    let more = Ask::post(&path(&ahead))
        .by(&market.trader)
        .text(r#"{"a":1}"#);
    market.send(more).await.problem(400, "malformed-request");
}

#[tokio::test]
async fn twelve_tokens_a_minute() {
    let market = Market::configured(|_| ()).await;
    let id = market.register(0, OFFER).await;
    let lease = leased(&market, &id, 0).await;
    for _ in 0..12 {
        mint(&market, &market.trader, &lease).await.data(200);
    }
    let refused = mint(&market, &market.trader, &lease).await;
    refused.problem(429, "rate-limit-exceeded");
    assert_eq!(refused.header("retry-after"), Some("5"));
    market.bench.clock.advance(SignedDuration::from_secs(5));
    mint(&market, &market.trader, &lease).await.data(200);
}

#[tokio::test]
async fn a_signer_that_is_away_gives_no_token() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let lease = leased(&market, &id, 0).await;
    let nobody = RemoteSigner::new("http://127.0.0.1:9/kms".parse().unwrap()).unwrap();
    let market = market
        .with_options(|options| options.token_signer = TokenSigner::Remote(nobody))
        .await;
    market.leasing.epoch_watch().round().await.unwrap();
    mint(&market, &market.trader, &lease)
        .await
        .problem(500, "jwt-sign-failed");
    // The list of keys is there all the same.
    assert_eq!(market.send(Ask::get(JWKS)).await.status, 200);
}

#[tokio::test]
async fn a_row_that_cannot_be_written_gives_no_token() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let lease = leased(&market, &id, 0).await;
    mint(&market, &market.trader, &lease).await.data(200);
    // Whoever wants to write waits behind this, and in vain.
    let writing = market.bench.store.ledger().begin().await.unwrap();
    let answer = mint(&market, &market.trader, &lease).await;
    drop(writing);
    answer.problem(500, "audit-row-encoding-failed");
}

#[tokio::test]
async fn until_a_node_has_answered_there_is_no_epoch() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let lease = leased(&market, &id, 0).await;
    let market = market.with_options(|_| ()).await;
    mint(&market, &market.trader, &lease)
        .await
        .problem(503, "chain-rpc-unavailable");
}
