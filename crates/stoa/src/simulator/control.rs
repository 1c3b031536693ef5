//! Control methods of the simulated nodes, handed on.

use super::{refusal::Refusal, state::Simulator};
use api::JsonBody;
use axum::{
    body::Body,
    extract::State,
    http::{HeaderValue, header::CONTENT_TYPE},
    response::Response,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// What a page may ask of either node; no more than it needs.
const STARKNET: &[&str] = &[
    "sim_mine",
    "sim_advance",
    "sim_reorg",
    "sim_pause",
    "sim_resume",
    "sim_congest",
    "sim_fault",
];
const SOLANA: &[&str] = &[
    "sim_mine",
    "sim_advance",
    "sim_advanceEpochs",
    "sim_reorg",
    "sim_pause",
    "sim_resume",
    "sim_fault",
];

/// Bytes of an answer: control methods say little.
const MAX_ANSWER_BYTES: usize = 64 * 1024;

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Network {
    Starknet,
    Solana,
}

/// A call of JSON-RPC, and whom it is for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Control {
    network: Network,
    method: String,
    #[serde(default)]
    params: Map<String, Value>,
}

pub(super) async fn control(
    State(simulator): State<Simulator>,
    JsonBody(asked): JsonBody<Control>,
) -> Result<Response, Refusal> {
    let (url, methods) = match asked.network {
        Network::Starknet => (simulator.starknet(), STARKNET),
        Network::Solana => (simulator.solana(), SOLANA),
    };
    if !methods.contains(&asked.method.as_str()) {
        let words = methods.join(", ");
        return Err(Refusal::invalid(format!("method must be one of {words}")));
    }
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": asked.method, "params": asked.params });
    let request = simulator
        .http()
        .post(url.clone())
        .header(CONTENT_TYPE, "application/json");
    let sent = request.body(call.to_string()).send().await;
    let mut answer = sent.map_err(|error| Refusal::node(error.without_url()))?;
    let mut text = Vec::new();
    while let Some(part) = answer.chunk().await.map_err(Refusal::node)? {
        if text.len().saturating_add(part.len()) > MAX_ANSWER_BYTES {
            return Err(Refusal::node("its answer is too long"));
        }
        text.extend_from_slice(&part);
    }
    let mut response = Response::new(Body::from(text));
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, json);
    Ok(response)
}
