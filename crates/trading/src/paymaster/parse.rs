//! A signed document as it comes back from a wallet.

use super::{
    bounds::TimeBounds,
    outside::{OutsideExecution, OutsideVersion},
    selected_call::SelectedCall,
};
use primitives::{Address, Felt, felt_from_hex, typed_data::TypedData};
use serde_json::Value;

impl OutsideExecution {
    /// What a document says; `None` unless its hash is that of what this service
    /// would write for it.
    #[must_use]
    pub fn parse(document: &Value, chain: &str, account: Address) -> Option<(Self, Felt)> {
        let execution = read(document.get("message")?)?;
        let ours = execution.typed_data(chain);
        let hash = document_hash(&ours, account)?;
        // Clients mostly send back the very document that was built.
        let is_ours = *document == ours || document_hash(document, account) == Some(hash);
        is_ours.then_some((execution, hash))
    }
}

/// What the owner of an account signs; `None` for what has no hash.
pub(super) fn document_hash(document: &Value, account: Address) -> Option<Felt> {
    TypedData::parse(document).ok()?.hash(account.felt()).ok()
}

fn read(message: &Value) -> Option<OutsideExecution> {
    let (version, names) = match (message.get("Calls"), message.get("calls")) {
        (Some(_), None) => (OutsideVersion::Two, &SECOND),
        (None, Some(_)) => (OutsideVersion::One, &FIRST),
        _ => return None,
    };
    let felt_of = |name: &str| felt(message.get(name)?);
    let time_of = |name: &str| u64::try_from(felt_of(name)?).ok();
    let calls = message.get(names.calls)?.as_array()?;
    Some(OutsideExecution {
        version,
        caller: Address::new(felt_of(names.caller)?),
        nonce: felt_of(names.nonce)?,
        bounds: TimeBounds {
            execute_after: time_of(names.after)?,
            execute_before: time_of(names.before)?,
        },
        calls: calls
            .iter()
            .map(|call| names.call(call))
            .collect::<Option<_>>()?,
    })
}

/// What the members of a message are called.
struct Names {
    caller: &'static str,
    nonce: &'static str,
    after: &'static str,
    before: &'static str,
    calls: &'static str,
    to: &'static str,
    selector: &'static str,
    calldata: &'static str,
}

const FIRST: Names = Names {
    caller: "caller",
    nonce: "nonce",
    after: "execute_after",
    before: "execute_before",
    calls: "calls",
    to: "to",
    selector: "selector",
    calldata: "calldata",
};

const SECOND: Names = Names {
    caller: "Caller",
    nonce: "Nonce",
    after: "Execute After",
    before: "Execute Before",
    calls: "Calls",
    to: "To",
    selector: "Selector",
    calldata: "Calldata",
};

impl Names {
    fn call(&self, call: &Value) -> Option<SelectedCall> {
        let calldata = call.get(self.calldata)?.as_array()?;
        Some(SelectedCall {
            to: Address::new(felt(call.get(self.to)?)?),
            selector: felt(call.get(self.selector)?)?,
            calldata: calldata.iter().map(felt).collect::<Option<_>>()?,
        })
    }
}

/// An element in hexadecimal or decimal digits, or a number.
fn felt(value: &Value) -> Option<Felt> {
    match value {
        Value::Number(number) => number.as_u64().map(Felt::from),
        Value::String(text) if text.starts_with("0x") => felt_from_hex(text).ok(),
        Value::String(text) => text.parse::<u128>().ok().map(Felt::from),
        _ => None,
    }
}
