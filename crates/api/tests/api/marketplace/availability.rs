//! `GET /v1/validators/availability`.

use super::support::{Ask, Market, OFFER, booking};
use serde_json::json;

const PATH: &str = "/v1/validators/availability";

#[tokio::test]
async fn the_epochs_of_many_validators_are_told_at_once_as_each_one_tells_them() {
    let market = Market::new().await;
    let first = market.register(0, OFFER).await;
    let second = market.register(1, OFFER).await;
    let epoch = market.epoch();
    let body = booking(&first, epoch + 2, 3);
    market.ask_to_book(&market.trader, &body).await.data(201);
    let mut seat = booking(&second, epoch, 1);
    seat["mode"] = json!("shared");
    market.ask_to_book(&market.trader, &seat).await.data(201);
    let path = format!("{PATH}?epochs=6&validators={second},{first}&validators={first}");
    let free = market.send(Ask::get(&path)).await.data(200);
    let mut expected = vec![
        json!({"id": first, "free": "110001"}),
        json!({"id": second, "free": "011111"}),
    ];
    expected.sort_by_key(|it| it["id"].to_string());
    assert_eq!(free, json!({"epoch": epoch, "validators": expected}));
    let one = market
        .send(Ask::get(&format!("/v1/validators/{first}")))
        .await;
    let spans = one.data(200)["availability"].clone();
    let all = market
        .send(Ask::get(&format!("{PATH}?validators={first}")))
        .await;
    let free = all.data(200)["validators"][0]["free"].clone();
    let free = free.as_str().unwrap().to_owned();
    assert_eq!(free.len(), 60);
    for (digit, epoch) in free.chars().zip(epoch..) {
        let is_free = spans.as_array().unwrap().iter().any(|span| {
            let (from, to) = (span["from_epoch"].as_i64(), span["to_epoch"].as_i64());
            span["kind"] == "exclusive" && from <= Some(epoch) && Some(epoch) < to
        });
        assert_eq!(digit == '1', is_free, "{epoch}");
    }
}

#[tokio::test]
async fn who_is_not_listed_is_left_out_but_for_its_owner() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let pause = Ask::new("PATCH", &format!("/v1/validators/{id}")).by(&market.owner);
    let paused = market.send(pause.json(&json!({"status": "paused"}))).await;
    assert_eq!(paused.status, 200, "{}", paused.text());
    let path = format!("{PATH}?validators={id},01ARZ3NDEKTSV4RRFFQ69G5FAV");
    let count = async |ask: Ask| {
        let answer = market.send(ask).await.data(200);
        answer["validators"].as_array().unwrap().len()
    };
    assert_eq!(count(Ask::get(&path)).await, 0);
    assert_eq!(count(Ask::get(&path).by(&market.trader)).await, 0);
    assert_eq!(count(Ask::get(&path).by(&market.owner)).await, 1);
}

#[tokio::test]
async fn what_cannot_be_told_is_refused() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let many = vec![id.as_str(); 101].join(",");
    for query in [
        String::new(),
        "?validators=".to_owned(),
        "?validators=x".to_owned(),
        format!("?validators={many}"),
        format!("?validators={id}&epochs=0"),
        format!("?validators={id}&epochs=61"),
        format!("?validators={id}&epochs=many"),
        format!("?validators={id}&epochs=1&epochs=2"),
    ] {
        let refused = market.send(Ask::get(&format!("{PATH}{query}"))).await;
        refused.problem(400, "malformed-request");
    }
    let bad = Ask::get(&format!("{PATH}?validators={id}")).bearer("nobody");
    market.send(bad).await.problem(401, "auth-required");
    let blind = Market::without_node().await;
    let path = format!("{PATH}?validators={id}");
    let refused = blind.send(Ask::get(&path)).await;
    refused.problem(503, "chain-rpc-unavailable");
}
