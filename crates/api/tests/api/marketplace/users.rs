//! `POST /v1/users` and `GET /v1/me`.

use super::support::{Ask, Market};
use serde_json::json;

#[tokio::test]
async fn users_see_themselves_and_their_roles() {
    let market = Market::new().await;
    let me = market
        .send(Ask::get("/v1/me").by(&market.staff))
        .await
        .data(200);
    assert_eq!(me["public_id"], market.staff.user.id.to_string());
    assert_eq!(me["roles"], json!(["staff"]));
    assert_eq!(me["address"], json!(null));
}

#[tokio::test]
async fn who_is_a_user_already_stays_as_they_are() {
    let market = Market::new().await;
    let profile = json!({"display_name": "Another"});
    let ask = Ask::post("/v1/users").by(&market.trader).json(&profile);
    let user = market.send(ask).await.data(201);
    assert_eq!(user["display_name"], json!(null));
    assert_eq!(user["public_id"], market.trader.user.id.to_string());
}

#[tokio::test]
async fn credentials_are_needed() {
    let market = Market::new().await;
    market
        .send(Ask::get("/v1/me"))
        .await
        .problem(401, "auth-required");
    let ask = Ask::post("/v1/users").json(&json!({}));
    market.send(ask).await.problem(401, "auth-required");
}
