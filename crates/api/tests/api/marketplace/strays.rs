//! Money that came and paid for nothing, as traders and staff see it.

use super::support::{Ask, Market, OFFER};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde_json::{Value, json};

const STRAYS: &str = "/v1/admin/strays";

/// Pays a booking with a transaction that has lost its memo.
async fn pay_without_memo(market: &Market, booked: &Value) {
    let memo = booked["payment"]["memo"].as_str().unwrap();
    let payer = market.wallet(3);
    let unsigned = market
        .leasing
        .payments
        .transaction(memo, payer.public_key())
        .await;
    let mut bytes = unsigned.unwrap().transaction;
    let count = 69 + usize::from(bytes[68]) * 32 + 32;
    let end = count + 4 + usize::from(bytes[count + 3]);
    bytes[count] -= 1;
    bytes.drain(count + 1..end);
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
}

#[tokio::test]
async fn what_was_paid_without_a_memo_is_shown_to_its_trader_and_to_staff() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let booked = market.book(&id).await;
    pay_without_memo(&market, &booked).await;
    let lease = booked["lease_id"].as_str().unwrap();
    let path = format!("/v1/leases/{lease}");
    let view = market.send(Ask::get(&path).by(&market.trader)).await;
    let view = view.data(200);
    assert_eq!(view["state"], "pending_payment");
    let stray = &view["strays"][0];
    assert_eq!(stray["reason"], "unnamed");
    assert_eq!(stray["payer"], market.wallet(3).public_key().to_string());
    assert_eq!(
        stray["payout_lamports"],
        booked["payment"]["payout_lamports"]
    );
    let list = |query: &str| Ask::get(&format!("{STRAYS}{query}"));
    let page = market.send(list("").by(&market.staff)).await;
    assert_eq!(page.status, 200, "{}", page.text());
    let item = &page.json()["data"][0];
    assert_eq!(item["signature"], stray["signature"]);
    assert_eq!(
        item["payments"],
        json!([{"memo": booked["payment"]["memo"], "lease_id": lease, "reason": "unnamed"}])
    );
    assert_eq!(item["legs"][0]["lamports"], stray["payout_lamports"]);
    for (reason, count) in [("unnamed", 1), ("short", 0)] {
        let query = format!("?reason={reason}");
        let page = market.send(list(&query).by(&market.staff)).await.json();
        assert_eq!(page["data"].as_array().unwrap().len(), count);
    }
}

#[tokio::test]
async fn staff_asks_back_what_paid_for_nothing_and_whoever_has_it_pays() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let booked = market.book(&id).await;
    pay_without_memo(&market, &booked).await;
    let page = market.send(Ask::get(STRAYS).by(&market.staff)).await.json();
    let stray = &page["data"][0];
    assert_eq!(stray["legs"][0]["refund_id"], Value::Null);
    let path = format!("{STRAYS}/{}/refunds", stray["signature"].as_str().unwrap());
    market
        .send(Ask::post(&path))
        .await
        .problem(401, "auth-required");
    for person in [&market.trader, &market.owner] {
        let answer = market.send(Ask::post(&path).by(person)).await;
        answer.problem(403, "forbidden");
    }
    for nothing in ["x".to_owned(), "1".repeat(64)] {
        let ask = Ask::post(&format!("{STRAYS}/{nothing}/refunds")).by(&market.staff);
        market.send(ask).await.problem(404, "not-found");
    }
    let owed = market
        .send(Ask::post(&path).by(&market.staff))
        .await
        .data(200);
    let again = market
        .send(Ask::post(&path).by(&market.staff))
        .await
        .data(200);
    assert_eq!(owed, again, "once");
    // There is no fee: the validator has all of it.
    assert_eq!(owed.as_array().unwrap().len(), 1);
    assert_eq!(owed[0]["debtor"], "validator");
    assert_eq!(owed[0]["stray_signature"], stray["signature"]);
    assert_eq!(
        owed[0]["amount_lamports"],
        booked["payment"]["payout_lamports"]
    );
    let payer = market.wallet(3).public_key().to_string();
    assert_eq!(owed[0]["creditor_wallet"], payer);
    let page = market.send(Ask::get(STRAYS).by(&market.staff)).await.json();
    assert_eq!(page["data"][0]["legs"][0]["refund_id"], owed[0]["id"]);
    // Its owner and its trader see it, and the owner's wallet can pay it.
    let listed = market
        .send(Ask::get("/v1/refunds").by(&market.owner))
        .await
        .json();
    assert_eq!(listed["data"][0]["id"], owed[0]["id"]);
    let lease = market.lease(booked["lease_id"].as_str().unwrap()).await;
    assert_eq!(lease["refunds"][0]["id"], owed[0]["id"]);
    let memo = format!("/v1/chain-pay/{}", owed[0]["memo"].as_str().unwrap());
    let wallet = market.wallet(1).public_key();
    let ask = Ask::post(&memo).json(&json!({"account": wallet}));
    let answer = market.send(ask).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
}

#[tokio::test]
async fn strays_go_on_from_page_to_page() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    for ahead in [1, 4, 8] {
        let body = super::support::booking(&id, market.epoch() + ahead, 1);
        let booked = market.ask_to_book(&market.trader, &body).await.data(201);
        pay_without_memo(&market, &booked).await;
    }
    let mut seen = Vec::new();
    let mut path = format!("{STRAYS}?limit=2");
    loop {
        let page = market.send(Ask::get(&path).by(&market.staff)).await.json();
        let items = page["data"].as_array().unwrap();
        seen.extend(items.iter().map(|item| item["slot"].as_u64().unwrap()));
        let Some(cursor) = page["meta"]["next_cursor"].as_str() else {
            break;
        };
        path = format!("{STRAYS}?limit=2&cursor={cursor}");
    }
    assert_eq!(seen.len(), 3);
    assert!(seen.is_sorted_by(|newer, older| newer > older), "{seen:?}");
}

#[tokio::test]
async fn only_staff_sees_all_strays() {
    let market = Market::new().await;
    for person in [&market.trader, &market.owner] {
        let answer = market.send(Ask::get(STRAYS).by(person)).await;
        answer.problem(403, "forbidden");
    }
    market
        .send(Ask::get(STRAYS))
        .await
        .problem(401, "auth-required");
    for (query, slug) in [
        ("?limit=51", "invalid-limit"),
        ("?cursor=x", "invalid-cursor"),
        ("?reason=none", "malformed-request"),
    ] {
        let ask = Ask::get(&format!("{STRAYS}{query}")).by(&market.staff);
        market.send(ask).await.problem(400, slug);
    }
}
