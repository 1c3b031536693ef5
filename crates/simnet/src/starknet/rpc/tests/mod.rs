//! Every method and every error, without the transport.

mod contracts;
mod events;
mod exchanging;
mod sending;
mod simulating;

use super::methods::answer;
use super::spec::Spec;
use crate::caller::Caller;
use crate::starknet::config::{History, StarknetConfig};
use crate::starknet::node::StarknetNode;
use primitives::{Felt, ManualClock, Timestamp, felt_to_hex, selector, short_string};
use serde_json::{Value, json};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

const ETH: &str = "0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7";
const STRK: &str = "0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d";

fn node() -> StarknetNode {
    let config = StarknetConfig {
        seed: 9,
        block_time: None,
        history: History::blocks(150, Duration::from_secs(10)),
        transactions_per_block: 4,
        pools: 24,
        ..StarknetConfig::default()
    };
    let clock = ManualClock::new(Timestamp::from_second(1_800_000_000).unwrap());
    StarknetNode::new(config, Arc::new(clock))
}

/// One that no test changes.
static NODE: LazyLock<StarknetNode> = LazyLock::new(node);

fn ask(node: &StarknetNode, spec: Spec, method: &str, params: &Value) -> Result<Value, Value> {
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let (text, _) = answer(node, spec, Caller::Own, request.to_string().as_bytes());
    let mut answer: Value = serde_json::from_str(&text.unwrap()).unwrap();
    match answer.get_mut("error") {
        Some(error) => Err(error.take()),
        None => Ok(answer["result"].take()),
    }
}

fn get(method: &str, params: &Value) -> Value {
    ask(&NODE, Spec::V0_9, method, params).unwrap()
}

fn get_v10(method: &str, params: &Value) -> Value {
    ask(&NODE, Spec::V0_10, method, params).unwrap()
}

fn code(method: &str, params: &Value) -> i64 {
    let error = ask(&NODE, Spec::V0_9, method, params).unwrap_err();
    error["code"].as_i64().unwrap()
}

fn keys(value: &Value) -> Vec<&str> {
    value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

fn call_of(contract: &str, entrypoint: &str, calldata: &[&str]) -> Value {
    json!({
        "contract_address": contract,
        "entry_point_selector": felt_to_hex(selector(entrypoint)),
        "calldata": calldata,
    })
}

#[test]
fn the_node_says_what_it_is() {
    assert_eq!(get("starknet_specVersion", &json!([])), "0.9.0");
    assert_eq!(get_v10("starknet_specVersion", &json!([])), "0.10.0");
    assert_eq!(get("starknet_chainId", &json!([])), "0x534e5f53544f41");
    assert_eq!(get("starknet_syncing", &json!({})), false);
    assert_eq!(get("starknet_blockNumber", &json!([])), 149);
    let head = get("starknet_blockHashAndNumber", &json!([]));
    assert_eq!(head["block_number"], 149);
    assert_eq!(head["block_hash"], felt_to_hex(NODE.head().hash));
}

#[test]
fn a_block_is_found_by_every_name_it_has() {
    let latest = get("starknet_getBlockWithTxHashes", &json!(["latest"]));
    let hash = &latest["block_hash"];
    for id in [json!({"block_number": 149}), json!({ "block_hash": hash })] {
        assert_eq!(
            get("starknet_getBlockWithTxHashes", &json!({"block_id": id})),
            latest
        );
    }
    let accepted = get("starknet_getBlockWithTxHashes", &json!(["l1_accepted"]));
    assert_eq!(accepted["status"], "ACCEPTED_ON_L1");
    let number = accepted["block_number"].as_u64().unwrap();
    let next = get(
        "starknet_getBlockWithTxHashes",
        &json!([{"block_number": number + 1}]),
    );
    assert_eq!(next["status"], "ACCEPTED_ON_L2");
    assert_eq!(next["parent_hash"], accepted["block_hash"]);
}

#[test]
fn headers_have_the_fields_of_their_version() {
    let fields = [
        "block_hash",
        "block_number",
        "l1_da_mode",
        "l1_data_gas_price",
        "l1_gas_price",
        "l2_gas_price",
        "new_root",
        "parent_hash",
        "sequencer_address",
        "starknet_version",
        "status",
        "timestamp",
        "transactions",
    ];
    let v9 = get("starknet_getBlockWithTxHashes", &json!(["latest"]));
    assert_eq!(keys(&v9), fields);
    assert_eq!(keys(&v9["l1_gas_price"]), ["price_in_fri", "price_in_wei"]);
    let v10 = get_v10("starknet_getBlockWithTxHashes", &json!(["latest"]));
    let mut more = fields.to_vec();
    more.extend([
        "event_commitment",
        "event_count",
        "receipt_commitment",
        "state_diff_commitment",
        "state_diff_length",
        "transaction_commitment",
        "transaction_count",
    ]);
    more.sort_unstable();
    assert_eq!(keys(&v10), more);
    let transactions = v10["transactions"].as_array().unwrap().len();
    assert_eq!(v10["transaction_count"], transactions);
}

#[test]
fn the_block_in_the_making_is_empty_and_has_no_hash() {
    for method in [
        "starknet_getBlockWithTxHashes",
        "starknet_getBlockWithTxs",
        "starknet_getBlockWithReceipts",
    ] {
        let block = get(method, &json!(["pre_confirmed"]));
        assert_eq!(block["block_number"], 150);
        assert_eq!(block["transactions"], json!([]));
        for absent in ["block_hash", "parent_hash", "new_root", "status"] {
            assert!(block.get(absent).is_none(), "{absent}");
        }
    }
    assert_eq!(
        get(
            "starknet_getBlockTransactionCount",
            &json!(["pre_confirmed"])
        ),
        0
    );
}

#[test]
fn the_three_views_of_a_block_agree() {
    let id = json!([{"block_number": 0}]);
    let hashes = get("starknet_getBlockWithTxHashes", &id);
    let transactions = get("starknet_getBlockWithTxs", &id);
    let receipts = get("starknet_getBlockWithReceipts", &id);
    let count = hashes["transactions"].as_array().unwrap().len();
    assert!(count > 0);
    assert_eq!(get("starknet_getBlockTransactionCount", &id), count);
    for index in 0..count {
        let hash = &hashes["transactions"][index];
        let mut transaction = transactions["transactions"][index].clone();
        assert_eq!(&transaction["transaction_hash"], hash);
        transaction
            .as_object_mut()
            .unwrap()
            .remove("transaction_hash");
        let included = &receipts["transactions"][index];
        assert_eq!(included["transaction"], transaction);
        assert_eq!(&included["receipt"]["transaction_hash"], hash);
    }
}

#[test]
fn transactions_and_receipts_have_the_fields_of_the_specification() {
    let blocks = (1..150).map(|number| {
        get(
            "starknet_getBlockWithReceipts",
            &json!([{ "block_number": number }]),
        )
    });
    let included: Vec<Value> = blocks
        .flat_map(|block| block["transactions"].as_array().unwrap().clone())
        .collect();
    let receipt_fields = [
        "actual_fee",
        "events",
        "execution_resources",
        "execution_status",
        "finality_status",
        "messages_sent",
        "transaction_hash",
        "type",
    ];
    for fields in &included {
        let transaction_fields = [
            "account_deployment_data",
            "calldata",
            "fee_data_availability_mode",
            "nonce",
            "nonce_data_availability_mode",
            "paymaster_data",
            "resource_bounds",
            "sender_address",
            "signature",
            "tip",
            "type",
            "version",
        ];
        assert_eq!(keys(&fields["transaction"]), transaction_fields);
        let receipt = &fields["receipt"];
        let found: Vec<&str> = keys(receipt);
        if receipt["execution_status"] == "REVERTED" {
            assert!(
                receipt["revert_reason"]
                    .as_str()
                    .unwrap()
                    .contains("error in contract")
            );
        } else {
            assert_eq!(found, receipt_fields);
        }
        assert_eq!(receipt["actual_fee"]["unit"], "FRI");
        assert_eq!(
            keys(&receipt["execution_resources"]),
            ["l1_data_gas", "l1_gas", "l2_gas"]
        );
    }
    assert!(included.len() > 100);
}

#[test]
fn unknown_blocks_are_not_found() {
    for id in [
        json!({"block_number": 150}),
        json!({"block_number": u64::MAX}),
        json!({"block_hash": "0x1"}),
    ] {
        for method in [
            "starknet_getBlockWithTxHashes",
            "starknet_getBlockWithTxs",
            "starknet_getBlockWithReceipts",
            "starknet_getBlockTransactionCount",
        ] {
            assert_eq!(code(method, &json!([id])), 24, "{method}");
        }
        assert_eq!(code("starknet_getNonce", &json!([id, ETH])), 24);
        assert_eq!(code("starknet_getClassHashAt", &json!([id, ETH])), 24);
        assert_eq!(
            code("starknet_call", &json!([call_of(ETH, "name", &[]), id])),
            24
        );
        for bound in ["from_block", "to_block"] {
            let filter = json!({"chunk_size": 1, bound: id});
            assert_eq!(code("starknet_getEvents", &json!([filter])), 24);
        }
    }
}

#[test]
fn malformed_parameters_are_refused() {
    let block = "starknet_getBlockWithTxHashes";
    for params in [
        json!([]),
        json!(["pending"]),
        json!([7]),
        json!([{"block_number": -1}]),
        json!([{"block_number": 1.5}]),
        json!([{"block_hash": "1"}]),
        json!([{"block_number": 1, "block_hash": "0x1"}]),
        json!([{}]),
        json!([{"height": 1}]),
        json!(["latest", "latest"]),
        json!({"id": "latest"}),
    ] {
        assert_eq!(code(block, &params), -32602, "{params}");
    }
    assert_eq!(code("starknet_chainId", &json!([1])), -32602);
    assert_eq!(
        code("starknet_getNonce", &json!(["latest", "no felt"])),
        -32602
    );
    assert_eq!(code("starknet_getNonce", &json!(["latest"])), -32602);
    assert_eq!(code("starknet_call", &json!([{}, "latest"])), -32602);
    for filter in [
        json!({}),
        json!({"chunk_size": 0}),
        json!({"chunk_size": -1}),
        json!({"chunk_size": 1, "address": [ETH]}),
        json!({"chunk_size": 1, "keys": ["0x1"]}),
        json!({"chunk_size": 1, "colour": "red"}),
    ] {
        assert_eq!(
            code("starknet_getEvents", &json!([filter])),
            -32602,
            "{filter}"
        );
    }
    assert_eq!(code("starknet_unheardOf", &json!([])), -32601);
}

#[test]
fn contracts_are_called_at_any_height() {
    let name = |id: Value| get("starknet_call", &json!([call_of(ETH, "name", &[]), id]));
    for id in [
        json!("latest"),
        json!("pre_confirmed"),
        json!({"block_number": 0}),
    ] {
        assert_eq!(name(id), json!([felt_to_hex(short_string("Ether"))]));
    }
    let account = NODE.accounts()[0].address.to_string();
    let balance = call_of(STRK, "balanceOf", &[&account]);
    let funded = get(
        "starknet_call",
        &json!({"request": balance, "block_id": "latest"}),
    );
    assert_eq!(funded, json!(["0xd3c21bcecceda1000000", "0x0"]));
}

#[test]
fn failed_calls_say_what_failed() {
    let failed = |call: Value| code("starknet_call", &json!([call, "latest"]));
    assert_eq!(failed(call_of("0x123", "name", &[])), 20);
    assert_eq!(failed(call_of(ETH, "mint_everything", &[])), 21);
    assert_eq!(failed(call_of(ETH, "balanceOf", &[])), 40);
    assert_eq!(failed(call_of(ETH, "balanceOf", &["0x1", "0x2"])), 40);
    assert_eq!(
        failed(call_of(ETH, "permissionedMint", &["0x1", "0x1", "0x0"])),
        40
    );
    let call = call_of(ETH, "transfer", &["0x1", "0x1", "0x0"]);
    let error = ask(&NODE, Spec::V0_9, "starknet_call", &json!([call, "latest"])).unwrap_err();
    let revert = &error["data"]["revert_error"];
    assert_eq!(revert["contract_address"], ETH);
    assert_eq!(revert["error"], "ERC20: transfer from 0");
}

#[test]
fn accounts_and_tokens_have_a_class_and_a_nonce() {
    let account = &NODE.accounts()[0];
    let at = json!(["latest", account.address]);
    let class = get("starknet_getClassHashAt", &at);
    assert_ne!(
        class,
        get("starknet_getClassHashAt", &json!(["latest", ETH]))
    );
    assert_eq!(get("starknet_getNonce", &at), "0x0");
    let key = call_of(&account.address.to_string(), "get_public_key", &[]);
    assert_eq!(
        get("starknet_call", &json!([key, "latest"])),
        json!([felt_to_hex(account.public_key)])
    );
    for method in ["starknet_getNonce", "starknet_getClassHashAt"] {
        assert_eq!(code(method, &json!(["latest", "0x123"])), 20);
    }
}

#[test]
fn nonces_count_the_transactions_of_a_sender() {
    let block = get("starknet_getBlockWithTxs", &json!([{"block_number": 0}]));
    let transactions = block["transactions"].as_array().unwrap();
    let sender = &transactions[0]["sender_address"];
    for (nonce, transaction) in transactions.iter().enumerate() {
        assert_eq!(transaction["nonce"], format!("{nonce:#x}"));
    }
    let after = get("starknet_getNonce", &json!(["latest", sender]));
    assert_eq!(after, format!("{:#x}", transactions.len()));
}

#[test]
fn control_methods_steer_the_chain() {
    let node = node();
    let control = |method: &str, params: Value| ask(&node, Spec::V0_9, method, &params);
    let head = control("sim_mine", json!({"blocks": 3})).unwrap();
    assert_eq!(head["block_number"], 152);
    assert_eq!(head["block_hash"], felt_to_hex(node.head().hash));
    assert_eq!(control("sim_mine", json!({})).unwrap()["block_number"], 153);
    let head = control("sim_reorg", json!({"depth": 2})).unwrap();
    assert_eq!(head["block_number"], 154);
    let time = |id: Value| {
        control("starknet_getBlockWithTxHashes", json!([id])).unwrap()["timestamp"]
            .as_u64()
            .unwrap()
    };
    let before = time(json!("latest"));
    let head = control("sim_advance", json!({"seconds": 3600})).unwrap();
    assert_eq!(
        (&head["block_number"], &head["blocks"]),
        (&json!(155), &json!(1))
    );
    assert_eq!(time(json!("latest")), before + 3600);
    assert_eq!(time(json!("pre_confirmed")), before + 3600);
    let head = control("sim_advance", json!({"seconds": 90, "blocks": 3})).unwrap();
    assert_eq!(
        (&head["block_number"], &head["blocks"]),
        (&json!(158), &json!(3))
    );
    assert_eq!(time(json!({"block_number": 156})), before + 3630);
    for method in ["sim_pause", "sim_resume"] {
        assert_eq!(control(method, json!({})).unwrap()["block_number"], 158);
    }
    for (method, params) in [
        ("sim_mine", json!({"blocks": 0})),
        ("sim_mine", json!({"blocks": 10_001})),
        ("sim_mine", json!({"block": 1})),
        ("sim_reorg", json!({"depth": 159})),
        ("sim_reorg", json!({})),
        ("sim_advance", json!({"seconds": -1})),
        ("sim_advance", json!({"seconds": u64::MAX})),
        ("sim_advance", json!({"seconds": 1, "blocks": 0})),
        ("sim_advance", json!({"seconds": 1, "blocks": 10_001})),
    ] {
        let error = control(method, params).unwrap_err();
        assert_eq!(error["code"], -32602, "{method}");
    }
}

#[test]
fn the_prefunded_accounts_are_shown_with_their_keys() {
    let accounts = get("sim_accounts", &json!({}));
    assert_eq!(accounts.as_array().unwrap().len(), 10);
    for (shown, account) in accounts.as_array().unwrap().iter().zip(NODE.accounts()) {
        assert_eq!(shown["address"], account.address.to_string());
        let private_key: Felt =
            primitives::felt_from_hex(shown["private_key"].as_str().unwrap()).unwrap();
        let public_key = starknet_crypto::get_public_key(&private_key);
        assert_eq!(shown["public_key"], felt_to_hex(public_key));
        assert_eq!(shown["funding"].as_array().unwrap().len(), 3);
    }
}
