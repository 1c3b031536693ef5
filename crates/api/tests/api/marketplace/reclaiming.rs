//! Whose a validator is: what the identity signed, and nobody else.

use super::support::{Ask, Market, OFFER};
use leasing::Roles;
use serde_json::{Value, json};

const RECLAIM: &str = "/v1/validators/reclaim";

const VALIDATOR: Roles = Roles {
    trader: true,
    validator: true,
    staff: false,
};

#[tokio::test]
async fn a_signed_registration_is_worth_nothing_to_somebody_else() {
    let market = Market::new().await;
    let thief = market.person(VALIDATOR).await;
    let body = market.registration(0, OFFER);
    let stolen = Ask::post("/v1/validators").by(&thief).json(&body);
    market
        .send(stolen)
        .await
        .problem(401, "register-signature-invalid");
    // Nor with a token of theirs.
    let opened = Ask::post("/v1/onboarding/sessions").by(&thief);
    let opened = market.send(opened).await.data(201);
    assert_eq!(opened["account_id"], thief.user.id.to_string());
    let mut with_token = body.clone();
    with_token["onboard_token"] = opened["onboard_token"].clone();
    let stolen = Ask::post("/v1/validators").json(&with_token);
    market
        .send(stolen)
        .await
        .problem(401, "register-signature-invalid");
    // What people see is part of it.
    for (field, value) in [
        ("name", json!("Somebody else")),
        ("tee_endpoint", json!("https://thief.example")),
    ] {
        let mut changed = body.clone();
        changed[field] = value;
        let ask = Ask::post("/v1/validators").by(&market.owner).json(&changed);
        market
            .send(ask)
            .await
            .problem(401, "register-signature-invalid");
    }
    let ask = Ask::post("/v1/validators").by(&market.owner).json(&body);
    market.send(ask).await.data(201);
}

#[tokio::test]
async fn the_identity_takes_its_validator_back() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let rightful = market.person(VALIDATOR).await;
    let wallet = market.wallet(4).public_key();
    let body = market.reclaim(0, &rightful, wallet);
    // Registering again stays refused.
    let again = Ask::post("/v1/validators")
        .by(&market.owner)
        .json(&market.registration(0, OFFER));
    market
        .send(again)
        .await
        .problem(409, "validator-already-registered");
    // Only for whom the identity named.
    let other = Ask::post(RECLAIM).by(&market.owner).json(&body);
    market
        .send(other)
        .await
        .problem(401, "register-signature-invalid");
    let ask = || Ask::post(RECLAIM).by(&rightful).json(&body);
    let view = market.send(ask()).await.data(200);
    assert_eq!(view["public_id"], id);
    assert_eq!(view["payout_wallet"], wallet.to_string());
    assert_eq!(view["price_sol"], "1.5");
    market
        .send(ask())
        .await
        .problem(409, "register-nonce-replay");
    let patch = |person| {
        Ask::new("PATCH", &format!("/v1/validators/{id}"))
            .by(person)
            .json(&json!({"price_sol": "2"}))
    };
    market
        .send(patch(&market.owner))
        .await
        .problem(403, "forbidden");
    market.send(patch(&rightful)).await.data(200);
    let leases = |person| Ask::get(&format!("/v1/validators/{id}/leases")).by(person);
    market.send(leases(&rightful)).await.json();
    market
        .send(leases(&market.owner))
        .await
        .problem(403, "forbidden");
}

#[tokio::test]
async fn reclaiming_is_refused_as_registering_is() {
    let market = Market::new().await;
    let wallet = market.wallet(4).public_key();
    let send = |body: Value| market.send(Ask::post(RECLAIM).by(&market.owner).json(&body));
    let body = market.reclaim(0, &market.owner, wallet);
    send(body.clone()).await.problem(404, "validator-not-found");
    market.register(0, OFFER).await;
    let changed = |field: &str, value: Value| {
        let mut changed = body.clone();
        changed[field] = value;
        changed
    };
    send(changed("payout_wallet", json!("abc")))
        .await
        .problem(400, "register-invalid-field");
    send(changed("payout_wallet", json!(market.payout())))
        .await
        .problem(401, "register-signature-invalid");
    send(changed("timestamp", json!(1)))
        .await
        .problem(400, "register-timestamp-skew");
    // A change of the wallet is signed for something else.
    send(market.payout_change(0, wallet))
        .await
        .problem(401, "register-signature-invalid");
    let ask = Ask::post(RECLAIM).by(&market.trader);
    let as_trader = ask.json(&market.reclaim(0, &market.trader, wallet));
    market.send(as_trader).await.problem(403, "forbidden");
    market
        .send(Ask::post(RECLAIM).json(&body))
        .await
        .problem(401, "auth-required");
    // The owner may, too: then only the wallet is another.
    send(market.reclaim(0, &market.owner, wallet))
        .await
        .data(200);
}
