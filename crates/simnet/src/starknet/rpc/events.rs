//! `starknet_getEvents`: filters and pages.

use super::error::{INVALID_CONTINUATION_TOKEN, PAGE_SIZE_TOO_BIG, TOO_MANY_KEYS_IN_FILTER};
use super::hex::FeltParam;
use super::id::BlockId;
use super::render::{EmittedJson, EmittingBlock, EventsJson};
use super::spec::Spec;
use crate::jsonrpc::{Answer, Params, RpcError, result};
use crate::starknet::chain::Chain;
use crate::starknet::node::StarknetNode;
use crate::starknet::transaction::{Event, Transaction};
use primitives::Felt;
use serde::Deserialize;
use std::sync::Arc;

/// Events in one page.
const MAX_CHUNK: usize = 1024;

/// Values, positions and addresses in one filter, each.
const MAX_FILTER_KEYS: usize = 256;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FilterParam {
    from_block: Option<BlockId>,
    to_block: Option<BlockId>,
    address: Option<AddressParam>,
    keys: Option<Vec<Vec<FeltParam>>>,
    continuation_token: Option<String>,
    chunk_size: usize,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum AddressParam {
    One(FeltParam),
    Several(Vec<FeltParam>),
}

/// What an event must be like.
struct Filter {
    /// Any of these; none means any at all.
    addresses: Vec<Felt>,
    /// By position, any of these; none means any at all.
    keys: Vec<Vec<Felt>>,
}

impl Filter {
    fn matches(&self, event: &Event) -> bool {
        (self.addresses.is_empty() || self.addresses.contains(&event.from))
            && self.keys.iter().enumerate().all(|(position, allowed)| {
                allowed.is_empty()
                    || event
                        .keys
                        .get(position)
                        .is_some_and(|key| allowed.contains(key))
            })
    }
}

/// Where a page begins: the event `index` of all events of the block `block`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Position {
    block: u64,
    index: usize,
}

impl Position {
    fn read(token: &str) -> Option<Self> {
        let (block, index) = token.split_once('-')?;
        Some(Self {
            block: block.parse().ok()?,
            index: index.parse().ok()?,
        })
    }
}

pub(super) fn events(node: &StarknetNode, spec: Spec, params: Params) -> Answer {
    let param: FilterParam = params.named(&["filter"])?.required("filter")?;
    if param.chunk_size == 0 {
        return Err(RpcError::invalid_params("chunk_size must be at least 1"));
    }
    if param.chunk_size > MAX_CHUNK {
        return Err(PAGE_SIZE_TOO_BIG);
    }
    let (blocks, open, skipped) = {
        let chain = node.read();
        let (from, to) = bounds(&param, &chain)?;
        let begin = match &param.continuation_token {
            None => Position {
                block: from,
                index: 0,
            },
            Some(token) => Position::read(token)
                .filter(|position| (from..=to).contains(&position.block))
                .ok_or(INVALID_CONTINUATION_TOKEN)?,
        };
        let open = chain.open();
        let open = (open.number <= to).then(|| (open.number, open.transactions.clone()));
        (chain.range(begin.block, to), open, begin.index)
    };
    let filter = filter(param.address, param.keys, spec)?;
    let sections = blocks
        .iter()
        .map(|block| Section {
            place: EmittingBlock {
                number: block.number,
                hash: Some(&block.hash),
            },
            transactions: &block.transactions,
        })
        .chain(open.iter().map(|(number, transactions)| Section {
            place: EmittingBlock {
                number: *number,
                hash: None,
            },
            transactions,
        }));
    result(&page(sections, skipped, &filter, param.chunk_size, spec))
}

/// A block, sealed or not.
struct Section<'b> {
    place: EmittingBlock<'b>,
    transactions: &'b [Arc<Transaction>],
}

/// The first and the last height that are asked for.
fn bounds(param: &FilterParam, chain: &Chain) -> Result<(u64, u64), RpcError> {
    let head = chain.head().number;
    let from = match param.from_block {
        None => chain.first_number(),
        Some(id) => id.state_at(chain)?,
    };
    let to = match param.to_block {
        None => head,
        Some(id) => id.state_at(chain)?,
    };
    Ok((from, to))
}

fn filter(
    address: Option<AddressParam>,
    keys: Option<Vec<Vec<FeltParam>>>,
    spec: Spec,
) -> Result<Filter, RpcError> {
    let addresses = match address {
        None => Vec::new(),
        Some(AddressParam::One(address)) => vec![address.0],
        Some(AddressParam::Several(_)) if spec == Spec::V0_9 => {
            return Err(RpcError::invalid_params("address must be one address"));
        }
        Some(AddressParam::Several(list)) => list.into_iter().map(|address| address.0).collect(),
    };
    let keys: Vec<Vec<Felt>> = keys
        .unwrap_or_default()
        .into_iter()
        .map(|allowed| allowed.into_iter().map(|key| key.0).collect())
        .collect();
    let values = keys.iter().map(Vec::len).sum();
    if [addresses.len(), keys.len(), values]
        .iter()
        .any(|count| *count > MAX_FILTER_KEYS)
    {
        return Err(TOO_MANY_KEYS_IN_FILTER);
    }
    Ok(Filter { addresses, keys })
}

/// The first `limit` matching events, without the `skipped` first events of the
/// first block; the token is the place of the next match.
fn page<'b>(
    blocks: impl Iterator<Item = Section<'b>>,
    skipped: usize,
    filter: &Filter,
    limit: usize,
    spec: Spec,
) -> EventsJson<'b> {
    let mut skipped = skipped;
    let mut page = EventsJson {
        events: Vec::new(),
        continuation_token: None,
    };
    for block in blocks {
        let events = section_events(block.transactions)
            .enumerate()
            .skip(std::mem::take(&mut skipped))
            .filter(|(_, (_, (_, event)))| filter.matches(event));
        for (index, (transaction, event)) in events {
            if page.events.len() == limit {
                page.continuation_token = Some(format!("{}-{index}", block.place.number));
                return page;
            }
            page.events
                .push(EmittedJson::new(block.place, transaction, event, spec));
        }
    }
    page
}

/// A transaction's index and hash, with one of its events and its index.
type Emitted<'b> = ((usize, Felt), (usize, &'b Event));

fn section_events(transactions: &[Arc<Transaction>]) -> impl Iterator<Item = Emitted<'_>> {
    let transactions = transactions.iter().enumerate();
    transactions.flat_map(|(index, transaction)| {
        let events = transaction.receipt.events.iter().enumerate();
        events.map(move |event| ((index, transaction.hash()), event))
    })
}
