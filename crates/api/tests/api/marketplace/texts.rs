//! Texts that a database might not take, in every field, path and query.

use super::support::{Ask, Market, OFFER, Person, booking};
use rstest::rstest;
use serde_json::{Value, json};
use world::{
    Engine::{self, Postgres, Sqlite},
    TestDatabase,
};

/// As JSON writes them: nothing, turned text, no width, half a character.
const ODD: [&str; 6] = [
    r"\u0000",
    r"a\u0000b",
    r"\u202e",
    r"a\u200bb",
    r"\ud800",
    r"a\udfffb",
];

/// The same in a path or a query.
const ODD_ENCODED: [&str; 6] = [
    "%00",
    "a%00b",
    "%E2%80%AE",
    "a%E2%80%8Bb",
    "%ED%A0%80",
    "%FF",
];

/// A request with a body, the body, and those of its fields that are texts.
type Reader<'a> = (Box<dyn Fn() -> Ask + 'a>, Value, &'static [&'static str]);

/// A body with an odd text in one of its fields.
fn with(body: &Value, field: &str, odd: &str) -> String {
    let mut body = body.clone();
    body[field] = json!("THE ODD ONE");
    body.to_string().replace("THE ODD ONE", odd)
}

async fn signed_in(market: &Market) -> String {
    let keys = market.wallet(3);
    let address = keys.public_key();
    let ask = Ask::post("/v1/auth/challenge").json(&json!({"address": address}));
    let told = market.send(ask).await.data(200);
    let signature = keys.sign(told["message"].as_str().unwrap().as_bytes());
    let body = json!({"address": address, "nonce": told["nonce"], "signature": signature});
    let session = market.send(Ask::post("/v1/auth/session").json(&body)).await;
    let session = session.data(200);
    session["session_token"].as_str().unwrap().to_owned()
}

/// What is said of leases, and what staff and owners do with people.
fn around_leases<'a>(market: &'a Market, validator: &str) -> Vec<Reader<'a>> {
    let service_tokens = format!("/v1/validators/{validator}/service-tokens");
    let by = |method: &'static str, path: &str, person: &'a Person| {
        let path = path.to_owned();
        Box::new(move || Ask::new(method, &path).by(person))
    };
    vec![
        (
            by("POST", "/v1/leases/x/rating", &market.trader),
            json!({"stars": 5}),
            &["comment"],
        ),
        (
            by("POST", "/v1/ratings/x/reply", &market.owner),
            json!({}),
            &["text"],
        ),
        (
            by("POST", "/v1/admin/users", &market.staff),
            json!({"email": "a@b", "roles": []}),
            &["address", "email", "display_name", "roles"],
        ),
        (
            by("PUT", "/v1/admin/users/x/roles", &market.staff),
            json!({}),
            &["roles"],
        ),
        (
            by("POST", &service_tokens, &market.owner),
            json!({"name": "x"}),
            &["name", "expires_at"],
        ),
        (
            by("POST", "/v1/webhooks", &market.trader),
            json!({"url": "https://hooks.example", "events": ["lease.ending"]}),
            &["url", "events", "description"],
        ),
    ]
}

#[rstest]
#[tokio::test]
async fn every_field_takes_odd_texts_or_refuses_them(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let market = Market::at(&database.location).await;
    let id = market.register(0, OFFER).await;
    let wallet = market.wallet(3).public_key();
    let session = signed_in(&market).await;
    let before = market.everything().await;
    let by = |method: &str, path: &str, person: &Person| Ask::new(method, path).by(person);
    let (owner, trader) = (&market.owner, &market.trader);
    let validator = format!("/v1/validators/{id}");
    let revoke = format!("{validator}/leases/{id}/revoke");
    let stop = format!("/v1/admin/validators/{id}/stop");
    let lift = format!("/v1/admin/validators/{id}/lift-stop");
    let signature = market.wallet(3).sign(b"x").to_string();
    let sign_in = json!({"address": wallet, "nonce": "n", "signature": signature});
    let wish = booking(&id, market.epoch() + 1, 1);
    let mut bodies: Vec<Reader<'_>> = vec![
        (
            Box::new(|| Ask::post("/v1/auth/challenge")),
            json!({}),
            &["address"],
        ),
        (
            Box::new(|| Ask::post("/v1/auth/session")),
            sign_in,
            &["address", "nonce", "signature"],
        ),
        (
            Box::new(|| Ask::post("/v1/users").bearer(&session)),
            json!({}),
            &["display_name", "email"],
        ),
        (
            Box::new(|| by("POST", "/v1/api-tokens", trader)),
            json!({"name": "x"}),
            &["name", "expires_at"],
        ),
        (
            Box::new(|| by("POST", "/v1/validators", owner)),
            market.registration(1, OFFER),
            &[
                "identity_pubkey",
                "payout_wallet",
                "name",
                "tier",
                "region",
                "price_sol",
                "shared_price_sol",
                "tee_endpoint",
                "onboard_token",
                "nonce",
                "signature",
            ],
        ),
        (
            Box::new(|| by("PUT", "/v1/validators/payout-wallet", owner)),
            market.payout_change(0, wallet),
            &["identity_pubkey", "payout_wallet", "nonce", "signature"],
        ),
        (
            Box::new(|| by("POST", "/v1/validators/reclaim", owner)),
            market.reclaim(0, owner, wallet),
            &["identity_pubkey", "payout_wallet", "nonce", "signature"],
        ),
        (
            Box::new(|| by("PATCH", &validator, owner)),
            json!({}),
            &[
                "price_sol",
                "tier",
                "region",
                "name",
                "status",
                "tee_endpoint",
                "shared_price_sol",
            ],
        ),
        (
            Box::new(|| by("POST", "/v1/leases", trader).key(&market.key())),
            wish,
            &["validator_id", "mode"],
        ),
        (
            Box::new(|| by("POST", &revoke, owner).key(&market.key())),
            json!({}),
            &["reason"],
        ),
        (
            Box::new(|| by("POST", &stop, &market.staff)),
            json!({}),
            &["reason"],
        ),
        (
            Box::new(|| by("POST", &lift, &market.staff)),
            json!({}),
            &["reason"],
        ),
        (
            Box::new(|| Ask::post("/v1/chain-pay/x")),
            json!({}),
            &["account"],
        ),
    ];
    bodies.extend(around_leases(&market, &id));
    for (ask, body, fields) in &bodies {
        for odd in ODD {
            for field in *fields {
                let text = with(body, field, odd);
                let answer = market.send(ask().text(&text)).await;
                assert!(answer.status.is_client_error(), "{text}: {}", answer.text());
            }
            let named = with(body, "x", "").replace("\"x\"", &format!("\"{odd}\""));
            let answer = market.send(ask().text(&named)).await;
            assert!(
                answer.status.is_client_error(),
                "{named}: {}",
                answer.text()
            );
        }
    }
    assert_eq!(market.everything().await, before);
}

#[rstest]
#[tokio::test]
async fn every_path_and_query_takes_odd_texts_or_refuses_them(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let market = Market::at(&database.location).await;
    let id = market.register(0, OFFER).await;
    let before = market.everything().await;
    let account = json!({"account": market.wallet(3).public_key()});
    for odd in ODD_ENCODED {
        let asks = [
            Ask::post(&format!("/v1/chain-pay/{odd}")).json(&account),
            Ask::post(&format!("/v1/solana-pay/{odd}")).json(&account),
            Ask::new("DELETE", &format!("/v1/api-tokens/{odd}")).by(&market.trader),
            Ask::get(&format!("/v1/validators/{odd}")),
            Ask::get(&format!("/v1/validators/{odd}/leases")).by(&market.owner),
            Ask::get(&format!("/v1/validators/{odd}/stake")),
            Ask::get(&format!("/v1/validators/{odd}/leader-schedule")),
            Ask::new("PATCH", &format!("/v1/validators/{odd}"))
                .by(&market.owner)
                .json(&json!({"tier": "economy"})),
            Ask::get(&format!("/v1/leases/{odd}")).by(&market.trader),
            Ask::post(&format!("/v1/leases/{odd}/cancel")).by(&market.trader),
            Ask::post(&format!("/v1/leases/{odd}/extend"))
                .by(&market.trader)
                .key(&market.key())
                .json(&json!({"epoch_count": 1})),
            Ask::post(&format!("/v1/validators/{odd}/leases/{odd}/revoke"))
                .by(&market.owner)
                .key(&market.key())
                .json(&json!({"reason": "x"})),
            Ask::post(&format!("/v1/admin/validators/{odd}/stop"))
                .by(&market.staff)
                .json(&json!({"reason": "x"})),
            Ask::post(&format!("/v1/admin/validators/{odd}/lift-stop"))
                .by(&market.staff)
                .json(&json!({"reason": "x"})),
            Ask::post(&format!("/v1/admin/strays/{odd}/refunds")).by(&market.staff),
            Ask::get(&format!("/v1/revocations?since={odd}")),
            Ask::get(&format!("/v1/revocations?validator={odd}")),
            Ask::get(&format!("/v1/revocations?cursor={odd}")),
            Ask::get(&format!("/v1/refunds?status={odd}")).by(&market.owner),
            Ask::get(&format!("/v1/refunds?cursor={odd}")).by(&market.owner),
            Ask::get(&format!("/v1/onboarding/sessions/{odd}")),
            Ask::get(&format!("/v1/stake/{odd}")),
            Ask::get(&format!("/errors/{odd}")),
            Ask::get(&format!("/v1/leases?state={odd}")).by(&market.trader),
            Ask::get(&format!("/v1/leases?validator_id={odd}")).by(&market.trader),
            Ask::get(&format!("/v1/leases?cursor={odd}")).by(&market.trader),
            Ask::get(&format!("/v1/leases?limit={odd}")).by(&market.trader),
            Ask::get(&format!("/v1/validators?region={odd}")),
            Ask::get(&format!("/v1/validators?tier={odd}")),
            Ask::get(&format!("/v1/validators?mode={odd}")),
            Ask::get(&format!("/v1/validators?sort={odd}")),
            Ask::get(&format!("/v1/validators?available_epoch={odd}")),
            Ask::get(&format!("/v1/validators?price_min_lamports={odd}")),
            Ask::get(&format!("/v1/validators?cursor={odd}")),
            Ask::get(&format!("/v1/validators/{id}/leases?state={odd}")).by(&market.owner),
            Ask::get(&format!("/v1/validators/{id}/leases?cursor={odd}")).by(&market.owner),
            Ask::get(&format!("/v1/leader-schedule?epoch={odd}")),
            Ask::get(&format!("/v1/admin/strays?reason={odd}")).by(&market.staff),
            Ask::get(&format!("/v1/admin/strays?cursor={odd}")).by(&market.staff),
            Ask::get(&format!("/v1/validators/{odd}/ratings")),
            Ask::get(&format!("/v1/validators/{id}/ratings?cursor={odd}")),
            Ask::post(&format!("/v1/leases/{odd}/rating"))
                .by(&market.trader)
                .json(&json!({"stars": 5})),
            Ask::post(&format!("/v1/ratings/{odd}/reply"))
                .by(&market.owner)
                .json(&json!({"text": "x"})),
            Ask::new("PUT", &format!("/v1/admin/users/{odd}/roles"))
                .by(&market.staff)
                .json(&json!({"roles": []})),
            Ask::get(&format!("/v1/admin/users?cursor={odd}")).by(&market.staff),
            Ask::get(&format!("/v1/audit-log?action={odd}")).by(&market.staff),
            Ask::get(&format!("/v1/audit-log?subject={odd}")).by(&market.staff),
            Ask::get(&format!("/v1/audit-log?since={odd}")).by(&market.staff),
            Ask::get(&format!("/v1/audit-log?cursor={odd}")).by(&market.staff),
            Ask::get(&format!("/v1/leases/{odd}/usage")).by(&market.trader),
            Ask::get(&format!("/v1/validators/{odd}/service-tokens")).by(&market.owner),
            Ask::new(
                "DELETE",
                &format!("/v1/validators/{id}/service-tokens/{odd}"),
            )
            .by(&market.owner),
            Ask::get(&format!("/v1/webhooks/{odd}")).by(&market.trader),
            Ask::new("DELETE", &format!("/v1/webhooks/{odd}")).by(&market.trader),
            Ask::post(&format!("/v1/webhooks/{odd}/secret")).by(&market.trader),
            Ask::post(&format!("/v1/webhooks/{odd}/test")).by(&market.trader),
            Ask::get(&format!("/v1/webhooks/{odd}/deliveries")).by(&market.trader),
            Ask::post(&format!("/v1/webhooks/{odd}/deliveries/{odd}/redeliver")).by(&market.trader),
            Ask::get("/v1/me").bearer(odd),
        ];
        for (number, ask) in asks.into_iter().enumerate() {
            let answer = market.send(ask).await;
            let told = answer.text();
            assert!(answer.status.is_client_error(), "{odd}, {number}: {told}");
        }
    }
    assert_eq!(market.everything().await, before);
}

#[tokio::test]
async fn a_number_with_a_plus_is_none() {
    let market = Market::new().await;
    let plus = |path: &str| Ask::get(path);
    for (path, slug) in [
        (
            "/v1/validators?price_min_lamports=%2B5",
            "invalid-price-bound",
        ),
        (
            "/v1/validators?price_max_lamports=%2B5",
            "invalid-price-bound",
        ),
        ("/v1/validators?available_epoch=%2B5", "invalid-epoch-range"),
        ("/v1/validators?limit=%2B5", "invalid-limit"),
        ("/v1/leader-schedule?epoch=%2B5", "invalid-epoch-range"),
    ] {
        market.send(plus(path)).await.problem(400, slug);
    }
}
