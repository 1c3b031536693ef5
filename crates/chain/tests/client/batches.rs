//! Batches: split by the limit, put in order, and shrunk when a node cannot
//! answer them whole.

use crate::node::{Node, Reply, options, respond};
use chain::{Block, RpcError, RpcOptions};
use primitives::Felt;
use serde_json::{Value, json};
use std::collections::HashSet;

fn number(call: &Value) -> u64 {
    call["params"]["block_id"]["block_number"].as_u64().unwrap()
}

fn block(call: &Value) -> Value {
    let number = number(call);
    json!({
        "status": "ACCEPTED_ON_L2",
        "block_number": number,
        "block_hash": format!("{:#x}", number + 1),
        "parent_hash": format!("{number:#x}"),
        "new_root": "0x1",
        "timestamp": 1_700_000_000 + number,
        "transactions": [],
    })
}

fn blocks(body: &Value) -> Reply {
    respond(body, |call| Ok(block(call)))
}

fn assert_in_order(blocks: &[Block], numbers: impl Iterator<Item = u64>) {
    let found: Vec<_> = blocks
        .iter()
        .map(|block| (block.at.number, block.at.hash, block.parent_hash))
        .collect();
    let expected: Vec<_> = numbers
        .map(|number| (number, Felt::from(number + 1), Felt::from(number)))
        .collect();
    assert_eq!(found, expected);
}

#[tokio::test]
async fn a_range_is_asked_in_batches_and_returned_in_order() {
    let node = Node::start(|_, body| blocks(body)).await;
    let client = node.client();
    let task = tokio::spawn(async move { client.blocks(5..=15).await });
    let found = task.await.unwrap().unwrap();
    assert_in_order(&found, 5..=15);
    let mut sizes = node.batch_sizes();
    sizes.sort_unstable();
    assert_eq!(sizes, [3, 4, 4]);
    node.with_asked(|asked| {
        let ids = asked
            .iter()
            .flat_map(|asked| asked.body.as_array().unwrap());
        let ids: HashSet<_> = ids.map(|call| call["id"].as_u64().unwrap()).collect();
        assert_eq!(ids.len(), 11, "ids repeat");
    });
}

#[tokio::test]
async fn answers_may_come_in_any_order() {
    let node = Node::start(|_, body| match blocks(body) {
        Reply::Text(text) => {
            let mut answers: Vec<Value> = serde_json::from_str(&text).unwrap();
            answers.reverse();
            Value::from(answers).into()
        }
        reply => reply,
    })
    .await;
    assert_in_order(&node.client().blocks(0..=3).await.unwrap(), 0..=3);
    assert_eq!(node.requests(), 1);
}

#[tokio::test]
async fn a_batch_with_a_missing_answer_is_asked_again() {
    let node = Node::start(|nth, body| match blocks(body) {
        Reply::Text(text) if nth == 1 => {
            let mut answers: Vec<Value> = serde_json::from_str(&text).unwrap();
            answers.pop();
            Value::from(answers).into()
        }
        reply => reply,
    })
    .await;
    assert_in_order(&node.client().blocks(0..=3).await.unwrap(), 0..=3);
    assert_eq!(node.batch_sizes(), [4, 4]);
}

#[tokio::test]
async fn a_node_that_refuses_batches_is_asked_one_by_one() {
    for refusal in [
        (|| json!({"id": null, "error": {"code": -32_600, "message": "no batches"}}).into())
            as fn() -> Reply,
        || Reply::Status(400, None),
        || Reply::Status(413, None),
        || Reply::Status(500, None),
    ] {
        let node = Node::start(move |_, body| {
            if body.is_array() {
                refusal()
            } else {
                blocks(body)
            }
        })
        .await;
        assert_in_order(&node.client().blocks(0..=3).await.unwrap(), 0..=3);
        assert_eq!(node.batch_sizes(), [4, 2, 0, 0, 0, 0]);
    }
}

#[tokio::test]
async fn a_batch_that_answers_too_much_is_halved() {
    let node = Node::start(|_, body| blocks(body)).await;
    let Reply::Text(one) = blocks(&json!([{"id": 1, "params": {"block_id": {"block_number": 3}}}]))
    else {
        panic!("not a text")
    };
    let narrow = RpcOptions {
        max_response_bytes: one.len() * 3,
        ..options()
    };
    let found = node.client_with(narrow).blocks(0..=3).await.unwrap();
    assert_in_order(&found, 0..=3);
    assert_eq!(node.batch_sizes(), [4, 2, 2]);

    let too_narrow = RpcOptions {
        max_response_bytes: one.len() / 2,
        ..options()
    };
    let error = node
        .client_with(too_narrow)
        .blocks(0..=3)
        .await
        .unwrap_err();
    assert!(matches!(error, RpcError::TooLarge { .. }), "{error:?}");
}

#[tokio::test]
async fn a_node_in_trouble_with_one_block_of_a_batch_fails_after_bounded_requests() {
    let node = Node::answering(|call| match number(call) {
        1 => Err((-32_603, "internal error")),
        _ => Ok(block(call)),
    })
    .await;
    let error = node.client().blocks(0..=3).await.unwrap_err();
    assert!(matches!(error, RpcError::Node { .. }), "{error:?}");
    assert_eq!(node.batch_sizes(), [4, 2, 0, 0, 0, 0]);
}

#[tokio::test]
async fn a_busy_node_is_not_asked_for_the_same_in_more_requests() {
    let node = Node::start(|_, _| {
        json!({"id": null, "error": {"code": -32_005, "message": "limit exceeded"}}).into()
    })
    .await;
    let error = node.client().blocks(0..=3).await.unwrap_err();
    assert!(error.is_transient(), "{error:?}");
    assert_eq!(node.batch_sizes(), [4, 4, 4]);
}
