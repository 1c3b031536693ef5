//! Finding, looking at and changing validators.

use super::support::{Ask, Market, OFFER, Offer};
use crate::support::Answer;
use primitives::SignedDuration;
use serde_json::{Value, json};

async fn patch(market: &Market, id: &str, body: &Value) -> Answer {
    let path = format!("/v1/validators/{id}");
    market
        .send(Ask::new("PATCH", &path).by(&market.owner).json(body))
        .await
}

async fn found(market: &Market, query: &str) -> Vec<String> {
    let answer = market
        .send(Ask::get(&format!("/v1/validators?{query}")))
        .await;
    let list = answer.data(200);
    let ids = list.as_array().unwrap().iter();
    ids.map(|it| it["public_id"].as_str().unwrap().to_owned())
        .collect()
}

const CHEAP: Offer = Offer {
    price_sol: "0.5",
    tier: "economy",
    region: "us-east-1",
    shared: None,
    name: None,
    endpoint: None,
};
const DEAR: Offer = Offer {
    price_sol: "7",
    tier: "performance",
    region: "us-east-1",
    shared: Some(("0.1", 1)),
    name: None,
    endpoint: None,
};

#[tokio::test]
async fn validators_are_found_by_what_they_offer() {
    let market = Market::new().await;
    let usual = market.register(0, OFFER).await;
    market.bench.clock.advance(SignedDuration::from_secs(1));
    let cheap = market.register(1, CHEAP).await;
    market.bench.clock.advance(SignedDuration::from_secs(1));
    let dear = market.register(2, DEAR).await;
    let all = [&cheap, &usual, &dear];
    assert_eq!(found(&market, "").await.iter().collect::<Vec<_>>(), all);
    assert_eq!(found(&market, "sort=price").await.len(), 3);
    assert_eq!(
        found(&market, "sort=newest").await,
        [dear.as_str(), cheap.as_str(), usual.as_str()]
    );
    assert_eq!(found(&market, "sort=stake").await.len(), 3);
    assert_eq!(
        found(&market, "region=us-east-1").await,
        [cheap.as_str(), dear.as_str()]
    );
    assert_eq!(found(&market, "tier=performance").await, [dear.as_str()]);
    // Prices are those of the mode that is looked for.
    assert_eq!(
        found(&market, "mode=shared").await,
        [dear.as_str(), usual.as_str()]
    );
    assert_eq!(
        found(
            &market,
            "price_min_lamports=500000001&price_max_lamports=1500000000"
        )
        .await,
        [usual.as_str()]
    );
    assert_eq!(
        found(
            &market,
            "price_min_lamports=0&price_max_lamports=9223372036854775807"
        )
        .await
        .len(),
        3
    );
    assert_eq!(
        found(&market, "mode=shared&price_max_lamports=100000000").await,
        [dear.as_str()]
    );
    assert_eq!(
        found(&market, "price_max_lamports=1").await,
        Vec::<String>::new()
    );
    // Others' parameters do not matter.
    assert_eq!(
        found(&market, "utm_source=x&tier=economy").await,
        [cheap.as_str()]
    );
}

#[tokio::test]
async fn validators_are_found_by_the_epoch_in_which_they_are_free() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let next = market.epoch() + 1;
    assert_eq!(
        found(&market, &format!("available_epoch={next}")).await,
        [id.as_str()]
    );
    market.book(&id).await;
    market.bench.clock.advance(SignedDuration::from_secs(5));
    assert!(
        found(&market, &format!("available_epoch={next}"))
            .await
            .is_empty()
    );
    assert_eq!(
        found(&market, &format!("available_epoch={}", next + 2)).await,
        [id.as_str()]
    );
}

#[tokio::test]
async fn wrong_filters_are_refused() {
    let market = Market::new().await;
    for (query, slug) in [
        ("price_min_lamports=x", "invalid-price-bound"),
        ("price_min_lamports=-1", "invalid-price-bound"),
        ("price_max_lamports=1.5", "invalid-price-bound"),
        (
            "price_max_lamports=9223372036854775808",
            "invalid-price-bound",
        ),
        ("price_max_lamports=", "invalid-price-bound"),
        (
            "price_min_lamports=1&price_min_lamports=1",
            "invalid-price-bound",
        ),
        (
            "price_min_lamports=2&price_max_lamports=1",
            "invalid-price-bound",
        ),
        ("limit=0", "invalid-limit"),
        ("limit=51", "invalid-limit"),
        ("limit=x", "invalid-limit"),
        ("limit=1&limit=1", "invalid-limit"),
        ("cursor=x", "invalid-cursor"),
        ("cursor=", "invalid-cursor"),
        ("tier=gold", "malformed-request"),
        ("region=The%20Moon", "malformed-request"),
        ("mode=both", "malformed-request"),
        ("sort=name", "malformed-request"),
        ("available_epoch=x", "invalid-epoch-range"),
        ("available_epoch=2147483648", "invalid-epoch-range"),
    ] {
        let answer = market
            .send(Ask::get(&format!("/v1/validators?{query}")))
            .await;
        assert_eq!(answer.slug().as_deref(), Some(slug), "{query}");
        answer.problem(400, slug);
    }
}

#[tokio::test]
async fn a_validator_tells_what_can_be_booked() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let now = market.epoch();
    let path = format!("/v1/validators/{id}");
    let view = market.send(Ask::get(&path)).await.data(200);
    let whole =
        json!([{"from_epoch": now, "to_epoch": now + 60, "kind": "exclusive", "seats_left": 2}]);
    assert_eq!(view["availability"], whole);
    assert_eq!(view["next_free_epoch"], now);
    market.book(&id).await;
    let view = market.send(Ask::get(&path)).await.data(200);
    let gap = json!([
        {"from_epoch": now, "to_epoch": now + 1, "kind": "exclusive", "seats_left": 2},
        {"from_epoch": now + 3, "to_epoch": now + 60, "kind": "exclusive", "seats_left": 2},
    ]);
    assert_eq!(view["availability"], gap);
}

#[tokio::test]
async fn an_unknown_validator_is_not_found() {
    let market = Market::new().await;
    for id in [
        "01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "nonsense",
        "%00",
        "01ARZ3NDEKTSV4RRFFQ69G5FAU",
    ] {
        let path = format!("/v1/validators/{id}");
        market
            .send(Ask::get(&path))
            .await
            .problem(404, "validator-not-found");
        let answer = patch(&market, id, &json!({"tier": "economy"})).await;
        answer.problem(404, "validator-not-found");
        let leases = Ask::get(&format!("{path}/leases")).by(&market.owner);
        market
            .send(leases)
            .await
            .problem(404, "validator-not-found");
    }
}

#[tokio::test]
async fn a_paused_validator_is_there_for_its_owner_and_staff() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let view = patch(&market, &id, &json!({"status": "paused"}))
        .await
        .data(200);
    assert_eq!(view["status"], "paused");
    let path = format!("/v1/validators/{id}");
    market
        .send(Ask::get(&path))
        .await
        .problem(404, "validator-not-found");
    let trader = market.send(Ask::get(&path).by(&market.trader)).await;
    trader.problem(404, "validator-not-found");
    for person in [&market.owner, &market.staff] {
        market.send(Ask::get(&path).by(person)).await.data(200);
    }
    let wrong = market.send(Ask::get(&path).bearer("nonsense")).await;
    wrong.problem(401, "auth-required");
    market.bench.clock.advance(SignedDuration::from_secs(5));
    assert!(found(&market, "").await.is_empty());
}

#[tokio::test]
async fn an_owner_changes_what_is_named_and_nothing_else() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let change = json!({
        "price_sol": 2.25, "tier": "economy", "region": "us-east-1", "name": "Harbour",
        "tee_endpoint": "https://x.example", "shared_price_sol": "0.3",
        "max_concurrent_shared_leases": 5,
    });
    let view = patch(&market, &id, &change).await.data(200);
    assert_eq!(view["price_sol"], "2.25");
    assert_eq!(view["tier"], "economy");
    assert_eq!(view["region"], "us-east-1");
    assert_eq!(view["name"], "Harbour");
    assert_eq!(view["tee_endpoint"], "https://x.example");
    assert_eq!(
        view["shared"],
        json!({"price_lamports": 300_000_000, "price_sol": "0.3", "seats": 5})
    );
    let view = patch(&market, &id, &json!({"name": null, "tee_endpoint": null}))
        .await
        .data(200);
    assert_eq!(
        (&view["name"], &view["tee_endpoint"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(view["price_sol"], "2.25");
    let view = patch(&market, &id, &json!({"shared_enabled": false}))
        .await
        .data(200);
    assert_eq!(view["shared"], Value::Null);
}

#[tokio::test]
async fn wrong_changes_are_refused_and_change_nothing() {
    let market = Market::new().await;
    let id = market.register(0, CHEAP).await;
    let path = format!("/v1/validators/{id}");
    let before = market.send(Ask::get(&path)).await.data(200);
    for (body, status, slug) in [
        (json!({}), 422, "patch-validator-empty"),
        (json!({"price_sol": null}), 422, "patch-validator-empty"),
        (
            json!({"shared_price_sol": "1"}),
            422,
            "shared-config-incomplete",
        ),
        (
            json!({"max_concurrent_shared_leases": 1}),
            422,
            "shared-config-incomplete",
        ),
        (
            json!({"shared_enabled": true}),
            422,
            "shared-config-incomplete",
        ),
        (json!({"tier": "gold"}), 422, "register-invalid-tier"),
        (json!({"region": "moon"}), 422, "register-invalid-region"),
        (
            json!({"shared_price_sol": "0", "max_concurrent_shared_leases": 1}),
            422,
            "register-shared-price-invalid",
        ),
        (
            json!({"shared_price_sol": "1", "max_concurrent_shared_leases": 0}),
            422,
            "register-shared-seats-invalid",
        ),
        (json!({"status": "stopped"}), 400, "register-invalid-field"),
        (json!({"price_sol": "0"}), 400, "register-invalid-field"),
        (json!({"price_sol": true}), 400, "register-invalid-field"),
        (json!({"name": ""}), 400, "register-invalid-field"),
        (json!({"name": 7}), 400, "register-invalid-field"),
        (
            json!({"tee_endpoint": "ftp://x"}),
            400,
            "register-invalid-field",
        ),
        (json!({"payout_wallet": "x"}), 400, "register-invalid-field"),
        (
            json!({"shared_enabled": "yes"}),
            400,
            "register-invalid-field",
        ),
        (
            json!({"max_concurrent_shared_leases": 1.5}),
            400,
            "register-invalid-field",
        ),
    ] {
        patch(&market, &id, &body).await.problem(status, slug);
    }
    let stranger = Ask::new("PATCH", &path)
        .by(&market.trader)
        .json(&json!({"tier": "standard"}));
    market.send(stranger).await.problem(403, "forbidden");
    let anonymous = Ask::new("PATCH", &path).json(&json!({"tier": "standard"}));
    market.send(anonymous).await.problem(401, "auth-required");
    assert_eq!(market.send(Ask::get(&path)).await.data(200), before);
}

#[tokio::test]
async fn a_payout_wallet_changes_with_both_credentials_and_signature() {
    let market = Market::new().await;
    let put = |body: &Value, by| {
        market.send(
            Ask::new("PUT", "/v1/validators/payout-wallet")
                .by(by)
                .json(body),
        )
    };
    let wallet = market.wallet(2).public_key();
    let change = market.payout_change(0, wallet);
    put(&change, &market.owner)
        .await
        .problem(404, "validator-not-found");
    market.register(0, OFFER).await;
    put(&change, &market.trader).await.problem(403, "forbidden");
    let view = put(&change, &market.owner).await.data(200);
    assert_eq!(view["payout_wallet"], wallet.to_string());
    put(&change, &market.owner)
        .await
        .problem(409, "register-nonce-replay");

    let mut forged = market.payout_change(0, wallet);
    forged["payout_wallet"] = json!(market.wallet(3).public_key());
    put(&forged, &market.owner)
        .await
        .problem(401, "register-signature-invalid");
    let mut old = market.payout_change(0, wallet);
    old["timestamp"] = json!(5);
    put(&old, &market.owner)
        .await
        .problem(400, "register-timestamp-skew");
    for (field, value) in [
        ("payout_wallet", json!("abc")),
        ("payout_wallet", json!(market.wallet(0).public_key())),
        ("identity_pubkey", json!(null)),
        ("timestamp", json!("now")),
        ("nonce", json!("x")),
        ("signature", json!("x")),
        ("price_sol", json!("1")),
    ] {
        let mut wrong = market.payout_change(0, wallet);
        wrong[field] = value;
        put(&wrong, &market.owner)
            .await
            .problem(400, "register-invalid-field");
    }
    let anonymous =
        Ask::new("PUT", "/v1/validators/payout-wallet").json(&market.payout_change(0, wallet));
    market.send(anonymous).await.problem(401, "auth-required");
}

#[tokio::test]
async fn owners_see_who_holds_what() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let lease = market.book(&id).await;
    let path = format!("/v1/validators/{id}/leases");
    let list = market
        .send(Ask::get(&path).by(&market.owner))
        .await
        .data(200);
    assert_eq!(list[0]["public_id"], lease["lease_id"]);
    assert_eq!(list[0]["trader_id"], market.trader.user.id.to_string());
    market
        .send(Ask::get(&path).by(&market.staff))
        .await
        .data(200);
    let active = format!("{path}?state=active");
    let none = market.send(Ask::get(&active).by(&market.owner)).await;
    assert_eq!(none.data(200), json!([]));
    let unknown = market
        .send(Ask::get(&format!("{path}?state=lost")).by(&market.owner))
        .await;
    unknown.problem(400, "malformed-request");
    let trader = market.send(Ask::get(&path).by(&market.trader)).await;
    trader.problem(403, "forbidden");
    market
        .send(Ask::get(&path))
        .await
        .problem(401, "auth-required");
    for (query, slug) in [("limit=0", "invalid-limit"), ("cursor=x", "invalid-cursor")] {
        let ask = Ask::get(&format!("{path}?{query}")).by(&market.owner);
        market.send(ask).await.problem(400, slug);
    }
}

#[tokio::test]
async fn validators_are_told_and_sorted_by_how_well_they_do() {
    let market = Market::new().await;
    let mut ids = Vec::new();
    for number in 0..3 {
        ids.push(market.register(number, OFFER).await);
    }
    let list = async |sort: &str| {
        let path = format!("/v1/validators?sort={sort}");
        market.send(Ask::get(&path)).await.data(200)
    };
    for sort in ["uptime", "effectiveness"] {
        let unknown = list(sort).await;
        assert_eq!(unknown[0]["uptime_30d"], Value::Null);
        assert_eq!(unknown[0]["effectiveness"], Value::Null);
    }
    market.node.mine(600).unwrap();
    market.leasing.block_watch().round().await.unwrap();
    for (sort, field) in [("uptime", "uptime_30d"), ("effectiveness", "effectiveness")] {
        let sorted = list(sort).await;
        let shares = sorted.as_array().unwrap().iter();
        let shares: Vec<f64> = shares
            .map(|it| it[field].as_f64().unwrap_or(-1.0))
            .collect();
        assert_eq!(shares.len(), 3);
        assert!(shares[0] > 0.5 && shares[0] <= 1.0, "{shares:?}");
        assert!(shares.is_sorted_by(|a, b| a >= b), "{sort} {shares:?}");
    }
    let path = format!("/v1/validators/{}", ids[0]);
    let one = market.send(Ask::get(&path)).await.data(200);
    assert!(one["effectiveness"].as_f64().unwrap() > 0.5);
}
