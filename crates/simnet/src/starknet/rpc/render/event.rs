//! Events, in receipts and in pages.

use crate::starknet::rpc::hex::{Hex, felt, felts, hex};
use crate::starknet::rpc::spec::Spec;
use crate::starknet::transaction::Event;
use primitives::Felt;
use serde::Serialize;

/// An event in the receipt of its transaction.
#[derive(Serialize)]
pub(super) struct EventJson<'b> {
    #[serde(serialize_with = "felt")]
    from_address: Felt,
    #[serde(serialize_with = "felts")]
    keys: &'b [Felt],
    #[serde(serialize_with = "felts")]
    data: &'b [Felt],
}

impl<'b> EventJson<'b> {
    pub(super) fn new(event: &'b Event) -> Self {
        Self {
            from_address: event.from,
            keys: &event.keys,
            data: &event.data,
        }
    }
}

/// An event with the place where it was emitted.
#[derive(Serialize)]
pub(crate) struct EmittedJson<'b> {
    #[serde(flatten)]
    event: EventJson<'b>,
    #[serde(skip_serializing_if = "Option::is_none")]
    block_hash: Option<Hex<'b>>,
    block_number: u64,
    #[serde(serialize_with = "felt")]
    transaction_hash: Felt,
    #[serde(skip_serializing_if = "Option::is_none")]
    transaction_index: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    event_index: Option<usize>,
}

/// A block as its events name it; the one in the making has no hash.
#[derive(Clone, Copy)]
pub(crate) struct EmittingBlock<'b> {
    pub(crate) number: u64,
    pub(crate) hash: Option<&'b Felt>,
}

impl<'b> EmittedJson<'b> {
    /// The event `event_index` of the transaction `transaction_index`, which has
    /// this hash.
    pub(crate) fn new(
        block: EmittingBlock<'b>,
        (transaction_index, transaction_hash): (usize, Felt),
        (event_index, event): (usize, &'b Event),
        spec: Spec,
    ) -> Self {
        let indexed = |index| (spec == Spec::V0_10).then_some(index);
        Self {
            event: EventJson::new(event),
            block_hash: block.hash.map(hex),
            block_number: block.number,
            transaction_hash,
            transaction_index: indexed(transaction_index),
            event_index: indexed(event_index),
        }
    }
}

/// A page of events.
#[derive(Serialize)]
pub(crate) struct EventsJson<'b> {
    pub(crate) events: Vec<EmittedJson<'b>>,
    /// Where the next page begins, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) continuation_token: Option<String>,
}
