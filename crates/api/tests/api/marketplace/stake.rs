//! Stake checks, leader schedules and the epoch.

use super::support::{Ask, Market, OFFER};
use simnet::FaultKind;

#[tokio::test]
async fn stake_is_what_the_node_says() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let validator = market.validator(0);
    let identity = validator.identity.public_key();
    let of_id = market
        .send(Ask::get(&format!("/v1/validators/{id}/stake")))
        .await
        .data(200);
    let of_key = market
        .send(Ask::get(&format!("/v1/stake/{identity}")))
        .await
        .data(200);
    assert_eq!(of_id, of_key);
    assert_eq!(of_id["identity_pubkey"], identity.to_string());
    assert_eq!(of_id["epoch"], market.epoch());
    assert!(of_id["activated_stake_lamports"].as_u64().unwrap() > 0);
    let share = of_id["stake_share"].as_f64().unwrap();
    assert!(share > 0.0 && share < 1.0);
    let accounts = of_id["vote_accounts"].as_array().unwrap();
    assert_eq!(accounts.len(), validator.vote_accounts.len());
}

#[tokio::test]
async fn who_is_no_validator_has_no_stake() {
    let market = Market::new().await;
    let wallet = market.wallet(4).public_key();
    let answer = market.send(Ask::get(&format!("/v1/stake/{wallet}"))).await;
    answer.problem(422, "not-a-chain-validator");
    market
        .send(Ask::get("/v1/stake/abc"))
        .await
        .problem(400, "malformed-request");
    let unknown = "/v1/validators/01ARZ3NDEKTSV4RRFFQ69G5FAV/stake";
    market
        .send(Ask::get(unknown))
        .await
        .problem(404, "validator-not-found");
}

#[tokio::test]
async fn a_validator_that_left_the_chain_has_no_stake() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let market = market.on_another_chain().await;
    let path = format!("/v1/validators/{id}/stake");
    let answer = market.send(Ask::get(&path)).await;
    answer.problem(422, "not-a-chain-validator");
}

#[tokio::test]
async fn leaders_are_known_of_this_epoch_and_the_next() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let epoch = market.epoch();
    let path = format!("/v1/validators/{id}/leader-schedule");
    let now = market.send(Ask::get(&path)).await.data(200);
    assert_eq!(now["epoch"], epoch);
    let first = now["first_slot"].as_u64().unwrap();
    let end = first + now["slots_in_epoch"].as_u64().unwrap();
    let slots = now["slots"].as_array().unwrap();
    assert!(!slots.is_empty());
    assert!(
        slots
            .iter()
            .all(|slot| (first..end).contains(&slot.as_u64().unwrap()))
    );
    let all = market.send(Ask::get("/v1/leader-schedule")).await.data(200);
    assert_eq!(all["leaders"][0]["validator_id"], id);
    assert_eq!(&all["leaders"][0]["slots"], &now["slots"]);
    let next = market
        .send(Ask::get(&format!("{path}?epoch={}", epoch + 1)))
        .await
        .data(200);
    assert_eq!(next["first_slot"], end);
    for query in [
        format!("epoch={}", epoch + 2),
        format!("epoch={}", epoch - 1),
        "epoch=x".into(),
        "epoch=-1".into(),
    ] {
        for path in [&path, "/v1/leader-schedule"] {
            let answer = market.send(Ask::get(&format!("{path}?{query}"))).await;
            answer.problem(400, "invalid-epoch-range");
        }
    }
    let unknown = "/v1/validators/nonsense/leader-schedule";
    market
        .send(Ask::get(unknown))
        .await
        .problem(404, "validator-not-found");
}

#[tokio::test]
async fn a_node_that_fails_is_503_for_stakes_and_502_for_leaders() {
    let market = Market::new().await;
    let id = market.register(0, OFFER).await;
    let identity = market.validator(0).identity.public_key();
    // Votes are believed for a minute.
    market
        .bench
        .clock
        .advance(primitives::SignedDuration::from_secs(61));
    market.node.fault("*", FaultKind::Http5xx, 1_000).unwrap();
    for path in [
        format!("/v1/validators/{id}/stake"),
        format!("/v1/stake/{identity}"),
    ] {
        market
            .send(Ask::get(&path))
            .await
            .problem(503, "chain-rpc-unavailable");
    }
    for path in [
        format!("/v1/validators/{id}/leader-schedule"),
        "/v1/leader-schedule".into(),
    ] {
        market
            .send(Ask::get(&path))
            .await
            .problem(502, "chain-rpc-unavailable");
    }
    // The epoch is reckoned on.
    market.send(Ask::get("/v1/epoch")).await.data(200);
}

#[tokio::test]
async fn the_epoch_is_told_once_a_node_has_said_it() {
    let market = Market::new().await;
    let view = market.send(Ask::get("/v1/epoch")).await.data(200);
    assert_eq!(view["epoch"], market.epoch());
    assert!(view["slot_index"].as_u64().unwrap() < view["slots_in_epoch"].as_u64().unwrap());
    assert_eq!(view["silent_s"], 0);
    let without = Market::without_node().await;
    let answer = without.send(Ask::get("/v1/epoch")).await;
    answer.problem(503, "chain-rpc-unavailable");
}
