//! Sessions of an external issuer at the door.

use super::support::{Ask, Market, OFFER, booking};
use crate::support::Answer;
use axum::http::StatusCode;
use primitives::{Clock as _, SignedDuration};
use rstest::rstest;
use serde_json::{Value, json};
use services::leasing::Issuer;
use world::{
    Engine::{self, Postgres, Sqlite},
    IssuerKey, TestDatabase, TestIssuer,
    issuer::token_input,
};

/// A market that trusts an issuer with one key.
struct Stage {
    market: Market,
    issuer: TestIssuer,
    key: IssuerKey,
}

impl Stage {
    async fn new() -> Self {
        Self::on(Market::new().await).await
    }

    async fn on(market: Market) -> Self {
        let key = IssuerKey::p256(1);
        let issuer = TestIssuer::new(&[&key]).await;
        let trusted = Issuer::new(issuer.options()).unwrap();
        let market = market.with_options(|options| options.issuer = Some(trusted));
        let market = market.await;
        market.leasing.epoch_watch().round().await.unwrap();
        Self {
            market,
            issuer,
            key,
        }
    }

    fn now(&self) -> i64 {
        self.market.bench.clock.now().as_second()
    }

    fn token(&self, subject: &str) -> String {
        self.key.token(&self.issuer.claims(subject, self.now()))
    }

    fn staff_token(&self, subject: &str) -> String {
        let claims = self.issuer.staff_claims(subject, self.now());
        self.key.token(&claims)
    }

    async fn get(&self, path: &str, token: &str) -> Answer {
        self.market.send(Ask::get(path).bearer(token)).await
    }

    async fn provision(&self, token: &str) -> Value {
        let ask = Ask::post("/v1/users").bearer(token);
        let ask = ask.json(&json!({"display_name": "Ada"}));
        self.market.send(ask).await.data(201)
    }
}

#[rstest]
#[tokio::test]
async fn a_session_of_the_issuer_is_worth_a_wallets(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let stage = Stage::on(Market::at(&database.location).await).await;
    let (market, ada) = (&stage.market, stage.token("ada"));
    for path in ["/v1/me", "/v1/leases", "/v1/admin/strays"] {
        let refused = stage.get(path, &ada).await;
        refused.problem(401, "user-not-provisioned");
    }
    let user = stage.provision(&ada).await;
    assert_eq!(user["address"], json!(null));
    assert_eq!(user["roles"], json!(["trader", "validator"]));
    assert_eq!(stage.provision(&ada).await, user, "once");
    // A later token is of the same user.
    market.bench.clock.advance(SignedDuration::from_secs(60));
    let later = stage.token("ada");
    assert_eq!(stage.get("/v1/me", &later).await.data(200), user);
    stage
        .get("/v1/admin/strays", &later)
        .await
        .problem(403, "forbidden");
    // Booking asks for no wallet: whoever pays has one.
    let validator = market.register(0, OFFER).await;
    let wish = booking(&validator, market.epoch() + 1, 2);
    let ask = Ask::post("/v1/leases").bearer(&later).key(&market.key());
    let booked = market.send(ask.json(&wish)).await.data(201);
    let memo = booked["payment"]["memo"].as_str().unwrap();
    let account = json!({"account": market.wallet(2).public_key().to_string()});
    let pay = Ask::post(&format!("/v1/chain-pay/{memo}")).json(&account);
    assert_eq!(market.send(pay).await.status, 200);
    let leases = stage.get("/v1/leases", &later).await.data(200);
    assert_eq!(leases[0]["public_id"], booked["lease_id"]);
    // An API token is the user's, whoever signed them in.
    let ask = Ask::post("/v1/api-tokens").bearer(&later);
    let made = market.send(ask.json(&json!({"name": "bot"}))).await;
    let made = made.data(201);
    let me = stage.get("/v1/me", made["token"].as_str().unwrap()).await;
    assert_eq!(me.data(200)["public_id"], user["public_id"]);
}

#[tokio::test]
async fn staff_by_the_issuers_word_acts_as_its_user() {
    let stage = Stage::new().await;
    let (market, staff) = (&stage.market, stage.staff_token("eve"));
    let id = market.trader.user.id.to_string();
    let roles = json!({"roles": ["trader", "validator"]});
    let admin = |token: &str| {
        [
            Ask::get("/v1/admin/strays").bearer(token),
            Ask::get("/v1/admin/users").bearer(token),
            Ask::post("/v1/admin/users")
                .bearer(token)
                .json(&json!({"email": "bo@example.com", "roles": []})),
            Ask::new("PUT", &format!("/v1/admin/users/{id}/roles"))
                .bearer(token)
                .json(&roles),
            Ask::post(&format!("/v1/admin/validators/{id}/stop"))
                .bearer(token)
                .json(&json!({"reason": "test"})),
        ]
    };
    for ask in admin(&staff) {
        let refused = market.send(ask).await;
        refused.problem(500, "admin-user-not-provisioned");
    }
    // Elsewhere it is somebody without a user like any other.
    stage
        .get("/v1/me", &staff)
        .await
        .problem(401, "user-not-provisioned");
    let user = stage.provision(&staff).await;
    assert_eq!(user["roles"], json!(["trader", "validator"]));
    let me = stage.get("/v1/me", &staff).await.data(200);
    assert_eq!(me["roles"], json!(["trader", "validator", "staff"]));
    let statuses = [200, 200, 201, 200, 404];
    for (ask, status) in admin(&staff).into_iter().zip(statuses) {
        assert_eq!(market.send(ask).await.status, status);
    }
    let log = stage.get("/v1/audit-log?action=user.roles", &staff).await;
    let log = log.data(200);
    assert_eq!(log[0]["actor"]["id"], user["public_id"]);
    // Without the group in the token there is no such role.
    let plain = stage.token("eve");
    stage
        .get("/v1/admin/users", &plain)
        .await
        .problem(403, "forbidden");
    let own = stage.get("/v1/audit-log", &plain).await.data(200);
    assert!(own.as_array().unwrap().len() < 10, "{own}");
}

#[tokio::test]
async fn what_the_issuer_did_not_sign_for_us_is_no_session() {
    let stage = Stage::new().await;
    let claims = stage.issuer.claims("ada", stage.now());
    let mut expired = claims.clone();
    expired["exp"] = json!(stage.now() - 60);
    let mut foreign = claims.clone();
    foreign["aud"] = json!("another");
    let none = token_input(&json!({"alg": "none", "kid": stage.key.kid()}), &claims);
    let good = stage.token("ada");
    for token in [
        stage.key.token(&expired),
        stage.key.token(&foreign),
        IssuerKey::p256(9).token(&claims),
        format!("{none}."),
        format!("{good}{}", "A".repeat(8 * 1024)),
        "a.b.c".to_owned(),
    ] {
        for path in ["/v1/me", "/v1/leases", "/v1/admin/users"] {
            let refused = stage.get(path, &token).await;
            refused.problem(401, "auth-required");
        }
    }
    stage
        .get("/v1/me", &good)
        .await
        .problem(401, "user-not-provisioned");
}

#[tokio::test]
async fn a_silent_issuer_is_our_fault_and_not_the_callers() {
    let stage = Stage::new().await;
    stage.issuer.answer(StatusCode::BAD_GATEWAY, "down");
    let answer = stage.get("/v1/me", &stage.token("ada")).await;
    assert_eq!(answer.headers["retry-after"], "10");
    let problem = answer.problem(500, "internal-error");
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("issuer"), "{detail}");
    assert!(!detail.contains("127.0.0.1"), "{detail}");
    stage.issuer.recover();
    stage
        .market
        .bench
        .clock
        .advance(SignedDuration::from_secs(10));
    let answer = stage.get("/v1/me", &stage.token("ada")).await;
    answer.problem(401, "user-not-provisioned");
}

#[tokio::test]
async fn only_the_issuer_ends_its_session() {
    let stage = Stage::new().await;
    let ada = stage.token("ada");
    for _ in 0..2 {
        let ask = Ask::new("DELETE", "/v1/auth/session").bearer(&ada);
        let refused = stage.market.send(ask).await.problem(403, "forbidden");
        assert!(refused["detail"].as_str().unwrap().contains("issuer"));
        // A user's and a stranger's alike.
        stage.provision(&ada).await;
    }
    stage.get("/v1/me", &ada).await.data(200);
}

#[tokio::test]
async fn somebody_is_counted_whatever_token_they_show() {
    let stage = Stage::on(Market::configured(|_| {}).await).await;
    let mut asked = 0;
    let refused = loop {
        // Always another token, of the same subject.
        let mut claims = stage.issuer.claims("ada", stage.now());
        claims["jti"] = json!(asked);
        let answer = stage.get("/v1/me", &stage.key.token(&claims)).await;
        if answer.status != 401 {
            break answer;
        }
        asked += 1;
        assert!(asked <= 60);
    };
    assert_eq!(asked, 60);
    refused.problem(429, "rate-limit-exceeded");
    // Somebody else at the same address is not concerned.
    let other = stage.get("/v1/me", &stage.token("bo")).await;
    other.problem(401, "user-not-provisioned");
}
