//! Service tokens, `POST /v1/usage/reports` and `GET /v1/leases/{id}/usage`.

use super::{
    lease_tokens::leased,
    support::{Ask, Market, OFFER, booking},
};
use crate::support::Answer;
use primitives::{Clock as _, SignedDuration, Timestamp, Ulid};
use rstest::rstest;
use serde_json::{Value, json};
use world::{
    Engine::{self, Postgres, Sqlite},
    TestDatabase,
};

/// A report of the minute before now.
pub(super) fn report(market: &Market, number: u16, lease: &str, signs: u64) -> Value {
    let now = market.bench.clock.now();
    let mut random = [0; 10];
    random[8..].copy_from_slice(&number.to_be_bytes());
    json!({
        "report_id": Ulid::new(Timestamp::UNIX_EPOCH, random).to_string(),
        "lease_id": lease,
        "window_start": (now - SignedDuration::from_mins(1)).to_string(),
        "window_end": now.to_string(),
        "signs_delta": signs,
    })
}

pub(super) async fn send(market: &Market, token: &str, reports: &[Value]) -> Answer {
    let ask = Ask::post("/v1/usage/reports").bearer(token);
    market.send(ask.json(&json!({"reports": reports}))).await
}

async fn usage(market: &Market, lease: &str) -> Value {
    let path = format!("/v1/leases/{lease}/usage");
    market
        .send(Ask::get(&path).by(&market.trader))
        .await
        .data(200)
}

#[rstest]
#[tokio::test]
async fn reports_count_once_and_add_up_by_the_day(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let market = Market::at(&database.location).await;
    let id = market.register(0, OFFER).await;
    let lease = leased(&market, &id, 0).await;
    let gateway = market.gateway(&id).await;
    let mut reports: Vec<Value> = (0..1022).map(|n| report(&market, n, &lease, 10)).collect();
    reports.push(report(&market, 0, &lease, 77));
    let mut yesterday = report(&market, 2000, &lease, 5);
    let before = market.bench.clock.now() - SignedDuration::from_hours(24);
    yesterday["window_start"] = json!((before - SignedDuration::from_mins(1)).to_string());
    yesterday["window_end"] = json!(before.to_string());
    yesterday["handshakes_failed"] = json!(3);
    reports.push(yesterday);
    let taken = send(&market, &gateway, &reports).await.data(200);
    assert_eq!(taken, json!({"accepted": 1023, "duplicates": 1}));
    let again = send(&market, &gateway, &reports).await.data(200);
    assert_eq!(again, json!({"accepted": 0, "duplicates": 1024}));
    let none = send(&market, &gateway, &[]).await.data(200);
    assert_eq!(none, json!({"accepted": 0, "duplicates": 0}));
    let used = usage(&market, &lease).await;
    assert_eq!(used["signs_total"], 10_225);
    assert_eq!(used["handshakes_failed_total"], 3);
    assert_eq!(used["days"][0]["signs"], 10_220);
    assert_eq!(used["days"][1]["signs"], 5);
    let day = (before - SignedDuration::from_mins(1)).to_string();
    assert_eq!(used["days"][1]["day"], day[..10]);
    assert_eq!(market.lease(&lease).await["signs_total"], 10_225);
}

#[rstest]
#[tokio::test]
async fn a_batch_counts_whole_or_not_at_all(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let market = Market::at(&database.location).await;
    let (id, other) = (
        market.register(0, OFFER).await,
        market.register(1, OFFER).await,
    );
    let lease = leased(&market, &id, 0).await;
    let foreign = leased(&market, &other, 0).await;
    let later = booking(&other, market.epoch() + 9, 1);
    let unpaid = market.ask_to_book(&market.trader, &later).await.data(201);
    let unpaid = unpaid["lease_id"].as_str().unwrap();
    let gateway = market.gateway(&id).await;
    let good = report(&market, 1, &lease, 10);
    let with = |field: &str, value: Value| {
        let mut wrong = report(&market, 2, &lease, 10);
        wrong[field] = value;
        wrong
    };
    let now = market.bench.clock.now();
    let later = json!((now + SignedDuration::from_mins(6)).to_string());
    let most = i64::MAX;
    for (wrong, status, slug) in [
        (with("report_id", json!("x")), 400, "malformed-request"),
        (with("lease_id", json!(7)), 400, "malformed-request"),
        (with("window_end", later), 400, "malformed-request"),
        (
            with("window_end", json!("yesterday")),
            400,
            "malformed-request",
        ),
        (with("more", json!(1)), 400, "malformed-request"),
        (with("signs_delta", json!("1")), 400, "malformed-request"),
        (with("signs_delta", json!(1.5)), 400, "malformed-request"),
        (with("signs_delta", Value::Null), 400, "malformed-request"),
        (json!([]), 400, "malformed-request"),
        (with("signs_delta", json!(-1)), 400, "signs-delta-overflow"),
        (
            with("signs_delta", json!(9_223_372_036_854_775_808_u64)),
            400,
            "signs-delta-overflow",
        ),
        (
            with("handshakes_failed", json!(-1)),
            400,
            "signs-delta-overflow",
        ),
        (
            with("signs_delta", json!(most)),
            400,
            "signs-delta-overflow",
        ),
        (with("lease_id", json!(foreign)), 404, "lease-not-found"),
        (
            with("lease_id", json!("01ARZ3NDEKTSV4RRFFQ69G5FAV")),
            404,
            "lease-not-found",
        ),
    ] {
        let answer = send(&market, &gateway, &[good.clone(), wrong]).await;
        answer.problem(status, slug);
    }
    let many: Vec<Value> = (0..1025).map(|n| report(&market, n, &lease, 1)).collect();
    send(&market, &gateway, &many)
        .await
        .problem(400, "too-many-reports");
    let of_other = market.gateway(&other).await;
    send(&market, &of_other, &[report(&market, 9, unpaid, 1)])
        .await
        .problem(422, "lease-not-active");
    assert_eq!(usage(&market, &lease).await["signs_total"], 0);
    assert_eq!(usage(&market, &lease).await["days"], json!([]));
    // What is there and what comes together.
    let half = report(&market, 3, &lease, 1 << 62);
    send(&market, &gateway, &[half]).await.data(200);
    let other_half = report(&market, 4, &lease, 1 << 62);
    send(&market, &gateway, &[good, other_half])
        .await
        .problem(400, "signs-delta-overflow");
    assert_eq!(usage(&market, &lease).await["signs_total"], 1_u64 << 62);
}

#[tokio::test]
async fn a_service_token_reports_and_does_nothing_else() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let lease = leased(&market, &id, 0).await;
    let gateway = market.gateway(&id).await;
    assert!(gateway.starts_with("sv_"));
    for ask in [
        Ask::get("/v1/me"),
        Ask::get("/v1/leases"),
        Ask::get(&format!("/v1/leases/{lease}")),
        Ask::get(&format!("/v1/leases/{lease}/usage")),
        Ask::post(&format!("/v1/leases/{lease}/token")),
        Ask::get(&format!("/v1/validators/{id}")),
        Ask::get(&format!("/v1/validators/{id}/service-tokens")),
        Ask::post("/v1/users").json(&json!({})),
        Ask::new("DELETE", "/v1/auth/session"),
    ] {
        let answer = market.send(ask.bearer(&gateway)).await;
        answer.problem(403, "forbidden");
    }
    for person in [&market.trader, &market.owner, &market.staff] {
        let answer = send(&market, &person.token, &[]).await;
        answer.problem(403, "forbidden");
    }
    let nobody = Ask::post("/v1/usage/reports").json(&json!({"reports": []}));
    market.send(nobody).await.problem(401, "auth-required");
    let wrong = format!("{}x", &gateway[..gateway.len() - 1]);
    send(&market, &wrong, &[])
        .await
        .problem(401, "auth-required");
}

#[tokio::test]
async fn service_tokens_are_the_owners_until_revoked_or_expired() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let path = format!("/v1/validators/{id}/service-tokens");
    let gateway = market.gateway(&id).await;
    let until = market.bench.clock.now() + SignedDuration::from_mins(5);
    let wish = json!({"name": "short", "expires_at": until.to_string()});
    let short = Ask::post(&path).by(&market.owner).json(&wish);
    let short = market.send(short).await.data(201);
    let short = short["token"].as_str().unwrap();
    send(&market, short, &[]).await.data(200);
    market.bench.clock.advance(SignedDuration::from_mins(5));
    send(&market, short, &[])
        .await
        .problem(401, "auth-required");
    let listed = market
        .send(Ask::get(&path).by(&market.owner))
        .await
        .data(200);
    assert_eq!(listed[0]["name"], "gateway");
    assert_eq!(listed[1]["name"], "short");
    assert!(!listed.to_string().contains("sv_"));
    let one = listed[0]["id"].as_str().unwrap();
    let revoke = || Ask::new("DELETE", &format!("{path}/{one}"));
    send(&market, &gateway, &[]).await.data(200);
    market
        .send(revoke().by(&market.trader))
        .await
        .problem(403, "forbidden");
    let revoked = market.send(revoke().by(&market.owner)).await;
    assert_eq!(revoked.status, 204);
    market
        .send(revoke().by(&market.owner))
        .await
        .problem(404, "not-found");
    send(&market, &gateway, &[])
        .await
        .problem(401, "auth-required");
    // In the order of the checks: fields, what, whose.
    let by = |person| Ask::post(&path).by(person);
    market
        .send(by(&market.trader).json(&json!({"name": ""})))
        .await
        .problem(400, "malformed-request");
    market
        .send(by(&market.owner).json(&json!({"name": "x", "expires_at": "2001-01-01T00:00:00Z"})))
        .await
        .problem(400, "malformed-request");
    let nowhere = Ask::post("/v1/validators/x/service-tokens").by(&market.owner);
    market
        .send(nowhere.json(&json!({"name": "x"})))
        .await
        .problem(404, "validator-not-found");
    for ask in [
        Ask::get("/v1/validators/x/service-tokens"),
        Ask::new("DELETE", "/v1/validators/x/service-tokens/y"),
    ] {
        let answer = market.send(ask.by(&market.owner)).await;
        answer.problem(404, "validator-not-found");
    }
    market
        .send(by(&market.trader).json(&json!({"name": "x"})))
        .await
        .problem(403, "forbidden");
    market
        .send(Ask::get(&path).by(&market.trader))
        .await
        .problem(403, "forbidden");
    for ask in [
        Ask::post(&path).json(&json!({"name": "x"})),
        Ask::get(&path),
        revoke(),
    ] {
        market.send(ask).await.problem(401, "auth-required");
    }
}

#[tokio::test]
async fn whoever_takes_a_validator_back_is_rid_of_its_tokens() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let gateway = market.gateway(&id).await;
    let real = market
        .person(leasing::Roles {
            trader: false,
            validator: true,
            staff: false,
        })
        .await;
    let body = market.reclaim(0, &real, market.payout());
    let ask = Ask::post("/v1/validators/reclaim").by(&real).json(&body);
    market.send(ask).await.data(200);
    send(&market, &gateway, &[])
        .await
        .problem(401, "auth-required");
}

#[tokio::test]
async fn the_use_of_a_lease_is_shown_to_whoever_may_see_the_lease() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let lease = leased(&market, &id, 0).await;
    let path = format!("/v1/leases/{lease}/usage");
    for person in [&market.trader, &market.owner, &market.staff] {
        market.send(Ask::get(&path).by(person)).await.data(200);
    }
    let stranger = market.another_trader().await;
    market
        .send(Ask::get(&path).by(&stranger))
        .await
        .problem(404, "lease-not-found");
    market
        .send(Ask::get(&path))
        .await
        .problem(401, "auth-required");
}
