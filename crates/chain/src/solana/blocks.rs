//! Who produced the blocks of their slots.

use super::client::{FINALIZED, SolanaClient};
use crate::error::RpcError;
use leasing::LedSlots;
use primitives::PublicKey;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The blocks of an epoch so far.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "Answer")]
pub struct BlockProduction {
    /// The first slot that is counted, which is the epoch's.
    pub first_slot: u64,
    /// The last slot that is counted: the newest final one when the node answered.
    pub last_slot: u64,
    /// The slots of each validator identity that led any.
    pub by_identity: BTreeMap<PublicKey, LedSlots>,
}

#[derive(Deserialize)]
struct Answer {
    value: Production,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Production {
    by_identity: BTreeMap<PublicKey, (u64, u64)>,
    range: Range,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Range {
    first_slot: u64,
    last_slot: u64,
}

impl From<Answer> for BlockProduction {
    fn from(Answer { value }: Answer) -> Self {
        let led = value.by_identity.into_iter();
        Self {
            first_slot: value.range.first_slot,
            last_slot: value.range.last_slot,
            by_identity: led
                .map(|(identity, (slots, blocks))| (identity, LedSlots { slots, blocks }))
                .collect(),
        }
    }
}

impl SolanaClient {
    /// The blocks of the current epoch so far, as far as they are final.
    pub async fn block_production(&self) -> Result<BlockProduction, RpcError> {
        self.call("getBlockProduction", &(FINALIZED,)).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_answer_is_read_for_what_is_needed() {
        let key = PublicKey::from_bytes([7; 32]);
        let answer = json!({
            "context": {"slot": 9, "apiVersion": "4.0.0"},
            "value": {
                "byIdentity": {key.to_string(): [8, 7]},
                "range": {"firstSlot": 1, "lastSlot": 9, "somethingNew": 1},
            },
        });
        let read: BlockProduction = serde_json::from_value(answer).unwrap();
        let led = LedSlots {
            slots: 8,
            blocks: 7,
        };
        assert_eq!((read.first_slot, read.last_slot), (1, 9));
        assert_eq!(read.by_identity, [(key, led)].into());
    }
}
