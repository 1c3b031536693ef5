//! JSON-RPC 2.0: what a call looks like, and what an answer to one.

use serde::Serialize;
use serde_json::{Value, value::RawValue};
use services::paymaster::PaymasterError;
use trading::paymaster::Refusal;

/// The one version.
const VERSION: &str = "2.0";

/// A call, if it is one.
#[derive(Debug)]
pub(super) struct RpcCall {
    /// None for one that is not answered.
    pub(super) id: Option<Value>,
    pub(super) method: String,
    pub(super) params: Option<Value>,
}

impl RpcCall {
    /// A call; otherwise the id by which its caller knows it, and what is wrong.
    pub(super) fn read(value: Value) -> Result<Self, (Value, RpcError)> {
        let Value::Object(mut members) = value else {
            return Err((Value::Null, RpcError::invalid_request("not an object")));
        };
        let id = members.remove("id");
        let refused = |words| {
            let id = id.clone().unwrap_or_default();
            Err((id, RpcError::invalid_request(words)))
        };
        if members.get("jsonrpc").and_then(Value::as_str) != Some(VERSION) {
            return refused("jsonrpc must be \"2.0\"");
        }
        let Some(Value::String(method)) = members.remove("method") else {
            return refused("method must be a text");
        };
        let params = members.remove("params");
        match params {
            None | Some(Value::Object(_) | Value::Array(_)) => Ok(Self { id, method, params }),
            Some(_) => refused("params must be an object or an array"),
        }
    }
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

    /// The caller asks too often.
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

/// The answer to a call.
#[derive(Debug, Serialize)]
pub(super) struct RpcAnswer {
    jsonrpc: &'static str,
    id: Value,
    #[serde(flatten)]
    outcome: Outcome,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum Outcome {
    Result(Box<RawValue>),
    Error(RpcError),
}

impl RpcAnswer {
    pub(super) fn new(id: Value, outcome: Result<Box<RawValue>, RpcError>) -> Self {
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
