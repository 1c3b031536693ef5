//! `POST /v1/validators`.

use super::support::{Ask, Market, OFFER, Offer};
use crate::support::Answer;
use primitives::{Clock as _, PublicKey, SignedDuration};
use serde_json::{Value, json};

async fn register(market: &Market, body: &Value) -> Answer {
    let ask = Ask::post("/v1/validators").by(&market.owner).json(body);
    market.send(ask).await
}

/// A signed registration in which a field was changed, or taken out by null.
fn changed(market: &Market, field: &str, value: Value) -> Value {
    let mut body = market.registration(0, OFFER);
    body[field] = value;
    body
}

#[tokio::test]
async fn a_registered_validator_is_listed_with_its_terms() {
    let market = Market::new().await;
    let offer = Offer {
        name: Some("Harbour"),
        endpoint: Some("https://sign.harbour.example"),
        ..OFFER
    };
    let body = market.registration(0, offer);
    let made = register(&market, &body).await.data(201);
    assert_eq!(made["identity_pubkey"], body["identity_pubkey"]);
    assert_eq!(made["payout_wallet"], body["payout_wallet"]);
    assert_eq!(made["name"], "Harbour");
    assert_eq!(made["tee_endpoint"], "https://sign.harbour.example");
    assert_eq!(made["price_lamports"], 1_500_000_000);
    assert_eq!(made["price_sol"], "1.5");
    assert_eq!(
        made["shared"],
        json!({"price_lamports": 200_000_000, "price_sol": "0.2", "seats": 2})
    );
    assert_eq!(
        (&made["tier"], &made["region"]),
        (&json!("standard"), &json!("eu-central-1"))
    );
    assert_eq!(made["status"], "listed");
    assert!(made["stake_lamports"].as_u64().unwrap() > 0);
    let id = made["public_id"].as_str().unwrap();
    let seen = market.send(Ask::get(&format!("/v1/validators/{id}"))).await;
    assert_eq!(seen.data(200)["public_id"], id);
    let list = market.send(Ask::get("/v1/validators")).await.data(200);
    assert_eq!(list[0]["public_id"], id);
}

#[tokio::test]
async fn prices_may_be_numbers_as_they_are_written() {
    let market = Market::new().await;
    let body = market.registration(0, OFFER).to_string();
    let text = body.replace(r#""price_sol":"1.5""#, r#""price_sol":1.500"#);
    assert!(text.contains("1.500"));
    let ask = Ask::post("/v1/validators").by(&market.owner).text(&text);
    assert_eq!(
        market.send(ask).await.data(201)["price_lamports"],
        1_500_000_000
    );
}

#[tokio::test]
async fn an_owner_is_needed() {
    let market = Market::new().await;
    let body = market.registration(0, OFFER);
    let anonymous = Ask::post("/v1/validators").json(&body);
    market.send(anonymous).await.problem(401, "auth-required");
    let trader = Ask::post("/v1/validators").by(&market.trader).json(&body);
    market.send(trader).await.problem(403, "forbidden");
    register(&market, &body).await.data(201);
}

#[tokio::test]
async fn fields_of_the_wrong_form_are_named() {
    let market = Market::new().await;
    let before = market.everything().await;
    let wrong = [
        (
            "identity_pubkey",
            vec![json!(null), json!("abc"), json!(7), json!([])],
        ),
        (
            "payout_wallet",
            vec![
                json!(null),
                json!("abc"),
                json!(true),
                json!(market.wallet(0).public_key()),
                json!("11111111111111111111111111111111"),
            ],
        ),
        (
            "name",
            vec![
                json!(""),
                json!("  "),
                json!("a\nb"),
                json!("a\u{200b}b"),
                json!("\u{202e}ba"),
                json!("x".repeat(65)),
                json!(7),
            ],
        ),
        (
            "tee_endpoint",
            vec![
                json!("http://x.example"),
                json!("https://"),
                json!("https://x y"),
                json!({}),
            ],
        ),
        (
            "price_sol",
            vec![
                json!("0"),
                json!(0),
                json!("-1"),
                json!("1e3"),
                json!(1e30),
                json!("1.0000000001"),
                json!(""),
                json!(true),
                json!("9223372036.854775808"),
                json!([1]),
            ],
        ),
        ("shared_enabled", vec![json!("true"), json!(1)]),
        ("shared_price_sol", vec![json!(true), json!({})]),
        (
            "max_concurrent_shared_leases",
            vec![json!("2"), json!(1.5), json!(1e30)],
        ),
        ("onboard_token", vec![json!(7)]),
        (
            "timestamp",
            vec![json!(null), json!("now"), json!(1.5), json!(1e30)],
        ),
        (
            "nonce",
            vec![
                json!(null),
                json!("short"),
                json!("x".repeat(65)),
                json!("with spaces in it!"),
                json!(7),
            ],
        ),
        (
            "signature",
            vec![json!(null), json!("abc"), json!("0OIl"), json!(7)],
        ),
        ("tier", vec![json!(7)]),
        ("region", vec![json!(7)]),
        ("no_such_field", vec![json!(1)]),
    ];
    for (field, values) in wrong {
        for value in values {
            let answer = register(&market, &changed(&market, field, value.clone())).await;
            let problem = answer.problem(400, "register-invalid-field");
            let detail = problem["detail"].as_str().unwrap();
            assert!(detail.contains(field), "{field} {value}: {detail}");
        }
    }
    assert_eq!(market.everything().await, before);
}

#[tokio::test]
async fn terms_have_slugs_of_their_own() {
    let market = Market::new().await;
    for (field, value, slug) in [
        ("price_sol", json!(null), "register-price-required"),
        ("tier", json!("gold"), "register-invalid-tier"),
        ("tier", json!(null), "register-invalid-tier"),
        ("region", json!("moon"), "register-invalid-region"),
        ("region", json!(null), "register-invalid-region"),
        (
            "shared_price_sol",
            json!(null),
            "register-shared-config-incomplete",
        ),
        (
            "max_concurrent_shared_leases",
            json!(null),
            "register-shared-config-incomplete",
        ),
        (
            "shared_price_sol",
            json!("0"),
            "register-shared-price-invalid",
        ),
        (
            "shared_price_sol",
            json!("1e9"),
            "register-shared-price-invalid",
        ),
        (
            "max_concurrent_shared_leases",
            json!(0),
            "register-shared-seats-invalid",
        ),
        (
            "max_concurrent_shared_leases",
            json!(-1),
            "register-shared-seats-invalid",
        ),
    ] {
        let answer = register(&market, &changed(&market, field, value)).await;
        answer.problem(422, slug);
    }
    let region = register(&market, &changed(&market, "region", json!("moon"))).await;
    let problem = region.problem(422, "register-invalid-region");
    assert!(problem["detail"].as_str().unwrap().contains("eu-central-1"));
}

#[tokio::test]
async fn fields_are_looked_at_in_the_promised_order() {
    let market = Market::new().await;
    let mut body = market.registration(0, OFFER);
    let steps = [
        (
            "no_such_field",
            json!(1),
            json!(null),
            400,
            "register-invalid-field",
        ),
        (
            "payout_wallet",
            json!("abc"),
            json!(market.payout()),
            400,
            "register-invalid-field",
        ),
        (
            "price_sol",
            json!(null),
            json!("1.5"),
            422,
            "register-price-required",
        ),
        (
            "tier",
            json!("gold"),
            json!("standard"),
            422,
            "register-invalid-tier",
        ),
        (
            "region",
            json!("moon"),
            json!("eu-central-1"),
            422,
            "register-invalid-region",
        ),
        (
            "max_concurrent_shared_leases",
            json!(0),
            json!(2),
            422,
            "register-shared-seats-invalid",
        ),
        (
            "timestamp",
            json!(5),
            json!(market.bench.clock.now().as_second()),
            400,
            "register-timestamp-skew",
        ),
    ];
    for (field, wrong, ..) in &steps {
        body[field] = wrong.clone();
    }
    body["signature"] = json!(market.wallet(2).sign(b"something else"));
    for (field, _, right, status, slug) in steps {
        register(&market, &body).await.problem(status, slug);
        if right.is_null() {
            body.as_object_mut().unwrap().remove(field);
        } else {
            body[field] = right;
        }
    }
    register(&market, &body)
        .await
        .problem(401, "register-signature-invalid");
}

#[tokio::test]
async fn a_challenge_is_good_for_five_minutes_either_way() {
    let market = Market::new().await;
    let now = market.bench.clock.now().as_second();
    for (n, (seconds, is_good)) in [(-301, false), (302, false), (-299, true), (300, true)]
        .into_iter()
        .enumerate()
    {
        let body = market.registration_at(n, OFFER, now + seconds, &format!("a-long-nonce-{n:04}"));
        let answer = register(&market, &body).await;
        if is_good {
            answer.data(201);
        } else {
            answer.problem(400, "register-timestamp-skew");
        }
    }
}

#[tokio::test]
async fn what_was_signed_cannot_be_changed() {
    let market = Market::new().await;
    for (field, value) in [
        ("price_sol", json!("1.4")),
        ("tier", json!("economy")),
        ("region", json!("us-east-1")),
        ("shared_price_sol", json!("0.1")),
        ("max_concurrent_shared_leases", json!(3)),
        ("shared_enabled", json!(false)),
        ("payout_wallet", json!(market.wallet(2).public_key())),
        (
            "identity_pubkey",
            json!(market.validator(1).identity.public_key()),
        ),
        ("nonce", json!("another-nonce-0001")),
    ] {
        let answer = register(&market, &changed(&market, field, value)).await;
        answer.problem(401, "register-signature-invalid");
    }
}

#[tokio::test]
async fn a_registration_cannot_be_repeated() {
    let market = Market::new().await;
    let body = market.registration(0, OFFER);
    register(&market, &body).await.data(201);
    register(&market, &body)
        .await
        .problem(409, "register-nonce-replay");
    let fresh = market.registration(0, OFFER);
    register(&market, &fresh)
        .await
        .problem(409, "validator-already-registered");
    // A nonce is used up only by what succeeds.
    register(&market, &fresh)
        .await
        .problem(409, "validator-already-registered");
}

#[tokio::test]
async fn only_validators_of_the_chain_are_registered() {
    let market = Market::new().await;
    let keys = market.wallet(5);
    let now = market.bench.clock.now().as_second();
    let terms = leasing::ValidatorTerms {
        price: leasing::parse_sol("1").unwrap(),
        shared: None,
        tier: leasing::Tier::Economy,
        region: "us-east-1".parse().unwrap(),
    };
    let (key, payout): (_, PublicKey) = (keys.public_key(), market.payout());
    let challenge = leasing::RegisterChallenge {
        domain: "lease.example",
        account: market.owner.user.id,
        identity: key,
        payout_wallet: payout,
        name: None,
        endpoint: None,
        terms: &terms,
        timestamp: now,
        nonce: "nonce-of-a-wallet",
    };
    let text = challenge.text();
    let body = json!({
        "identity_pubkey": key, "payout_wallet": payout, "tier": "economy", "region": "us-east-1",
        "price_sol": "1", "timestamp": now, "nonce": "nonce-of-a-wallet",
        "signature": keys.sign(text.as_bytes()),
    });
    register(&market, &body)
        .await
        .problem(422, "not-a-chain-validator");
}

#[tokio::test]
async fn a_node_that_is_away_leaves_the_challenge_unused() {
    let market = Market::without_node().await;
    let body = market.registration(0, OFFER);
    let answer = register(&market, &body).await;
    answer.problem(503, "chain-rpc-unavailable");
    // Were the nonce used up, this would be a replay.
    register(&market, &body)
        .await
        .problem(503, "chain-rpc-unavailable");
    market.bench.clock.advance(SignedDuration::from_secs(301));
    register(&market, &body)
        .await
        .problem(400, "register-timestamp-skew");
}

#[tokio::test]
async fn a_validator_without_seats_says_so() {
    let market = Market::new().await;
    let offer = Offer {
        shared: None,
        ..OFFER
    };
    let made = register(&market, &market.registration(0, offer))
        .await
        .data(201);
    assert_eq!(made["shared"], Value::Null);
}
