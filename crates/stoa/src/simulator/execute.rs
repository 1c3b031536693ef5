//! Calls as the API builds them, executed by a pre-funded account.

use super::{refusal::Refusal, state::Simulator};
use crate::people::built_call;
use api::{Json, JsonBody};
use axum::extract::State;
use chain::ContractCall;
use primitives::felt_to_hex;
use serde::Deserialize;
use serde_json::{Value, json};

/// Calls of one transaction: an approval, a swap, and room for more.
const MAX_CALLS: usize = 16;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Execution {
    account: String,
    calls: Vec<Value>,
}

pub(super) async fn execute(
    State(simulator): State<Simulator>,
    JsonBody(asked): JsonBody<Execution>,
) -> Result<Json<Value>, Refusal> {
    if !(1..=MAX_CALLS).contains(&asked.calls.len()) {
        let words = format!("calls must have 1 to {MAX_CALLS} calls");
        return Err(Refusal::invalid(words));
    }
    let calls: Option<Vec<ContractCall>> = asked.calls.iter().map(built_call).collect();
    let wanted = "calls must have contractAddress, entrypoint and calldata as they are built";
    let calls = calls.ok_or_else(|| Refusal::invalid(wanted))?;
    let address = asked.account.parse();
    let address = address.map_err(|_| Refusal::invalid("account must be an address"))?;
    let account = simulator.account(address).map_err(Refusal::node)?;
    let account = account.ok_or_else(|| Refusal::invalid("account must be a pre-funded one"))?;
    let _turn = simulator.turn().lock().await;
    let hash = account.execute(&calls).await.map_err(Refusal::node)?;
    Ok(Json(json!({ "transactionHash": felt_to_hex(hash) })))
}
