//! `POST /v1/validators/{id}/leases/{lease_id}/revoke`, `GET /v1/revocations`,
//! `GET /v1/refunds` and `POST /v1/admin/validators/{id}/stop` and `lift-stop`.

use super::{
    lease_tokens::{leased, pay_with},
    support::{Ask, Market, OFFER, Person, booking},
};
use crate::support::Answer;
use serde_json::{Value, json};

fn path(validator: &str, lease: &str) -> String {
    format!("/v1/validators/{validator}/leases/{lease}/revoke")
}

async fn revoke(market: &Market, person: &Person, validator: &str, lease: &str) -> Answer {
    let ask = Ask::post(&path(validator, lease));
    let ask = ask.by(person).key(&market.key());
    market.send(ask.json(&json!({"reason": "a test"}))).await
}

async fn refunds(market: &Market, person: &Person, query: &str) -> Vec<Value> {
    let ask = Ask::get(&format!("/v1/refunds{query}")).by(person);
    market.send(ask).await.data(200).as_array().unwrap().clone()
}

#[tokio::test]
async fn a_revoked_lease_is_owed_and_the_refund_is_paid_with_a_wallet() {
    let market = Market::new().await;
    let market = market
        .with_options(|options| options.fee = leasing::FeeRate::new(1_000).unwrap())
        .await;
    market.leasing.epoch_watch().round().await.unwrap();
    let id = market.register(0, OFFER).await;
    let lease = leased(&market, &id, 0).await;
    let revoked = revoke(&market, &market.owner, &id, &lease).await.data(200);
    assert_eq!(revoked["state"], "revoked");
    assert_eq!(revoked["unused_epochs"], 1);
    assert_eq!(revoked["refund_due_lamports"], 1_500_000_000_u64);
    let [validators, platforms] = [&revoked["refunds"][0], &revoked["refunds"][1]];
    assert_eq!(validators["debtor"], "validator");
    assert_eq!(validators["debtor_wallet"], market.payout().to_string());
    assert_eq!(validators["amount_lamports"], 1_350_000_000_u64);
    assert_eq!(validators["amount_sol"], "1.35");
    let payer = market.wallet(3).public_key().to_string();
    assert_eq!(validators["creditor_wallet"], payer);
    assert_eq!(platforms["debtor"], "platform");
    assert_eq!(platforms["amount_lamports"], 150_000_000_u64);
    let again = revoke(&market, &market.owner, &id, &lease).await;
    again.problem(409, "lease-already-revoked");
    let view = market.lease(&lease).await;
    assert_eq!(
        (&view["state"], &view["end_reason"]),
        (&json!("revoked"), &json!("revoked"))
    );
    assert_eq!(view["refunds"], revoked["refunds"]);
    // Its owner sees what the validator owes, staff everything.
    assert_eq!(
        refunds(&market, &market.owner, "").await,
        std::slice::from_ref(validators)
    );
    assert_eq!(
        refunds(&market, &market.staff, "?status=open").await.len(),
        2
    );
    assert_eq!(refunds(&market, &market.trader, "").await, [] as [Value; 0]);
    let memo = validators["memo"].as_str().unwrap();
    let pay = |account: &str| {
        let ask = Ask::post(&format!("/v1/chain-pay/{memo}"));
        market.send(ask.json(&json!({"account": account})))
    };
    pay(&payer).await.problem(422, "invalid-account");
    let transaction = pay(&market.payout().to_string()).await.json();
    assert!(
        transaction["message"]
            .as_str()
            .unwrap()
            .contains("refund of 1.35 SOL")
    );
    pay_with(&market, memo, &market.wallet(1)).await;
    pay_with(
        &market,
        platforms["memo"].as_str().unwrap(),
        &market.wallet(0),
    )
    .await;
    let view = market.lease(&lease).await;
    for refund in view["refunds"].as_array().unwrap() {
        assert_eq!(refund["status"], "settled", "{refund}");
        assert_eq!(refund["solana_pay_url"], Value::Null);
        assert!(refund["settled_signature"].is_string());
    }
    assert_eq!(
        refunds(&market, &market.staff, "?status=settled")
            .await
            .len(),
        2
    );
    let first = market
        .send(Ask::get("/v1/refunds?limit=1").by(&market.staff))
        .await
        .json();
    let cursor = first["meta"]["next_cursor"].as_str().unwrap();
    let rest = refunds(&market, &market.staff, &format!("?limit=1&cursor={cursor}")).await;
    assert_eq!(rest.len(), 1);
    assert_ne!(rest[0], first["data"][0]);
}

#[tokio::test]
async fn refusals_come_in_their_order() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let other = market.register(1, OFFER).await;
    let lease = leased(&market, &id, 0).await;
    let stranger = market.another_trader().await;
    let nothing = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
    let nobody = market.send(Ask::post(&path(&id, &lease))).await;
    nobody.problem(401, "auth-required");
    let by = || Ask::post(&path(&id, &lease)).by(&market.owner);
    let reason = json!({"reason": "x"});
    let unkeyed = market.send(by().json(&reason)).await;
    unkeyed.problem(400, "idempotency-key-missing");
    let odd = market.send(by().key("x").json(&reason)).await;
    odd.problem(400, "idempotency-key-malformed");
    for body in [
        json!({}),
        json!({"reason": ""}),
        json!({"reason": " "}),
        json!({"reason": "x".repeat(501)}),
        json!({"reason": "a\u{202e}b"}),
        json!({"reason": "x", "more": 1}),
    ] {
        let answer = market.send(by().key(&market.key()).json(&body)).await;
        answer.problem(400, "malformed-request");
    }
    for (person, validator, lease, status, slug) in [
        (
            &market.owner,
            "x",
            lease.as_str(),
            404,
            "validator-not-found",
        ),
        (
            &market.owner,
            nothing,
            lease.as_str(),
            404,
            "validator-not-found",
        ),
        (&market.owner, id.as_str(), "x", 404, "lease-not-found"),
        (&market.owner, id.as_str(), nothing, 404, "lease-not-found"),
        (
            &market.owner,
            other.as_str(),
            lease.as_str(),
            404,
            "lease-not-found",
        ),
        (
            &stranger,
            id.as_str(),
            lease.as_str(),
            404,
            "lease-not-found",
        ),
        (
            &market.trader,
            id.as_str(),
            lease.as_str(),
            403,
            "forbidden",
        ),
    ] {
        let answer = revoke(&market, person, validator, lease).await;
        answer.problem(status, slug);
    }
    assert_eq!(market.lease(&lease).await["state"], "active");
    let key = market.key();
    let send = |reason: &str| market.send(by().key(&key).json(&json!({"reason": reason})));
    let first = send("x").await;
    first.data(200);
    let again = send("x").await;
    assert_eq!(again.body, first.body);
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    send("y").await.problem(422, "idempotency-key-reused");
    let done = booking(&id, market.epoch() + 3, 1);
    let done = market.ask_to_book(&market.trader, &done).await.data(201);
    let done = done["lease_id"].as_str().unwrap();
    let cancel = Ask::post(&format!("/v1/leases/{done}/cancel")).by(&market.trader);
    market.send(cancel).await.data(200);
    revoke(&market, &market.staff, &id, done)
        .await
        .problem(422, "lease-not-active");
}

#[tokio::test]
async fn without_an_epoch_nothing_paid_is_revoked() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let lease = leased(&market, &id, 0).await;
    // As after a restart, before a node has answered.
    let market = market.with_options(|_| ()).await;
    revoke(&market, &market.owner, &id, &lease)
        .await
        .problem(503, "chain-rpc-unavailable");
    let stop = Ask::post(&format!("/v1/admin/validators/{id}/stop")).by(&market.staff);
    let stop = market.send(stop.json(&json!({"reason": "x"}))).await;
    stop.problem(503, "chain-rpc-unavailable");
    assert_eq!(market.lease(&lease).await["state"], "active");
}

#[tokio::test]
async fn the_feed_is_for_everybody_and_goes_on_by_its_cursor() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let mut revoked = Vec::new();
    for ahead in [0, 4, 8] {
        let lease = leased(&market, &id, ahead).await;
        market
            .bench
            .clock
            .advance(primitives::SignedDuration::from_secs(1));
        revoke(&market, &market.owner, &id, &lease).await.data(200);
        revoked.push(lease);
    }
    let all = market.send(Ask::get("/v1/revocations")).await.json();
    let told: Vec<_> = all["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| &row["lease_id"])
        .collect();
    assert_eq!(told, revoked.iter().collect::<Vec<_>>());
    let identity = market.validator(0).identity.public_key().to_string();
    assert_eq!(all["data"][0]["validator_identity"], identity);
    // Page by page, as a gateway reads it.
    let mut feed = leasing::Revocations::default();
    let base = format!("/v1/revocations?limit=1&validator={identity}");
    let mut path = base.clone();
    let mut pages = 0;
    loop {
        let page = market.send(Ask::get(&path)).await;
        pages += 1;
        match feed.add(&page.body).unwrap() {
            Some(cursor) => path = format!("{base}&cursor={cursor}"),
            None => break,
        }
    }
    assert_eq!(pages, 3);
    assert!(revoked.iter().all(|lease| feed.has(lease.parse().unwrap())));
    let since = all["data"][2]["revoked_at"].as_str().unwrap();
    let later = Ask::get(&format!("/v1/revocations?since={since}"));
    assert_eq!(
        market.send(later).await.data(200).as_array().unwrap().len(),
        1
    );
    for (query, slug) in [
        ("since=yesterday", "malformed-request"),
        ("validator=x", "malformed-request"),
        ("limit=51", "invalid-limit"),
        ("cursor=x", "invalid-cursor"),
    ] {
        let answer = market
            .send(Ask::get(&format!("/v1/revocations?{query}")))
            .await;
        answer.problem(400, slug);
    }
    for (query, slug) in [
        ("status=expired", "malformed-request"),
        ("status=x", "malformed-request"),
        ("limit=0", "invalid-limit"),
        ("cursor=x", "invalid-cursor"),
    ] {
        let ask = Ask::get(&format!("/v1/refunds?{query}")).by(&market.owner);
        market.send(ask).await.problem(400, slug);
    }
    market
        .send(Ask::get("/v1/refunds"))
        .await
        .problem(401, "auth-required");
}

#[tokio::test]
async fn staff_stops_a_validator() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let lease = leased(&market, &id, 0).await;
    let stop = async |person: &Person, id: &str, body: &Value| {
        let ask = Ask::post(&format!("/v1/admin/validators/{id}/stop")).by(person);
        market.send(ask.json(body)).await
    };
    let reason = json!({"reason": "the enclave burns"});
    let nobody = Ask::post(&format!("/v1/admin/validators/{id}/stop"));
    let nobody = market.send(nobody.json(&reason)).await;
    nobody.problem(401, "auth-required");
    stop(&market.staff, &id, &json!({}))
        .await
        .problem(400, "malformed-request");
    stop(&market.staff, "x", &reason)
        .await
        .problem(404, "validator-not-found");
    let unknown = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
    stop(&market.staff, unknown, &reason)
        .await
        .problem(404, "validator-not-found");
    stop(&market.owner, &id, &reason)
        .await
        .problem(403, "forbidden");
    let stopped = stop(&market.staff, &id, &reason).await.data(200);
    assert_eq!(stopped["status"], "stopped");
    assert_eq!(stopped["revoked_leases"], 1);
    assert_eq!(stopped["refunds"], 1, "there is no fee");
    assert_eq!(
        stop(&market.staff, &id, &reason).await.data(200)["revoked_leases"],
        0
    );
    assert_eq!(market.lease(&lease).await["state"], "revoked");
    let gone = market.send(Ask::get(&format!("/v1/validators/{id}"))).await;
    gone.problem(404, "validator-not-found");
    let list = Ask::new("PATCH", &format!("/v1/validators/{id}")).by(&market.owner);
    let list = market.send(list.json(&json!({"status": "listed"}))).await;
    list.problem(403, "forbidden");
}

#[tokio::test]
async fn staff_lifts_the_stop_of_a_validator_and_its_owner_lists_it_again() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let reason = json!({"reason": "the fire is out"});
    let ask = async |person: &Person, id: &str, what: &str, body: &Value| {
        let ask = Ask::post(&format!("/v1/admin/validators/{id}/{what}")).by(person);
        market.send(ask.json(body)).await
    };
    let lift = async |person: &Person, id: &str| ask(person, id, "lift-stop", &reason).await;
    lift(&market.staff, "x")
        .await
        .problem(404, "validator-not-found");
    let unknown = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
    lift(&market.staff, unknown)
        .await
        .problem(404, "validator-not-found");
    ask(&market.staff, &id, "lift-stop", &json!({}))
        .await
        .problem(400, "malformed-request");
    lift(&market.staff, &id).await.problem(403, "forbidden");
    ask(&market.staff, &id, "stop", &reason).await.data(200);
    lift(&market.owner, &id).await.problem(403, "forbidden");
    let lifted = lift(&market.staff, &id).await.data(200);
    assert_eq!(lifted, json!({"validator_id": id, "status": "paused"}));
    let told = lift(&market.staff, &id).await.problem(403, "forbidden");
    assert_eq!(told["detail"], "the validator is paused, not stopped");
    let path = format!("/v1/validators/{id}");
    market
        .send(Ask::get(&path))
        .await
        .problem(404, "validator-not-found");
    let again = Ask::new("PATCH", &path).by(&market.owner);
    market
        .send(again.json(&json!({"status": "listed"})))
        .await
        .data(200);
    market.book(&id).await;
}
