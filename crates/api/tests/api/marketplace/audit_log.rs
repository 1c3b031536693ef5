//! `GET /v1/audit-log`.

use super::support::{Ask, Market, OFFER, Person};
use primitives::{Clock as _, SignedDuration};
use serde_json::Value;

async fn rows(market: &Market, person: &Person, query: &str) -> Vec<Value> {
    let path = format!("/v1/audit-log{query}");
    let answer = market.send(Ask::get(&path).by(person)).await;
    answer.data(200).as_array().unwrap().clone()
}

fn actions(rows: &[Value]) -> Vec<&str> {
    rows.iter()
        .map(|row| row["action"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn people_see_what_is_theirs_and_staff_sees_everything() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let lease = market.book(&id).await;
    let lease = lease["lease_id"].as_str().unwrap();
    let trader = rows(&market, &market.trader, "").await;
    assert_eq!(
        actions(&trader),
        ["lease.booked", "token.created", "user.added"]
    );
    let booked = &trader[0];
    assert_eq!(booked["actor"]["kind"], "user");
    assert_eq!(booked["actor"]["id"], market.trader.user.id.to_string());
    assert_eq!(booked["subject"]["kind"], "lease");
    assert_eq!(booked["subject"]["id"], lease);
    assert_eq!(booked["detail"]["mode"], "exclusive");
    let owner = rows(&market, &market.owner, "").await;
    assert_eq!(
        actions(&owner),
        [
            "lease.booked",
            "validator.registered",
            "token.created",
            "user.added"
        ]
    );
    let stranger = market.another_trader().await;
    let strangers = rows(&market, &stranger, &format!("?subject={lease}")).await;
    assert_eq!(strangers, Vec::<Value>::new());
    let staff = rows(&market, &market.staff, "?action=user.added").await;
    assert_eq!(staff.len(), 4);
    assert_eq!(staff[0]["actor"]["kind"], "operator");
    assert_eq!(staff[0]["actor"]["id"], Value::Null);
}

#[tokio::test]
async fn the_log_goes_on_after_a_cursor_and_within_its_filters() {
    let market = Market::new().await;
    let staff = &market.staff;
    let all = rows(&market, staff, "?limit=200").await;
    assert_eq!(all.len(), 6);
    let first = market
        .send(Ask::get("/v1/audit-log?limit=4").by(staff))
        .await;
    let first = first.json();
    assert_eq!(first["meta"]["limit"], 4);
    let next = first["meta"]["next_cursor"].as_str().unwrap();
    let rest = rows(&market, staff, &format!("?limit=4&cursor={next}")).await;
    let mut seen = first["data"].as_array().unwrap().clone();
    seen.extend(rest);
    assert_eq!(seen, all);
    let now = market.bench.clock.now();
    let later = now + SignedDuration::from_secs(1);
    let since = rows(&market, staff, &format!("?since={later}")).await;
    assert_eq!(since.len(), 0);
    assert_eq!(
        rows(&market, staff, &format!("?until={later}")).await.len(),
        6
    );
    for (query, slug) in [
        ("?limit=0", "invalid-limit"),
        ("?limit=201", "invalid-limit"),
        ("?limit=x", "invalid-limit"),
        ("?cursor=x", "invalid-cursor"),
        ("?action=a%20b", "malformed-request"),
        ("?subject=", "malformed-request"),
        ("?since=yesterday", "malformed-request"),
        ("?until=1&until=2", "malformed-request"),
    ] {
        let answer = market.send(Ask::get(&format!("/v1/audit-log{query}")).by(staff));
        answer.await.problem(400, slug);
    }
    // A cursor is for one list: another person's, or other filters, are others.
    for (person, query) in [
        (&market.owner, format!("?limit=4&cursor={next}")),
        (staff, format!("?action=user.added&cursor={next}")),
    ] {
        let answer = market.send(Ask::get(&format!("/v1/audit-log{query}")).by(person));
        answer.await.problem(400, "invalid-cursor");
    }
    let nobody = Ask::get("/v1/audit-log");
    market.send(nobody).await.problem(401, "auth-required");
}
