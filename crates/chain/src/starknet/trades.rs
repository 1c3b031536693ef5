//! What trades of the exchange contract cost.

use super::{
    felt::WireFelt,
    receipts::{Emitted, Event, emitted_by_one},
};
use crate::{
    error::RpcError,
    jsonrpc::{JsonRpc, parse},
};
use primitives::{Address, Felt, selector};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, ops::RangeInclusive, sync::LazyLock};

const METHOD: &str = "starknet_getTransactionReceipt";

/// Events that are looked through, of the exchange contract; nodes allow no fewer.
const MAX_EVENTS: u16 = 1_000;

/// What the exchange contract says of each trade.
static SWAP: LazyLock<Felt> = LazyLock::new(|| selector("Swap"));

/// A transaction with one trade through the exchange contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trade {
    /// Gas for what happens on L1.
    pub l1_gas: u64,
    /// Gas for data on L1.
    pub l1_data_gas: u64,
    /// Gas for execution.
    pub l2_gas: u64,
    /// Events with a name that venues use, in order.
    pub venue_events: Vec<Event>,
}

#[derive(Serialize)]
struct Question {
    filter: Filter,
}

#[derive(Serialize)]
struct Filter {
    from_block: Height,
    to_block: Height,
    address: WireFelt,
    keys: [[WireFelt; 1]; 1],
    chunk_size: u16,
}

#[derive(Serialize)]
struct Height {
    block_number: u64,
}

#[derive(Deserialize)]
struct TradeEvents {
    events: Vec<TradeEvent>,
}

#[derive(Deserialize)]
struct TradeEvent {
    transaction_hash: WireFelt,
}

#[derive(Serialize)]
struct OfTransaction {
    transaction_hash: WireFelt,
}

#[derive(Deserialize)]
struct Receipt {
    execution_resources: Resources,
    #[serde(deserialize_with = "emitted_by_one")]
    events: Emitted,
}

/// Nodes before 0.8 count other things.
#[derive(Deserialize)]
struct Resources {
    #[serde(rename = "l1_gas")]
    l1: Option<u64>,
    #[serde(rename = "l1_data_gas")]
    l1_data: Option<u64>,
    #[serde(rename = "l2_gas")]
    l2: Option<u64>,
}

pub(super) async fn newest(
    rpc: &JsonRpc,
    exchange: Address,
    blocks: RangeInclusive<u64>,
    limit: usize,
) -> Result<Vec<Trade>, RpcError> {
    let height = |block_number: &u64| Height {
        block_number: *block_number,
    };
    let filter = Filter {
        from_block: height(blocks.start()),
        to_block: height(blocks.end()),
        address: WireFelt(exchange.felt()),
        keys: [[WireFelt(*SWAP)]],
        chunk_size: MAX_EVENTS,
    };
    let page: TradeEvents = rpc.call("starknet_getEvents", &Question { filter }).await?;
    let hashes = traded_once(page.events.iter().map(|told| told.transaction_hash.0));
    let newest = hashes.len().saturating_sub(limit);
    let params: Vec<_> = hashes.into_iter().skip(newest).map(of).collect();
    let read = rpc.batch(METHOD, &params, |_: &OfTransaction, answer| match answer {
        Ok(receipt) => parse(METHOD, receipt).map(trade),
        Err(error) if error.is_transaction_not_found() => Ok(None),
        Err(error) => Err(error),
    });
    Ok(read.await?.into_iter().flatten().collect())
}

fn of(hash: Felt) -> OfTransaction {
    OfTransaction {
        transaction_hash: WireFelt(hash),
    }
}

/// The transactions that are named once, in the order of the chain.
fn traded_once(hashes: impl Iterator<Item = Felt>) -> Vec<Felt> {
    let hashes: Vec<Felt> = hashes.collect();
    let mut counts = BTreeMap::new();
    for hash in &hashes {
        *counts.entry(*hash).or_insert(0_u32) += 1;
    }
    let once = |hash: &Felt| counts.get(hash) == Some(&1);
    hashes.iter().copied().filter(once).collect()
}

fn trade(receipt: Receipt) -> Option<Trade> {
    let Resources { l1, l1_data, l2 } = receipt.execution_resources;
    Some(Trade {
        l1_gas: l1?,
        l1_data_gas: l1_data?,
        l2_gas: l2?,
        venue_events: receipt.events.venue_events,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(resources: &serde_json::Value) -> Option<Trade> {
        let receipt = json!({"execution_resources": resources, "events": [
            {"from_address": "0x7", "keys": [primitives::felt_to_hex(*SWAP)], "data": ["0x1"]},
            {"from_address": "0x7", "keys": ["0x5"], "data": []},
        ]});
        trade(serde_json::from_str(&receipt.to_string()).unwrap())
    }

    #[test]
    fn a_receipt_tells_gas_and_what_venues_said() {
        let trade = read(&json!({"l1_gas": 1, "l1_data_gas": 2, "l2_gas": 3})).unwrap();
        assert_eq!((trade.l1_gas, trade.l1_data_gas, trade.l2_gas), (1, 2, 3));
        assert_eq!(trade.venue_events.len(), 1);
    }

    #[test]
    fn a_receipt_that_counts_steps_tells_nothing() {
        assert_eq!(read(&json!({"steps": 10_000})), None);
    }

    #[test]
    fn a_transaction_of_several_trades_is_left_out() {
        let hashes = [5_u64, 3, 5, 9].map(Felt::from);
        assert_eq!(traded_once(hashes.into_iter()), [3_u64, 9].map(Felt::from));
    }
}
