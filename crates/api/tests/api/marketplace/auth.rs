//! `POST /v1/auth/challenge` and `/v1/auth/session`.

use super::support::{Ask, Market};
use crate::support::Answer;
use primitives::SignedDuration;
use serde_json::{Value, json};

async fn challenge(market: &Market, address: &str) -> Value {
    let ask = Ask::post("/v1/auth/challenge").json(&json!({"address": address}));
    market.send(ask).await.data(200)
}

/// Signs in with a wallet of the node's.
async fn sign_in(market: &Market, wallet: usize) -> Answer {
    let keys = market.wallet(wallet);
    let address = keys.public_key().to_string();
    let told = challenge(market, &address).await;
    let signature = keys.sign(told["message"].as_str().unwrap().as_bytes());
    let body = json!({"address": address, "nonce": told["nonce"], "signature": signature});
    market.send(Ask::post("/v1/auth/session").json(&body)).await
}

#[tokio::test]
async fn a_wallet_signs_in_becomes_a_user_and_stays_one() {
    let market = Market::new().await;
    let session = sign_in(&market, 3).await.data(200);
    assert_eq!(session["user"], Value::Null);
    let token = session["session_token"].as_str().unwrap();
    let me = || Ask::get("/v1/me").bearer(token);
    market.send(me()).await.problem(401, "user-not-provisioned");
    let profile = json!({"display_name": "Ada", "email": "ada@example.com"});
    let create = || Ask::post("/v1/users").bearer(token).json(&profile);
    let user = market.send(create()).await.data(201);
    assert_eq!(user["display_name"], "Ada");
    assert_eq!(user["email"], "ada@example.com");
    assert_eq!(user["roles"], json!(["trader", "validator"]));
    assert_eq!(user["address"], market.wallet(3).public_key().to_string());
    assert_eq!(market.send(me()).await.data(200), user);
    assert_eq!(market.send(create()).await.data(201), user);
    let again = sign_in(&market, 3).await.data(200);
    assert_eq!(again["user"], user);
    assert_ne!(again["session_token"], session["session_token"]);
}

#[tokio::test]
async fn a_challenge_is_a_text_that_wallets_know() {
    let market = Market::new().await;
    let address = market.wallet(3).public_key().to_string();
    let told = challenge(&market, &address).await;
    let message = told["message"].as_str().unwrap();
    let opening = "lease.example wants you to sign in with your Solana account:\n";
    assert!(
        message.starts_with(&format!("{opening}{address}\n")),
        "{message}"
    );
    assert!(message.contains(&format!("Nonce: {}", told["nonce"].as_str().unwrap())));
    assert!(told["expires_at"].as_str().unwrap().ends_with('Z'));
}

#[tokio::test]
async fn a_challenge_can_be_used_once_in_its_time_and_by_its_wallet() {
    let market = Market::new().await;
    let (keys, other) = (market.wallet(3), market.wallet(4));
    let address = keys.public_key().to_string();
    let session = |body: Value| market.send(Ask::post("/v1/auth/session").json(&body));
    let signed = |told: &Value, by: &simnet::SolanaKeypair| {
        let signature = by.sign(told["message"].as_str().unwrap().as_bytes());
        json!({"address": address, "nonce": told["nonce"], "signature": signature})
    };

    let told = challenge(&market, &address).await;
    let by_other = session(signed(&told, &other)).await;
    by_other.problem(401, "auth-required");

    let told = challenge(&market, &address).await;
    let good = signed(&told, &keys);
    session(good.clone()).await.data(200);
    session(good.clone()).await.problem(401, "auth-required");

    let told = challenge(&market, &address).await;
    market.bench.clock.advance(SignedDuration::from_secs(301));
    let late = session(signed(&told, &keys)).await;
    late.problem(401, "auth-required");

    let unknown =
        json!({"address": address, "nonce": "neverGiven12345", "signature": good["signature"]});
    session(unknown).await.problem(401, "auth-required");
}

#[tokio::test]
async fn a_session_ends() {
    let market = Market::new().await;
    let session = sign_in(&market, 3).await.data(200);
    let token = session["session_token"].as_str().unwrap();
    let create = || Ask::post("/v1/users").bearer(token).json(&json!({}));
    market.send(create()).await.data(201);
    market.bench.clock.advance(SignedDuration::from_hours(24));
    market.send(create()).await.problem(401, "auth-required");
}

#[tokio::test]
async fn signing_out_ends_the_session_that_is_sent() {
    let market = Market::new().await;
    let token = |answer: Answer| {
        let session = answer.data(200);
        session["session_token"].as_str().unwrap().to_owned()
    };
    let (first, second) = (
        token(sign_in(&market, 3).await),
        token(sign_in(&market, 3).await),
    );
    let create = |token: &str| Ask::post("/v1/users").bearer(token).json(&json!({}));
    market.send(create(&first)).await.data(201);
    let sign_out = || Ask::new("DELETE", "/v1/auth/session");
    let answer = market.send(sign_out().bearer(&first)).await;
    assert_eq!((answer.status.as_u16(), answer.text()), (204, ""));
    market
        .send(create(&first))
        .await
        .problem(401, "auth-required");
    market
        .send(sign_out().bearer(&first))
        .await
        .problem(401, "auth-required");
    market.send(create(&second)).await.data(201);
    // An API token is revoked, not signed out of.
    let answer = market.send(sign_out().by(&market.trader)).await;
    answer.problem(403, "forbidden");
    market
        .send(Ask::get("/v1/me").by(&market.trader))
        .await
        .data(200);
}
