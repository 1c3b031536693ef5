//! Calls that were built, on the wire.

use primitives::{Address, Felt, felt_to_hex};
use serde::Serialize;
use services::Built;
use trading::Call;
use utoipa::ToSchema;

/// Calls that do what was asked for.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BuiltCalls)]
#[serde(rename_all = "camelCase")]
pub(in crate::trade) struct BuiltBody {
    /// The chain that they are for.
    #[schema(example = "0x534e5f53544f41")]
    chain_id: String,
    /// The calls, to be executed in one transaction.
    calls: Vec<CallBody>,
    /// The contract that executes the calls of a private swap; absent if the
    /// swap is none.
    #[schema(value_type = Option<String>, example = "0x1234")]
    #[serde(skip_serializing_if = "Option::is_none")]
    executor_address: Option<Address>,
}

/// A call of a contract.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Call)]
#[serde(rename_all = "camelCase")]
pub(in crate::trade) struct CallBody {
    #[schema(value_type = String, example = "0x1234")]
    contract_address: Address,
    #[schema(example = "multi_route_swap")]
    entrypoint: &'static str,
    /// Hexadecimal.
    #[schema(example = json!(["0x49d3", "0xde0b6b3a7640000", "0x0"]))]
    calldata: Vec<String>,
}

impl BuiltBody {
    /// Calls on a chain.
    pub(in crate::trade) fn new(chain_id: Felt, calls: impl IntoIterator<Item = Call>) -> Self {
        Self {
            chain_id: felt_to_hex(chain_id),
            calls: calls.into_iter().map(CallBody::from).collect(),
            executor_address: None,
        }
    }
}

impl From<Built> for BuiltBody {
    fn from(built: Built) -> Self {
        Self {
            chain_id: felt_to_hex(built.chain_id),
            calls: built.calls.into_iter().map(CallBody::from).collect(),
            executor_address: built.executor,
        }
    }
}

impl From<Call> for CallBody {
    fn from(call: Call) -> Self {
        Self {
            contract_address: call.to,
            entrypoint: call.entrypoint,
            calldata: call.calldata.into_iter().map(felt_to_hex).collect(),
        }
    }
}
