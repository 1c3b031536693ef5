//! Classes and storage of contracts.

use super::sending::{pay, quiet, read, send};
use super::*;
use crate::starknet::network::STRK as STRK_FELT;
use crate::starknet::wallet::Wallet;
use starknet_crypto::pedersen_hash;

#[test]
fn a_class_lists_exactly_what_can_be_called() {
    let account = NODE.accounts()[0].address.to_string();
    for address in [account.as_str(), ETH, STRK] {
        let hash = get("starknet_getClassHashAt", &json!(["latest", address]));
        let class = get("starknet_getClassAt", &json!(["latest", address]));
        assert_eq!(get("starknet_getClass", &json!(["latest", hash])), class);
        let fields = [
            "abi",
            "contract_class_version",
            "entry_points_by_type",
            "sierra_program",
        ];
        assert_eq!(keys(&class), fields);
        let abi: Vec<Value> = serde_json::from_str(class["abi"].as_str().unwrap()).unwrap();
        let functions: Vec<&str> = abi
            .iter()
            .filter(|entry| entry["type"] == "function")
            .map(|entry| entry["name"].as_str().unwrap())
            .collect();
        let external = class["entry_points_by_type"]["EXTERNAL"]
            .as_array()
            .unwrap();
        assert_eq!(external.len(), functions.len());
        for name in functions {
            let selector = json!(felt_to_hex(selector(name)));
            assert!(external.iter().any(|entry| entry["selector"] == selector));
            let call = call_of(address, name, &[]);
            let answer = ask(&NODE, Spec::V0_9, "starknet_call", &json!([call, "latest"]));
            assert_ne!(
                answer.map_err(|error| error["code"].clone()),
                Err(json!(21)),
                "{name}"
            );
        }
    }
}

#[test]
fn unknown_classes_and_contracts_are_not_found() {
    assert_eq!(code("starknet_getClass", &json!(["latest", "0x1"])), 28);
    assert_eq!(code("starknet_getClassAt", &json!(["latest", "0x1"])), 20);
    let id = json!({"block_number": 150});
    assert_eq!(code("starknet_getClass", &json!([id, "0x1"])), 24);
    assert_eq!(code("starknet_getClassAt", &json!([id, ETH])), 24);
    assert_eq!(
        code("starknet_getStorageAt", &json!(["0x1", "0x1", "latest"])),
        20
    );
    assert_eq!(code("starknet_getStorageAt", &json!([ETH, "0x1", id])), 24);
    assert_eq!(code("starknet_getStateUpdate", &json!([id])), 24);
}

#[test]
fn storage_is_where_it_is_on_the_network() {
    let node = quiet();
    let alice = Wallet::funded(&node, 0);
    let at = |contract: Felt, place: Felt, block: Value| {
        let params = json!([felt_to_hex(contract), felt_to_hex(place), block]);
        read(&node, "starknet_getStorageAt", &params)
    };
    let key = at(
        alice.address,
        selector("Account_public_key"),
        json!("latest"),
    );
    assert_eq!(key, felt_to_hex(alice.public_key()));
    let place = pedersen_hash(&selector("ERC20_balances"), &Felt::TWO);
    send(&node, &alice.invoke(0, &[pay(Felt::TWO, 77)])).unwrap();
    assert_eq!(at(STRK_FELT, place, json!("latest")), "0x0");
    assert_eq!(at(STRK_FELT, place, json!("pre_confirmed")), "0x4d");
    node.mine(1).unwrap();
    assert_eq!(at(STRK_FELT, place, json!("latest")), "0x4d");
    assert_eq!(at(STRK_FELT, place + Felt::ONE, json!("latest")), "0x0");
    assert_eq!(at(STRK_FELT, place, json!({"block_number": 5})), "0x0");
    assert_eq!(at(STRK_FELT, place + Felt::TWO, json!("latest")), "0x0");
    let supply = at(STRK_FELT, selector("ERC20_total_supply"), json!("latest"));
    let call = call_of(STRK, "totalSupply", &[]);
    assert_eq!(
        read(&node, "starknet_call", &json!([call, "latest"]))[0],
        supply
    );
}

#[test]
fn the_first_updates_deploy_everything_and_roots_are_linked() {
    let update = |number: u64| {
        get(
            "starknet_getStateUpdate",
            &json!([{ "block_number": number }]),
        )
    };
    let (first, second, third) = (update(0), update(1), update(2));
    let deployed = first["state_diff"]["deployed_contracts"]
        .as_array()
        .unwrap();
    assert!(deployed.iter().any(|contract| contract["address"] == ETH));
    assert_eq!(first["old_root"], "0x0");
    assert_eq!(second["old_root"], first["new_root"]);
    // Pools are contracts that contracts deploy.
    let pools = second["state_diff"]["deployed_contracts"]
        .as_array()
        .unwrap();
    assert!(pools.len() > 10);
    assert!(pools.iter().all(|pool| !deployed.contains(pool)));
    assert_eq!(third["state_diff"]["deployed_contracts"], json!([]));
    let open = get("starknet_getStateUpdate", &json!(["pre_confirmed"]));
    assert_eq!(keys(&open), ["old_root", "state_diff"]);
}
