//! `GET /v1/admin/leases`.

use super::{
    lease_tokens::leased,
    support::{Ask, Market, OFFER, booking},
};

#[tokio::test]
async fn staff_sees_everybodys_leases_and_nobody_else_does() {
    let market = Market::new().await;
    let (first, second) = (
        market.register(0, OFFER).await,
        market.register(1, OFFER).await,
    );
    let paid = leased(&market, &first, 0).await;
    let other = market.another_trader().await;
    let body = booking(&second, market.epoch() + 1, 2);
    let booked = market.ask_to_book(&other, &body).await.data(201);
    let unpaid = booked["lease_id"].as_str().unwrap().to_owned();
    let list = async |query: String| {
        let path = format!("/v1/admin/leases{query}");
        let rows = market
            .send(Ask::get(&path).by(&market.staff))
            .await
            .data(200);
        let ids = rows.as_array().unwrap().iter();
        let ids = ids.map(|row| row["public_id"].as_str().unwrap().to_owned());
        ids.collect::<Vec<_>>()
    };
    let both = [unpaid, paid];
    assert_eq!(list(String::new()).await, both);
    assert_eq!(list("?state=active".to_owned()).await, both[1..]);
    let of_validator = format!("?validator_id={second}");
    assert_eq!(list(of_validator).await, both[..1]);
    let of_trader = format!("?trader_id={}", market.trader.user.id);
    assert_eq!(list(of_trader).await, both[1..]);
    let ask = |query: &str| Ask::get(&format!("/v1/admin/leases{query}"));
    for person in [&market.trader, &market.owner] {
        let refused = market.send(ask("").by(person)).await;
        refused.problem(403, "forbidden");
    }
    market.send(ask("")).await.problem(401, "auth-required");
    for wrong in ["?state=x", "?trader_id=x", "?validator_id=x"] {
        let refused = market.send(ask(wrong).by(&market.staff)).await;
        refused.problem(400, "malformed-request");
    }
}
