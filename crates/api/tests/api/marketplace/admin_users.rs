//! `/v1/admin/users` and the roles of one.

use super::support::{Ask, Market, Person};
use crate::support::Answer;
use rstest::rstest;
use serde_json::{Value, json};
use world::{
    Engine::{self, Postgres, Sqlite},
    TestDatabase,
};

const USERS: &str = "/v1/admin/users";

async fn add(market: &Market, person: &Person, body: &Value) -> Answer {
    market.send(Ask::post(USERS).by(person).json(body)).await
}

async fn give(market: &Market, person: &Person, id: &str, roles: Value) -> Answer {
    let ask = Ask::new("PUT", &format!("{USERS}/{id}/roles")).by(person);
    market.send(ask.json(&json!({"roles": roles}))).await
}

#[rstest]
#[tokio::test]
async fn staff_makes_users_and_gives_them_roles(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let market = Market::at(&database.location).await;
    let wallet = market.wallet(4).public_key().to_string();
    let body = json!({"address": wallet, "display_name": "Ada", "roles": ["trader"]});
    let added = add(&market, &market.staff, &body).await.data(201);
    assert_eq!(added["address"], wallet);
    assert_eq!(added["roles"], json!(["trader"]));
    add(&market, &market.staff, &body)
        .await
        .problem(400, "malformed-request");
    let known = json!({"email": "bo@example.com", "roles": []});
    let known = add(&market, &market.staff, &known).await.data(201);
    assert_eq!(known["roles"], json!([]));
    // What somebody may do changes with their next request.
    let trader = &market.trader;
    let id = trader.user.id.to_string();
    let strays = || Ask::get("/v1/admin/strays").by(trader);
    market.send(strays()).await.problem(403, "forbidden");
    let given = give(&market, &market.staff, &id, json!(["staff", "trader"])).await;
    assert_eq!(given.data(200)["roles"], json!(["trader", "staff"]));
    market.send(strays()).await.data(200);
    let taken = give(&market, &market.staff, &id, json!([])).await;
    assert_eq!(taken.data(200)["roles"], json!([]));
    market.send(strays()).await.problem(403, "forbidden");
    let log = Ask::get("/v1/audit-log?action=user.roles").by(&market.staff);
    let log = market.send(log).await.data(200);
    assert_eq!(log[0]["actor"]["id"], market.staff.user.id.to_string());
    assert_eq!(log[0]["subject"]["id"], id);
}

#[tokio::test]
async fn users_are_listed_for_staff() {
    let market = Market::new().await;
    let ask = |query: &str| Ask::get(&format!("{USERS}{query}")).by(&market.staff);
    let first = market.send(ask("?limit=2")).await.json();
    let next = first["meta"]["next_cursor"].as_str().unwrap();
    let rest = market.send(ask(&format!("?cursor={next}"))).await.json();
    let ids = |page: &Value| {
        let users = page["data"].as_array().unwrap().iter();
        let ids = users.map(|user| user["public_id"].as_str().unwrap().to_owned());
        ids.collect::<Vec<_>>()
    };
    let people = [&market.trader, &market.owner, &market.staff];
    let expected: Vec<_> = people.iter().map(|it| it.user.id.to_string()).collect();
    let mut found = [ids(&first), ids(&rest)].concat();
    found.sort();
    let mut expected = expected;
    expected.sort();
    assert_eq!(found, expected);
    market
        .send(ask("?limit=51"))
        .await
        .problem(400, "invalid-limit");
    market
        .send(ask("?cursor=x"))
        .await
        .problem(400, "invalid-cursor");
}

#[tokio::test]
async fn only_staff_may_and_nobody_locks_themselves_out() {
    let market = Market::new().await;
    let own = market.staff.user.id.to_string();
    let unknown = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
    let good = json!({"email": "bo@example.com", "roles": ["trader"]});
    for wrong in [
        json!({"roles": ["trader"]}),
        json!({"email": "bo@example.com"}),
        json!({"email": "bo", "roles": []}),
        json!({"address": "x", "roles": []}),
        json!({"email": "bo@example.com", "roles": ["king"]}),
        json!({"email": "bo@example.com", "roles": ["trader", "trader"]}),
        json!({"email": "bo@example.com", "roles": "trader"}),
        json!({"email": "bo@example.com", "roles": [7]}),
    ] {
        add(&market, &market.staff, &wrong)
            .await
            .problem(400, "malformed-request");
    }
    for person in [&market.trader, &market.owner] {
        add(&market, person, &good).await.problem(403, "forbidden");
        give(&market, person, unknown, json!(["staff"]))
            .await
            .problem(403, "forbidden");
        let list = market.send(Ask::get(USERS).by(person)).await;
        list.problem(403, "forbidden");
    }
    for nobody in ["x", unknown] {
        give(&market, &market.staff, nobody, json!([]))
            .await
            .problem(404, "not-found");
    }
    give(&market, &market.staff, &own, json!(["trader"]))
        .await
        .problem(403, "forbidden");
    give(&market, &market.staff, &own, json!(["trader", "staff"]))
        .await
        .data(200);
    for ask in [
        Ask::get(USERS),
        Ask::post(USERS).json(&good),
        Ask::new("PUT", &format!("{USERS}/{own}/roles")).json(&json!({"roles": []})),
    ] {
        market.send(ask).await.problem(401, "auth-required");
    }
}
