//! Changes of the state.

use crate::starknet::hash::felt;
use crate::starknet::rpc::hex::hex;
use crate::starknet::state::Key;
use crate::starknet::storage::cells;
use primitives::{Felt, U256};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Variables with their new values, as the specification groups them.
pub(crate) fn state_diff<'k>(changes: impl Iterator<Item = (&'k Key, U256)>) -> Value {
    let mut storage: BTreeMap<Felt, Vec<(Felt, Felt)>> = BTreeMap::new();
    let mut nonces: BTreeMap<Felt, Felt> = BTreeMap::new();
    let mut deployed: BTreeMap<Felt, Felt> = BTreeMap::new();
    for (key, value) in changes {
        if key.is_nonce() {
            nonces.insert(key.contract, felt(value));
        } else if key.is_class_hash() {
            deployed.insert(key.contract, felt(value));
        } else {
            let entries = storage.entry(key.contract).or_default();
            entries.extend(cells(key, value));
        }
    }
    let storage: Vec<Value> = storage
        .into_iter()
        .map(|(address, mut entries)| {
            entries.sort_unstable();
            let entries: Vec<Value> = entries
                .iter()
                .map(|(key, value)| json!({"key": hex(key), "value": hex(value)}))
                .collect();
            json!({"address": hex(&address), "storage_entries": entries})
        })
        .collect();
    let nonces: Vec<Value> = nonces
        .iter()
        .map(|(address, nonce)| json!({"contract_address": hex(address), "nonce": hex(nonce)}))
        .collect();
    let deployed: Vec<Value> = deployed
        .iter()
        .map(|(address, class)| json!({"address": hex(address), "class_hash": hex(class)}))
        .collect();
    json!({
        "storage_diffs": storage,
        "nonces": nonces,
        "deployed_contracts": deployed,
        "deprecated_declared_classes": [],
        "declared_classes": [],
        "replaced_classes": [],
    })
}
