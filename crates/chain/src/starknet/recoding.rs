//! Which contracts a block gave other code, by its state update: contracts need
//! not say it, and what they say is only a hint.

use super::felt::WireFelt;
use crate::{error::RpcError, jsonrpc::parse};
use primitives::{Address, Felt, felt_to_hex, selector};
use serde::{
    Deserialize, Deserializer,
    de::{SeqAccess, Visitor},
};
use serde_json::value::RawValue;
use std::{fmt, sync::LazyLock};

/// Where contracts that only forward calls keep the class that they forward to:
/// `OpenZeppelin`'s proxies for Cairo 0.
pub(super) static IMPLEMENTATION: LazyLock<Felt> =
    LazyLock::new(|| selector("Proxy_implementation_hash"));

/// The same as nodes write it, without the prefix.
static IMPLEMENTATION_DIGITS: LazyLock<String> = LazyLock::new(|| {
    let hex = felt_to_hex(*IMPLEMENTATION);
    hex.trim_start_matches("0x")
        .trim_start_matches('0')
        .to_owned()
});

/// The contracts that a block gave other code.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Recoding {
    /// To be compared with the block that was read: both must be the same.
    pub(super) block_hash: Felt,
    /// Sorted, unique.
    pub(super) contracts: Vec<Address>,
}

#[derive(Deserialize)]
struct StateUpdate {
    /// A block in the making has none.
    block_hash: Option<WireFelt>,
    state_diff: StateDiff,
}

#[derive(Deserialize)]
struct StateDiff {
    storage_diffs: Vec<StorageDiff>,
    #[serde(default)]
    replaced_classes: Vec<ReplacedClass>,
}

#[derive(Deserialize)]
struct StorageDiff {
    address: WireFelt,
    #[serde(rename = "storage_entries")]
    entries: Entries,
}

#[derive(Deserialize)]
struct ReplacedClass {
    contract_address: WireFelt,
}

/// Whether the place of an implementation is among written places. There are
/// many of them, and nothing else of them is wanted.
struct Entries {
    have_implementation: bool,
}

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Entry<'a> {
            #[serde(borrow)]
            key: &'a str,
        }

        struct Places;

        impl<'de> Visitor<'de> for Places {
            type Value = Entries;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a list of places with what was written there")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Entries, A::Error> {
                let mut have_implementation = false;
                while let Some(Entry { key }) = entries.next_element()? {
                    have_implementation |= is_implementation(key);
                }
                Ok(Entries {
                    have_implementation,
                })
            }
        }

        deserializer.deserialize_seq(Places)
    }
}

fn is_implementation(key: &str) -> bool {
    let digits = key.strip_prefix("0x").or_else(|| key.strip_prefix("0X"));
    let digits = digits.unwrap_or_default().trim_start_matches('0');
    digits.eq_ignore_ascii_case(&IMPLEMENTATION_DIGITS)
}

/// What a state update says.
pub(super) fn read(
    method: &'static str,
    asked: u64,
    answer: &RawValue,
) -> Result<Recoding, RpcError> {
    let StateUpdate {
        block_hash,
        state_diff,
    } = parse(method, answer)?;
    let WireFelt(block_hash) = block_hash.ok_or(RpcError::Pending { number: asked })?;
    let replaced = state_diff.replaced_classes.iter();
    let written = state_diff.storage_diffs.iter();
    let mut contracts: Vec<Address> = replaced
        .map(|replaced| replaced.contract_address)
        .chain(
            written
                .filter(|diff| diff.entries.have_implementation)
                .map(|diff| diff.address),
        )
        .map(|WireFelt(contract)| Address::new(contract))
        .collect();
    contracts.sort_unstable();
    contracts.dedup();
    Ok(Recoding {
        block_hash,
        contracts,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn recoding(state_diff: &serde_json::Value) -> Recoding {
        let update = json!({"block_hash": "0x7", "state_diff": state_diff});
        let text = update.to_string();
        read("m", 1, &RawValue::from_string(text).unwrap()).unwrap()
    }

    fn contracts(numbers: &[u64]) -> Recoding {
        let address = |number: &u64| Address::new(Felt::from(*number));
        Recoding {
            block_hash: Felt::from(7),
            contracts: numbers.iter().map(address).collect(),
        }
    }

    #[test]
    fn replaced_classes_and_written_implementations_are_other_code() {
        let entry = |key: &str| json!({"key": key, "value": "0x5"});
        let place = felt_to_hex(*IMPLEMENTATION);
        let padded = format!("0x0{}", place.trim_start_matches("0x").to_uppercase());
        let diff = |address: &str, keys: &[&str]| {
            let entries: Vec<_> = keys.iter().map(|key| entry(key)).collect();
            json!({"address": address, "storage_entries": entries})
        };
        let state_diff = json!({
            "storage_diffs": [
                diff("0x9", &["0x1", &place]),
                diff("0x8", &["0x1", "0x2"]),
                diff("0x4", &[&padded]),
                diff("0x3", &[]),
            ],
            "deployed_contracts": [{"address": "0x6", "class_hash": "0x1"}],
            "replaced_classes": [
                {"contract_address": "0x9", "class_hash": "0x1"},
                {"contract_address": "0x2", "class_hash": "0x1"},
            ],
            "nonces": [],
        });
        assert_eq!(recoding(&state_diff), contracts(&[2, 4, 9]));
    }

    #[test]
    fn a_block_that_replaces_nothing_recodes_nothing() {
        let state_diff = json!({"storage_diffs": [], "nonces": []});
        assert_eq!(recoding(&state_diff), contracts(&[]));
    }
}
