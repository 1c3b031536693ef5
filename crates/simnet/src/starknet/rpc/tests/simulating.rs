//! Estimates and simulations against what really happens.

use super::sending::{balance, json_of, pay, quiet, read, send};
use super::*;
use crate::starknet::contracts::erc20::transfer_call;
use crate::starknet::network::{SEQUENCER, STRK as STRK_FELT};
use crate::starknet::transaction::{Call, SignedTransaction};
use crate::starknet::wallet::Wallet;
use primitives::U256;
use primitives::transaction_hash::Terms;

fn estimate(
    node: &StarknetNode,
    transactions: &[SignedTransaction],
    flags: &Value,
) -> Result<Value, Value> {
    let transactions: Vec<Value> = transactions.iter().map(json_of).collect();
    let params = json!({
        "request": transactions,
        "simulation_flags": flags,
        "block_id": "pre_confirmed",
    });
    ask(node, Spec::V0_9, "starknet_estimateFee", &params)
}

fn simulate(
    node: &StarknetNode,
    transactions: &[SignedTransaction],
    flags: &Value,
) -> Result<Value, Value> {
    let transactions: Vec<Value> = transactions.iter().map(json_of).collect();
    let params = json!(["pre_confirmed", transactions, flags]);
    ask(node, Spec::V0_10, "starknet_simulateTransactions", &params)
}

/// Without a signature, and with the mark of a simulation.
fn query(signed: &SignedTransaction) -> Value {
    let mut query = json_of(signed);
    query["version"] = json!("0x100000000000000000000000000000003");
    query["signature"] = json!([]);
    query
}

#[test]
fn the_estimate_is_the_fee_that_is_charged() {
    let node = quiet();
    let alice = Wallet::funded(&node, 0);
    let signed = alice.invoke(0, &[pay(Felt::TWO, 1), pay(Felt::TWO, 2)]);
    let estimates = estimate(&node, std::slice::from_ref(&signed), &json!([])).unwrap();
    let fields = [
        "l1_data_gas_consumed",
        "l1_data_gas_price",
        "l1_gas_consumed",
        "l1_gas_price",
        "l2_gas_consumed",
        "l2_gas_price",
        "overall_fee",
        "unit",
    ];
    assert_eq!(keys(&estimates[0]), fields);
    let hash = send(&node, &signed).unwrap();
    let receipt = read(&node, "starknet_getTransactionReceipt", &json!([hash]));
    assert_eq!(receipt["actual_fee"]["amount"], estimates[0]["overall_fee"]);
    assert_eq!(estimates[0]["unit"], "FRI");
}

#[test]
fn an_estimate_needs_a_signature_unless_validation_is_skipped() {
    let node = quiet();
    let unsigned = query(&Wallet::funded(&node, 0).invoke(0, &[pay(Felt::TWO, 1)]));
    let ask_with = |flags: Value| {
        let params = json!([[unsigned], flags, "latest"]);
        ask(&node, Spec::V0_9, "starknet_estimateFee", &params)
    };
    assert!(ask_with(json!(["SKIP_VALIDATE"])).is_ok());
    let error = ask_with(json!([])).unwrap_err();
    assert_eq!(error["code"], 41);
    let reason = error["data"]["execution_error"].as_str().unwrap();
    assert!(reason.ends_with("Account: invalid signature"), "{reason}");
    for flags in [json!(["SKIP_FEE_CHARGE"]), json!(["SKIP"]), Value::Null] {
        assert_eq!(ask_with(flags).unwrap_err()["code"], -32602);
    }
}

#[test]
fn an_estimate_of_a_failing_call_says_which_contract_failed_and_why() {
    let node = quiet();
    let alice = Wallet::funded(&node, 0);
    let fine = alice.invoke(0, &[pay(Felt::TWO, 1)]);
    let failing = alice.invoke(1, &[transfer_call(STRK_FELT, Felt::TWO, U256::MAX)]);
    let error = estimate(&node, &[fine, failing], &json!([])).unwrap_err();
    assert_eq!(error["code"], 41);
    assert_eq!(error["data"]["transaction_index"], 1);
    let outer = &error["data"]["execution_error"];
    assert_eq!(outer["contract_address"], felt_to_hex(alice.address));
    assert_eq!(outer["selector"], felt_to_hex(selector("__execute__")));
    assert_eq!(outer["error"]["contract_address"], STRK);
    assert_eq!(outer["error"]["error"], "ERC20: insufficient balance");
    let missing = Call {
        to: Felt::from(0x123),
        selector: selector("transfer"),
        calldata: vec![],
    };
    let error = estimate(&node, &[alice.invoke(0, &[missing])], &json!([])).unwrap_err();
    let inner = error["data"]["execution_error"]["error"].as_str().unwrap();
    assert_eq!(inner, "requested contract address 0x123 is not deployed");
}

#[test]
fn transactions_of_one_request_build_on_each_other_and_change_nothing() {
    let node = quiet();
    let (alice, fresh) = (Wallet::funded(&node, 0), Wallet::fresh(99));
    let all = [
        alice.invoke(
            0,
            &[transfer_call(
                STRK_FELT,
                fresh.address,
                U256::from(1_u128 << 60),
            )],
        ),
        fresh.deployment(),
        fresh.invoke(1, &[pay(Felt::TWO, 5)]),
    ];
    assert_eq!(
        estimate(&node, &all, &json!([]))
            .unwrap()
            .as_array()
            .unwrap()
            .len(),
        3
    );
    assert_eq!(
        simulate(&node, &all, &json!([]))
            .unwrap()
            .as_array()
            .unwrap()
            .len(),
        3
    );
    assert_eq!(
        estimate(&node, &all[1..2], &json!([]))
            .unwrap()
            .as_array()
            .unwrap()
            .len(),
        1
    );
    let error = simulate(&node, &all[1..], &json!([])).unwrap_err();
    assert_eq!(
        (&error["code"], &error["data"]["transaction_index"]),
        (&json!(41), &json!(0))
    );
    assert_eq!(balance(&node, Felt::TWO, "pre_confirmed"), 0);
    let used = alice.invoke(0, &[]);
    send(&node, &used).unwrap();
    let error = estimate(&node, &[used], &json!([])).unwrap_err();
    assert_eq!(
        error["data"]["execution_error"],
        "account nonce is 1, transaction nonce is 0"
    );
}

#[test]
fn a_trace_shows_every_call_event_and_change() {
    let node = quiet();
    let alice = Wallet::funded(&node, 0);
    let signed = alice.invoke(0, &[pay(Felt::TWO, 5)]);
    let simulated = simulate(&node, std::slice::from_ref(&signed), &json!([])).unwrap();
    let trace = &simulated[0]["transaction_trace"];
    assert_eq!(trace["type"], "INVOKE");
    assert_eq!(
        trace["validate_invocation"]["result"],
        json!([felt_to_hex(short_string("VALID"))])
    );
    let execute = &trace["execute_invocation"];
    assert_eq!(execute["contract_address"], felt_to_hex(alice.address));
    assert_eq!(execute["caller_address"], "0x0");
    assert_eq!(execute["result"], json!(["0x1", "0x1", "0x1"]));
    let transfer = &execute["calls"][0];
    assert_eq!(transfer["caller_address"], felt_to_hex(alice.address));
    assert_eq!(transfer["calldata"], json!(["0x2", "0x5", "0x0"]));
    assert_eq!(transfer["events"][0]["order"], 0);
    assert_eq!(transfer["events"][0]["data"], json!(["0x5", "0x0"]));
    assert_eq!(transfer["is_reverted"], false);
    let fee = &trace["fee_transfer_invocation"];
    assert_eq!(fee["calldata"][0], felt_to_hex(SEQUENCER));
    assert_eq!(fee["events"][0]["order"], 1);
    let nonce = json!([{"contract_address": felt_to_hex(alice.address), "nonce": "0x1"}]);
    assert_eq!(trace["state_diff"]["nonces"], nonce);
    assert_eq!(trace["state_diff"]["storage_diffs"][0]["address"], STRK);
    // What was foretold is what the block then does.
    send(&node, &signed).unwrap();
    node.mine(1).unwrap();
    let update = read(&node, "starknet_getStateUpdate", &json!(["latest"]));
    assert_eq!(update["state_diff"], trace["state_diff"]);
}

#[test]
fn flags_leave_out_validation_and_fee() {
    let node = quiet();
    let alice = Wallet::funded(&node, 0);
    let unsigned = query(&alice.invoke(0, &[pay(Felt::TWO, 5)]));
    let params = json!(["latest", [unsigned], ["SKIP_VALIDATE", "SKIP_FEE_CHARGE"],]);
    let simulated = read(&node, "starknet_simulateTransactions", &params);
    let trace = &simulated[0]["transaction_trace"];
    assert!(trace.get("validate_invocation").is_none());
    assert!(trace.get("fee_transfer_invocation").is_none());
    assert_ne!(simulated[0]["fee_estimation"]["overall_fee"], "0x0");
}

#[test]
fn one_who_allows_nothing_is_simulated_without_a_fee() {
    let node = quiet();
    let alice = Wallet::funded(&node, 0);
    let free = alice.invoke_on(Terms::default(), &[pay(Felt::TWO, 5)]);
    let simulated = simulate(&node, std::slice::from_ref(&free), &json!([])).unwrap();
    let trace = &simulated[0]["transaction_trace"];
    assert!(trace.get("fee_transfer_invocation").is_none());
    assert_eq!(send(&node, &free).unwrap_err()["code"], 53);
}

#[test]
fn a_simulated_revert_is_an_answer_and_no_error() {
    let node = quiet();
    let alice = Wallet::funded(&node, 0);
    let failing = alice.invoke(0, &[transfer_call(STRK_FELT, Felt::TWO, U256::MAX)]);
    let simulated = simulate(&node, &[failing], &json!([])).unwrap();
    let execute = &simulated[0]["transaction_trace"]["execute_invocation"];
    assert_eq!(keys(execute), ["revert_reason"]);
    let reason = execute["revert_reason"].as_str().unwrap();
    assert!(reason.ends_with("ERC20: insufficient balance"));
}

#[test]
fn a_deployment_is_traced_with_its_constructor() {
    let node = quiet();
    let fresh = Wallet::fresh(99);
    let simulated = simulate(&node, &[fresh.deployment()], &json!(["SKIP_FEE_CHARGE"])).unwrap();
    let trace = &simulated[0]["transaction_trace"];
    assert_eq!(trace["type"], "DEPLOY_ACCOUNT");
    let constructor = &trace["constructor_invocation"];
    assert_eq!(constructor["entry_point_type"], "CONSTRUCTOR");
    assert_eq!(
        constructor["calldata"],
        json!([felt_to_hex(fresh.public_key())])
    );
    let deployed = &trace["state_diff"]["deployed_contracts"][0];
    assert_eq!(deployed["address"], felt_to_hex(fresh.address));
}

#[test]
fn requests_of_too_many_transactions_or_at_unknown_blocks_are_refused() {
    let node = quiet();
    let one = json_of(&Wallet::funded(&node, 0).invoke(0, &[]));
    let code_of = |method: &str, params: Value| {
        ask(&node, Spec::V0_9, method, &params).unwrap_err()["code"].clone()
    };
    let many = vec![one.clone(); 101];
    assert_eq!(
        code_of("starknet_estimateFee", json!([many, [], "latest"])),
        -32602
    );
    let id = json!({"block_number": 77});
    assert_eq!(code_of("starknet_estimateFee", json!([[one], [], id])), 24);
    assert_eq!(
        code_of("starknet_simulateTransactions", json!([id, [one], []])),
        24
    );
}
