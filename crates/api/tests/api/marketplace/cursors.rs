//! Lists in parts.

use super::support::{Ask, Market, OFFER, Offer, booking};
use serde_json::Value;

const PRICES: [&str; 7] = ["3", "1", "2", "2", "1", "5", "4"];

async fn market() -> Market {
    let market = Market::new().await;
    for (number, price_sol) in PRICES.into_iter().enumerate() {
        market.register(number, Offer { price_sol, ..OFFER }).await;
    }
    market
}

/// All pages of a list.
async fn pages(market: &Market, path: &str, query: &str) -> Vec<Vec<Value>> {
    let mut pages = Vec::new();
    let mut cursor = String::new();
    loop {
        let ask = Ask::get(&format!("{path}?{query}{cursor}")).by(&market.trader);
        let answer = market.send(ask).await;
        pages.push(answer.data(200).as_array().unwrap().clone());
        match &answer.json()["meta"]["next_cursor"] {
            Value::String(next) => cursor = format!("&cursor={next}"),
            end => {
                assert_eq!(end, &Value::Null);
                return pages;
            }
        }
        assert!(pages.len() < 100, "the list does not end");
    }
}

fn ids(items: &[Value]) -> Vec<&str> {
    items
        .iter()
        .map(|it| it["public_id"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn pages_put_together_are_the_list() {
    let market = market().await;
    for sort in ["price", "stake", "newest"] {
        let whole = pages(&market, "/v1/validators", &format!("sort={sort}")).await;
        assert_eq!((whole.len(), whole[0].len()), (1, 7));
        for limit in [1, 2, 3, 7] {
            let parts = pages(
                &market,
                "/v1/validators",
                &format!("sort={sort}&limit={limit}"),
            )
            .await;
            assert!(parts.iter().all(|part| part.len() <= limit));
            assert_eq!(ids(&parts.concat()), ids(&whole[0]), "{sort} {limit}");
        }
    }
    let cheapest = pages(&market, "/v1/validators", "limit=2").await.concat();
    let prices: Vec<_> = cheapest
        .iter()
        .map(|it| it["price_sol"].as_str().unwrap())
        .collect();
    assert_eq!(prices, ["1", "1", "2", "2", "3", "4", "5"]);
}

#[tokio::test]
async fn leases_are_listed_the_newest_first_in_parts() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let mut made = Vec::new();
    for n in 0..5 {
        let body = booking(&id, market.epoch() + n, 1);
        let booked = market.ask_to_book(&market.trader, &body).await.data(201);
        made.insert(0, booked["lease_id"].as_str().unwrap().to_owned());
        market
            .bench
            .clock
            .advance(primitives::SignedDuration::from_secs(1));
    }
    let listed = pages(&market, "/v1/leases", "limit=2").await;
    assert_eq!(listed.len(), 3);
    assert_eq!(ids(&listed.concat()), made);
}

#[tokio::test]
async fn a_cursor_of_other_filters_is_refused() {
    let market = market().await;
    let first = market.send(Ask::get("/v1/validators?limit=2")).await;
    let cursor = first.json()["meta"]["next_cursor"]
        .as_str()
        .unwrap()
        .to_owned();
    for query in [
        "sort=stake",
        "tier=standard",
        "region=eu-central-1",
        "price_min_lamports=1",
        "mode=shared",
    ] {
        let path = format!("/v1/validators?{query}&cursor={cursor}");
        market
            .send(Ask::get(&path))
            .await
            .problem(400, "invalid-cursor");
    }
    // The limit is no filter.
    let path = format!("/v1/validators?limit=5&cursor={cursor}");
    assert_eq!(
        market
            .send(Ask::get(&path))
            .await
            .data(200)
            .as_array()
            .unwrap()
            .len(),
        5
    );
    let leases = Ask::get(&format!("/v1/leases?cursor={cursor}")).by(&market.trader);
    market.send(leases).await.problem(400, "invalid-cursor");
}

#[tokio::test]
async fn a_cursor_is_for_whoever_was_given_it() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    for n in 0..2 {
        let body = booking(&id, market.epoch() + n, 1);
        market.ask_to_book(&market.trader, &body).await.data(201);
    }
    let first = market
        .send(Ask::get("/v1/leases?limit=1").by(&market.trader))
        .await;
    let cursor = first.json()["meta"]["next_cursor"]
        .as_str()
        .unwrap()
        .to_owned();
    let path = format!("/v1/leases?cursor={cursor}");
    market
        .send(Ask::get(&path).by(&market.trader))
        .await
        .data(200);
    let other = market.send(Ask::get(&path).by(&market.owner)).await;
    other.problem(400, "invalid-cursor");
}

#[tokio::test]
async fn a_forged_cursor_is_refused() {
    let market = market().await;
    let first = market.send(Ask::get("/v1/validators?limit=2")).await;
    let cursor = first.json()["meta"]["next_cursor"]
        .as_str()
        .unwrap()
        .to_owned();
    for place in [0, 1, 5, cursor.len() / 2, cursor.len() - 2] {
        let mut forged = cursor.clone().into_bytes();
        forged[place] = if forged[place] == b'A' { b'B' } else { b'A' };
        let path = format!(
            "/v1/validators?cursor={}",
            String::from_utf8(forged).unwrap()
        );
        market
            .send(Ask::get(&path))
            .await
            .problem(400, "invalid-cursor");
    }
    for wrong in [
        &cursor[1..],
        &format!("{cursor}A"),
        &"A".repeat(5_000),
        "%00",
    ] {
        let path = format!("/v1/validators?cursor={wrong}");
        market
            .send(Ask::get(&path))
            .await
            .problem(400, "invalid-cursor");
    }
}

#[tokio::test]
async fn replicas_with_one_key_know_each_others_cursors() {
    let key = Some([7; 32]);
    let market = Market::configured(|config| {
        config.marketplace.limits = None;
        config.marketplace.cursor_key = key;
    })
    .await;
    market.register(0, OFFER).await;
    market.register(1, OFFER).await;
    let first = market.send(Ask::get("/v1/validators?limit=1")).await;
    let cursor = first.json()["meta"]["next_cursor"]
        .as_str()
        .unwrap()
        .to_owned();
    let path = format!("/v1/validators?cursor={cursor}");
    let replica = Market::configured(|config| {
        config.marketplace.limits = None;
        config.marketplace.cursor_key = key;
    })
    .await;
    replica.send(Ask::get(&path)).await.data(200);
    let stranger = Market::configured(|config| {
        config.marketplace.limits = None;
        config.marketplace.cursor_key = Some([8; 32]);
    })
    .await;
    stranger
        .send(Ask::get(&path))
        .await
        .problem(400, "invalid-cursor");
}
