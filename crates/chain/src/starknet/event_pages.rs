//! `starknet_getEvents`, page by page.

use super::{felt::WireFelt, receipts::Event};
use crate::{error::RpcError, jsonrpc::JsonRpc};
use primitives::{Address, Felt};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::ops::RangeInclusive;

/// Events that are asked for at once; nodes allow no fewer.
const PAGE: u16 = 1_000;

/// Pages of one answer. Some nodes give empty ones on their way.
pub const MAX_EVENT_PAGES: usize = 4_096;

/// What is asked for.
pub(super) struct Wanted<'a> {
    /// Who emitted it.
    pub(super) contract: Address,
    /// Selectors of the events' names; none means all.
    pub(super) names: &'a [Felt],
    /// The blocks.
    pub(super) range: &'a RangeInclusive<u64>,
}

#[derive(Serialize)]
struct Question<'a> {
    filter: Filter<'a>,
}

#[derive(Serialize)]
struct Filter<'a> {
    from_block: Height,
    to_block: Height,
    address: WireFelt,
    #[serde(skip_serializing_if = "Option::is_none")]
    keys: Option<[Vec<WireFelt>; 1]>,
    chunk_size: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    continuation_token: Option<&'a str>,
}

#[derive(Serialize)]
struct Height {
    block_number: u64,
}

/// Some of what was asked for, and where the rest begins.
#[derive(Deserialize)]
pub(super) struct WirePage<E> {
    pub(super) events: Vec<E>,
    #[serde(default)]
    pub(super) continuation_token: Option<String>,
}

/// The page that begins at the beginning, or where the one before said.
pub(super) async fn page<E: DeserializeOwned>(
    rpc: &JsonRpc,
    wanted: &Wanted<'_>,
    next: Option<&str>,
) -> Result<WirePage<E>, RpcError> {
    let height = |block_number: &u64| Height {
        block_number: *block_number,
    };
    let names: Vec<WireFelt> = wanted.names.iter().copied().map(WireFelt).collect();
    let filter = Filter {
        from_block: height(wanted.range.start()),
        to_block: height(wanted.range.end()),
        address: WireFelt(wanted.contract.felt()),
        keys: (!names.is_empty()).then_some([names]),
        chunk_size: PAGE,
        continuation_token: next,
    };
    rpc.call("starknet_getEvents", &Question { filter }).await
}

/// An event of an earlier block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastEvent {
    /// The block's height.
    pub block: u64,
    /// The event; the place of its transaction is not told.
    pub event: Event,
}

/// Some events of earlier blocks, in the order of the chain.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EventPage {
    /// Perhaps none: some nodes give empty pages on their way.
    pub events: Vec<PastEvent>,
    /// Where the next page begins; none if there is none.
    pub next: Option<String>,
}

#[derive(Deserialize)]
struct Emitted {
    /// None in the block in the making.
    #[serde(default)]
    block_number: Option<u64>,
    from_address: WireFelt,
    keys: Vec<WireFelt>,
    data: Vec<WireFelt>,
}

/// The events of a page, whole.
pub(super) async fn events(
    rpc: &JsonRpc,
    wanted: &Wanted<'_>,
    next: Option<&str>,
) -> Result<EventPage, RpcError> {
    let WirePage {
        events,
        continuation_token,
    } = page::<Emitted>(rpc, wanted, next).await?;
    let felts = |list: Vec<WireFelt>| list.into_iter().map(|WireFelt(felt)| felt).collect();
    let told = events.into_iter().filter_map(|emitted| {
        let block = emitted
            .block_number
            .filter(|block| wanted.range.contains(block))?;
        let event = Event {
            transaction: 0,
            from: Address::new(emitted.from_address.0),
            keys: felts(emitted.keys),
            data: felts(emitted.data),
        };
        // A node that does not filter is not believed.
        let is_wanted = event.from == wanted.contract
            && (wanted.names.is_empty()
                || event
                    .keys
                    .first()
                    .is_some_and(|name| wanted.names.contains(name)));
        is_wanted.then_some(PastEvent { block, event })
    });
    Ok(EventPage {
        events: told.collect(),
        next: continuation_token,
    })
}
