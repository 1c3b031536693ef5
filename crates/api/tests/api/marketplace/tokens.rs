//! `/v1/api-tokens`.

use super::support::{Ask, Market};
use primitives::SignedDuration;
use serde_json::{Value, json};

const TOKENS: &str = "/v1/api-tokens";

async fn make(market: &Market, body: Value) -> Value {
    let ask = Ask::post(TOKENS).by(&market.trader).json(&body);
    market.send(ask).await.data(201)
}

#[tokio::test]
async fn a_token_stands_for_its_user_until_it_is_revoked() {
    let market = Market::new().await;
    let made = make(&market, json!({"name": "bot"})).await;
    assert_eq!(made["expires_at"], Value::Null);
    let token = made["token"].as_str().unwrap().to_owned();
    assert!(token.starts_with("lm_"));
    let me = || Ask::get("/v1/me").bearer(&token);
    let user = market.send(me()).await.data(200);
    assert_eq!(user["public_id"], market.trader.user.id.to_string());
    let path = format!("{TOKENS}/{}", made["id"].as_str().unwrap());
    let revoke = || Ask::new("DELETE", &path).by(&market.trader);
    let answer = market.send(revoke()).await;
    assert_eq!((answer.status.as_u16(), answer.text()), (204, ""));
    market.send(me()).await.problem(401, "auth-required");
    market.send(revoke()).await.problem(404, "not-found");
}

#[tokio::test]
async fn a_token_ends_when_it_was_to_end() {
    let market = Market::new().await;
    let made = make(
        &market,
        json!({"name": "bot", "expires_at": "2023-11-14T23:00:00Z"}),
    )
    .await;
    assert_eq!(made["expires_at"], "2023-11-14T23:00:00Z");
    let me = || Ask::get("/v1/me").bearer(made["token"].as_str().unwrap());
    market.send(me()).await.data(200);
    market.bench.clock.advance(SignedDuration::from_hours(1));
    market.send(me()).await.problem(401, "auth-required");
}

#[tokio::test]
async fn lists_have_no_secrets() {
    let market = Market::new().await;
    let made = make(&market, json!({"name": "bot"})).await;
    let answer = market.send(Ask::get(TOKENS).by(&market.trader)).await;
    let list = answer.data(200);
    let names: Vec<_> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["name"])
        .collect();
    assert_eq!(names, ["test", "bot"]);
    assert_eq!(list[1]["id"], made["id"]);
    let (_, secret) = made["token"].as_str().unwrap().rsplit_once('_').unwrap();
    assert!(!answer.text().contains(secret));
}

#[tokio::test]
async fn nobody_revokes_what_is_others() {
    let market = Market::new().await;
    let made = make(&market, json!({"name": "bot"})).await;
    let path = format!("{TOKENS}/{}", made["id"].as_str().unwrap());
    let ask = Ask::new("DELETE", &path).by(&market.owner);
    market.send(ask).await.problem(403, "forbidden");
    let ask = Ask::new("DELETE", "/v1/api-tokens/nothing1").by(&market.owner);
    market.send(ask).await.problem(404, "not-found");
    let me = Ask::get("/v1/me").bearer(made["token"].as_str().unwrap());
    market.send(me).await.data(200);
}

#[tokio::test]
async fn a_user_has_a_limited_number_of_tokens() {
    let market = Market::new().await;
    let mut made = 0;
    let refused = loop {
        let ask = Ask::post(TOKENS)
            .by(&market.trader)
            .json(&json!({"name": "bot"}));
        let answer = market.send(ask).await;
        if answer.status != 201 {
            break answer;
        }
        made += 1;
        assert!(made < 1_000, "there is no limit");
    };
    refused.problem(403, "forbidden");
}
