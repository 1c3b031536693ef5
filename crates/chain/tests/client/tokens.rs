//! Metadata and supplies of honest and of hostile tokens.

use crate::node::{Node, Reply, options, respond};
use chain::{RpcError, RpcOptions};
use market::{Refusal, TokenMetadata, TokenReading};
use primitives::{Address, BlockRef, Felt, U256, felt_to_hex, selector, short_string};
use serde_json::{Value, json};
use std::{num::NonZeroU32, time::Duration};

const AT: BlockRef = BlockRef {
    number: 7,
    hash: Felt::THREE,
};

fn address(number: u64) -> Address {
    Address::new(Felt::from(number))
}

const ENTRYPOINTS: [&str; 5] = ["name", "symbol", "decimals", "total_supply", "totalSupply"];

/// What shows that a node knows the state of a block.
const STATE: &str = "starknet_getClassHashAt";

/// The token and the entrypoint of a call, nothing for other questions.
fn target(call: &Value) -> (u64, &'static str) {
    let request = &call["params"]["request"];
    if request.is_null() {
        return (0, "");
    }
    let digits = request["contract_address"].as_str().unwrap();
    let token = u64::from_str_radix(digits.trim_start_matches("0x"), 16).unwrap();
    let entrypoint = ENTRYPOINTS
        .into_iter()
        .find(|name| request["entry_point_selector"] == felt_to_hex(selector(name)))
        .unwrap();
    (token, entrypoint)
}

fn short(text: &str) -> Value {
    json!([felt_to_hex(short_string(text))])
}

/// What an honest token answers.
fn honest(call: &Value) -> Value {
    match target(call).1 {
        "name" => json!(["0x0", felt_to_hex(short_string("Honest Coin")), "0xb"]),
        "symbol" => short("HON"),
        _ => json!(["0x12"]),
    }
}

fn honest_reading() -> TokenReading {
    TokenReading::Readable(TokenMetadata {
        name: "Honest Coin".into(),
        symbol: "HON".into(),
        decimals: 18,
    })
}

fn refused(refusal: Refusal) -> TokenReading {
    TokenReading::Refused(refusal)
}

#[tokio::test]
async fn tokens_are_read_at_the_block_once_each_and_sorted() {
    let node = Node::answering(|call| Ok(honest(call))).await;
    let tokens = [address(9), address(2), address(9)];
    let client = node.client();
    let task = tokio::spawn(async move { client.token_readings(&tokens, AT).await });
    let readings = task.await.unwrap().unwrap();
    assert_eq!(
        readings,
        [
            (address(2), honest_reading()),
            (address(9), honest_reading())
        ]
    );
    node.with_asked(|asked| {
        let calls: Vec<_> = asked
            .iter()
            .flat_map(|asked| asked.body.as_array().unwrap())
            .collect();
        assert_eq!(calls.len(), 6);
        for call in calls {
            assert_eq!(call["params"]["block_id"], json!({"block_hash": "0x3"}));
            assert_eq!(call["params"]["request"]["calldata"], json!([]));
        }
    });
    assert_eq!(node.client().token_readings(&[], AT).await.unwrap(), []);
}

#[tokio::test]
async fn a_hostile_token_is_refused_and_the_others_are_read() {
    let node = Node::answering(|call| match target(call) {
        _ if call["method"] == STATE => Ok(json!("0x1")),
        (1, _) => Err((20, "Contract not found")),
        (2, "symbol") => Err((40, "Contract error")),
        (3, "decimals") => Err((21, "Entrypoint does not exist")),
        (4, "decimals") => Err((-32_603, "ran out of steps")),
        (5, "name") => Ok(json!([])),
        (6, "symbol") => Ok(json!(["0x1", "0x2"])),
        (7, "decimals") => Ok(json!(["0x12", "0x0"])),
        (8, "name") => Ok(json!(vec!["0x41"; 65])),
        (9, "decimals") => Ok(json!(["0xff"])),
        (10, "symbol") => Ok(short("\u{1}\u{2}")),
        _ => Ok(honest(call)),
    })
    .await;
    let tokens: Vec<_> = (1..=11).map(address).collect();
    let readings = node.client().token_readings(&tokens, AT).await.unwrap();
    let expected = [
        refused(Refusal::Unanswered),
        refused(Refusal::Unanswered),
        refused(Refusal::Unanswered),
        refused(Refusal::Unanswered),
        refused(Refusal::Malformed),
        refused(Refusal::Malformed),
        refused(Refusal::Malformed),
        refused(Refusal::Malformed),
        refused(Refusal::Decimals),
        refused(Refusal::Invisible),
        honest_reading(),
    ];
    let expected: Vec<_> = tokens.into_iter().zip(expected).collect();
    assert_eq!(readings, expected);
}

#[tokio::test]
async fn an_endless_name_costs_only_its_own_token() {
    let node = Node::answering(|call| match target(call) {
        (2, "name") => Ok(json!(vec!["0x41"; 10_000])),
        _ => Ok(honest(call)),
    })
    .await;
    let narrow = RpcOptions {
        max_response_bytes: 10_000,
        ..options()
    };
    let tokens = [address(1), address(2), address(3)];
    let readings = node.client_with(narrow).token_readings(&tokens, AT).await;
    assert_eq!(
        readings.unwrap(),
        [
            (address(1), honest_reading()),
            (address(2), refused(Refusal::Malformed)),
            (address(3), honest_reading()),
        ]
    );
}

/// Silent whenever the name of token 2 is asked.
fn stuck_on_a_token(body: &Value) -> bool {
    let calls = body
        .as_array()
        .map_or(std::slice::from_ref(body), |calls| calls);
    calls
        .iter()
        .any(|call| call["method"] == "starknet_call" && target(call) == (2, "name"))
}

#[tokio::test]
async fn a_token_that_never_returns_is_refused_while_the_node_lives() {
    let node = Node::start(|_, body| {
        if stuck_on_a_token(body) {
            Reply::Silence
        } else {
            respond(body, |call| match call["method"].as_str() {
                Some(STATE) => Ok(json!("0x1")),
                _ => Ok(honest(call)),
            })
        }
    })
    .await;
    let hasty = RpcOptions {
        timeout: Duration::from_millis(500),
        attempts: NonZeroU32::new(2).unwrap(),
        ..options()
    };
    let readings = node
        .client_with(hasty)
        .token_readings(&[address(1), address(2)], AT)
        .await;
    assert_eq!(
        readings.unwrap(),
        [
            (address(1), honest_reading()),
            (address(2), refused(Refusal::Unanswered)),
        ]
    );
}

#[tokio::test]
async fn a_node_that_stopped_answering_is_no_verdict_on_its_tokens() {
    for reply in [(|| Reply::Silence) as fn() -> Reply, || {
        Reply::Status(502, None)
    }] {
        let node = Node::start(move |_, _| reply()).await;
        let hasty = RpcOptions {
            timeout: Duration::from_millis(20),
            ..options()
        };
        let error = node
            .client_with(hasty)
            .token_readings(&[address(1)], AT)
            .await
            .unwrap_err();
        assert!(error.is_transient(), "{error:?}");
    }
}

#[tokio::test]
async fn a_node_without_the_block_or_the_time_is_no_verdict_on_its_tokens() {
    let node = Node::answering(|_| Err((24, "Block not found"))).await;
    let error = node
        .client()
        .token_readings(&[address(1)], AT)
        .await
        .unwrap_err();
    assert!(error.is_block_not_found(), "{error:?}");

    let node = Node::answering(|_| Err((-32_005, "limit exceeded"))).await;
    let error = node
        .client()
        .token_readings(&[address(1)], AT)
        .await
        .unwrap_err();
    assert!(matches!(error, RpcError::Node { .. }), "{error:?}");
}

#[tokio::test]
async fn supplies_are_read_at_the_block_by_either_name_and_in_order() {
    let node = Node::answering(|call| match target(call) {
        (1, "total_supply") => Ok(json!(["0x5", "0x1"])),
        (2, "totalSupply") => Ok(json!(["0x7", "0x0"])),
        _ => Err((21, "Entrypoint does not exist")),
    })
    .await;
    let tokens = [2, 1, 3, 2].map(address);
    let client = node.client();
    let task = tokio::spawn(async move { client.total_supplies(&tokens, AT).await });
    let supplies = task.await.unwrap().unwrap();
    let seven = Some(U256::from(7));
    let wide = Some((U256::ONE << 128) + U256::from(5));
    assert_eq!(supplies, [seven, wide, None, seven]);
    node.with_asked(|asked| {
        let bodies = asked.iter().map(|asked| &asked.body);
        let calls: Vec<_> = bodies.flat_map(|body| body.as_array().unwrap()).collect();
        let second = calls
            .iter()
            .map(|call| target(call))
            .filter(|(_, name)| *name == "totalSupply");
        assert_eq!(
            second.map(|(token, _)| token).collect::<Vec<_>>(),
            [2, 3, 2]
        );
        assert_eq!(calls.len(), 7);
        for call in calls {
            assert_eq!(call["params"]["block_id"], json!({"block_hash": "0x3"}));
            assert_eq!(call["params"]["request"]["calldata"], json!([]));
        }
    });
    assert_eq!(node.client().total_supplies(&[], AT).await.unwrap(), []);
}

#[tokio::test]
async fn a_supply_that_is_no_number_of_256_bits_is_none() {
    let node = Node::answering(|call| {
        let over = "0x100000000000000000000000000000000";
        Ok(match target(call).0 {
            1 => json!([]),
            2 => json!(["0x1"]),
            3 => json!(["0x1", "0x0", "0x0"]),
            4 => json!([over, "0x0"]),
            5 => json!(["0x0", over]),
            6 => json!(vec!["0x1"; 65]),
            _ => json!(["0x0", "0x0"]),
        })
    })
    .await;
    let tokens: Vec<_> = (1..=7).map(address).collect();
    let supplies = node.client().total_supplies(&tokens, AT).await.unwrap();
    let expected = [None, None, None, None, None, None, Some(U256::ZERO)];
    assert_eq!(supplies, expected);
}

#[tokio::test]
async fn a_supply_that_never_comes_is_none_while_the_node_lives() {
    let node = Node::start(|_, body| {
        let calls = body
            .as_array()
            .map_or(std::slice::from_ref(body), |calls| calls);
        let is_stuck = |call: &Value| call["method"] == "starknet_call" && target(call).0 == 2;
        if calls.iter().any(is_stuck) {
            return Reply::Silence;
        }
        respond(body, |call| match call["method"].as_str() {
            Some(STATE) => Ok(json!("0x1")),
            _ => Ok(json!(["0x9", "0x0"])),
        })
    })
    .await;
    let hasty = RpcOptions {
        timeout: Duration::from_millis(500),
        attempts: NonZeroU32::new(2).unwrap(),
        ..options()
    };
    let client = node.client_with(hasty);
    let supplies = client.total_supplies(&[address(1), address(2)], AT).await;
    assert_eq!(supplies.unwrap(), [Some(U256::from(9)), None]);
}

#[tokio::test]
async fn what_a_node_says_of_itself_is_no_verdict_on_tokens() {
    for code in [-32_603, -32_000, 1, 163] {
        let node = Node::answering(move |_| Err((code, "the state is pruned"))).await;
        let tokens = [address(1), address(2)];
        let error = node.client().token_readings(&tokens, AT).await;
        assert!(matches!(error, Err(RpcError::Node { .. })), "{error:?}");
        let error = node.client().total_supplies(&tokens, AT).await;
        assert!(matches!(error, Err(RpcError::Node { .. })), "{error:?}");
        let error = node.client().check_calls(address(1), AT).await;
        assert!(matches!(error, Err(RpcError::Node { .. })), "{error:?}");
    }
    for code in [20, 21, 40] {
        let node = Node::answering(move |_| Err((code, "no"))).await;
        node.client().check_calls(address(1), AT).await.unwrap();
        let supplies = node.client().total_supplies(&[address(1)], AT).await;
        assert_eq!(supplies.unwrap(), [None]);
    }
}

#[tokio::test]
async fn a_node_that_fails_is_no_verdict_on_supplies() {
    let node = Node::answering(|_| Err((24, "Block not found"))).await;
    let error = node.client().total_supplies(&[address(1)], AT).await;
    assert!(error.unwrap_err().is_block_not_found());

    let node = Node::answering(|_| Err((-32_005, "limit exceeded"))).await;
    let error = node.client().total_supplies(&[address(1)], AT).await;
    assert!(matches!(error.unwrap_err(), RpcError::Node { .. }));

    let node = Node::start(|_, _| Reply::Status(502, None)).await;
    let error = node.client().total_supplies(&[address(1)], AT).await;
    assert!(error.unwrap_err().is_transient());
}
