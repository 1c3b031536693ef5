//! Quotes made into calls.

use super::support::{AMOUNT, Desk, ETH, STRK, USDC, address, calls, hex, sale};
use api::Dialect;
use primitives::{SignedDuration, U256};
use serde_json::{Value, json};
use world::swap_options;

const UNKNOWN: &str = "6f0c2b1e-8a57-4c0f-9d5e-2b7f3a1c4d60";

/// What the calls of a quote do at its block.
async fn executed(desk: &Desk, quote: &Value, built: &Value) -> (u128, u128) {
    let at = desk.station.snapshots.load().unwrap().head;
    let tokens = [&quote["sellTokenAddress"], &quote["buyTokenAddress"]].map(address);
    let funds = U256::from(hex(&quote["sellAmount"])) * U256::from(2);
    let trader = desk.world.trader();
    let outcome = trader
        .try_out(at, tokens, funds, &calls(built))
        .await
        .unwrap();
    let number = |amount: U256| u128::try_from(amount).unwrap();
    (number(outcome.spent), number(outcome.received))
}

#[tokio::test]
async fn the_calls_of_a_quote_pay_what_it_says() {
    let desk = Desk::new().await;
    let purchase = format!("sellTokenAddress={STRK}&buyTokenAddress={USDC}&buyAmount=100000000");
    for query in [sale(AMOUNT), purchase] {
        let quote = desk.quote(&query).await;
        let built = desk
            .built(&quote, json!({"takerAddress": desk.trader()}))
            .await;
        assert_eq!(built["chainId"], "0x534e5f53544f41");
        assert!(built.get("executorAddress").is_none());
        assert_eq!(
            executed(&desk, &quote, &built).await,
            (hex(&quote["sellAmount"]), hex(&quote["buyAmount"]))
        );
    }
}

#[tokio::test]
async fn a_sale_allows_the_exchange_what_it_sells_and_names_the_minimum() {
    let desk = Desk::new().await;
    let quote = desk.quote(&sale(AMOUNT)).await;
    let bought = hex(&quote["buyAmount"]);
    for (slippage, least) in [
        (json!(0), bought),
        (json!(0.005), bought * 995 / 1_000),
        (json!(1), 0),
        (Value::Null, bought * 95 / 100),
    ] {
        let more = json!({"takerAddress": "0x77", "slippage": slippage});
        let built = desk.built(&quote, more).await;
        let [approve, swap] = built["calls"].as_array().unwrap().as_slice() else {
            panic!("{built}");
        };
        assert_eq!(approve["contractAddress"], ETH);
        assert_eq!(approve["entrypoint"], "approve");
        let exchange = swap["contractAddress"].clone();
        assert_eq!(approve["calldata"], json!([exchange, AMOUNT, "0x0"]));
        assert_eq!(swap["entrypoint"], "multi_route_swap");
        let least = format!("{least:#x}");
        assert_eq!(
            swap["calldata"].as_array().unwrap()[..11],
            json!([
                ETH,
                AMOUNT,
                "0x0",
                USDC,
                quote["buyAmount"],
                "0x0",
                least,
                "0x0",
                "0x77",
                "0x0",
                "0x0"
            ])
            .as_array()
            .unwrap()[..]
        );
    }
}

#[tokio::test]
async fn a_purchase_allows_the_exchange_the_maximum() {
    let desk = Desk::new().await;
    let query = format!("sellTokenAddress={STRK}&buyTokenAddress={USDC}&buyAmount=100000000");
    let quote = desk.quote(&query).await;
    let more = json!({"takerAddress": "0x77", "slippage": 0.01});
    let built = desk.built(&quote, more).await;
    let (approve, swap) = (&built["calls"][0], &built["calls"][1]);
    let sold = hex(&quote["sellAmount"]);
    let most = format!("{:#x}", sold + sold / 100);
    assert_eq!(approve["calldata"][1], most);
    assert_eq!(swap["entrypoint"], "swap_exact_token_to");
    assert_eq!(swap["calldata"][1], quote["sellAmount"]);
    assert_eq!(swap["calldata"][3], most);
}

#[tokio::test]
async fn the_approval_is_left_out_on_request() {
    let desk = Desk::new().await;
    let quote = desk.quote(&sale(AMOUNT)).await;
    let count = async |more: Value| {
        let built = desk.built(&quote, more).await;
        built["calls"].as_array().unwrap().len()
    };
    assert_eq!(count(json!({"takerAddress": "0x77"})).await, 2);
    assert_eq!(
        count(json!({"takerAddress": "0x77", "includeApprove": null})).await,
        2
    );
    assert_eq!(
        count(json!({"takerAddress": "0x77", "includeApprove": true})).await,
        2
    );
    assert_eq!(
        count(json!({"takerAddress": "0x77", "includeApprove": false})).await,
        1
    );
}

#[tokio::test]
async fn the_taker_is_whom_the_body_names_or_else_the_quote() {
    let desk = Desk::new().await;
    let taker = |built: &Value| built["calls"][1]["calldata"][8].clone();
    let quote = desk
        .quote(&format!("{}&takerAddress=0x55", sale(AMOUNT)))
        .await;
    assert_eq!(taker(&desk.built(&quote, json!({})).await), "0x55");
    let other = json!({"takerAddress": "0x0066"});
    assert_eq!(taker(&desk.built(&quote, other).await), "0x66");
    let nobody = json!({"takerAddress": "0x0"});
    assert_eq!(taker(&desk.built(&quote, nobody).await), "0x55");
    for query in [sale(AMOUNT), format!("{}&takerAddress=0x0", sale(AMOUNT))] {
        let quote = desk.quote(&query).await;
        assert_eq!(
            desk.build(&quote, json!({})).await.refused(400),
            ["takerAddress is required: the quote was asked for without one"]
        );
    }
}

#[tokio::test]
async fn the_taker_of_a_private_swap_is_the_executor() {
    let desk = Desk::new().await;
    let quote = desk.quote(&sale(AMOUNT)).await;
    let built = desk
        .built(&quote, json!({"private": true, "includeApprove": false}))
        .await;
    let executor = simulated_executor();
    assert_eq!(built["executorAddress"], executor);
    assert_eq!(built["calls"].as_array().unwrap().len(), 2);
    assert_eq!(built["calls"][1]["calldata"][8], executor);
    let both = json!({"private": true, "takerAddress": "0x77"});
    assert_eq!(
        desk.build(&quote, both).await.refused(400),
        [
            "takerAddress and private exclude each other: the taker of a private swap is the \
             executor"
        ]
    );
    desk.built(&quote, json!({"private": true, "takerAddress": "0x0"}))
        .await;
}

fn simulated_executor() -> String {
    swap_options().executor.unwrap().to_string()
}

#[tokio::test]
async fn without_an_executor_there_are_no_private_swaps() {
    let mut options = swap_options();
    options.executor = None;
    let desk = Desk::with(Dialect::Plain, options).await;
    let quote = desk.quote(&sale(AMOUNT)).await;
    assert_eq!(
        desk.build(&quote, json!({"private": true}))
            .await
            .refused(400),
        ["private swaps are not offered here: no executor is configured"]
    );
}

#[tokio::test]
async fn a_quote_can_be_built_until_it_expires() {
    let desk = Desk::new().await;
    let quote = desk.quote(&sale(AMOUNT)).await;
    let taker = || json!({"takerAddress": "0x77"});
    desk.world
        .clock
        .advance(SignedDuration::from_millis(29_999));
    desk.built(&quote, taker()).await;
    desk.built(&quote, taker()).await;
    desk.world.clock.advance(SignedDuration::from_millis(1));
    let messages = desk.build(&quote, taker()).await.refused(400);
    assert!(
        messages[0].starts_with("QUOTE_EXPIRED: ") && messages[0].ends_with("ask for a new one"),
        "{messages:?}"
    );
    let unknown = json!({"quoteId": UNKNOWN});
    let messages = desk.build(&unknown, taker()).await.refused(400);
    assert!(messages[0].starts_with("QUOTE_EXPIRED: "), "{messages:?}");
}

#[tokio::test]
async fn a_quote_that_would_now_fail_is_not_built() {
    let mut desk = Desk::new().await;
    let back = format!("sellTokenAddress={USDC}&buyTokenAddress={ETH}&sellAmount=1000000000000");
    let there = desk.quote(&sale("400000000000000000000")).await;
    let quotes = [there, desk.quote(&back).await];
    let strict = || json!({"takerAddress": "0x77", "slippage": 0});
    for quote in &quotes {
        desk.built(quote, strict()).await;
    }
    // A price that moves is worse in one of the directions.
    let (quote, messages) = 'found: {
        for _ in 0..40 {
            desk.world.node.mine(1).unwrap();
            desk.station.sync().await;
            for quote in &quotes {
                let answer = desk.build(quote, strict()).await;
                if answer.status != 200 {
                    break 'found (quote, answer.refused(400));
                }
            }
        }
        panic!("no price moved");
    };
    assert!(
        messages[0].starts_with("SLIPPAGE_EXCEEDED: the trade would buy ")
            && messages[0].ends_with("; ask for a new quote, or allow more slippage"),
        "{messages:?}"
    );
    let lenient = json!({"takerAddress": "0x77", "slippage": 1});
    desk.built(quote, lenient).await;
}

#[tokio::test]
async fn each_wrong_value_of_a_body_is_named() {
    let desk = Desk::new().await;
    let slippage = |value: &str| format!("slippage must be a number from 0 to 1, \"{value}\" ");
    for (body, message) in [
        ("{}".to_owned(), "quoteId is required".to_owned()),
        (
            r#"{"quoteId": "abc"}"#.to_owned(),
            r#"quoteId must be a UUID, not "abc""#.to_owned(),
        ),
        (
            r#"{"quoteId": 7}"#.to_owned(),
            "quoteId must be a UUID, not \"7\"".to_owned(),
        ),
        (
            format!(r#"{{"quoteId": "{UNKNOWN}", "slippage": 1.000000000000000000001}}"#),
            slippage("1.000000000000000000001"),
        ),
        (
            format!(r#"{{"quoteId": "{UNKNOWN}", "slippage": -0.1}}"#),
            slippage("-0.1"),
        ),
        (
            format!(r#"{{"quoteId": "{UNKNOWN}", "slippage": true}}"#),
            slippage("true"),
        ),
        (
            format!(r#"{{"quoteId": "{UNKNOWN}", "takerAddress": "me"}}"#),
            "takerAddress \"me\" must begin with 0x".to_owned(),
        ),
        (
            format!(r#"{{"quoteId": "{UNKNOWN}", "takerAddress": 1}}"#),
            "takerAddress must be a text, not \"1\"".to_owned(),
        ),
        (
            format!(r#"{{"quoteId": "{UNKNOWN}", "includeApprove": 1}}"#),
            "includeApprove must be true or false, not \"1\"".to_owned(),
        ),
        (
            format!(r#"{{"quoteId": "{UNKNOWN}", "private": "true"}}"#),
            r#"private must be true or false, not the text "true""#.to_owned(),
        ),
    ] {
        let messages = desk.post(&body).await.refused(400);
        assert_eq!(messages.len(), 1, "{body}");
        assert!(messages[0].starts_with(&message), "{body}: {messages:?}");
    }
    let all = r#"{"slippage": 2, "takerAddress": "x", "includeApprove": 0, "private": 0}"#;
    assert_eq!(desk.post(all).await.refused(400).len(), 5);
    for list in [
        format!(r#"["{UNKNOWN}", "0x77", 0.1, true, false]"#),
        "[]".to_owned(),
    ] {
        let message = "request body: must be an object, not an array";
        assert_eq!(desk.post(&list).await.refused(400), [message]);
    }
    let broken = desk.post("{").await.refused(400);
    assert!(broken[0].starts_with("request body: "), "{broken:?}");
}
