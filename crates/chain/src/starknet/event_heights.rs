//! Where a contract has emitted events: which blocks are worth reading.

use super::felt::WireFelt;
use crate::{error::RpcError, jsonrpc::JsonRpc};
use primitives::Address;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeSet, ops::RangeInclusive};

/// Events that are asked for at once; nodes allow no fewer.
const PAGE: u16 = 1_000;

/// Pages of one answer. Some nodes give empty ones on their way.
const MAX_PAGES: usize = 4_096;

#[derive(Serialize)]
struct Question<'a> {
    filter: Filter<'a>,
}

#[derive(Serialize)]
struct Filter<'a> {
    from_block: Height,
    to_block: Height,
    address: WireFelt,
    chunk_size: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    continuation_token: Option<&'a str>,
}

#[derive(Serialize)]
struct Height {
    block_number: u64,
}

#[derive(Deserialize)]
struct Page {
    events: Vec<Emitted>,
    #[serde(default)]
    continuation_token: Option<String>,
}

#[derive(Deserialize)]
struct Emitted {
    /// None in the block in the making.
    #[serde(default)]
    block_number: Option<u64>,
}

pub(super) async fn find(
    rpc: &JsonRpc,
    contract: Address,
    range: RangeInclusive<u64>,
    limit: usize,
) -> Result<BTreeSet<u64>, RpcError> {
    let mut heights = BTreeSet::new();
    if range.is_empty() {
        return Ok(heights);
    }
    let mut next: Option<String> = None;
    for _ in 0..MAX_PAGES {
        let height = |block_number: &u64| Height {
            block_number: *block_number,
        };
        let filter = Filter {
            from_block: height(range.start()),
            to_block: height(range.end()),
            address: WireFelt(contract.felt()),
            chunk_size: PAGE,
            continuation_token: next.as_deref(),
        };
        let page: Page = rpc.call("starknet_getEvents", &Question { filter }).await?;
        let found = page.events.iter().filter_map(|event| event.block_number);
        heights.extend(found.filter(|height| range.contains(height)));
        if heights.len() > limit {
            return Err(long_past(contract, limit));
        }
        next = page.continuation_token;
        if next.is_none() {
            return Ok(heights);
        }
    }
    Err(long_past(contract, MAX_PAGES))
}

fn long_past(contract: Address, limit: usize) -> RpcError {
    RpcError::LongPast {
        contract: contract.felt(),
        limit,
    }
}
