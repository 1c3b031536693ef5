//! `/v1/webhooks`.

use super::support::{Ask, Market, Person};
use primitives::SignedDuration;
use serde_json::{Value, json};

const WEBHOOKS: &str = "/v1/webhooks";
const URL: &str = "https://hooks.example/stoa";
const NOBODYS: &str = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

fn wish() -> Value {
    json!({"url": URL, "events": ["lease.ending", "lease.activated", "lease.ending"]})
}

async fn make(market: &Market, person: &Person) -> Value {
    let ask = Ask::post(WEBHOOKS).by(person).json(&wish());
    market.send(ask).await.data(201)
}

/// The path of a webhook that was just made.
async fn made(market: &Market, person: &Person) -> String {
    let made = make(market, person).await;
    format!("{WEBHOOKS}/{}", made["public_id"].as_str().unwrap())
}

#[tokio::test]
async fn a_webhook_is_made_shown_changed_and_deleted() {
    let market = Market::new().await;
    let mut made = make(&market, &market.trader).await;
    let secret = made["secret"].as_str().unwrap().to_owned();
    assert!(secret.starts_with("whsec_"));
    assert_eq!(made["events"], json!(["lease.activated", "lease.ending"]));
    assert_eq!(
        (&made["url"], &made["enabled"]),
        (&json!(URL), &json!(true))
    );
    made.as_object_mut().unwrap().remove("secret");
    let path = format!("{WEBHOOKS}/{}", made["public_id"].as_str().unwrap());
    let shown = market.send(Ask::get(&path).by(&market.trader)).await;
    assert_eq!(shown.data(200), made);
    let list = market.send(Ask::get(WEBHOOKS).by(&market.trader)).await;
    assert_eq!(list.data(200), json!([made]));
    assert!(!list.text().contains("whsec_"));

    let wanted = json!({
        "url": "https://other.example:8443/", "events": ["payment.orphaned"],
        "description": " pager ", "enabled": false,
    });
    let change = |body: &Value| Ask::new("PATCH", &path).by(&market.trader).json(body);
    let changed = market.send(change(&wanted)).await.data(200);
    assert_eq!(changed["url"], wanted["url"]);
    assert_eq!(changed["events"], wanted["events"]);
    assert_eq!(changed["description"], "pager");
    assert_eq!(changed["disabled_reason"], "asked");
    assert!(changed["disabled_at"].is_string());
    let changed = market
        .send(change(&json!({"description": null, "enabled": true})))
        .await
        .data(200);
    assert_eq!(changed["url"], wanted["url"], "what is not given stays");
    assert_eq!(changed["description"], Value::Null);
    assert_eq!(changed["disabled_reason"], Value::Null);

    let delete = || Ask::new("DELETE", &path).by(&market.trader);
    assert_eq!(market.send(delete()).await.status, 204);
    market.send(delete()).await.problem(404, "not-found");
    let log = Ask::get("/v1/audit-log").by(&market.trader);
    let log = market.send(log).await;
    let rows = log.json()["data"].as_array().unwrap().clone();
    let actions: Vec<_> = rows
        .iter()
        .map(|row| row["action"].as_str().unwrap())
        .collect();
    let expected = [
        "webhook.deleted",
        "webhook.changed",
        "webhook.changed",
        "webhook.disabled",
        "webhook.created",
    ];
    assert_eq!(actions[..5], expected);
    assert!(
        !log.text().contains("hooks.example"),
        "addresses may have secrets"
    );
}

#[tokio::test]
async fn a_secret_is_replaced_by_another_that_is_shown_once() {
    let market = Market::new().await;
    let first = make(&market, &market.trader).await;
    let path = format!("{WEBHOOKS}/{}/secret", first["public_id"].as_str().unwrap());
    let second = market
        .send(Ask::post(&path).by(&market.trader))
        .await
        .data(200);
    assert_ne!(first["secret"], second["secret"]);
    assert_eq!(first["public_id"], second["public_id"]);
    let other = Ask::post(&path).by(&market.owner);
    market.send(other).await.problem(404, "not-found");
}

#[tokio::test]
async fn fields_of_webhooks_are_checked_and_nothing_is_made() {
    let market = Market::new().await;
    let path = made(&market, &market.trader).await;
    let long = format!("https://hooks.example/{}", "x".repeat(2_048));
    let words = vec!["lease.ending"; 33];
    for (body, named) in [
        (json!({"url": "http://hooks.example"}), "url"),
        (json!({"url": "https://user:word@hooks.example"}), "url"),
        (json!({"url": "https://localhost/"}), "url"),
        (json!({"url": "https://127.0.0.1/"}), "url"),
        (json!({"url": "https://[::1]/"}), "url"),
        (json!({"url": "https://10.1.2.3/"}), "url"),
        (json!({"url": "https://169.254.169.254/"}), "url"),
        (json!({"url": "https://[::ffff:10.0.0.1]/"}), "url"),
        (json!({"url": "nonsense"}), "url"),
        (json!({"url": long}), "url"),
        (json!({"url": 7}), "url"),
        (json!({"events": []}), "events"),
        (json!({"events": ["lease.booked"]}), "events"),
        (json!({"events": ["webhook.test"]}), "events"),
        (json!({"events": [7]}), "events"),
        (json!({"events": "lease.ending"}), "events"),
        (json!({"events": words}), "events"),
        (json!({"description": ""}), "description"),
        (json!({"description": "x".repeat(65)}), "description"),
        (json!({"description": "a\u{202e}b"}), "description"),
        (json!({"secret": "mine"}), "secret"),
    ] {
        let mut whole = wish();
        for (name, value) in body.as_object().unwrap() {
            whole[name] = value.clone();
        }
        for ask in [
            Ask::post(WEBHOOKS).by(&market.trader).json(&whole),
            Ask::new("PATCH", &path).by(&market.trader).json(&body),
        ] {
            let problem = market.send(ask).await.problem(400, "malformed-request");
            let detail = problem["detail"].as_str().unwrap();
            assert!(detail.contains(named), "{body}: {detail}");
        }
    }
    for body in [json!({}), json!({"url": null}), json!({"enabled": "yes"})] {
        let ask = Ask::new("PATCH", &path).by(&market.trader).json(&body);
        market.send(ask).await.problem(400, "malformed-request");
    }
    for missing in ["url", "events"] {
        let mut body = wish();
        body.as_object_mut().unwrap().remove(missing);
        let ask = Ask::post(WEBHOOKS).by(&market.trader).json(&body);
        market.send(ask).await.problem(400, "malformed-request");
    }
    let list = market.send(Ask::get(WEBHOOKS).by(&market.trader)).await;
    assert_eq!(list.data(200).as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn nobody_sees_or_touches_what_is_others() {
    let market = Market::new().await;
    let path = made(&market, &market.trader).await;
    let tested = Ask::post(&format!("{path}/test")).by(&market.trader);
    let delivery = market.send(tested).await.id(201);
    let redeliver = format!("{path}/deliveries/{delivery}/redeliver");
    for person in [&market.owner, &market.staff] {
        let list = market.send(Ask::get(WEBHOOKS).by(person)).await;
        assert_eq!(list.data(200), json!([]));
        for ask in [
            Ask::get(&path),
            Ask::new("PATCH", &path).json(&json!({"enabled": false})),
            Ask::new("DELETE", &path),
            Ask::post(&format!("{path}/secret")),
            Ask::post(&format!("{path}/test")),
            Ask::get(&format!("{path}/deliveries")),
            Ask::post(&redeliver),
        ] {
            market.send(ask.by(person)).await.problem(404, "not-found");
        }
    }
    for ask in [Ask::get(WEBHOOKS), Ask::get(&path), Ask::post(&redeliver)] {
        market.send(ask).await.problem(401, "auth-required");
    }
    market
        .send(Ask::get(&path).by(&market.trader))
        .await
        .data(200);
    // Another webhook's delivery is none of this one.
    let second = made(&market, &market.trader).await;
    let crossed = format!("{second}/deliveries/{delivery}/redeliver");
    for path in [crossed, format!("{second}/deliveries/{NOBODYS}/redeliver")] {
        let ask = Ask::post(&path).by(&market.trader);
        market.send(ask).await.problem(404, "not-found");
    }
}

#[tokio::test]
async fn a_user_has_a_limited_number_of_webhooks() {
    let market = Market::new().await;
    for _ in 0..10 {
        make(&market, &market.trader).await;
    }
    let ask = Ask::post(WEBHOOKS).by(&market.trader).json(&wish());
    market.send(ask).await.problem(403, "forbidden");
    make(&market, &market.owner).await;
}

#[tokio::test]
async fn deliveries_are_shown_the_newest_first_and_sent_again_on_demand() {
    let market = Market::new().await;
    let path = made(&market, &market.trader).await;
    let test = || Ask::post(&format!("{path}/test")).by(&market.trader);
    let mut ids = Vec::new();
    for _ in 0..3 {
        market.bench.clock.advance(SignedDuration::from_secs(1));
        ids.push(market.send(test()).await.id(201));
    }
    ids.reverse();
    let page = |query: &str| Ask::get(&format!("{path}/deliveries{query}")).by(&market.trader);
    let first = market.send(page("?limit=2")).await.json();
    let cursor = first["meta"]["next_cursor"].as_str().unwrap().to_owned();
    let rest = market
        .send(page(&format!("?limit=2&cursor={cursor}")))
        .await;
    let rest = rest.json();
    let both = [&first, &rest].map(|page| page["data"].as_array().unwrap().clone());
    let seen: Vec<_> = both
        .iter()
        .flatten()
        .map(|row| row["public_id"].clone())
        .collect();
    assert_eq!(seen, ids);
    assert_eq!(rest["meta"]["next_cursor"], Value::Null);
    let row = &rest["data"][0];
    assert_eq!(row["type"], "webhook.test");
    assert_eq!(
        (&row["status"], &row["attempts"]),
        (&json!("pending"), &json!(0))
    );
    let body: Value = serde_json::from_str(row["body"].as_str().unwrap()).unwrap();
    assert_eq!(body["id"], row["event_id"]);
    for (query, slug) in [
        ("?limit=51", "invalid-limit"),
        ("?cursor=x", "invalid-cursor"),
        ("?status=lost", "malformed-request"),
        (&format!("?status=failed&cursor={cursor}"), "invalid-cursor"),
    ] {
        market.send(page(query)).await.problem(400, slug);
    }

    // What is pending is left as it is; what has ended is begun anew.
    let redeliver = format!("{path}/deliveries/{}/redeliver", ids[0]);
    let redeliver = || Ask::post(&redeliver).by(&market.trader);
    let pending = market.send(redeliver()).await.data(200);
    assert_eq!(pending["status"], "pending");
    let enable = |enabled: bool| {
        let body = json!({"enabled": enabled});
        Ask::new("PATCH", &path).by(&market.trader).json(&body)
    };
    market.send(enable(false)).await.data(200);
    market.send(redeliver()).await.problem(403, "forbidden");
    market.send(test()).await.problem(403, "forbidden");
    let failed = market.send(page("?status=failed")).await.json();
    assert_eq!(failed["data"].as_array().unwrap().len(), 3);
    assert_eq!(failed["data"][0]["last_problem"], "endpoint_disabled");
    market.send(enable(true)).await.data(200);
    let again = market.send(redeliver()).await.data(200);
    assert_eq!(
        (&again["status"], &again["attempts"]),
        (&json!("pending"), &json!(0))
    );
    assert_eq!(again["event_id"], first["data"][0]["event_id"]);
}
