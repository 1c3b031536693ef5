//! A payment's transaction, signed and sent by the simulated wallet that pays.

use super::{refusal::Refusal, state::Simulator};
use api::{Json, JsonBody};
use axum::extract::State;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use primitives::{PublicKey, Signature};
use serde::Deserialize;
use serde_json::{Value, json};
use std::ops::Range;

/// Where the payer's signature stands in a transaction: behind their number.
const SIGNATURE: Range<usize> = 1..1 + Signature::LENGTH;

/// Where the payer's key stands in the message: behind three counts and the number
/// of keys, which are few.
const PAYER: Range<usize> = 4..36;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Payment {
    transaction: String,
}

pub(super) async fn pay(
    State(simulator): State<Simulator>,
    JsonBody(asked): JsonBody<Payment>,
) -> Result<Json<Value>, Refusal> {
    let wanted = || Refusal::invalid("transaction must be one in base64, with one signer");
    let mut transaction = STANDARD.decode(&asked.transaction).map_err(|_| wanted())?;
    let message = transaction.get(SIGNATURE.end..).ok_or_else(wanted)?;
    let payer: [u8; 32] = message
        .get(PAYER)
        .and_then(|key| key.try_into().ok())
        .filter(|_| transaction.first() == Some(&1))
        .ok_or_else(wanted)?;
    let wallet = simulator.wallet(PublicKey::from_bytes(payer));
    let wallet = wallet.ok_or_else(|| Refusal::invalid("the payer must be a simulated wallet"))?;
    let signature = wallet.sign(message);
    let place = transaction.get_mut(SIGNATURE).ok_or_else(wanted)?;
    place.copy_from_slice(signature.as_bytes());
    let node = simulator.wallet_node();
    node.send(&transaction).await.map_err(Refusal::node)?;
    Ok(Json(json!({ "signature": signature })))
}
