//! Answers with faults in their content, and the faults of their transport.

use crate::fault::FaultKind;
use crate::jsonrpc::{self, Answer, Params, Reply};
use crate::solana::node::SolanaNode;
use primitives::OrImpossible as _;
use serde_json::Value;
use std::cell::Cell;

/// How far a stale head lies behind.
const STALE_SLOTS: u64 = 64;

/// An id that no request has chosen.
const WRONG_ID: &str = r#""sim_fault""#;

/// Answers a request or a batch with what `call` knows and with the faults that
/// are armed. The second part is for whoever sends the answer: a fault of
/// transport spoils all of it.
pub(super) fn answer(
    node: &SolanaNode,
    body: &[u8],
    call: impl Fn(&str, Params, u64) -> Answer,
) -> (Option<String>, Option<FaultKind>) {
    let transport = Cell::new(None);
    let text = jsonrpc::answer(body, |method, params| {
        let fault = node.take_fault(method);
        let behind = match fault {
            Some(FaultKind::StaleHead) => STALE_SLOTS,
            _ => 0,
        };
        let answer = call(method, params, behind);
        match fault {
            None | Some(FaultKind::StaleHead) => answer.into(),
            Some(FaultKind::WrongId) => Reply {
                answer,
                id: Some(WRONG_ID),
            },
            Some(FaultKind::MissingTransaction) => answer.map(|text| missing(&text)).into(),
            Some(FaultKind::EmptyHistory) => answer.map(|_| "[]".to_owned()).into(),
            Some(kind) => {
                transport.set(transport.get().or(Some(kind)));
                answer.into()
            }
        }
    });
    (text, transport.get())
}

/// Nothing in the place of a transaction, or of each in a list of statuses.
fn missing(text: &str) -> String {
    let answer = serde_json::from_str(text).or_impossible("an answer is JSON");
    let mut answer: Value = answer.unwrap_or_default();
    match answer.get_mut("value").and_then(Value::as_array_mut) {
        Some(statuses) => statuses.fill(Value::Null),
        None => answer = Value::Null,
    }
    answer.to_string()
}
