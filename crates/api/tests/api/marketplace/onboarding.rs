//! `/v1/onboarding/sessions`.

use super::support::{Ask, Market, OFFER};
use primitives::SignedDuration;
use serde_json::{Value, json};

const SESSIONS: &str = "/v1/onboarding/sessions";

async fn open(market: &Market) -> String {
    let opened = market.send(Ask::post(SESSIONS).by(&market.owner)).await;
    let opened = opened.data(201);
    assert_eq!(opened["status"], "pending");
    opened["onboard_token"].as_str().unwrap().to_owned()
}

fn look(token: &str) -> Ask {
    Ask::get(&format!("{SESSIONS}/{token}"))
}

#[tokio::test]
async fn a_host_registers_with_a_token_and_without_credentials() {
    let market = Market::new().await;
    let token = open(&market).await;
    let pending = market.send(look(&token)).await.data(200);
    assert_eq!(pending["status"], "pending");
    assert_eq!(pending["validator_id"], Value::Null);
    let mut body = market.registration(0, OFFER);
    body["onboard_token"] = json!(token);
    let id = market
        .send(Ask::post("/v1/validators").json(&body))
        .await
        .id(201);
    let listed = market.send(look(&token)).await.data(200);
    assert_eq!(listed["status"], "listed");
    assert_eq!(listed["validator_id"], id);
    let patch = Ask::new("PATCH", &format!("/v1/validators/{id}"));
    let paused = patch.by(&market.owner).json(&json!({"status": "paused"}));
    market.send(paused).await.data(200);
    let registered = market.send(look(&token)).await.data(200);
    assert_eq!(registered["status"], "registered");
}

#[tokio::test]
async fn a_token_is_used_once_and_in_its_time() {
    let market = Market::new().await;
    let register = |number, token: &str| {
        let mut body = market.registration(number, OFFER);
        body["onboard_token"] = json!(token);
        market.send(Ask::post("/v1/validators").json(&body))
    };
    let token = open(&market).await;
    register(0, &token).await.data(201);
    register(1, &token)
        .await
        .problem(422, "invalid-onboarding-token");
    register(1, "nonsense")
        .await
        .problem(422, "invalid-onboarding-token");
    let late = open(&market).await;
    market.bench.clock.advance(SignedDuration::from_hours(24));
    register(1, &late)
        .await
        .problem(422, "invalid-onboarding-token");
    market
        .send(look(&late))
        .await
        .problem(404, "onboarding-session-not-found");
}

#[tokio::test]
async fn an_unknown_session_is_not_found() {
    let market = Market::new().await;
    for token in ["nonsense", "lo_abcdefgh_x", "%F0%9F%8C%8A"] {
        market
            .send(look(token))
            .await
            .problem(404, "onboarding-session-not-found");
    }
}

#[tokio::test]
async fn opening_needs_no_body_but_refuses_a_wrong_one() {
    let market = Market::new().await;
    let ask = || Ask::post(SESSIONS).by(&market.owner);
    market.send(ask().text("{}")).await.data(201);
    market.send(ask().text("")).await.data(201);
    let unknown = market.send(ask().text(r#"{"a": 1}"#)).await;
    unknown.problem(400, "malformed-request");
    market
        .send(ask().text("["))
        .await
        .problem(400, "malformed-request");
    market
        .send(ask().raw("{}"))
        .await
        .problem(415, "unsupported-media-type");
    market
        .send(Ask::post(SESSIONS))
        .await
        .problem(401, "auth-required");
}
