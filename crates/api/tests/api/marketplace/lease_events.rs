//! `GET /v1/leases/{id}/events`.

use super::{
    lease_tokens::leased,
    support::{Ask, Market, OFFER},
};

#[tokio::test]
async fn those_who_may_see_a_lease_are_told_what_happened_to_it_page_by_page() {
    let market = Market::new().await;
    let validator = market.register(0, OFFER).await;
    let lease = leased(&market, &validator, 0).await;
    leased(&market, &validator, 5).await;
    let path = format!("/v1/leases/{lease}/events");
    for person in [&market.trader, &market.owner, &market.staff] {
        let answer = market.send(Ask::get(&path).by(person)).await;
        let rows = answer.data(200);
        let actions: Vec<_> = rows.as_array().unwrap().iter().collect();
        let actions: Vec<_> = actions.iter().map(|row| &row["action"]).collect();
        assert_eq!(actions, ["lease.activated", "lease.booked"]);
        assert_eq!(rows[0]["subject"]["id"], lease.as_str());
        assert_eq!(rows[1]["actor"]["id"], market.trader.user.id.to_string());
        let first = format!("{path}?limit=1");
        let page = market.send(Ask::get(&first).by(person)).await.json();
        assert_eq!(page["data"][0], rows[0]);
        let cursor = page["meta"]["next_cursor"].as_str().unwrap();
        let rest = format!("{first}&cursor={cursor}");
        let page = market.send(Ask::get(&rest).by(person)).await.json();
        assert_eq!(page["data"][0], rows[1]);
        assert!(page["meta"]["next_cursor"].is_null());
    }
    let stranger = market.another_trader().await;
    let refused = market.send(Ask::get(&path).by(&stranger)).await;
    refused.problem(404, "lease-not-found");
    let nothing = Ask::get("/v1/leases/x/events").by(&stranger);
    market.send(nothing).await.problem(404, "lease-not-found");
    let nobody = market.send(Ask::get(&path)).await;
    nobody.problem(401, "auth-required");
    let wide = format!("{path}?limit=51");
    let refused = market.send(Ask::get(&wide).by(&market.trader)).await;
    refused.problem(400, "invalid-limit");
}
