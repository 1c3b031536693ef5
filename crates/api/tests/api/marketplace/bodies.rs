//! Bodies that no route reads.

use super::support::{Ask, Market, OFFER};
use serde_json::json;

/// Every route with a body, and what its broken bodies are refused as.
fn routes(market: &Market, validator: &str, gateway: &str) -> Vec<(Ask, &'static str)> {
    let key = market.key();
    vec![
        (Ask::post("/v1/auth/challenge"), "malformed-request"),
        (Ask::post("/v1/auth/session"), "malformed-request"),
        (
            Ask::post("/v1/users").by(&market.owner),
            "malformed-request",
        ),
        (
            Ask::post("/v1/api-tokens").by(&market.owner),
            "malformed-request",
        ),
        (
            Ask::post("/v1/validators").by(&market.owner),
            "register-invalid-field",
        ),
        (
            Ask::new("PUT", "/v1/validators/payout-wallet").by(&market.owner),
            "register-invalid-field",
        ),
        (
            Ask::post("/v1/validators/reclaim").by(&market.owner),
            "register-invalid-field",
        ),
        (
            Ask::new("PATCH", &format!("/v1/validators/{validator}")).by(&market.owner),
            "register-invalid-field",
        ),
        (
            Ask::post("/v1/leases").by(&market.trader).key(&key),
            "malformed-request",
        ),
        (
            Ask::post("/v1/leases/x/api-keys").by(&market.trader),
            "malformed-request",
        ),
        (
            Ask::post("/v1/leases/x/extend")
                .by(&market.trader)
                .key(&market.key()),
            "malformed-request",
        ),
        (
            Ask::post("/v1/validators/x/leases/x/revoke")
                .by(&market.owner)
                .key(&market.key()),
            "malformed-request",
        ),
        (
            Ask::post("/v1/admin/validators/x/stop").by(&market.staff),
            "malformed-request",
        ),
        (
            Ask::post("/v1/admin/validators/x/lift-stop").by(&market.staff),
            "malformed-request",
        ),
        (
            Ask::post("/v1/validators/x/service-tokens").by(&market.owner),
            "malformed-request",
        ),
        (
            Ask::post("/v1/webhooks").by(&market.trader),
            "malformed-request",
        ),
        (
            Ask::new("PATCH", "/v1/webhooks/x").by(&market.trader),
            "malformed-request",
        ),
        (
            Ask::post("/v1/leases/x/rating").by(&market.trader),
            "malformed-request",
        ),
        (
            Ask::post("/v1/ratings/x/reply").by(&market.owner),
            "malformed-request",
        ),
        (
            Ask::post("/v1/admin/users").by(&market.staff),
            "malformed-request",
        ),
        (
            Ask::new("PUT", "/v1/admin/users/x/roles").by(&market.staff),
            "malformed-request",
        ),
        (
            Ask::post("/v1/usage/reports").bearer(gateway),
            "malformed-request",
        ),
        (Ask::post("/v1/chain-pay/x"), "malformed-request"),
    ]
}

#[tokio::test]
async fn what_is_no_json_object_is_refused_everywhere() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let gateway = market.gateway(&id).await;
    let before = market.everything().await;
    let deep = format!("{}1{}", r#"{"a":"#.repeat(5_000), "}".repeat(5_000));
    for body in [
        "",
        "{",
        "[]",
        "null",
        "7",
        "\"x\"",
        "{}{}",
        r#"{"a":1,"a":1}"#,
        "{'a':1}",
        "\u{feff}{}",
        &deep,
    ] {
        for (ask, slug) in routes(&market, &id, &gateway) {
            let answer = market.send(ask.text(body)).await;
            let problem = answer.problem(400, slug);
            let detail = problem["detail"].as_str().unwrap();
            assert!(!detail.contains("struct"), "{detail}");
        }
    }
    assert_eq!(market.everything().await, before);
}

#[tokio::test]
async fn bodies_of_other_types_are_refused_everywhere() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let gateway = market.gateway(&id).await;
    for (ask, _) in routes(&market, &id, &gateway) {
        market
            .send(ask.raw("{}"))
            .await
            .problem(415, "unsupported-media-type");
    }
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/jsonp",
        "json",
    ] {
        for (ask, _) in routes(&market, &id, &gateway) {
            let ask = ask.header("content-type", kind).raw("{}");
            market
                .send(ask)
                .await
                .problem(415, "unsupported-media-type");
        }
    }
}

#[tokio::test]
async fn bodies_that_are_too_large_are_refused_everywhere() {
    let market = Market::configured(|config| {
        config.marketplace.limits = None;
        config.max_body_bytes = 2_000;
    })
    .await;
    let id = market.register(0, OFFER).await;
    let gateway = market.gateway(&id).await;
    let large = json!({"name": "x".repeat(2_000)}).to_string();
    for (ask, _) in routes(&market, &id, &gateway) {
        market
            .send(ask.text(&large))
            .await
            .problem(413, "payload-too-large");
    }
    for path in [
        "/v1/onboarding/sessions",
        "/v1/leases/x/cancel",
        "/v1/leases/x/token",
        "/v1/leases/x/credentials",
        "/v1/admin/strays/x/refunds",
        "/v1/webhooks/x/secret",
        "/v1/webhooks/x/test",
        "/v1/webhooks/x/deliveries/x/redeliver",
        "/v1/stream-tickets",
    ] {
        let ask = || Ask::post(path).by(&market.owner);
        market
            .send(ask().text(&large))
            .await
            .problem(413, "payload-too-large");
        market
            .send(ask().raw(&large))
            .await
            .problem(413, "payload-too-large");
    }
}

#[tokio::test]
async fn routes_without_a_body_refuse_one() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let booked = market.book(&id).await;
    let path = format!("/v1/leases/{}/cancel", booked["lease_id"].as_str().unwrap());
    let ask = || Ask::post(&path).by(&market.trader);
    let unknown = market.send(ask().json(&json!({"reason": "x"}))).await;
    unknown.problem(400, "malformed-request");
    let untyped = market.send(ask().raw("{}")).await;
    untyped.problem(415, "unsupported-media-type");
    assert_eq!(
        market.lease(booked["lease_id"].as_str().unwrap()).await["state"],
        "pending_payment"
    );
    market.send(ask().text("{}")).await.data(200);
}

#[tokio::test]
async fn fields_of_accounts_are_checked() {
    let market = Market::new().await;
    let before = market.everything().await;
    let wallet = market.wallet(3).public_key().to_string();
    let signature = market.wallet(3).sign(b"x").to_string();
    let tokens = "/v1/api-tokens";
    for (path, body, named) in [
        ("/v1/auth/challenge", json!({}), "address"),
        ("/v1/auth/challenge", json!({"address": "abc"}), "address"),
        ("/v1/auth/challenge", json!({"address": 7}), "address"),
        (
            "/v1/auth/challenge",
            json!({"address": wallet, "more": 1}),
            "more",
        ),
        (
            "/v1/auth/session",
            json!({"address": wallet, "nonce": "x"}),
            "signature",
        ),
        (
            "/v1/auth/session",
            json!({"address": wallet, "signature": signature}),
            "nonce",
        ),
        (
            "/v1/auth/session",
            json!({"address": wallet, "nonce": 7, "signature": signature}),
            "nonce",
        ),
        (
            "/v1/auth/session",
            json!({"address": wallet, "nonce": "x", "signature": "abc"}),
            "signature",
        ),
        (
            "/v1/auth/session",
            json!({"nonce": "x", "signature": signature}),
            "address",
        ),
        ("/v1/users", json!({"display_name": 7}), "display_name"),
        ("/v1/users", json!({"email": []}), "email"),
        ("/v1/users", json!({"roles": ["staff"]}), "roles"),
        (tokens, json!({}), "name"),
        (tokens, json!({"name": ""}), "name"),
        (tokens, json!({"name": "x".repeat(65)}), "name"),
        (tokens, json!({"name": 7}), "name"),
        (tokens, json!({"name": "in\u{200b}visible"}), "name"),
        (tokens, json!({"name": "drow\u{202e}ssap"}), "name"),
        (
            tokens,
            json!({"name": "x", "expires_at": "tomorrow"}),
            "expires_at",
        ),
        (tokens, json!({"name": "x", "expires_at": 7}), "expires_at"),
        (
            tokens,
            json!({"name": "x", "expires_at": "2020-01-01T00:00:00Z"}),
            "expires_at",
        ),
        (tokens, json!({"name": "x", "scope": "all"}), "scope"),
    ] {
        let answer = market
            .send(Ask::post(path).by(&market.trader).json(&body))
            .await;
        let problem = answer.problem(400, "malformed-request");
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains(named), "{path} {body}: {detail}");
    }
    assert_eq!(market.everything().await, before);
}

#[tokio::test]
async fn profiles_of_new_users_are_checked() {
    let market = Market::new().await;
    let keys = market.wallet(3);
    let address = keys.public_key().to_string();
    let ask = Ask::post("/v1/auth/challenge").json(&json!({"address": address}));
    let told = market.send(ask).await.data(200);
    let signature = keys.sign(told["message"].as_str().unwrap().as_bytes());
    let body = json!({"address": address, "nonce": told["nonce"], "signature": signature});
    let session = market
        .send(Ask::post("/v1/auth/session").json(&body))
        .await
        .data(200);
    let token = session["session_token"].as_str().unwrap();
    for body in [
        json!({"display_name": ""}),
        json!({"display_name": "x".repeat(65)}),
        json!({"display_name": "Ada\u{202e}"}),
        json!({"display_name": "A\u{200b}da"}),
        json!({"email": "ada@x\u{200d}.example"}),
        json!({"email": "nobody"}),
        json!({"email": "@"}),
        json!({"email": format!("{}@x.example", "x".repeat(254))}),
    ] {
        let answer = market
            .send(Ask::post("/v1/users").bearer(token).json(&body))
            .await;
        answer.problem(400, "malformed-request");
        let me = market.send(Ask::get("/v1/me").bearer(token)).await;
        me.problem(401, "user-not-provisioned");
    }
}
