//! Changes of the state.

use crate::starknet::hash::felt;
use crate::starknet::rpc::hex::hex;
use crate::starknet::state::Key;
use crate::starknet::storage::cells_from;
use primitives::{Felt, U256};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Variables with their new values, as the specification groups them. Contracts
/// that were there before have their classes replaced; `place` says where a
/// variable begins.
pub(crate) fn state_diff<'k>(
    changes: impl Iterator<Item = (&'k Key, U256)>,
    was_there: impl Fn(Felt) -> bool,
    place: impl Fn(&Key) -> Felt,
) -> Value {
    let mut storage: BTreeMap<Felt, Vec<(Felt, Felt)>> = BTreeMap::new();
    let mut nonces: BTreeMap<Felt, Felt> = BTreeMap::new();
    let mut deployed: BTreeMap<Felt, Felt> = BTreeMap::new();
    let mut replaced: BTreeMap<Felt, Felt> = BTreeMap::new();
    for (key, value) in changes {
        if key.is_nonce() {
            nonces.insert(key.contract, felt(value));
        } else if key.is_class_hash() {
            let classes = if was_there(key.contract) {
                &mut replaced
            } else {
                &mut deployed
            };
            classes.insert(key.contract, felt(value));
        } else {
            let entries = storage.entry(key.contract).or_default();
            entries.extend(cells_from(place(key), key, value));
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
    let replaced: Vec<Value> = replaced
        .iter()
        .map(|(address, class)| json!({"contract_address": hex(address), "class_hash": hex(class)}))
        .collect();
    json!({
        "storage_diffs": storage,
        "nonces": nonces,
        "deployed_contracts": deployed,
        "deprecated_declared_classes": [],
        "declared_classes": [],
        "replaced_classes": replaced,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::starknet::storage::place;

    #[test]
    fn a_class_is_new_or_replaced() {
        let [new, old] = [Felt::ONE, Felt::TWO].map(Key::class_hash);
        let changes = [(&new, U256::from(7)), (&old, U256::from(8))];
        let diff = state_diff(changes.into_iter(), |contract| contract == Felt::TWO, place);
        assert_eq!(
            diff["deployed_contracts"],
            json!([{"address": "0x1", "class_hash": "0x7"}])
        );
        assert_eq!(
            diff["replaced_classes"],
            json!([{"contract_address": "0x2", "class_hash": "0x8"}])
        );
    }
}
