//! What is told of transactions and accounts.

use crate::solana::node::SolanaNode;
use crate::solana::testing::{Draft, ask, code, get, nobody, node, verdict};
use crate::solana::wire::Version;
use primitives::PublicKey;
use serde_json::{Value, json};

const MINIMUM: u64 = 890_880;

fn lines(node: &SolanaNode, address: PublicKey, config: &Value) -> Vec<Value> {
    let answer = get(node, "getSignaturesForAddress", &json!([address, config]));
    answer.as_array().unwrap().clone()
}

#[test]
fn a_payment_is_found_by_payer_receiver_and_reference_with_its_memo() {
    let node = node();
    let payer = &node.wallets()[0];
    let (to, reference) = (nobody(7), nobody(8));
    let signature = Draft::by(payer)
        .memo("lease 17")
        .pay(payer.public_key(), to, MINIMUM, &[reference])
        .memo("é")
        .force(&node);
    node.mine(40).unwrap();
    for address in [payer.public_key(), to, reference] {
        let lines = lines(&node, address, &json!({}));
        assert_eq!(lines.len(), 1, "{address}");
        let line = &lines[0];
        assert_eq!(line["signature"], signature);
        assert_eq!(line["memo"], "[8] lease 17; [2] é");
        assert_eq!(line["err"], Value::Null);
        assert_eq!(line["confirmationStatus"], "finalized");
        assert_eq!(line["blockTime"], 1_800_000_000);
    }
}

#[test]
fn pages_go_from_the_newest_to_the_oldest() {
    let node = node();
    let payer = &node.wallets()[0];
    let to = nobody(7);
    let sent: Vec<Value> = (0..5)
        .map(|index| Draft::by(payer).transfer(to, MINIMUM + index).force(&node))
        .collect();
    node.mine(40).unwrap();
    let page = |config: Value| -> Vec<Value> {
        let lines = lines(&node, to, &config);
        lines.iter().map(|line| line["signature"].clone()).collect()
    };
    let newest_first: Vec<Value> = sent.iter().rev().cloned().collect();
    assert_eq!(page(json!({})), newest_first);
    assert_eq!(page(json!({"limit": 2})), newest_first[..2]);
    assert_eq!(
        page(json!({"limit": 2, "before": sent[3]})),
        newest_first[2..4]
    );
    assert_eq!(page(json!({"until": sent[1]})), newest_first[..3]);
    assert_eq!(
        page(json!({"before": sent[4], "until": sent[0]})),
        newest_first[1..4]
    );
    let unknown = "1".repeat(64);
    for end in ["before", "until"] {
        let params = json!([to, {end: unknown}]);
        assert_eq!(code(&node, "getSignaturesForAddress", &params), -32020);
    }
}

#[test]
fn a_transaction_becomes_more_certain_with_its_slots() {
    let node = node();
    let payer = &node.wallets()[0];
    let to = nobody(7);
    let signature = Draft::by(payer).transfer(to, MINIMUM).send(&node).unwrap();
    let status = || get(&node, "getSignatureStatuses", &json!([[signature]]))["value"][0].clone();
    let balance = |level: &str| {
        let at = json!([to, {"commitment": level}]);
        get(&node, "getBalance", &at)["value"].clone()
    };
    let found = |level: &str| {
        let at = json!([signature, {"commitment": level}]);
        !get(&node, "getTransaction", &at).is_null()
    };
    assert_eq!((status(), balance("processed")), (Value::Null, json!(0)));
    node.mine(1).unwrap();
    assert_eq!(status()["confirmationStatus"], "processed");
    assert_eq!(status()["confirmations"], 0);
    assert_eq!(
        (balance("processed"), balance("confirmed")),
        (json!(MINIMUM), json!(0))
    );
    assert_eq!(
        lines(&node, to, &json!({"commitment": "confirmed"})).len(),
        0
    );
    node.mine(2).unwrap();
    assert_eq!(status()["confirmationStatus"], "confirmed");
    assert_eq!(
        (balance("confirmed"), balance("finalized")),
        (json!(MINIMUM), json!(0))
    );
    assert!(found("confirmed") && !found("finalized"));
    let line = &lines(&node, to, &json!({"commitment": "confirmed"}))[0];
    assert_eq!(line["confirmationStatus"], "confirmed");
    node.mine(32).unwrap();
    assert_eq!(status()["confirmationStatus"], "finalized");
    assert_eq!(status()["confirmations"], Value::Null);
    assert_eq!(balance("finalized"), json!(MINIMUM));
    assert!(found("finalized"));
    node.mine(400).unwrap();
    assert_eq!(status(), Value::Null, "old ones have to be searched");
    let searched = json!([[signature], {"searchTransactionHistory": true}]);
    let searched = get(&node, "getSignatureStatuses", &searched);
    assert_eq!(searched["value"][0]["status"], json!({"Ok": null}));
}

#[test]
fn a_transaction_is_shown_in_every_encoding() {
    let node = node();
    let payer = &node.wallets()[0];
    let draft = Draft::by(payer).memo("hello").transfer(nobody(7), MINIMUM);
    let signature = draft.force(&node);
    node.mine(40).unwrap();
    let shown = |encoding: &str| {
        let config = json!({"encoding": encoding, "maxSupportedTransactionVersion": 0});
        get(&node, "getTransaction", &json!([signature, config]))
    };
    let plain = shown("json");
    let meta = &plain["meta"];
    assert_eq!((&meta["err"], &meta["fee"]), (&Value::Null, &json!(5_000)));
    assert_eq!(meta["status"], json!({"Ok": null}));
    let of = |side: &str, place: usize| meta[side][place].as_u64().unwrap();
    assert_eq!(
        of("preBalances", 0) - of("postBalances", 0),
        MINIMUM + 5_000
    );
    assert_eq!(of("postBalances", 1) - of("preBalances", 1), MINIMUM);
    assert_eq!(plain["version"], "legacy");
    let message = &plain["transaction"]["message"];
    assert_eq!(message["header"]["numRequiredSignatures"], 1);
    assert_eq!(message["accountKeys"][1], nobody(7).to_string());
    assert_eq!(message["instructions"].as_array().unwrap().len(), 2);
    assert_eq!(plain["transaction"]["signatures"], json!([signature]));
    let parsed = shown("jsonParsed");
    let message = &parsed["transaction"]["message"];
    let key = json!({
        "pubkey": nobody(7), "signer": false, "writable": true, "source": "transaction",
    });
    assert_eq!(message["accountKeys"][1], key);
    assert_eq!(message["instructions"][0]["program"], "spl-memo");
    assert_eq!(message["instructions"][0]["parsed"], "hello");
    let transfer = json!({
        "type": "transfer",
        "info": {"source": payer.public_key(), "destination": nobody(7), "lamports": MINIMUM},
    });
    assert_eq!(message["instructions"][1]["parsed"], transfer);
    let logs = parsed["meta"]["logMessages"].to_string();
    assert!(
        logs.contains(r#"Program log: Memo (len 5): \"hello\""#),
        "{logs}"
    );
    for encoding in ["base64", "base58"] {
        assert_eq!(shown(encoding)["transaction"][1], encoding);
    }
    let whole = shown("base58");
    let whole = whole["transaction"][0].as_str().unwrap();
    let sent = bs58::decode(whole).into_vec().unwrap();
    assert!(crate::solana::wire::Transaction::read(&sent).is_ok());
    let bare = get(&node, "getTransaction", &json!([signature, "json"]));
    assert!(bare.get("version").is_none());
    assert_eq!(bare["transaction"], plain["transaction"]);
}

#[test]
fn version_0_is_shown_only_to_those_who_know_it() {
    let node = node();
    let draft = Draft::by(&node.wallets()[0]).transfer(nobody(7), MINIMUM);
    let signature = draft.version(Version::V0).force(&node);
    node.mine(40).unwrap();
    assert_eq!(code(&node, "getTransaction", &json!([signature])), -32015);
    let config = json!({"maxSupportedTransactionVersion": 0});
    let shown = get(&node, "getTransaction", &json!([signature, config]));
    assert_eq!(shown["version"], 0);
    assert_eq!(
        shown["transaction"]["message"]["addressTableLookups"],
        json!([])
    );
}

#[test]
fn accounts_are_shown_with_owner_space_and_data() {
    let node = node();
    let wallet = node.wallets()[0].public_key();
    let vote = node.validators()[0].vote_accounts[0];
    let shown = |key: PublicKey, config: Value| {
        ask(&node, "getAccountInfo", &json!([key, config])).map(|answer| answer["value"].clone())
    };
    let expected = json!({
        "lamports": 10_000_000_000_000_u64, "owner": "11111111111111111111111111111111",
        "data": ["", "base64"], "executable": false, "rentEpoch": u64::MAX, "space": 0,
    });
    assert_eq!(
        shown(wallet, json!({"encoding": "base64"})),
        Ok(expected.clone())
    );
    assert_eq!(
        shown(wallet, json!({"encoding": "jsonParsed"})),
        Ok(expected.clone())
    );
    assert_eq!(shown(wallet, json!({})).unwrap()["data"], "");
    assert_eq!(shown(nobody(7), json!({})), Ok(Value::Null));
    let too_large = shown(vote, json!({"encoding": "base58"})).unwrap_err();
    assert_eq!(too_large["code"], -32600);
    let slice = json!({"encoding": "base64", "dataSlice": {"offset": 3_760, "length": 10}});
    assert_eq!(
        shown(vote, slice).unwrap()["data"],
        json!(["AAA=", "base64"])
    );
    let several = get(&node, "getMultipleAccounts", &json!([[wallet, nobody(7)]]));
    assert_eq!(several["value"], json!([expected, null]));
    for (space, least) in [(0, MINIMUM), (165, 2_039_280)] {
        let answer = get(&node, "getMinimumBalanceForRentExemption", &json!([space]));
        assert_eq!(answer, least);
    }
}

#[test]
fn failed_transactions_are_listed_with_their_error() {
    let node = node();
    let payer = &node.wallets()[0];
    let signature = Draft::by(payer)
        .memo("x")
        .transfer(nobody(7), u64::MAX)
        .force(&node);
    let error = json!({"InstructionError": [1, {"Custom": 1}]});
    assert_eq!(verdict(&node, &signature), Some(error.clone()));
    node.mine(40).unwrap();
    let line = &lines(&node, payer.public_key(), &json!({}))[0];
    assert_eq!((&line["err"], &line["memo"]), (&error, &json!("[1] x")));
    let shown = get(&node, "getTransaction", &json!([signature]));
    assert_eq!(shown["meta"]["status"], json!({"Err": error}));
}
