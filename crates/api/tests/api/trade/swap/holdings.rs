//! What the taker has and allows, as far as a node tells.

use super::support::{AMOUNT, Desk, ETH, STRK, USDC, address, hex, sale};
use api::Dialect;
use primitives::{Address, Felt, U256};
use serde_json::{Value, json};
use simnet::{FaultKind, StarknetNode};
use std::time::Duration;
use trading::Call;
use world::swap_options;

/// Allows the exchange so much of a token of the world's trader.
async fn allow(desk: &mut Desk, token: &str, amount: u128) {
    let spender = StarknetNode::exchange().felt();
    let approve = Call {
        to: address(&json!(token)),
        entrypoint: "approve",
        calldata: vec![spender, Felt::from(amount), Felt::ZERO],
    };
    desk.world.execute(&[approve]).await;
    desk.station.sync().await;
}

async fn entrypoints(desk: &Desk, quote: &Value, more: Value) -> Vec<String> {
    let built = desk.built(quote, more).await;
    let calls = built["calls"].as_array().unwrap().iter();
    calls
        .map(|call| call["entrypoint"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn an_approval_that_is_not_needed_is_left_out() {
    let mut desk = Desk::new().await;
    let sold = hex(&json!(AMOUNT));
    let taker = json!({"takerAddress": desk.trader(), "slippage": 1});
    for (allowed, calls) in [
        (sold - 1, &["approve", "multi_route_swap"][..]),
        (sold, &["multi_route_swap"]),
        (u128::MAX, &["multi_route_swap"]),
        (0, &["approve", "multi_route_swap"]),
    ] {
        allow(&mut desk, ETH, allowed).await;
        let quote = desk.quote(&sale(AMOUNT)).await;
        assert_eq!(
            entrypoints(&desk, &quote, taker.clone()).await,
            calls,
            "{allowed}"
        );
    }
}

#[tokio::test]
async fn a_purchase_needs_an_allowance_of_its_maximum() {
    let mut desk = Desk::new().await;
    let query = format!("sellTokenAddress={STRK}&buyTokenAddress={USDC}&buyAmount=100000000");
    let most = hex(&desk.quote(&query).await["sellAmount"]) * 11 / 10;
    allow(&mut desk, STRK, most).await;
    let quote = desk.quote(&query).await;
    let taker = desk.trader();
    let with = |slippage: f64| json!({"takerAddress": taker, "slippage": slippage});
    assert_eq!(
        entrypoints(&desk, &quote, with(0.05)).await,
        ["swap_exact_token_to"]
    );
    assert_eq!(
        entrypoints(&desk, &quote, with(0.5)).await,
        ["approve", "swap_exact_token_to"]
    );
}

#[tokio::test]
async fn an_approval_stays_where_the_allowance_is_not_known_or_not_the_takers() {
    let mut desk = Desk::new().await;
    allow(&mut desk, ETH, u128::MAX).await;
    let quote = desk.quote(&sale(AMOUNT)).await;
    let both = ["approve", "multi_route_swap"];
    let private = json!({"private": true, "slippage": 1});
    assert_eq!(entrypoints(&desk, &quote, private).await, both);
    let other = json!({"takerAddress": "0x77", "slippage": 1});
    assert_eq!(entrypoints(&desk, &quote, other).await, both);
    let node = &desk.world.node;
    node.fault("starknet_call", FaultKind::Malformed, 1_000)
        .unwrap();
    let own = json!({"takerAddress": desk.trader(), "slippage": 1});
    assert_eq!(entrypoints(&desk, &quote, own.clone()).await, both);
    node.clear_faults("starknet_call");
    assert_eq!(entrypoints(&desk, &quote, own).await, ["multi_route_swap"]);
}

/// How much the world's trader has of a token.
async fn balance(desk: &Desk, token: &str) -> U256 {
    let (token, owner): (Address, Address) = (address(&json!(token)), desk.world.trader().address);
    let at = desk.world.node.head();
    let told = desk.world.client.balance(token, owner, at).await;
    told.unwrap().unwrap()
}

#[tokio::test]
async fn an_order_beyond_the_takers_balance_is_quoted_and_says_so() {
    let desk = Desk::new().await;
    let held = balance(&desk, ETH).await;
    assert!(held > U256::ZERO);
    for (amount, taker, exceeds) in [
        (held, desk.trader(), json!(false)),
        (held + U256::from(1), desk.trader(), json!(true)),
        (held / U256::from(1_000), "0x77".to_owned(), json!(true)),
    ] {
        let query = format!("{}&takerAddress={taker}", sale(&amount.to_string()));
        let quote = desk.quote(&query).await;
        assert_eq!(quote["exceedsBalance"], exceeds, "{query}");
    }
}

#[tokio::test]
async fn without_a_taker_or_an_answer_nothing_is_said_of_balances() {
    let desk = Desk::new().await;
    for query in [sale(AMOUNT), format!("{}&takerAddress=0x0", sale(AMOUNT))] {
        assert_eq!(desk.quote(&query).await.get("exceedsBalance"), None);
    }
    let node = &desk.world.node;
    let query = format!("{}&takerAddress={}", sale(AMOUNT), desk.trader());
    node.fault("starknet_call", FaultKind::Malformed, 1_000)
        .unwrap();
    assert_eq!(desk.quote(&query).await.get("exceedsBalance"), None);
    node.clear_faults("starknet_call");
    assert!(desk.quote(&query).await["exceedsBalance"].is_boolean());
}

#[tokio::test]
async fn nobody_waits_long_for_a_node_that_is_slow() {
    let mut options = swap_options();
    options.patience = Duration::from_millis(50);
    let mut desk = Desk::with(Dialect::Plain, options).await;
    allow(&mut desk, ETH, u128::MAX).await;
    // The exchange's terms for these tokens are known from here on.
    desk.quote(&sale(AMOUNT)).await;
    let slow = FaultKind::Delay(Duration::from_secs(20));
    let node = &desk.world.node;
    node.fault("starknet_call", slow, 1_000).unwrap();
    let query = format!("{}&takerAddress={}", sale(AMOUNT), desk.trader());
    let quote = desk.quote(&query).await;
    assert_eq!(quote.get("exceedsBalance"), None);
    let calls = entrypoints(&desk, &quote, json!({"slippage": 1})).await;
    assert_eq!(calls, ["approve", "multi_route_swap"]);
}

#[tokio::test]
async fn the_other_dialect_says_nothing_of_balances() {
    let desk = Desk::with(Dialect::Avnu, swap_options()).await;
    let query = format!("{}&takerAddress={}", sale(AMOUNT), desk.trader());
    assert_eq!(desk.quote(&query).await.get("exceedsBalance"), None);
}
