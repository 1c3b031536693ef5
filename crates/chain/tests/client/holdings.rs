//! What somebody has and lets others take.

use crate::node::{Node, Reply};
use primitives::{Address, BlockRef, Felt, U256, felt_to_hex, selector};
use serde_json::{Value, json};

const AT: BlockRef = BlockRef {
    number: 7,
    hash: Felt::THREE,
};

fn address(number: u64) -> Address {
    Address::new(Felt::from(number))
}

fn asks(call: &Value, entrypoint: &str) -> bool {
    call["params"]["request"]["entry_point_selector"] == felt_to_hex(selector(entrypoint))
}

#[tokio::test]
async fn a_balance_is_asked_for_in_both_spellings_at_once() {
    for spelling in ["balance_of", "balanceOf"] {
        let node = Node::answering(move |call| {
            assert_eq!(call["params"]["block_id"], json!({"block_hash": "0x3"}));
            let request = &call["params"]["request"];
            assert_eq!(request["contract_address"], "0x1");
            assert_eq!(request["calldata"], json!(["0x2"]));
            if asks(call, spelling) {
                Ok(json!(["0x9", "0x1"]))
            } else {
                Err((40, "no such entrypoint"))
            }
        })
        .await;
        let balance = node.client().balance(address(1), address(2), AT).await;
        let expected = U256::from(9) | (U256::from(1) << 128);
        assert_eq!(balance.unwrap(), Some(expected), "{spelling}");
        assert_eq!(node.requests(), 1);
    }
}

#[tokio::test]
async fn an_allowance_is_asked_for_with_owner_and_spender() {
    let node = Node::answering(|call| {
        assert!(asks(call, "allowance"));
        assert_eq!(call["params"]["request"]["calldata"], json!(["0x2", "0x3"]));
        Ok(json!(["0x7", "0x0"]))
    })
    .await;
    let client = node.client();
    let allowed = client.allowance(address(1), address(2), address(3), AT);
    assert_eq!(allowed.await.unwrap(), Some(U256::from(7)));
}

#[tokio::test]
async fn a_token_that_does_not_answer_as_tokens_do_says_nothing() {
    for answer in [
        json!([]),
        json!(["0x1"]),
        json!(["0x1", "0x0", "0x0"]),
        json!(["0x100000000000000000000000000000000", "0x0"]),
        json!(vec!["0x1"; 65]),
    ] {
        let told = answer.clone();
        let node = Node::answering(move |_| Ok(told.clone())).await;
        let client = node.client();
        let balance = client.balance(address(1), address(2), AT).await;
        assert_eq!(balance.unwrap(), None, "{answer}");
        let allowed = client.allowance(address(1), address(2), address(3), AT);
        assert_eq!(allowed.await.unwrap(), None, "{answer}");
    }
}

#[tokio::test]
async fn a_node_that_fails_has_said_nothing_of_holdings() {
    let node = Node::answering(|_| Err((24, "Block not found"))).await;
    let balance = node.client().balance(address(1), address(2), AT).await;
    assert!(balance.unwrap_err().is_block_not_found());
    let node = Node::start(|_, _| Reply::Status(502, None)).await;
    let client = node.client();
    let allowed = client.allowance(address(1), address(2), address(3), AT);
    assert!(allowed.await.unwrap_err().is_transient());
}
