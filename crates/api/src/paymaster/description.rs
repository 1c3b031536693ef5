//! The paymaster as OpenAPI can tell of it: one operation.

use serde_json::Value;
use utoipa::{OpenApi, ToSchema};

/// A call.
#[derive(ToSchema)]
#[schema(as = PaymasterCall)]
#[expect(dead_code, reason = "only described")]
pub(super) struct CallBody {
    /// Always `2.0`.
    #[schema(example = "2.0")]
    jsonrpc: String,
    /// What the answer is known by; without one there is none.
    #[schema(example = 1)]
    id: Option<Value>,
    /// What is called.
    #[schema(example = "paymaster_isAvailable")]
    method: String,
    /// An object, or a list of that one object.
    #[schema(value_type = Option<Object>)]
    params: Option<Value>,
}

/// One call, or a batch of at most 20.
#[derive(ToSchema)]
#[schema(as = PaymasterRequest)]
#[serde(untagged)]
#[expect(dead_code, reason = "only described")]
pub(super) enum RequestBody {
    Call(CallBody),
    Batch(Vec<CallBody>),
}

/// The answer to a call, or those to a batch, in its order.
#[derive(ToSchema)]
#[schema(as = PaymasterResponse)]
#[serde(untagged)]
#[expect(dead_code, reason = "only described")]
pub(super) enum ResponseBody {
    Answer(AnswerBody),
    Batch(Vec<AnswerBody>),
}

/// An answer: a result or an error.
#[derive(ToSchema)]
#[schema(as = PaymasterAnswer)]
#[expect(dead_code, reason = "only described")]
pub(super) struct AnswerBody {
    /// Always `2.0`.
    #[schema(example = "2.0")]
    jsonrpc: String,
    /// That of the call.
    #[schema(example = 1)]
    id: Value,
    /// What the method answers.
    #[schema(example = true)]
    result: Option<Value>,
    /// Why it does not.
    error: Option<ErrorBody>,
}

/// Why a call is not answered as asked.
#[derive(ToSchema)]
#[schema(as = PaymasterError)]
#[expect(dead_code, reason = "only described")]
struct ErrorBody {
    /// What went wrong, by number.
    #[schema(example = 151)]
    code: i32,
    /// The same in words.
    #[schema(example = "An error occurred (TOKEN_NOT_SUPPORTED)")]
    message: String,
    /// More of it.
    data: Option<Value>,
}

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Stoa: paymaster",
        description = "Builds transactions whose fees somebody else pays, or their user in any \
            token that has a price, and relays them. JSON-RPC 2.0 at the address itself.",
        license(name = "Apache-2.0", identifier = "Apache-2.0"),
    ),
    tags((name = "Paymaster", description = "Fees that others pay.")),
)]
pub(super) struct Description;
