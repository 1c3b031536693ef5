//! Traces of simulated transactions.

use super::transaction::kind;
use crate::starknet::process::Outcome;
use crate::starknet::rpc::hex::{Hex, hex};
use crate::starknet::trace::{EntryPoint, Invocation};
use crate::starknet::transaction::{Action, Event, Request};
use primitives::Felt;
use serde_json::{Map, Value, json};

/// All that a simulated transaction did.
pub(crate) fn trace(
    request: &Request,
    validation: Option<&Invocation>,
    outcome: &Outcome,
    state_diff: Value,
) -> Value {
    let events = &outcome.effects.events;
    let mut trace = Map::new();
    let action = &request.signed.action;
    trace.insert("type".to_owned(), kind(action).into());
    if let Some(validation) = validation {
        trace.insert(
            "validate_invocation".to_owned(),
            invocation(validation, &[]),
        );
    }
    let main = match (&outcome.reversal, &outcome.trace.main) {
        (Some(reversal), _) => Some(json!({ "revert_reason": reversal.to_string() })),
        (None, Some(main)) => Some(invocation(main, events)),
        (None, None) => None,
    };
    let name = match action {
        Action::Invoke(_) => "execute_invocation",
        Action::DeployAccount(_) => "constructor_invocation",
    };
    trace.extend(main.map(|main| (name.to_owned(), main)));
    if let Some(transfer) = &outcome.trace.fee_transfer {
        trace.insert(
            "fee_transfer_invocation".to_owned(),
            invocation(transfer, events),
        );
    }
    trace.insert("state_diff".to_owned(), state_diff);
    trace.insert("execution_resources".to_owned(), json!(outcome.resources));
    trace.into()
}

/// A call with the calls in it; `events` are all of the execution.
fn invocation(made: &Invocation, events: &[Event]) -> Value {
    let own: Vec<Value> = made
        .events
        .iter()
        .filter_map(|place| events.get(*place).map(|event| (place, event)))
        .map(|(place, event)| {
            json!({"order": place, "keys": list(&event.keys), "data": list(&event.data)})
        })
        .collect();
    let inner: Vec<Value> = made
        .calls
        .iter()
        .map(|call| invocation(call, events))
        .collect();
    json!({
        "contract_address": hex(&made.call.to),
        "entry_point_selector": hex(&made.call.selector),
        "calldata": list(&made.call.calldata),
        "caller_address": hex(&made.caller),
        "class_hash": hex(&made.class_hash),
        "entry_point_type": match made.kind {
            EntryPoint::External => "EXTERNAL",
            EntryPoint::Constructor => "CONSTRUCTOR",
        },
        "call_type": "CALL",
        "result": list(made.result.as_deref().unwrap_or_default()),
        "calls": inner,
        "events": own,
        "messages": [],
        "execution_resources": {
            "l1_gas": 0,
            "l2_gas": made.work.l2(),
        },
        "is_reverted": made.result.is_none(),
    })
}

fn list(felts: &[Felt]) -> Vec<Hex<'_>> {
    felts.iter().map(hex).collect()
}
