//! Hashes that wallets know, and what is refused.

use super::*;
use crate::felt::{felt_from_hex, felt_to_hex};
use proptest::prelude::*;
use serde_json::json;

/// Documents with their hashes, made with starknet.js by
/// `clients/typed-data-documents.js`.
const VECTORS: &str = include_str!("vectors.jsonl");

fn hash(document: &Value, account: &str) -> Result<String, String> {
    let account = felt_from_hex(account).unwrap();
    let hash = TypedData::parse(document).and_then(|data| data.hash(account));
    hash.map(felt_to_hex).map_err(|error| error.to_string())
}

#[test]
fn hashes_are_those_of_starknet_js() {
    let mut seen = 0;
    for line in VECTORS.lines() {
        let vector: Value = serde_json::from_str(line).unwrap();
        let account = vector["account"].as_str().unwrap();
        let expected = vector["hash"].as_str().unwrap();
        assert_eq!(
            hash(&vector["document"], account).as_deref(),
            Ok(expected),
            "{line}"
        );
        seen += 1;
    }
    assert_eq!(seen, 200);
}

/// An outside execution of version 2, as paymasters write it.
fn outside_execution(selector: &str) -> Value {
    json!({
        "types": {
            "StarknetDomain": [
                {"name": "name", "type": "shortstring"},
                {"name": "version", "type": "shortstring"},
                {"name": "chainId", "type": "shortstring"},
                {"name": "revision", "type": "shortstring"},
            ],
            "OutsideExecution": [
                {"name": "Caller", "type": "ContractAddress"},
                {"name": "Nonce", "type": "felt"},
                {"name": "Execute After", "type": "u128"},
                {"name": "Execute Before", "type": "u128"},
                {"name": "Calls", "type": "Call*"},
            ],
            "Call": [
                {"name": "To", "type": "ContractAddress"},
                {"name": "Selector", "type": "selector"},
                {"name": "Calldata", "type": "felt*"},
            ],
        },
        "domain": {
            "name": "Account.execute_from_outside",
            "version": "2",
            "chainId": "SN_SEPOLIA",
            "revision": "1",
        },
        "primaryType": "OutsideExecution",
        "message": {
            "Caller": "0x75a",
            "Nonce": "0x1",
            "Execute After": "0x1",
            "Execute Before": "0x68",
            "Calls": [{"To": "0x49d", "Selector": selector, "Calldata": ["0x1"]}],
        },
    })
}

const TRANSFER: &str = "0x83afd3f4caedc6eebf44246fe54e38c95e3179a5ec9ea81740eca5b482d12e";

#[test]
fn an_outside_execution_has_the_hash_that_wallets_sign() {
    let document = outside_execution(TRANSFER);
    let data = TypedData::parse(&document).unwrap();
    assert_eq!(data.revision(), Revision::One);
    assert_eq!(
        data.type_hash("OutsideExecution")
            .map(felt_to_hex)
            .as_deref(),
        Ok("0x312b56c05a7965066ddbda31c016d8d05afc305071c0ca3cdc2192c3c2f1f0f")
    );
    assert_eq!(
        data.domain_hash().map(felt_to_hex).as_deref(),
        Ok("0x2534050c42890f9cad3cf470a8b54a39c4d283a246dfceb486a8755e44a91df")
    );
    assert_eq!(
        hash(&document, "0x1234").as_deref(),
        Ok("0x402cf917e04ae77824b265838c2974eb9e9728322f21adf376a8f5576a83348")
    );
}

#[test]
fn a_selector_in_hexadecimal_is_the_selector_of_its_name() {
    let number = hash(&outside_execution(TRANSFER), "0x1234");
    assert_eq!(hash(&outside_execution("transfer"), "0x1234"), number);
}

/// A document of one member of this type.
fn single(kind: &Value, value: &Value, more: &Value) -> Value {
    let mut document = json!({
        "types": {
            "StarknetDomain": [{"name": "revision", "type": "shortstring"}],
            "Message": [kind],
        },
        "domain": {"revision": "1"},
        "primaryType": "Message",
        "message": {"x": value},
    });
    for (name, members) in more.as_object().unwrap() {
        document["types"][name] = members.clone();
    }
    document
}

fn refusal(kind: &str, value: &Value) -> String {
    let member = json!({"name": "x", "type": kind, "contains": "Choice"});
    let choice = json!({"Choice": [{"name": "A", "type": "(felt,u128)"}]});
    hash(&single(&member, value, &choice), "0x1").unwrap_err()
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    for (kind, value, problem) in [
        ("felt", json!(null), "message.x: is missing"),
        (
            "felt",
            json!("a text that is longer than a felt"),
            "message.x: is neither a number nor a text of up to 31 ASCII characters",
        ),
        ("felt", json!(1.5), "message.x: must be a whole number"),
        (
            "felt",
            json!(9_007_199_254_740_993_u64),
            "message.x: must be written as text, being so large",
        ),
        (
            "felt",
            json!("0x800000000000011000000000000000000000000000000000000000000000001"),
            "message.x: is out of the range of a felt",
        ),
        (
            "felt",
            json!(-1),
            "message.x: is out of the range of a felt",
        ),
        (
            "ContractAddress",
            json!("alice"),
            "message.x: must be a number",
        ),
        (
            "u128",
            json!("0x100000000000000000000000000000000"),
            "message.x: is out of the range of an u128",
        ),
        (
            "i128",
            json!("-170141183460469231731687303715884105729"),
            "message.x: is out of the range of an i128",
        ),
        ("bool", json!("true"), "message.x: must be true or false"),
        ("string", json!(5), "message.x: must be a text"),
        (
            "felt*",
            json!(["0x1", {}]),
            "message.x[1]: must be a number",
        ),
        ("u256", json!({"low": "1"}), "message.x.high: is missing"),
        ("merkletree", json!([]), "message.x: has no leaves"),
        ("enum", json!({"B": []}), "message.x: has no variant \"B\""),
        (
            "enum",
            json!({"A": [1]}),
            "message.x.A: must have 2 values and has 1",
        ),
        (
            "enum",
            json!({"A": [1, "-2"]}),
            "message.x.A[1]: is out of the range of an u128",
        ),
        (
            "enum",
            json!({}),
            "message.x: must be an object of one member",
        ),
        (
            "u8",
            json!(1),
            "types.Message[0]: has the type \"u8\", which is not known here",
        ),
        (
            "(felt)",
            json!([1]),
            "message.x: has the type \"()\", which is not known here",
        ),
    ] {
        assert_eq!(refusal(kind, &value), problem, "{kind}");
    }
}

#[test]
fn documents_do_not_define_what_the_standard_does() {
    for name in ["felt", "u256", "enum", "Call*", "(felt)"] {
        let member = json!({"name": "x", "type": "felt"});
        let document = single(&member, &json!(1), &json!({name: []}));
        let refused = hash(&document, "0x1").unwrap_err();
        assert_eq!(
            refused,
            format!("types.{name}: is not a name that a type may have")
        );
    }
}

#[test]
fn depth_size_and_types_are_bounded() {
    let member = json!({"name": "x", "type": "Message*"});
    let nested = |depth| (0..depth).fold(json!([]), |inner, _| json!([{"x": inner}]));
    assert!(hash(&single(&member, &nested(15), &json!({})), "0x1").is_ok());
    let deep = hash(&single(&member, &nested(40), &json!({})), "0x1").unwrap_err();
    assert!(
        deep.ends_with(": has more than 32 values within each other"),
        "{deep}"
    );

    let many = json!({"name": "x", "type": "felt*"});
    let long = vec![1; 70_000];
    let long = hash(&single(&many, &json!(long), &json!({})), "0x1").unwrap_err();
    assert_eq!(
        long,
        "message.x[65534]: has more than 65536 values in the document"
    );

    let types: serde_json::Map<String, Value> = (0..200)
        .map(|index| (format!("T{index}"), json!([])))
        .collect();
    let types = hash(&single(&many, &json!([]), &types.into()), "0x1").unwrap_err();
    assert_eq!(types, "types: has more than 128 types");

    let stars = json!({"name": "x", "type": format!("felt{}", "*".repeat(9))});
    assert!(hash(&single(&stars, &json!([]), &json!({})), "0x1").is_err());
}

#[test]
fn a_text_of_any_script_is_its_bytes() {
    let member = json!({"name": "x", "type": "string"});
    let of = |text: &str| hash(&single(&member, &json!(text), &json!({})), "0x1").unwrap();
    assert_ne!(of("Στοά"), of("Stoa"));
    assert_ne!(of(""), of("\0"));
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-z0-9x*(),]{0,6}".prop_map(Value::from),
        prop::sample::select(vec!["enum", "merkletree", "felt*", "S", "1", "(S,felt)"])
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 4, |inner| {
        let names = prop::sample::select(vec!["name", "type", "contains", "x", "revision", "S"]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map(names, inner, 0..4).prop_map(|fields| {
                fields
                    .into_iter()
                    .map(|(name, value)| (name.to_owned(), value))
                    .collect()
            }),
        ]
    })
}

proptest! {
    #[test]
    fn no_document_makes_it_panic(types in any_json(), domain in any_json(), message in any_json()) {
        let document = json!({"types": {"StarknetDomain": [], "StarkNetDomain": [], "S": types}, "domain": domain, "primaryType": "S", "message": message});
        let _ = hash(&document, "0x1");
        let document = json!({"types": types, "domain": {"revision": "1"}, "primaryType": "S", "message": message});
        let _ = hash(&document, "0x1");
    }
}
