//! JSON-RPC 2.0: what a call looks like, and what an answer to one.

use serde::{Deserialize, Deserializer, Serialize, de::IgnoredAny};
use serde_json::{Value, value::RawValue};
use services::paymaster::PaymasterError;
use trading::paymaster::Refusal;

/// The one version of JSON-RPC that calls may have, and that answers have.
const VERSION: &str = "2.0";

/// A call, if it is one. Its parts are read where they lie in the body.
#[derive(Debug)]
pub(super) struct RpcCall<'b> {
    /// None for one that is not answered.
    pub(super) id: Option<&'b RawValue>,
    pub(super) method: String,
    pub(super) params: Option<&'b RawValue>,
}

/// What is known of a call's members; null is not the same as nothing.
#[derive(Debug, Deserialize)]
struct Members<'b> {
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'b RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    jsonrpc: Option<&'b RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    method: Option<&'b RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    params: Option<&'b RawValue>,
}

fn present<'de, D: Deserializer<'de>>(member: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(member).map(Some)
}

impl<'b> RpcCall<'b> {
    /// A call; otherwise the id by which its caller knows it, and what is wrong.
    pub(super) fn read(json: &'b str) -> Result<Self, (&'b RawValue, RpcError)> {
        let unreadable = |words: &str| (RawValue::NULL, no_call(json, words));
        if !is_object(json) {
            return Err(unreadable("not an object"));
        }
        let members = serde_json::from_str::<Members<'_>>(json);
        let Members {
            id,
            jsonrpc,
            method,
            params,
        } = members.map_err(|error| unreadable(&without_position(&error)))?;
        let refused = |words| {
            let id = id.unwrap_or(RawValue::NULL);
            Err((id, RpcError::invalid_request(words)))
        };
        if jsonrpc.and_then(text).as_deref() != Some(VERSION) {
            return refused("jsonrpc must be \"2.0\"");
        }
        let Some(method) = method.and_then(text) else {
            return refused("method must be a text");
        };
        if params.is_some_and(|it| !is_object(it.get()) && !is_list(it.get())) {
            return refused("params must be an object or an array");
        }
        Ok(Self { id, method, params })
    }
}

fn text(value: &RawValue) -> Option<String> {
    serde_json::from_str(value.get()).ok()
}

/// What is wrong with what could not be read as a call: these words, if it is JSON at all.
fn no_call(json: &str, words: &str) -> RpcError {
    match serde_json::from_str::<IgnoredAny>(json) {
        Ok(IgnoredAny) => RpcError::invalid_request(words),
        Err(error) => RpcError::not_json(&error.to_string()),
    }
}

pub(super) fn is_object(json: &str) -> bool {
    json.trim_ascii_start().starts_with('{')
}

pub(super) fn is_list(json: &str) -> bool {
    json.trim_ascii_start().starts_with('[')
}

/// What is wrong with a part of a body. Where in that part it is would mislead whoever
/// looks there in the whole.
pub(super) fn without_position(error: &serde_json::Error) -> String {
    let words = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    words.strip_suffix(&position).unwrap_or(&words).to_owned()
}

/// Why a call is not answered as asked.
#[derive(Debug, Serialize)]
pub(super) struct RpcError {
    pub(super) code: i32,
    pub(super) message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) data: Option<Value>,
}

impl RpcError {
    pub(super) fn new(code: i32, message: &str, data: Option<Value>) -> Self {
        Self {
            code,
            message: message.to_owned(),
            data,
        }
    }

    pub(super) fn not_json(words: &str) -> Self {
        Self::new(-32_700, "Parse error", Some(words.into()))
    }

    pub(super) fn invalid_request(words: &str) -> Self {
        Self::new(-32_600, "Invalid Request", Some(words.into()))
    }

    pub(super) fn unknown_method() -> Self {
        Self::new(-32_601, "Method not found", None)
    }

    pub(super) fn invalid_params(words: &str) -> Self {
        Self::new(-32_602, "Invalid params", Some(words.into()))
    }

    /// The caller asks too often. JSON-RPC has no code for that, and leaves this one free.
    pub(super) fn too_many(words: &str) -> Self {
        Self::new(-32_005, "Limit exceeded", Some(words.into()))
    }

    pub(super) fn internal(words: &str) -> Self {
        Self::new(-32_603, "Internal error", Some(words.into()))
    }
}

impl From<Refusal> for RpcError {
    fn from(refusal: Refusal) -> Self {
        let data = match &refusal {
            Refusal::Execution(reason) => Some(serde_json::json!({"execution_error": reason})),
            refusal if refusal.code() == UNKNOWN_ERROR => Some(refusal.to_string().into()),
            _ => None,
        };
        let message = format!("An error occurred ({})", refusal.name());
        Self::new(refusal.code(), &message, data)
    }
}

/// The one code of several reasons, which its data tells.
const UNKNOWN_ERROR: i32 = 163;

impl From<PaymasterError> for RpcError {
    /// The one place where a call's fault is logged.
    fn from(error: PaymasterError) -> Self {
        match error {
            PaymasterError::Refused(refusal) => refusal.into(),
            PaymasterError::Fault(fault) if fault.is_of_a_gone_block() => {
                tracing::warn!(
                    cause = fault.chain_text(),
                    "a request met a block that is gone"
                );
                Refusal::Unavailable.into()
            }
            PaymasterError::Fault(fault) => {
                tracing::error!(cause = fault.chain_text(), "request failed");
                Refusal::Unavailable.into()
            }
        }
    }
}

/// The answer to a call, under the id as the call wrote it; null where none could be read.
#[derive(Debug, Serialize)]
pub(super) struct RpcAnswer<'b, T> {
    jsonrpc: &'static str,
    id: &'b RawValue,
    #[serde(flatten)]
    outcome: Outcome<T>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum Outcome<T> {
    Result(T),
    Error(RpcError),
}

impl<'b, T> RpcAnswer<'b, T> {
    pub(super) fn new(id: &'b RawValue, outcome: Result<T, RpcError>) -> Self {
        Self {
            jsonrpc: VERSION,
            id,
            outcome: match outcome {
                Ok(result) => Outcome::Result(result),
                Err(error) => Outcome::Error(error),
            },
        }
    }
}
