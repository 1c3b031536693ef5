//! Transactions as nodes tell them.

use super::*;
use proptest::prelude::*;
use serde_json::{Value, json};

const MEMO: &str = "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr";

fn key(byte: u8) -> PublicKey {
    PublicKey::from_bytes([byte; 32])
}

fn signature(byte: u8) -> Signature {
    Signature::from_bytes([byte; 64])
}

fn decode(answer: &Value) -> Result<Landed, serde_json::Error> {
    serde_json::from_str(&answer.to_string()).map(|Decoded(landed)| landed)
}

/// A payment with what wallets put around it: a compute budget before it and
/// guards before and after.
fn payment() -> Value {
    let guard = json!({
        "programId": "L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95",
        "accounts": [key(1)], "data": "3Bxs4h", "stackHeight": 1,
    });
    let transfer = |to, lamports| {
        json!({
            "program": "system", "programId": "11111111111111111111111111111111",
            "parsed": {"type": "transfer", "info": {
                "source": key(1), "destination": key(to), "lamports": lamports,
            }},
        })
    };
    let account = |byte, signer, writable| json!({"pubkey": key(byte), "signer": signer, "writable": writable, "source": "transaction"});
    json!({
        "slot": 430, "blockTime": 1_790_000_000, "version": "legacy", "transactionIndex": 3,
        "meta": {
            "err": null, "status": {"Ok": null}, "fee": 5_000,
            "preBalances": [9_000_000_000_u64, 0, 70, 1, 1, 0],
            "postBalances": [7_474_995_000_u64, 1_500_000_000, 25_000_070, 1, 1, 0],
            "innerInstructions": [{"index": 0, "instructions": [
                {"program": "spl-memo", "programId": MEMO, "parsed": "LEASE-9"},
            ]}],
            "logMessages": [], "computeUnitsConsumed": 20_000, "rewards": [],
        },
        "transaction": {
            "signatures": [signature(8)],
            "message": {
                "accountKeys": [
                    account(1, true, true), account(2, false, true), account(3, false, true),
                    account(0, false, false), account(4, false, false), account(5, false, false),
                ],
                "recentBlockhash": key(7),
                "instructions": [
                    {"programId": "ComputeBudget111111111111111111111111111111", "accounts": [], "data": "Fj2Eoy"},
                    guard,
                    {"program": "spl-memo", "programId": MEMO, "parsed": "LEASE-1"},
                    transfer(2, 1_500_000_000),
                    transfer(3, 25_000_000),
                    guard,
                ],
            },
        },
    })
}

#[test]
fn memo_and_balances_are_read_whatever_else_is_there() {
    let landed = decode(&payment()).unwrap();
    assert_eq!(landed.signature, signature(8));
    assert_eq!((landed.slot, landed.failed), (430, false));
    assert_eq!(landed.time.unwrap().as_second(), 1_790_000_000);
    assert_eq!(landed.payer, key(1));
    assert_eq!(landed.memos, ["LEASE-1"], "inner memos do not count");
    assert_eq!(landed.gained(key(2)), Some(Lamports::new(1_500_000_000)));
    assert_eq!(landed.gained(key(3)), Some(Lamports::new(25_000_000)));
    assert_eq!(landed.gained(key(1)), None);
}

#[test]
fn an_error_of_any_shape_is_a_failure() {
    for error in [
        json!("AccountNotFound"),
        json!({"InstructionError": [1, {"Custom": 1}]}),
        json!(false),
    ] {
        let mut answer = payment();
        answer["meta"]["err"] = error;
        assert!(decode(&answer).unwrap().failed);
    }
}

#[test]
fn a_missing_verdict_is_not_a_success() {
    let mut answer = payment();
    answer["meta"].as_object_mut().unwrap().remove("err");
    assert!(decode(&answer).is_err());
    answer["meta"] = Value::Null;
    assert!(decode(&answer).is_err());
}

#[test]
fn balances_must_be_of_the_accounts() {
    for list in ["preBalances", "postBalances"] {
        let mut answer = payment();
        answer["meta"][list].as_array_mut().unwrap().pop();
        assert!(decode(&answer).is_err(), "{list}");
    }
    let mut answer = payment();
    answer["meta"]["preBalances"][0] = json!(-1);
    assert!(decode(&answer).is_err());
}

#[test]
fn only_a_memo_program_makes_a_memo() {
    let mut answer = payment();
    let instructions = &mut answer["transaction"]["message"]["instructions"];
    *instructions = json!([
        {"program": "spl-memo", "programId": key(6), "parsed": "LEASE-2"},
        {"program": "spl-memo", "programId": MEMO, "parsed": {"text": "LEASE-3"}},
        {"programId": MEMO, "accounts": [], "data": "3Bxs4h"},
        {"programId": "Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo", "parsed": "é \" \\ \n"},
        {"programId": "Memo4c2pN8afCj432Lb7RMVKi9PbQnnW7ewFFaV3oAH", "parsed": ""},
    ]);
    assert_eq!(decode(&answer).unwrap().memos, ["é \" \\ \n", ""]);
}

#[test]
fn a_time_beyond_the_calendar_is_none() {
    for time in [json!(i64::MAX), Value::Null] {
        let mut answer = payment();
        answer["blockTime"] = time;
        assert_eq!(decode(&answer).unwrap().time, None);
    }
}

/// Every place in a document, as JSON pointers.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                places(item, &format!("{at}/{index}"), found);
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                places(field, &format!("{at}/{name}"), found);
            }
        }
        _ => {}
    }
}

fn anything() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,50}".prop_map(Value::from),
        Just(json!([])),
        Just(json!({})),
        Just(json!([key(1), {"pubkey": key(2)}])),
    ]
}

proptest! {
    #[test]
    fn no_changed_answer_makes_the_reader_panic_or_lie(place in any::<prop::sample::Index>(), put in anything()) {
        let original = decode(&payment()).unwrap();
        let mut answer = payment();
        let mut all = vec![];
        places(&answer, "", &mut all);
        let place = place.get(&all);
        *answer.pointer_mut(place).unwrap() = put;
        if let Ok(landed) = decode(&answer) {
            let read = ["/meta", "/transaction", "/slot", "/blockTime"];
            let unread = !read.iter().any(|part| place.starts_with(part));
            prop_assert!(!unread || landed == original, "{}", place);
            prop_assert_eq!(landed.balances.len(), original.balances.len());
        }
    }
}
