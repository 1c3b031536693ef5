//! Paying with a wallet.

use super::support::{Ask, BASE_URL, Market, OFFER, Offer};
use crate::support::Answer;
use axum::http::{Method, Request};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use primitives::SignedDuration;
use serde_json::{Value, json};
use simnet::FaultKind;

/// A booked lease and the path of its payment.
async fn booked(market: &Market) -> (String, String) {
    let id = market.register(0, OFFER).await;
    let booked = market.book(&id).await;
    let memo = booked["payment"]["memo"].as_str().unwrap();
    let lease = booked["lease_id"].as_str().unwrap().to_owned();
    (lease, format!("/v1/chain-pay/{memo}"))
}

async fn pay(market: &Market, path: &str, account: Value) -> Answer {
    let answer = market
        .send(Ask::post(path).json(&json!({"account": account})))
        .await;
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    answer
}

/// A refusal that wallets can show.
#[track_caller]
fn shown(answer: &Answer, status: u16, slug: &str) {
    let problem = answer.problem(status, slug);
    let message = problem["message"].as_str().unwrap();
    assert!(message.chars().count() <= 80, "{message}");
    assert!(!message.contains(['`', '{', '_']), "{message}");
    assert_ne!(message, api::Slug::named(slug).unwrap().entry().meaning);
}

#[tokio::test]
async fn the_payee_is_the_same_for_every_memo() {
    let market = Market::new().await;
    let (_, path) = booked(&market).await;
    let real = market.send(Ask::get(&path)).await;
    assert_eq!(real.status, 200);
    assert_eq!(
        real.json(),
        json!({"label": "Stoa validator leases", "icon": format!("{BASE_URL}/icons/lease.svg")})
    );
    for memo in [
        "nothing",
        "01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "%F0%9F%8C%8A",
        "%FF",
        "x%2Fy",
    ] {
        for prefix in ["/v1/chain-pay", "/v1/solana-pay"] {
            let other = market.send(Ask::get(&format!("{prefix}/{memo}"))).await;
            assert_eq!(
                (other.status, &other.body),
                (real.status, &real.body),
                "{memo}"
            );
        }
    }
    // Not even the store is asked.
    market.bench.store.close().await;
    assert_eq!(market.send(Ask::get(&path)).await.body, real.body);
}

#[tokio::test]
async fn the_icon_is_a_picture_of_ours() {
    let market = Market::new().await;
    let icon = market.send(Ask::get("/icons/lease.svg")).await;
    assert_eq!(
        (icon.status.as_u16(), icon.header("content-type")),
        (200, Some("image/svg+xml"))
    );
    assert!(icon.text().starts_with("<svg "));
    assert!(icon.header("cache-control").unwrap().starts_with("public"));
}

#[tokio::test]
async fn pages_of_wallets_may_ask() {
    let market = Market::new().await;
    let preflight = Request::builder()
        .method(Method::OPTIONS)
        .uri("/v1/chain-pay/x")
        .header("origin", "https://wallet.example")
        .header("access-control-request-method", "POST")
        .header(
            "access-control-request-headers",
            "content-type,accept,cache-control",
        );
    let answer = market.bench.send(preflight).await;
    assert_eq!(answer.status, 204);
    assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    let allowed = answer.header("access-control-allow-headers").unwrap();
    for header in ["content-type", "accept", "cache-control"] {
        assert!(allowed.split(", ").any(|it| it == header), "{allowed}");
    }
}

#[tokio::test]
async fn a_lease_is_paid_by_the_transaction_that_is_given() {
    let market = Market::new().await;
    let (lease, path) = booked(&market).await;
    let payer = market.wallet(3);
    // Wallets may add fields.
    let body = json!({"account": payer.public_key(), "redirect": "x", "version": 2});
    let answer = market.send(Ask::post(&path).json(&body)).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let told = answer.json();
    let members: Vec<_> = told.as_object().unwrap().keys().collect();
    assert_eq!(members, ["message", "transaction"]);
    assert!(told["message"].as_str().unwrap().chars().count() <= 80);
    let mut bytes = BASE64_STANDARD
        .decode(told["transaction"].as_str().unwrap())
        .unwrap();
    assert_eq!(
        (bytes[0], &bytes[1..65]),
        (1, [0; 64].as_slice()),
        "it is not signed"
    );
    let signature = payer.sign(&bytes[65..]);
    bytes[1..65].copy_from_slice(signature.as_bytes());
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "sendTransaction",
        "params": [BASE64_STANDARD.encode(&bytes), {"encoding": "base64"}]});
    let client = reqwest::Client::new().post(market.node_url.clone());
    let sent = client
        .header("content-type", "application/json")
        .body(call.to_string());
    let sent = sent.send().await.unwrap().text().await.unwrap();
    assert!(sent.contains(&signature.to_string()), "{sent}");
    market.node.mine(10).unwrap();
    market.leasing.settlement().round().await.unwrap();
    let view = market.lease(&lease).await;
    assert_eq!(view["state"], "active");
    assert_eq!(view["settled_signature"], signature.to_string());
    assert_eq!(view["payer"], payer.public_key().to_string());
    assert_eq!(view["payment"], Value::Null);
    let again = pay(&market, &path, json!(payer.public_key())).await;
    shown(&again, 404, "chain-pay-memo-not-found");
    let cancel = Ask::post(&format!("/v1/leases/{lease}/cancel")).by(&market.trader);
    market.send(cancel).await.problem(422, "lease-not-active");
}

#[tokio::test]
async fn accounts_that_cannot_pay_are_refused() {
    let market = Market::new().await;
    let (_, path) = booked(&market).await;
    for account in ["", "0OIl", "abc", &"1".repeat(500)] {
        shown(
            &pay(&market, &path, json!(account)).await,
            422,
            "invalid-account",
        );
    }
    let platform = market.wallet(0).public_key();
    shown(
        &pay(&market, &path, json!(platform)).await,
        422,
        "invalid-account",
    );
    shown(
        &pay(&market, &path, json!(market.payout())).await,
        409,
        "payer-is-payout-wallet",
    );
    for body in [
        json!({}),
        json!({"account": 7}),
        json!([]),
        json!({"account": null}),
    ] {
        shown(
            &market.send(Ask::post(&path).json(&body)).await,
            400,
            "malformed-request",
        );
    }
    shown(
        &market.send(Ask::post(&path).raw("{}")).await,
        415,
        "unsupported-media-type",
    );
    let alias = path.replace("chain-pay", "solana-pay");
    shown(
        &pay(&market, &alias, json!("abc")).await,
        422,
        "invalid-account",
    );
}

#[tokio::test]
async fn a_memo_can_be_paid_for_15_minutes() {
    let market = Market::new().await;
    let (_, path) = booked(&market).await;
    let account = json!(market.wallet(3).public_key());
    for unknown in ["nothing", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "%F0%9F%8C%8A"] {
        let answer = pay(
            &market,
            &format!("/v1/chain-pay/{unknown}"),
            account.clone(),
        )
        .await;
        shown(&answer, 404, "chain-pay-memo-not-found");
    }
    market
        .bench
        .clock
        .advance(SignedDuration::from_secs(15 * 60 - 1));
    assert_eq!(pay(&market, &path, account.clone()).await.status, 200);
    market.bench.clock.advance(SignedDuration::from_secs(1));
    shown(
        &pay(&market, &path, account).await,
        404,
        "chain-pay-memo-not-found",
    );
}

#[tokio::test]
async fn a_booking_that_was_given_up_cannot_be_paid() {
    let market = Market::new().await;
    let (lease, path) = booked(&market).await;
    let cancel = Ask::post(&format!("/v1/leases/{lease}/cancel")).by(&market.trader);
    market.send(cancel).await.data(200);
    let answer = pay(&market, &path, json!(market.wallet(3).public_key())).await;
    shown(&answer, 404, "chain-pay-memo-not-found");
    let told = answer.problem(404, "chain-pay-memo-not-found");
    let shown = "There is nothing to pay here any more. Please book again.";
    assert_eq!(told["message"], shown);
}

#[tokio::test]
async fn a_payment_that_the_chain_would_refuse_is_not_asked_for() {
    let market = Market::new().await;
    let tiny = Offer {
        price_sol: "0.000000001",
        shared: None,
        ..OFFER
    };
    let id = market.register(0, tiny).await;
    // A wallet that nobody ever paid anything into.
    let empty = primitives::PublicKey::from_bytes([9; 32]);
    let change = market.payout_change(0, empty);
    let put = Ask::new("PUT", "/v1/validators/payout-wallet")
        .by(&market.owner)
        .json(&change);
    let view = market.send(put).await.data(200);
    assert_eq!(view["warnings"][0]["code"], "payout-below-rent");
    let booked = market.book(&id).await;
    let path = format!(
        "/v1/chain-pay/{}",
        booked["payment"]["memo"].as_str().unwrap()
    );
    let answer = pay(&market, &path, json!(market.wallet(3).public_key())).await;
    shown(&answer, 422, "payment-below-rent");
}

#[tokio::test]
async fn a_node_that_is_away_is_told_to_the_wallet() {
    let market = Market::new().await;
    let (_, path) = booked(&market).await;
    market.node.fault("*", FaultKind::Http5xx, 1_000).unwrap();
    let answer = pay(&market, &path, json!(market.wallet(3).public_key())).await;
    shown(&answer, 503, "chain-rpc-unavailable");
}
