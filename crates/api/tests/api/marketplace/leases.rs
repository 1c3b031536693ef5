//! Looking at leases, and giving them up.

use super::support::{Ask, Market, OFFER};
use serde_json::{Value, json};

#[tokio::test]
async fn a_lease_is_visible_to_its_parties_and_staff() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let booked = market.book(&id).await;
    let path = format!("/v1/leases/{}", booked["lease_id"].as_str().unwrap());
    for person in [&market.trader, &market.owner, &market.staff] {
        let lease = market.send(Ask::get(&path).by(person)).await.data(200);
        assert_eq!(lease["validator_id"], id);
    }
    let other = market.another_trader().await;
    market
        .send(Ask::get(&path).by(&other))
        .await
        .problem(404, "lease-not-found");
    market
        .send(Ask::get(&path))
        .await
        .problem(401, "auth-required");
    for id in ["01ARZ3NDEKTSV4RRFFQ69G5FAV", "nonsense"] {
        let ask = Ask::get(&format!("/v1/leases/{id}")).by(&market.staff);
        market.send(ask).await.problem(404, "lease-not-found");
    }
}

#[tokio::test]
async fn traders_list_their_own_leases_by_state_and_validator() {
    let market = Market::new().await;
    let (one, two) = (
        market.register(0, OFFER).await,
        market.register(1, OFFER).await,
    );
    let (first, second) = (market.book(&one).await, market.book(&two).await);
    let cancel = format!("/v1/leases/{}/cancel", first["lease_id"].as_str().unwrap());
    market
        .send(Ask::post(&cancel).by(&market.trader))
        .await
        .data(200);
    let list = |query: String| {
        let market = &market;
        async move {
            let ask = Ask::get(&format!("/v1/leases?{query}")).by(&market.trader);
            let list = market.send(ask).await.data(200);
            let ids = list.as_array().unwrap().iter();
            ids.map(|it| it["public_id"].clone())
                .collect::<Vec<Value>>()
        }
    };
    assert_eq!(list(String::new()).await.len(), 2);
    assert_eq!(
        list("state=expired".into()).await,
        [first["lease_id"].clone()]
    );
    assert_eq!(
        list("state=pending_payment".into()).await,
        [second["lease_id"].clone()]
    );
    assert_eq!(
        list(format!("validator_id={one}")).await,
        [first["lease_id"].clone()]
    );
    assert!(list("state=active".into()).await.is_empty());
    let owner = market.send(Ask::get("/v1/leases").by(&market.owner)).await;
    assert_eq!(owner.data(200), json!([]));
    for (query, slug) in [
        ("state=lost", "malformed-request"),
        ("state=active&state=active", "malformed-request"),
        ("validator_id=x", "malformed-request"),
        ("limit=0", "invalid-limit"),
        ("cursor=x", "invalid-cursor"),
    ] {
        let ask = Ask::get(&format!("/v1/leases?{query}")).by(&market.trader);
        market.send(ask).await.problem(400, slug);
    }
}

#[tokio::test]
async fn a_pending_booking_is_given_up_once_and_by_its_trader() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let booked = market.book(&id).await;
    let path = format!("/v1/leases/{}/cancel", booked["lease_id"].as_str().unwrap());
    let owner = market.send(Ask::post(&path).by(&market.owner)).await;
    owner.problem(403, "forbidden");
    let other = market.another_trader().await;
    market
        .send(Ask::post(&path).by(&other))
        .await
        .problem(404, "lease-not-found");
    market
        .send(Ask::post(&path))
        .await
        .problem(401, "auth-required");
    let lease = market
        .send(Ask::post(&path).by(&market.trader))
        .await
        .data(200);
    assert_eq!(
        (&lease["state"], &lease["end_reason"]),
        (&json!("expired"), &json!("cancelled"))
    );
    let again = market.send(Ask::post(&path).by(&market.trader)).await;
    again.problem(422, "lease-not-active");
    market.book(&id).await;
}
