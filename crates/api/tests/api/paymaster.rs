//! JSON-RPC at the address itself, and what sponsors paid.

use crate::{
    strictness::endless,
    support::{Answer, Bench, get, send},
};
use api::{ApiConfig, RateLimits};
use axum::{body::Body, http::Request};
use primitives::{Address, Entropy, Felt, SeededEntropy, SignedDuration};
use serde_json::{Value, json};
use services::{
    Policy,
    paymaster::{NewSponsor, Sponsors},
};
use std::{sync::Arc, time::Duration};
use store::{NewReservation, Reservation, SponsoredOutcome};
use trading::paymaster::Rules;

async fn post(bench: &Bench, body: impl Into<Body>, key: Option<&str>) -> Answer {
    let request = Request::post("/").header("content-type", "application/json");
    let request = match key {
        Some(key) => request.header("x-paymaster-api-key", key),
        None => request,
    };
    send(&bench.router, request, body.into()).await
}

fn call(id: &Value, method: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method})
}

fn few(config: &mut ApiConfig) {
    let policy = |limit| Policy {
        limit,
        window_s: 300,
    };
    config.rate_limits = Some(RateLimits {
        public: policy(3),
        keyed: policy(5),
    });
}

fn sponsors(bench: &Bench) -> Sponsors {
    let entropy: Arc<dyn Entropy> = Arc::new(SeededEntropy::new(77));
    Sponsors::new(bench.store.clone(), bench.clock.clone(), entropy)
}

async fn sponsor(bench: &Bench, credits: u128) -> (String, String) {
    let new = NewSponsor {
        name: "my app".to_owned(),
        credits,
        user_daily: None,
        rules: Rules::default(),
        pools: Vec::new(),
    };
    let (row, key) = sponsors(bench).create(&new).await.unwrap();
    (row.id, key)
}

#[tokio::test]
async fn ids_of_any_kind_are_echoed_and_notifications_are_not_answered() {
    let bench = Bench::new().await;
    for id in [json!(7), json!("a"), json!(null), json!(1.5), json!([1])] {
        let answer = post(&bench, call(&id, "paymaster_health").to_string(), None).await;
        assert_eq!(answer.status, 200);
        let expected = json!({"jsonrpc": "2.0", "id": id, "result": true});
        assert_eq!(answer.json(), expected);
    }
    let silent = json!({"jsonrpc": "2.0", "method": "paymaster_health"});
    let answer = post(&bench, silent.to_string(), None).await;
    assert_eq!((answer.status.as_u16(), answer.text()), (204, ""));
}

#[tokio::test]
async fn without_a_forwarder_nothing_is_available() {
    let bench = Bench::new().await;
    let answer = post(
        &bench,
        call(&json!(1), "paymaster_isAvailable").to_string(),
        None,
    );
    assert_eq!(answer.await.json()["result"], false);
    let transaction = json!({"type": "apply_action", "apply_action": {"pool_address": "0x1"}});
    let parameters = json!({"version": "0x1", "fee_mode": {"mode": "sponsored"}});
    for method in [
        "paymaster_getSupportedTokens",
        "paymaster_buildTransaction",
        "paymaster_executeTransaction",
    ] {
        let mut asked = call(&json!(1), method);
        asked["params"] = json!({"transaction": transaction, "parameters": parameters});
        if method.ends_with("executeTransaction") {
            let action = json!({"to": "0x1", "selector": "0x2", "calldata": []});
            let actions = json!({"apply_actions_call": action, "proof": "", "proof_facts": []});
            asked["params"]["transaction"]["apply_action"] = actions;
        }
        let error = &post(&bench, asked.to_string(), None).await.json()["error"];
        assert_eq!(
            (&error["code"], &error["data"]),
            (&json!(163), &json!("service not available"),)
        );
    }
}

#[tokio::test]
async fn every_call_of_a_batch_counts_and_refusals_are_json_rpc() {
    let bench = Bench::configured(few).await;
    let health = |id: u64| call(&json!(id), "paymaster_health");
    let batch = json!([health(1), health(2), 3, health(4)]);
    let answer = post(&bench, batch.to_string(), None).await;
    assert_eq!(answer.status, 200);
    let told: Vec<Value> = answer
        .json()
        .as_array()
        .unwrap()
        .iter()
        .map(|one| json!([one["id"], one["result"], one["error"]["code"]]))
        .collect();
    let expected = json!([
        [1, true, null],
        [2, true, null],
        [null, null, -32600],
        [4, null, -32005]
    ]);
    assert_eq!(json!(told), expected);
    assert_eq!(answer.header("x-ratelimit-remaining"), Some("0"));
    let answer = post(&bench, health(5).to_string(), None).await;
    assert_eq!(answer.status, 429);
    assert!(answer.header("retry-after").is_some());
    assert_eq!(answer.json()["id"], 5);
    assert_eq!(answer.json()["error"]["code"], -32005);
    // A sponsor's key has a window of its own, here and elsewhere.
    let (_, key) = sponsor(&bench, 0).await;
    let answer = post(&bench, health(6).to_string(), Some(&key)).await;
    assert_eq!(answer.header("x-ratelimit-limit"), Some("5"));
    let elsewhere = get("/v1/starknet/tokens").header("x-api-key", &key);
    let answer = bench.send(elsewhere).await;
    assert_eq!(answer.header("x-ratelimit-remaining"), Some("3"));
    // One that is none counts as nobody's.
    let answer = post(&bench, health(7).to_string(), Some("x")).await;
    assert_eq!(answer.status, 429);
}

#[tokio::test]
async fn a_batch_has_a_limit() {
    let bench = Bench::new().await;
    let health = call(&json!(1), "paymaster_health");
    for (count, code) in [(0, Some(-32_600)), (20, None), (21, Some(-32_600))] {
        let batch = json!(vec![health.clone(); count]);
        let answer = post(&bench, batch.to_string(), None).await.json();
        assert_eq!(answer["error"]["code"].as_i64(), code, "{count}");
        assert_eq!(
            answer.as_array().map(Vec::len),
            code.is_none().then_some(count)
        );
    }
}

#[tokio::test]
async fn params_that_are_none_are_told_what_is_wrong() {
    let bench = Bench::new().await;
    let transaction = json!({"type": "apply_action", "apply_action": {"pool_address": "0x1"}});
    let parameters = json!({"version": "0x1", "fee_mode": {"mode": "sponsored"}});
    for (params, words) in [
        (json!(null), ""),
        (json!([]), "list of one"),
        (json!({}), "missing field `transaction`"),
        (
            json!({"transaction": transaction}),
            "missing field `parameters`",
        ),
        (
            json!({"transaction": {"type": "burn"}, "parameters": parameters}),
            "unknown variant `burn`",
        ),
        (
            json!({"transaction": transaction, "parameters": {"version": "0x2", "fee_mode": {"mode": "sponsored"}}}),
            "version must be",
        ),
        (
            json!({"transaction": transaction, "parameters": {"version": "0x1", "fee_mode": {"mode": "default", "gas_token": "12"}}}),
            "must begin with 0x",
        ),
        (
            json!({"transaction": transaction, "parameters": {"version": "0x1", "fee_mode": {"mode": "sponsored", "tip": "huge"}}}),
            "unknown variant `huge`",
        ),
    ] {
        let mut asked = call(&json!(1), "paymaster_buildTransaction");
        asked["params"] = params;
        let error = post(&bench, asked.to_string(), None).await.json()["error"].clone();
        let code = if words.is_empty() { -32_600 } else { -32_602 };
        assert_eq!(error["code"], code, "{error}");
        assert!(error["data"].as_str().unwrap().contains(words), "{error}");
    }
}

#[tokio::test]
async fn whatever_happens_to_a_body_the_answer_is_json_rpc() {
    let bench = Bench::configured(|config| config.max_body_bytes = 1_000).await;
    let long = post(&bench, " ".repeat(2_000), None).await;
    assert_eq!(
        (long.status.as_u16(), long.json()["error"]["code"].as_i64()),
        (413, Some(-32_600))
    );
    let plain = send(&bench.router, Request::post("/"), Body::from("{}")).await;
    assert_eq!(plain.status, 415);
    assert_eq!(plain.json()["jsonrpc"], "2.0");
    let hosts = Request::post("/")
        .header("content-type", "application/json")
        .header("host", "a.example")
        .header("host", "b.example");
    let hosts = send(&bench.router, hosts, Body::from("{}")).await;
    assert_eq!(
        (
            hosts.status.as_u16(),
            hosts.json()["error"]["code"].as_i64()
        ),
        (400, Some(-32_600))
    );
    // Nothing but calls is of the paymaster's.
    bench.get("/").await.refused(405);
}

#[tokio::test]
async fn what_is_no_json_and_what_is_no_call_are_told_apart() {
    let bench = Bench::new().await;
    let (no_json, no_call) = (-32_700, -32_600);
    for (body, code) in [
        (&b""[..], no_json),
        (b"{", no_json),
        (b"nul", no_json),
        (b"[1,", no_json),
        (b"{} {}", no_json),
        (b"\"\xff\"", no_json),
        (br#"{"id":1,"id":2"#, no_json),
        (b" 1 ", no_call),
        (b"[]", no_call),
        (b"{}", no_call),
        (br#" {"id":1,"id":2}"#, no_call),
    ] {
        let answer = post(&bench, body, None).await;
        let told = answer.json()["error"]["code"].as_i64();
        let shown = String::from_utf8_lossy(body);
        assert_eq!((answer.status.as_u16(), told), (200, Some(code)), "{shown}");
    }
}

const ACTIVITY: &str = "/paymaster/v1/sponsor-activity";

#[tokio::test]
async fn activity_is_the_keys_own_and_of_the_window_alone() {
    let bench = Bench::new().await;
    let (one, key) = sponsor(&bench, 1_000).await;
    let now = primitives::Clock::now(&*bench.clock);
    let days = |count: i64| {
        now.checked_sub(SignedDuration::from_hours(24 * count))
            .unwrap()
    };
    let chain_id = Felt::ONE;
    for (number, (fee, reverted, age)) in [(100, false, 1), (20, true, 2), (3, false, 8)]
        .into_iter()
        .enumerate()
    {
        let wanted = NewReservation {
            sponsor: one.clone(),
            user: Address::new(Felt::TWO),
            pool_fee: 0,
        };
        let mut tx = bench.store.ledger().begin().await.unwrap();
        let hash = Felt::from(number);
        let reserved = tx.reserve(&wanted, chain_id, hash, 150, now).await;
        assert_eq!(reserved.unwrap(), Reservation::Made);
        tx.commit().await.unwrap();
        let open = bench.store.ledger().open_sponsored(chain_id).await.unwrap();
        let outcome = SponsoredOutcome {
            fee,
            reverted,
            block_number: 1,
            block_time: days(age),
        };
        let mut tx = bench.store.ledger().begin().await.unwrap();
        assert!(
            tx.settle_sponsored(chain_id, &open[0], Some(outcome))
                .await
                .unwrap()
        );
        assert!(
            !tx.settle_sponsored(chain_id, &open[0], Some(outcome))
                .await
                .unwrap()
        );
        tx.commit().await.unwrap();
    }
    let report = async |query: &str, key: &str| {
        let request = get(&format!("{ACTIVITY}{query}")).header("api-key", key);
        bench.send(request).await
    };
    let expected = json!({
        "name": "my app",
        "txCount": 2, "succeededTxCount": 1, "revertedTxCount": 1,
        "gasFees": "0x0", "succeededGasFees": "0x0", "revertedGasFees": "0x0",
        "strkGasFees": "0x78", "succeededStrkGasFees": "0x64", "revertedStrkGasFees": "0x14",
        "remainingCredits": "0x0", "remainingStrkCredits": "0x36d",
    });
    assert_eq!(report("", &key).await.json(), expected);
    let all = format!("?startDate={}&endDate={}", days(30), days(0));
    assert_eq!(report(&all, &key).await.json()["txCount"], 3);
    let early = format!("?startDate={}&endDate={}", days(30), days(5));
    assert_eq!(report(&early, &key).await.json()["strkGasFees"], "0x3");
    let next = sponsors(&bench).rotate(&one).await.unwrap();
    assert_eq!(report("", &key).await.status, 401);
    assert_eq!(report("", &next).await.json(), expected);
}

#[tokio::test]
async fn activity_is_refused_without_a_key_and_with_dates_that_are_none() {
    let bench = Bench::new().await;
    let (_, key) = sponsor(&bench, 1).await;
    let refused = bench.get(ACTIVITY).await.refused(401);
    assert_eq!(
        refused,
        ["the header api-key must be a sponsor's valid key"]
    );
    let report = async |query: &str, key: &str| {
        let request = get(&format!("{ACTIVITY}{query}")).header("api-key", key);
        bench.send(request).await
    };
    for wrong in ["x", "demo-sponsor-key"] {
        report("?startDate=x", wrong).await.refused(401);
    }
    for query in [
        "?startDate=x",
        "?endDate=2026-13-01T00:00:00Z",
        "?startDate=2026-01-01",
        "?startDate=2026-01-02T00:00:00Z&endDate=2026-01-01T00:00:00Z",
        "?startDate=2026-01-02T00:00:00Z&startDate=2026-01-02T00:00:00Z",
    ] {
        report(query, &key).await.refused(400);
    }
    let same = "?startDate=2026-01-01T00:00:00Z&endDate=2026-01-01T00:00:00%2B00:00";
    assert_eq!(report(same, &key).await.status, 200);
}

#[tokio::test]
async fn what_comes_too_often_or_too_slowly_is_told_by_its_status() {
    let none = Policy {
        limit: 0,
        window_s: 300,
    };
    let bench = Bench::configured(|config| {
        config.rate_limits = Some(RateLimits {
            public: none,
            keyed: none,
        });
    })
    .await;
    bench.send(get(ACTIVITY)).await.refused(429);
    let slow = Duration::from_millis(1);
    let bench = Bench::configured(|config| config.request_timeout = slow).await;
    let request = Request::post("/").header("content-type", "application/json");
    let answer = send(&bench.router, request, endless()).await;
    assert_eq!(answer.status, 408);
    assert_eq!(answer.json()["jsonrpc"], "2.0");
}

/// Asks three hundred times at once, which is more than a store answers in two
/// milliseconds: at least one answer has this status.
async fn answered_in_a_crowd<F>(status: u16, ask: impl Fn() -> F) -> Answer
where
    F: Future<Output = Answer>,
{
    let crowd = futures_util::future::join_all((0..300).map(|_| ask())).await;
    let mut such = crowd.into_iter().filter(|answer| answer.status == status);
    such.next().unwrap()
}

#[tokio::test]
async fn what_a_store_does_not_answer_in_time_or_at_all_is_our_fault() {
    let unlimited = |config: &mut ApiConfig| config.rate_limits = None;
    let hasty = |config: &mut ApiConfig| {
        unlimited(config);
        config.request_timeout = Duration::from_nanos(1);
    };
    let (hasty, failing) = (Bench::configured(hasty), Bench::configured(unlimited));
    let tokens = call(&json!(1), "paymaster_getSupportedTokens").to_string();
    for (bench, status) in [(hasty.await, 503), (failing.await, 500)] {
        let (_, key) = sponsor(&bench, 1).await;
        if status == 500 {
            bench.store.close().await;
        }
        let activity = || bench.send(get(ACTIVITY).header("api-key", &key));
        let answer = answered_in_a_crowd(status, activity).await;
        answer.refused(status);
        // A sponsor's key is no caller's: it is looked up among those each time.
        let listed = || post(&bench, tokens.clone(), Some(&key));
        let answer = answered_in_a_crowd(status, listed).await;
        assert_eq!(answer.json()["jsonrpc"], "2.0");
    }
}
