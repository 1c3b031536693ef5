//! Transactions that are refused or fail, each with its own error.

use crate::solana::programs::{COMPUTE_BUDGET, MEMO_V3, SYSTEM};
use crate::solana::testing::{Draft, ask, balance, blockhash, nobody, node, send, text, verdict};
use crate::solana::wallet::SolanaKeypair;
use crate::solana::wire::{Lookup, Transaction, Version};
use primitives::PublicKey;
use serde_json::{Value, json};

const MINIMUM: u64 = 890_880;

/// What the preflight says, and what happens without one: `None` if nothing.
fn fate(draft: &Draft) -> (Value, Option<Value>) {
    let node = node();
    let error = draft.send(&node).unwrap_err();
    assert_eq!(error["code"], -32002, "{error}");
    let message = error["message"].as_str().unwrap();
    assert!(message.starts_with("Transaction simulation failed: "));
    let signature = draft.force(&node);
    (error["data"]["err"].clone(), verdict(&node, &signature))
}

fn payer() -> SolanaKeypair {
    node().wallets()[0].clone()
}

fn by() -> Draft {
    Draft::by(&payer())
}

fn stranger() -> SolanaKeypair {
    SolanaKeypair::derive(&node().genesis_hash(), "TEST", 3)
}

#[test]
fn what_fails_in_an_instruction_is_in_the_chain_and_paid_for() {
    let own = payer().public_key();
    let transfer = |lamports: u64| [&2_u32.to_le_bytes()[..], &lamports.to_le_bytes()].concat();
    let custom = |code: u32| json!({ "Custom": code });
    for (draft, error) in [
        (by().transfer(nobody(7), u64::MAX), custom(1)),
        (
            by().pay(nobody(7), own, 1, &[]),
            json!("MissingRequiredSignature"),
        ),
        (
            by().call(SYSTEM, &[own, nobody(7)], &transfer(0)),
            json!("ReadonlyLamportChange"),
        ),
        (
            by().writing(SYSTEM)
                .call(SYSTEM, &[own, SYSTEM], &transfer(1)),
            json!("ReadonlyLamportChange"),
        ),
        (
            by().call(SYSTEM, &[own], &transfer(1)),
            json!("MissingAccount"),
        ),
        (
            by().call(SYSTEM, &[own, nobody(7)], &transfer(1)[..11]),
            json!("InvalidInstructionData"),
        ),
        (
            by().call(SYSTEM, &[own], &[]),
            json!("InvalidInstructionData"),
        ),
        (
            by().call(SYSTEM, &[own], &[99, 0, 0, 0]),
            json!("InvalidInstructionData"),
        ),
        (
            by().call(MEMO_V3, &[nobody(7)], b"x"),
            json!("MissingRequiredSignature"),
        ),
        (
            by().call(MEMO_V3, &[], &[0xff]),
            json!("InvalidInstructionData"),
        ),
        (
            by().budget(&[2, 0, 0, 0, 0]),
            json!("ComputationalBudgetExceeded"),
        ),
        (
            by().memo("x").budget(&[2, 100, 0, 0, 0]),
            json!("ProgramFailedToComplete"),
        ),
        (
            by().call(
                SYSTEM,
                &[own],
                &[&8_u32.to_le_bytes()[..], &u64::MAX.to_le_bytes()].concat(),
            ),
            custom(3),
        ),
        (
            by().writing(nobody(7)).call(
                SYSTEM,
                &[nobody(7)],
                &[&1_u32.to_le_bytes()[..], &[1; 32]].concat(),
            ),
            json!("MissingRequiredSignature"),
        ),
    ] {
        let error = json!({"InstructionError": [0, error]});
        assert_eq!(fate(&draft), (error.clone(), Some(error)), "{draft:?}");
    }
}

#[test]
fn what_fails_around_the_instructions_is_in_the_chain_and_paid_for() {
    let rent = |index: u8| json!({"InsufficientFundsForRent": {"account_index": index}});
    for (draft, error) in [
        (by().transfer(nobody(7), MINIMUM - 1), rent(1)),
        (
            by().call(nobody(9), &[], &[]),
            json!("ProgramAccountNotFound"),
        ),
        (
            by().call(node().wallets()[1].public_key(), &[], &[]),
            json!("InvalidProgramForExecution"),
        ),
        (
            by().transfer(nobody(7), 10_000_000_000_000 - 5_000 - 1),
            rent(0),
        ),
    ] {
        assert_eq!(fate(&draft), (error.clone(), Some(error)), "{draft:?}");
    }
}

#[test]
fn what_nobody_can_be_charged_for_leaves_no_trace() {
    let instruction = |error: &str| json!({"InstructionError": [0, error]});
    for (draft, error) in [
        (Draft::by(&stranger()).memo("x"), json!("AccountNotFound")),
        (
            by().budget(&[2, 1, 0, 0, 0]).budget(&[2, 1, 0, 0, 0]),
            json!({"DuplicateInstruction": 1}),
        ),
        (by().budget(&[]), instruction("InvalidInstructionData")),
        (
            by().budget(&[0, 0, 0]),
            instruction("InvalidInstructionData"),
        ),
        (
            by().budget(&[1, 1, 0, 0, 0]),
            instruction("InvalidInstructionData"),
        ),
        (by().budget(&[3, 1]), instruction("InvalidInstructionData")),
        (
            by().budget(&[4, 0, 0, 0, 0]),
            json!("InvalidLoadedAccountsDataSizeLimit"),
        ),
        (
            by().call(
                COMPUTE_BUDGET,
                &[],
                &[&[3][..], &u64::MAX.to_le_bytes()].concat(),
            ),
            json!("InsufficientFundsForFee"),
        ),
    ] {
        assert_eq!(fate(&draft), (error, None), "{draft:?}");
    }
}

#[test]
fn a_payer_may_spend_everything_or_keep_the_least() {
    let node = node();
    let fresh = stranger();
    let to = node.wallets()[1].public_key();
    node.airdrop(
        fresh.public_key(),
        primitives::Lamports::new(MINIMUM + 5_000),
    )
    .unwrap();
    node.mine(40).unwrap();
    let poor = Draft::by(&fresh)
        .signed_by(&node.wallets()[1])
        .memo("x")
        .send(&node);
    let rent = json!({"InsufficientFundsForRent": {"account_index": 0}});
    assert_eq!(poor.unwrap_err()["data"]["err"], rent);
    let all = Draft::by(&fresh).transfer(to, MINIMUM).send(&node).unwrap();
    node.mine(1).unwrap();
    assert_eq!(verdict(&node, &all), Some(Value::Null));
    assert_eq!(balance(&node, fresh.public_key()), 0);
}

#[test]
fn an_account_named_twice_is_refused() {
    let node = node();
    let hash = blockhash(&node);
    let mut message = by().transfer(nobody(7), MINIMUM).message(hash);
    message.keys[1] = message.keys[0];
    let transaction = Transaction::signed(message, |bytes| vec![payer().sign(bytes)]);
    let error = send(&node, &transaction).unwrap_err();
    assert_eq!(error["data"]["err"], "AccountLoadedTwice");
}

#[test]
fn tables_of_addresses_do_not_exist_here() {
    let node = node();
    let mut message = by()
        .version(Version::V0)
        .memo("x")
        .message(blockhash(&node));
    message.lookups = vec![Lookup {
        table: nobody(5),
        writable: vec![0],
        readonly: Vec::new(),
    }];
    let transaction = Transaction::signed(message, |bytes| vec![payer().sign(bytes)]);
    let error = send(&node, &transaction).unwrap_err();
    assert_eq!(error["code"], -32602);
    let message = error["message"].as_str().unwrap();
    assert!(message.ends_with("loads an address table account that doesn't exist"));
}

#[test]
fn a_signature_that_is_wrong_or_missing_is_refused() {
    let node = node();
    let payer = payer();
    let message = by().transfer(nobody(7), MINIMUM).message(blockhash(&node));
    for sign in [
        |_: &SolanaKeypair, _: &[u8]| primitives::Signature::from_bytes([0; 64]),
        |_: &SolanaKeypair, bytes: &[u8]| stranger().sign(bytes),
        |pair: &SolanaKeypair, bytes: &[u8]| pair.sign(&bytes[1..]),
    ] {
        let transaction = Transaction::signed(message.clone(), |b| vec![sign(&payer, b)]);
        let error = send(&node, &transaction).unwrap_err();
        assert_eq!(error["code"], -32003);
        let config = json!({"encoding": "base64", "sigVerify": true});
        let simulated = ask(
            &node,
            "simulateTransaction",
            &json!([text(&transaction), config]),
        );
        assert_eq!(simulated.unwrap_err()["code"], -32003);
        let config = json!({"encoding": "base64", "skipPreflight": true});
        let dropped = ask(
            &node,
            "sendTransaction",
            &json!([text(&transaction), config]),
        )
        .unwrap();
        node.mine(2).unwrap();
        assert_eq!(verdict(&node, &dropped), None);
    }
}

#[test]
fn bytes_that_are_no_transaction_are_refused() {
    let node = node();
    let long = "A".repeat(2_000);
    for (bytes, encoding, reason) in [
        ("", "base64", "failed to deserialize"),
        ("AA==", "base64", "failed to deserialize"),
        ("!", "base64", "invalid base64 encoding"),
        ("0", "base58", "invalid base58 encoding"),
        (&long, "base64", "too large"),
        (&long, "base58", "too large"),
    ] {
        for method in ["sendTransaction", "simulateTransaction"] {
            let error = ask(&node, method, &json!([bytes, {"encoding": encoding}])).unwrap_err();
            assert_eq!(error["code"], -32602);
            assert!(
                error["message"].as_str().unwrap().contains(reason),
                "{error}"
            );
        }
    }
    let key: PublicKey = nobody(1);
    let error = ask(&node, "sendTransaction", &json!([key])).unwrap_err();
    assert_eq!(error["code"], -32602);
}
