//! Documents, their hashes, and nonces that recognise them.

use super::{parse::document_hash, *};
use primitives::{Address, Felt, U256, felt_to_hex};
use proptest::prelude::*;
use serde_json::{Value, json};

const CHAIN: &str = "SN_STOA";
const USER: Address = Address::new(Felt::from_hex_unchecked("0x1234"));
const FORWARDER: Address = Address::new(Felt::from_hex_unchecked("0x75a"));
const TOKEN: Address = Address::new(Felt::from_hex_unchecked("0x49d"));

fn execution(version: OutsideVersion) -> OutsideExecution {
    OutsideExecution {
        version,
        caller: FORWARDER,
        nonce: Felt::ONE,
        bounds: TimeBounds {
            execute_after: 1,
            execute_before: 0x68,
        },
        calls: vec![SelectedCall::named(TOKEN, "transfer", vec![Felt::ONE])],
    }
}

fn key() -> NonceKey {
    NonceKey::new(&[7; 32])
}

const MODE: FeeMode = FeeMode::Default(TOKEN);

fn sealed(version: OutsideVersion) -> OutsideExecution {
    let mut execution = execution(version);
    execution
        .calls
        .push(fee_transfer(TOKEN, FORWARDER, U256::from(99)));
    key().seal(&mut execution, USER, MODE, 77, [1, 2, 3, 4, 5, 6, 7]);
    execution
}

#[test]
fn a_document_has_the_hash_that_wallets_sign() {
    // Made with starknet.js: typedData.getMessageHash.
    let expected = "0x402cf917e04ae77824b265838c2974eb9e9728322f21adf376a8f5576a83348";
    let document = execution(OutsideVersion::Two).typed_data("SN_SEPOLIA");
    let hash = document_hash(&document, USER);
    assert_eq!(hash.map(felt_to_hex).as_deref(), Some(expected));
}

#[test]
fn what_a_wallet_sends_back_is_what_was_written() {
    for version in [OutsideVersion::One, OutsideVersion::Two] {
        let execution = sealed(version);
        let document = execution.typed_data(CHAIN);
        let (read, hash) = OutsideExecution::parse(&document, CHAIN, USER).unwrap();
        assert_eq!(read, execution);
        assert_eq!(Some(hash), document_hash(&document, USER));
        let built = key().open(&read, USER, MODE);
        assert_eq!(built, Some(BuiltNonce { tip: 77 }));
    }
}

#[test]
fn a_document_that_says_the_same_in_other_words_is_the_same() {
    for version in [OutsideVersion::One, OutsideVersion::Two] {
        let execution = sealed(version);
        let written = execution.typed_data(CHAIN);
        let mut document = written.clone();
        let nonce = match version {
            OutsideVersion::One => "nonce",
            OutsideVersion::Two => "Nonce",
        };
        document["message"][nonce] = json!(format!("{:#066X}", execution.nonce).replace('X', "x"));
        assert_ne!(document, written);
        let read = OutsideExecution::parse(&document, CHAIN, USER);
        let hash = document_hash(&written, USER).unwrap();
        assert_eq!(read, Some((execution, hash)));
    }
}

#[test]
fn selectors_and_numbers_are_minimal_lower_case_hex() {
    let document = execution(OutsideVersion::Two).typed_data(CHAIN);
    let call = &document["message"]["Calls"][0];
    let transfer = "0x83afd3f4caedc6eebf44246fe54e38c95e3179a5ec9ea81740eca5b482d12e";
    assert_eq!(call["Selector"], transfer);
    assert_eq!(document["message"]["Execute Before"], "0x68");
    assert_eq!(document["domain"]["chainId"], CHAIN);
    assert!(document["message"].get("calls").is_none());
    let first = execution(OutsideVersion::One).typed_data(CHAIN);
    assert_eq!(first["message"]["calls_len"], "0x1");
    assert!(first["message"].get("Calls").is_none());
    assert!(first["domain"].get("revision").is_none());
}

#[test]
fn documents_of_other_types_networks_or_shapes_are_refused() {
    let good = sealed(OutsideVersion::Two).typed_data(CHAIN);
    let changed = |change: fn(&mut Value)| {
        let mut document = good.clone();
        change(&mut document);
        OutsideExecution::parse(&document, CHAIN, USER).is_none()
    };
    assert!(!changed(|_| {}));
    assert!(changed(|it| it["domain"]["chainId"] = json!("SN_MAIN")));
    assert!(changed(|it| it["domain"]["version"] = json!("1")));
    assert!(changed(|it| it["types"]["Call"][0]["type"] = json!("felt")));
    assert!(changed(|it| it["message"]["Calls"] = json!({})));
    assert!(changed(|it| it["message"]["calls"] = json!([])));
    assert!(changed(|it| it["message"]["Nonce"] = Value::Null));
    assert!(changed(|it| it["message"]["Execute Before"] = json!("x")));
    assert!(changed(|it| it["primaryType"] = json!("Call")));
    assert!(changed(|it| *it = json!([])));
}

#[test]
fn a_nonce_recognises_nothing_but_what_was_built() {
    let good = sealed(OutsideVersion::Two);
    let opens = |execution: &OutsideExecution, user, mode| key().open(execution, user, mode);
    assert!(opens(&good, USER, MODE).is_some());
    assert!(opens(&good, TOKEN, MODE).is_none());
    assert!(opens(&good, USER, FeeMode::Default(USER)).is_none());
    assert!(opens(&good, USER, FeeMode::Sponsored(None)).is_none());
    let changed = |change: fn(&mut OutsideExecution)| {
        let mut execution = good.clone();
        change(&mut execution);
        opens(&execution, USER, MODE).is_none()
    };
    assert!(changed(|it| it.version = OutsideVersion::One));
    assert!(changed(|it| it.caller = USER));
    assert!(changed(|it| it.bounds.execute_after += 1));
    assert!(changed(|it| it.bounds.execute_before += 1));
    assert!(changed(|it| it.nonce += Felt::ONE));
    assert!(changed(|it| it.calls.truncate(1)));
    assert!(changed(|it| it.calls[1].calldata[1] += Felt::ONE));
    assert!(changed(|it| it.calls[0].to = USER));
    assert!(changed(|it| {
        let data = it.calls[0].calldata.pop().unwrap();
        it.calls[1].calldata.insert(0, data);
    }));
    assert!(NonceKey::new(&[8; 32]).open(&good, USER, MODE).is_none());
}

#[test]
fn the_last_call_says_what_a_user_pays_at_most() {
    let calls = sealed(OutsideVersion::Two).calls;
    let paid = |calls: &[SelectedCall], token| paid_to_forwarder(calls, token, FORWARDER);
    assert_eq!(paid(&calls, TOKEN), Some(U256::from(99)));
    assert_eq!(paid(&calls, USER), None);
    assert_eq!(paid(&calls[..1], TOKEN), None);
    assert_eq!(paid(&[], TOKEN), None);
}

proptest! {
    #[test]
    fn a_changed_bit_of_a_nonce_is_noticed(bit in 0_usize..248) {
        let mut execution = sealed(OutsideVersion::Two);
        let mut bytes = execution.nonce.to_bytes_be();
        bytes[31 - bit / 8] ^= 1 << (bit % 8);
        execution.nonce = Felt::from_bytes_be(&bytes);
        prop_assert!(key().open(&execution, USER, MODE).is_none());
    }

    #[test]
    fn no_document_makes_the_parser_panic(text in ".{0,80}", number: u64) {
        for message in [json!(text), json!({"Calls": [text]}), json!({"calls": number})] {
            let document = json!({"types": {}, "domain": {}, "message": message});
            prop_assert!(OutsideExecution::parse(&document, CHAIN, USER).is_none());
        }
    }
}
