//! Where a contract has emitted events: which blocks are worth reading.

use super::event_pages::{self, MAX_EVENT_PAGES, Wanted, WirePage};
use crate::{error::RpcError, jsonrpc::JsonRpc};
use primitives::Address;
use serde::Deserialize;
use std::{collections::BTreeSet, ops::RangeInclusive};

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
    let wanted = Wanted {
        contract,
        names: &[],
        range: &range,
    };
    let mut next: Option<String> = None;
    for _ in 0..MAX_EVENT_PAGES {
        let page: WirePage<Emitted> = event_pages::page(rpc, &wanted, next.as_deref()).await?;
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
    Err(long_past(contract, MAX_EVENT_PAGES))
}

fn long_past(contract: Address, limit: usize) -> RpcError {
    RpcError::LongPast {
        contract: contract.felt(),
        limit,
    }
}
