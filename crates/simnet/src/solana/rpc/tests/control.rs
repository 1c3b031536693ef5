//! Methods that steer the simulation, and faults.

use crate::caller::Caller;
use crate::solana::SolanaNode;
use crate::solana::testing::{
    Draft, ask, balance, blockhash, clock, code, config, get, nobody, node, send, verdict,
};
use primitives::SignedDuration;
use serde_json::{Value, json};

const MINIMUM: u64 = 890_880;

#[test]
fn slots_pass_with_the_clock_and_stand_still_when_paused() {
    let clock = clock();
    let node = SolanaNode::new(config(None), clock.clone());
    let first = node.slot();
    clock.advance(SignedDuration::from_millis(4_000));
    assert_eq!(node.slot(), first + 10);
    get(&node, "sim_pause", &json!({}));
    clock.advance(SignedDuration::from_secs(60));
    assert_eq!(node.slot(), first + 10);
    get(&node, "sim_mine", &json!({"slots": 2}));
    assert_eq!(node.slot(), first + 12);
    get(&node, "sim_resume", &json!({}));
    assert_eq!(node.slot(), first + 13);
    let head = get(&node, "sim_advance", &json!({"seconds": 40}));
    assert_eq!(head["slot"], first + 113);
    let time = get(&node, "getBlockTime", &json!([first + 110]));
    assert_eq!(time, 1_800_000_000 + 4 + 60 + 38);
}

#[test]
fn epochs_can_be_passed() {
    let node = node();
    let epoch = || get(&node, "getEpochInfo", &json!([{"commitment": "processed"}]));
    let first = epoch()["epoch"].as_u64().unwrap();
    node.mine(100).unwrap();
    get(&node, "sim_advanceEpochs", &json!({"count": 3}));
    assert_eq!(
        (&epoch()["epoch"], &epoch()["slotIndex"]),
        (&json!(first + 3), &json!(0))
    );
    get(&node, "sim_advanceEpochs", &json!({}));
    assert_eq!(epoch()["epoch"], first + 4);
}

#[test]
fn a_reorg_drops_what_is_not_final_and_its_blockhashes() {
    let node = node();
    let payer = &node.wallets()[0];
    let kept = Draft::by(payer).transfer(nobody(7), MINIMUM).force(&node);
    node.mine(40).unwrap();
    let (old, before) = (blockhash(&node), balance(&node, payer.public_key()));
    let newest = get(
        &node,
        "getLatestBlockhash",
        &json!([{"commitment": "processed"}]),
    );
    let transaction = Draft::by(payer).transfer(nobody(8), MINIMUM).sign(old);
    let dropped = send(&node, &transaction).unwrap();
    node.mine(3).unwrap();
    assert_eq!(balance(&node, nobody(8)), MINIMUM);
    let slot = node.slot();
    get(&node, "sim_reorg", &json!({}));
    assert_eq!(node.slot(), slot);
    assert_eq!(verdict(&node, &dropped), None);
    assert_eq!(verdict(&node, &kept), Some(Value::Null));
    assert_eq!(balance(&node, nobody(8)), 0);
    assert_eq!(balance(&node, payer.public_key()), before);
    let processed = json!({"commitment": "processed"});
    let is_valid = |hash: Value| get(&node, "isBlockhashValid", &json!([hash, processed]));
    assert_eq!(
        is_valid(newest["value"]["blockhash"].clone())["value"],
        false
    );
    assert_eq!(is_valid(json!(old))["value"], true);
    send(&node, &transaction).unwrap();
    node.mine(1).unwrap();
    assert_eq!(balance(&node, nobody(8)), MINIMUM, "it can be sent again");
}

#[test]
fn a_reorg_of_some_slots_leaves_the_others() {
    let node = node();
    let payer = &node.wallets()[0];
    let first = Draft::by(payer).transfer(nobody(7), MINIMUM).force(&node);
    node.mine(5).unwrap();
    let second = Draft::by(payer).transfer(nobody(8), MINIMUM).force(&node);
    get(&node, "sim_reorg", &json!({"depth": 4}));
    assert_eq!(verdict(&node, &first), Some(Value::Null));
    assert_eq!(verdict(&node, &second), None);
}

#[test]
fn what_cannot_be_steered_is_refused() {
    let node = node();
    for (method, params) in [
        ("sim_mine", json!({"slots": 0})),
        ("sim_mine", json!({"blocks": 1})),
        ("sim_advance", json!({})),
        ("sim_advance", json!({"seconds": u64::MAX})),
        ("sim_advanceEpochs", json!({"count": 0})),
        ("sim_advanceEpochs", json!({"count": 1_001})),
        ("sim_reorg", json!({"depth": 0})),
        ("sim_reorg", json!({"depth": 40})),
        ("sim_fault", json!({"kind": "rust"})),
        (
            "sim_fault",
            json!({"kind": "dropped", "method": "sim_mine"}),
        ),
        (
            "sim_fault",
            json!({"kind": "wrong_parent", "method": "getSlot"}),
        ),
        ("sim_fault", json!({"kind": "dropped", "delay_ms": 1})),
    ] {
        assert_eq!(code(&node, method, &params), -32602, "{method} {params}");
    }
}

#[test]
fn wallets_and_validators_are_shown_with_keys_that_sign_for_them() {
    let node = node();
    let accounts = get(&node, "sim_accounts", &json!({}));
    let wallets = accounts["wallets"].as_array().unwrap();
    let validators = accounts["validators"].as_array().unwrap();
    assert_eq!((wallets.len(), validators.len()), (10, 40));
    let votes = get(
        &node,
        "getVoteAccounts",
        &json!([{"keepUnstakedDelinquents": true}]),
    );
    let votes = votes.to_string();
    for (shown, address) in wallets
        .iter()
        .chain([&accounts["platform"]])
        .map(|w| (w, "address"))
        .chain(validators.iter().map(|v| (v, "identity")))
    {
        let bytes = bs58::decode(shown["secret_key"].as_str().unwrap())
            .into_vec()
            .unwrap();
        assert_eq!(json!(bytes), shown["secret_key_bytes"]);
        let key = ed25519_dalek::SigningKey::from_keypair_bytes(&bytes.try_into().unwrap());
        let public = key.unwrap().verifying_key().to_bytes();
        assert_eq!(shown[address], bs58::encode(public).into_string());
    }
    for validator in validators {
        assert!(votes.contains(validator["identity"].as_str().unwrap()));
        assert!(votes.contains(validator["vote_accounts"][0].as_str().unwrap()));
    }
}

#[test]
fn faults_spoil_the_content_of_answers() {
    let node = node();
    let signature = Draft::by(&node.wallets()[0])
        .transfer(nobody(7), MINIMUM)
        .force(&node);
    node.mine(40).unwrap();
    let spoil = |method: &str, kind: &str| {
        get(&node, "sim_fault", &json!({"method": method, "kind": kind}));
    };
    let slot = || get(&node, "getSlot", &json!([])).as_u64().unwrap();
    let real = slot();
    spoil("getSlot", "stale_head");
    assert!(slot() < real - 50);
    assert_eq!(slot(), real);
    for method in ["getBlockHeight", "getEpochInfo", "getLatestBlockhash"] {
        let honest = get(&node, method, &json!([]));
        spoil(method, "stale_head");
        assert_ne!(get(&node, method, &json!([])), honest, "{method}");
        assert_eq!(get(&node, method, &json!([])), honest, "{method}");
    }
    spoil("getTransaction", "missing_transaction");
    assert_eq!(
        get(&node, "getTransaction", &json!([signature])),
        Value::Null
    );
    spoil("getSignatureStatuses", "missing_transaction");
    assert_eq!(verdict(&node, &signature), None);
    let list = || get(&node, "getSignaturesForAddress", &json!([nobody(7)]));
    spoil("*", "empty_history");
    assert_eq!(list(), json!([]));
    assert_eq!(list().as_array().unwrap().len(), 1);
    spoil("getSlot", "http_429");
    get(
        &node,
        "sim_fault",
        &json!({"method": "getSlot", "kind": "none"}),
    );
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "getSlot"}).to_string();
    assert_eq!(
        super::super::answer(&node, Caller::Own, request.as_bytes()).1,
        None
    );
    spoil("getSlot", "wrong_id");
    let (text, _) = super::super::answer(&node, Caller::Own, request.as_bytes());
    assert!(text.unwrap().contains("sim_fault"));
    assert!(ask(&node, "getSlot", &json!([])).is_ok());
}
