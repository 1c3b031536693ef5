//! Answers with faults in their content, and the faults of their transport.

use super::blocks;
use super::error::BLOCK_NOT_FOUND;
use crate::fault::FaultKind;
use crate::jsonrpc::{self, Answer, Params, Reply, result};
use crate::starknet::hash::digest;
use crate::starknet::node::StarknetNode;
use primitives::{Felt, OrImpossible as _, felt_to_hex};
use serde_json::Value;
use std::cell::Cell;

/// How far a stale head lies behind.
const STALE_BLOCKS: u64 = 3;

/// An id that no request has chosen.
const WRONG_ID: &str = r#""sim_fault""#;

/// Answers a request or a batch with what `call` knows and with the faults that
/// are armed. The second part is for whoever sends the answer: a fault of
/// transport spoils all of it.
pub(super) fn answer(
    node: &StarknetNode,
    body: &[u8],
    call: impl Fn(&str, Params) -> Answer,
) -> (Option<String>, Option<FaultKind>) {
    let transport = Cell::new(None);
    let text = jsonrpc::answer(body, |method, params| {
        let answer = || call(method, params);
        match node.take_fault(method) {
            None => answer().into(),
            Some(FaultKind::WrongId) => Reply {
                answer: answer(),
                id: Some(WRONG_ID),
            },
            Some(FaultKind::MissingBlock) => Err(BLOCK_NOT_FOUND).into(),
            Some(FaultKind::StaleHead) => stale_head(node, method).into(),
            Some(FaultKind::WrongParent) => edited(answer(), wrong_parent).into(),
            Some(FaultKind::EmptyEvents) => edited(answer(), empty_events).into(),
            Some(kind) => {
                transport.set(transport.get().or(Some(kind)));
                answer().into()
            }
        }
    });
    (text, transport.get())
}

fn stale_head(node: &StarknetNode, method: &str) -> Answer {
    let chain = node.read();
    let number = chain.head().number.saturating_sub(STALE_BLOCKS);
    let head = chain.by_number(number.max(chain.first_number()));
    let head = head.or_impossible("blocks from the first to the head are kept");
    let head = head.unwrap_or(chain.head()).reference();
    match method {
        "starknet_blockNumber" => result(&head.number),
        _ => blocks::hash_and_number(head),
    }
}

/// The answer after a change of its JSON.
fn edited(answer: Answer, edit: impl Fn(&mut Value)) -> Answer {
    let text = answer?;
    match serde_json::from_str(&text).or_impossible("an answer is JSON") {
        Ok(mut value) => {
            edit(&mut value);
            result(&value)
        }
        Err(_) => Ok(text),
    }
}

fn wrong_parent(block: &mut Value) {
    let hash = digest("NO PARENT", &[Felt::ONE]);
    if let Some(parent) = block.get_mut("parent_hash") {
        *parent = felt_to_hex(hash).into();
    }
}

/// Empties a page of events, a receipt, or the receipts of a block.
fn empty_events(value: &mut Value) {
    if let Some(events) = value.get_mut("events") {
        *events = Value::Array(Vec::new());
    }
    if let Some(page) = value.as_object_mut() {
        page.remove("continuation_token");
    }
    let transactions = value.get_mut("transactions").and_then(Value::as_array_mut);
    for included in transactions.into_iter().flatten() {
        included.get_mut("receipt").map(empty_events);
    }
}
