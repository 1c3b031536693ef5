//! Transactions that are taken, tried out and paid for.

use crate::solana::programs::{LIGHTHOUSE, MEMO_V1, SYSTEM};
use crate::solana::testing::{
    Draft, ask, balance, blockhash, code, get, nobody, node, send, text, verdict,
};
use crate::solana::wallet::SolanaKeypair;
use crate::solana::wire::Version;
use serde_json::{Value, json};

const MINIMUM: u64 = 890_880;

fn fee_of(draft: &Draft) -> u64 {
    let node = node();
    let message = draft.message(blockhash(&node)).write();
    let text = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, message);
    get(&node, "getFeeForMessage", &json!([text]))["value"]
        .as_u64()
        .unwrap()
}

#[test]
fn a_transfer_moves_lamports_and_burns_the_fee() {
    for version in [Version::Legacy, Version::V0] {
        let node = node();
        let payer = &node.wallets()[0];
        let before = balance(&node, payer.public_key());
        let draft = Draft::by(payer)
            .transfer(nobody(7), MINIMUM)
            .version(version);
        let signature = draft.send(&node).unwrap();
        node.mine(1).unwrap();
        assert_eq!(verdict(&node, &signature), Some(Value::Null));
        assert_eq!(balance(&node, nobody(7)), MINIMUM);
        assert_eq!(balance(&node, payer.public_key()), before - MINIMUM - 5_000);
    }
}

#[test]
fn a_failed_transaction_does_nothing_but_pay() {
    let node = node();
    let payer = &node.wallets()[0];
    let before = balance(&node, payer.public_key());
    let draft = Draft::by(payer)
        .transfer(nobody(7), MINIMUM)
        .transfer(nobody(8), u64::MAX);
    let signature = draft.force(&node);
    let error = json!({"InstructionError": [1, {"Custom": 1}]});
    assert_eq!(verdict(&node, &signature), Some(error));
    assert_eq!(balance(&node, nobody(7)), 0);
    assert_eq!(balance(&node, payer.public_key()), before - 5_000);
}

#[test]
fn fees_count_signatures_and_the_price_of_compute_units() {
    let node = node();
    let (payer, other) = (&node.wallets()[0], &node.wallets()[1]);
    let draft = Draft::by(payer).transfer(nobody(7), MINIMUM);
    assert_eq!(fee_of(&draft), 5_000);
    let price = [&[3][..], &1_000_000_u64.to_le_bytes()].concat();
    assert_eq!(fee_of(&draft.clone().budget(&price)), 5_000 + 6_000);
    let limit = [&[2][..], &1_234_u32.to_le_bytes()].concat();
    assert_eq!(fee_of(&draft.budget(&price).budget(&limit)), 5_000 + 1_234);
    let odd = [&[3][..], &1_u64.to_le_bytes()].concat();
    assert_eq!(
        fee_of(&Draft::by(payer).memo("x").budget(&odd)),
        5_001,
        "rounded up"
    );
    let two = Draft::by(payer)
        .signed_by(other)
        .transfer(nobody(7), MINIMUM);
    assert_eq!(fee_of(&two), 10_000);
    let signature = two.send(&node).unwrap();
    node.mine(40).unwrap();
    assert_eq!(
        get(&node, "getTransaction", &json!([signature]))["meta"]["fee"],
        10_000
    );
}

#[test]
fn guards_of_wallets_and_both_memo_programs_are_taken() {
    let node = node();
    let payer = &node.wallets()[0];
    let draft = Draft::by(payer)
        .call(LIGHTHOUSE, &[payer.public_key()], &[9, 1])
        .memo("signed by nobody else")
        .call(MEMO_V1, &[nobody(3)], b"old")
        .transfer(nobody(7), MINIMUM)
        .call(LIGHTHOUSE, &[nobody(7)], &[9, 2]);
    let signature = draft.send(&node).unwrap();
    node.mine(1).unwrap();
    assert_eq!(verdict(&node, &signature), Some(Value::Null));
}

#[test]
fn an_account_can_be_made_with_space_and_an_owner() {
    let node = node();
    let payer = &node.wallets()[0];
    let made = SolanaKeypair::derive(&node.genesis_hash(), "TEST", 1);
    let (from, to) = (payer.public_key(), made.public_key());
    let data = |lamports: u64| {
        let parts = [
            &0_u32.to_le_bytes()[..],
            &lamports.to_le_bytes(),
            &165_u64.to_le_bytes(),
        ];
        [&parts.concat()[..], nobody(4).as_bytes()].concat()
    };
    let draft = |lamports| {
        Draft::by(payer)
            .signed_by(&made)
            .call(SYSTEM, &[from, to], &data(lamports))
    };
    let poor = draft(2_039_279).force(&node);
    let error = json!({"InsufficientFundsForRent": {"account_index": 1}});
    assert_eq!(verdict(&node, &poor), Some(error));
    draft(2_039_280).send(&node).unwrap();
    node.mine(40).unwrap();
    let account = get(
        &node,
        "getAccountInfo",
        &json!([to, {"encoding": "base64"}]),
    );
    assert_eq!(account["value"]["owner"], nobody(4).to_string());
    assert_eq!(account["value"]["space"], 165);
    let again = draft(2_039_281).force(&node);
    assert_eq!(
        verdict(&node, &again),
        Some(json!({"InstructionError": [0, {"Custom": 0}]}))
    );
    let from_it = Draft::by(payer)
        .signed_by(&made)
        .pay(to, from, 1, &[])
        .force(&node);
    let error = json!({"InstructionError": [0, "InvalidArgument"]});
    assert_eq!(verdict(&node, &from_it), Some(error));
    let paying = Draft::by(&made).memo("x").send(&node).unwrap_err();
    assert_eq!(paying["data"]["err"], "InvalidAccountForFee");
}

#[test]
fn airdrops_arrive_even_when_they_are_alike() {
    let node = node();
    let airdrop = || get(&node, "requestAirdrop", &json!([nobody(7), 1_000_000_000]));
    let (first, second) = (airdrop(), airdrop());
    assert_ne!(first, second);
    node.mine(1).unwrap();
    assert_eq!(balance(&node, nobody(7)), 2_000_000_000);
    let small = json!([nobody(8), 1]);
    let signature = get(&node, "requestAirdrop", &small);
    node.mine(1).unwrap();
    let error = json!({"InsufficientFundsForRent": {"account_index": 1}});
    assert_eq!(verdict(&node, &signature), Some(error));
}

#[test]
fn a_simulation_changes_nothing_and_tells_everything() {
    let node = node();
    let payer = &node.wallets()[0];
    let transaction = Draft::by(payer).memo("hi").transfer(nobody(7), MINIMUM);
    let transaction = transaction.sign(blockhash(&node));
    let simulate = |config: Value| {
        let mut config = config;
        config["encoding"] = json!("base64");
        ask(
            &node,
            "simulateTransaction",
            &json!([text(&transaction), config]),
        )
    };
    let accounts = json!({"encoding": "base64", "addresses": [nobody(7), nobody(9)]});
    let answer = simulate(json!({"sigVerify": true, "accounts": accounts})).unwrap();
    let value = &answer["value"];
    assert_eq!(value["err"], Value::Null);
    assert_eq!(value["fee"], 5_000);
    assert_eq!(value["unitsConsumed"], 2_350);
    assert_eq!(value["accounts"][0]["lamports"], MINIMUM);
    assert_eq!(value["accounts"][1], Value::Null);
    assert_eq!(
        value["logs"][0],
        "Program MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr invoke [1]"
    );
    node.mine(1).unwrap();
    assert_eq!(balance(&node, nobody(7)), 0);
    node.mine(300).unwrap();
    let late = simulate(json!({})).unwrap();
    assert_eq!(late["value"]["err"], "BlockhashNotFound");
    let replaced = simulate(json!({"replaceRecentBlockhash": true})).unwrap();
    assert_eq!(replaced["value"]["err"], Value::Null);
    assert!(replaced["value"]["replacementBlockhash"]["blockhash"].is_string());
    let both = json!({"sigVerify": true, "replaceRecentBlockhash": true});
    assert_eq!(simulate(both).unwrap_err()["code"], -32602);
    let many = json!({"accounts": {"addresses": vec![nobody(7); 9]}});
    assert_eq!(simulate(many).unwrap_err()["code"], -32602);
}

#[test]
fn blockhashes_live_for_one_hundred_and_fifty_blocks() {
    let node = node();
    let latest = get(
        &node,
        "getLatestBlockhash",
        &json!([{"commitment": "processed"}]),
    );
    let hash = latest["value"]["blockhash"].clone();
    let last = latest["value"]["lastValidBlockHeight"].as_u64().unwrap();
    let processed = json!({"commitment": "processed"});
    let is_valid = || get(&node, "isBlockhashValid", &json!([hash, processed]))["value"].clone();
    let height = || {
        get(&node, "getBlockHeight", &json!([processed]))
            .as_u64()
            .unwrap()
    };
    assert_eq!(last, height() + 150);
    let text = hash.as_str().unwrap();
    let transaction = Draft::by(&node.wallets()[0]).transfer(nobody(7), MINIMUM);
    let transaction = transaction.sign(text.parse().unwrap());
    while height() < last {
        assert_eq!(is_valid(), true);
        node.mine(1).unwrap();
    }
    assert_eq!(is_valid(), true);
    send(&node, &transaction).unwrap();
    node.mine(2).unwrap();
    assert_eq!(is_valid(), false);
    let error = send(&node, &transaction).unwrap_err();
    assert_eq!(error["data"]["err"], "BlockhashNotFound");
    let message = base64::Engine::encode(
        &base64::engine::general_purpose::STANDARD,
        transaction.message_bytes(),
    );
    let fee = get(&node, "getFeeForMessage", &json!([message, processed]));
    assert_eq!(fee["value"], Value::Null);
}

#[test]
fn the_same_transaction_is_taken_once() {
    let node = node();
    let transaction = Draft::by(&node.wallets()[0]).transfer(nobody(7), MINIMUM);
    let transaction = transaction.sign(blockhash(&node));
    let signature = send(&node, &transaction).unwrap();
    assert_eq!(
        send(&node, &transaction),
        Ok(signature),
        "the first one waits still"
    );
    node.mine(1).unwrap();
    assert_eq!(balance(&node, nobody(7)), MINIMUM);
    let error = send(&node, &transaction).unwrap_err();
    assert_eq!(error["code"], -32002);
    assert_eq!(error["data"]["err"], "AlreadyProcessed");
    let config = json!({"encoding": "base64", "skipPreflight": true});
    get(
        &node,
        "sendTransaction",
        &json!([text(&transaction), config]),
    );
    node.mine(1).unwrap();
    assert_eq!(balance(&node, nobody(7)), MINIMUM);
}

#[test]
fn a_preflight_sees_only_what_is_certain_enough() {
    let node = node();
    let fresh = SolanaKeypair::derive(&node.genesis_hash(), "TEST", 2);
    get(
        &node,
        "requestAirdrop",
        &json!([fresh.public_key(), 1_000_000_000]),
    );
    node.mine(3).unwrap();
    let transaction = Draft::by(&fresh)
        .transfer(nobody(7), MINIMUM)
        .sign(blockhash(&node));
    let at = |level: &str| {
        let config = json!({"encoding": "base64", "preflightCommitment": level});
        ask(
            &node,
            "sendTransaction",
            &json!([text(&transaction), config]),
        )
    };
    assert_eq!(
        at("finalized").unwrap_err()["data"]["err"],
        "AccountNotFound"
    );
    assert!(at("confirmed").is_ok());
    assert_eq!(
        code(
            &node,
            "sendTransaction",
            &json!([text(&transaction), {
                "encoding": "base64", "minContextSlot": u64::MAX,
            }])
        ),
        -32016
    );
}

#[test]
fn recent_fees_are_told_for_recent_slots() {
    let node = node();
    let fees = get(&node, "getRecentPrioritizationFees", &json!([[nobody(1)]]));
    let fees = fees.as_array().unwrap();
    assert_eq!(fees.len(), 150);
    assert_eq!(
        fees[149],
        json!({"slot": node.slot(), "prioritizationFee": 0})
    );
}
