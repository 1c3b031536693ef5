//! Methods that steer the simulation. All but `sim_accounts` answer with the
//! head as it is afterwards, `sim_advance` also with the blocks that it made.

use super::blocks::head;
use super::hex::hex;
use crate::fault::{ANY_METHOD, FaultKind};
use crate::jsonrpc::{Answer, Params, RpcError, result};
use crate::starknet::ledger::SteerError;
use crate::starknet::node::StarknetNode;
use serde_json::json;
use std::time::Duration;

/// Blocks in one request.
const MAX_BLOCKS: u32 = 10_000;

/// Ten years in one request.
const MAX_SECONDS: u64 = 10 * 366 * 24 * 60 * 60;

pub(super) fn mine(node: &StarknetNode, params: Params) -> Answer {
    let blocks = params.named(&["blocks"])?.optional("blocks")?.unwrap_or(1);
    check_blocks(blocks)?;
    node.mine(blocks)?;
    head(node)
}

fn check_blocks(blocks: u32) -> Result<(), RpcError> {
    if (1..=MAX_BLOCKS).contains(&blocks) {
        Ok(())
    } else {
        let reason = format!("blocks must be 1 to {MAX_BLOCKS}");
        Err(RpcError::invalid_params(reason))
    }
}

pub(super) fn advance(node: &StarknetNode, params: Params) -> Answer {
    let mut arguments = params.named(&["seconds", "blocks"])?;
    let seconds: u64 = arguments.required("seconds")?;
    let blocks = arguments.optional("blocks")?.unwrap_or(1);
    if seconds > MAX_SECONDS {
        return Err(RpcError::invalid_params(format!(
            "seconds must be at most {MAX_SECONDS}"
        )));
    }
    check_blocks(blocks)?;
    let made = node.advance(seconds, blocks)?;
    let head = node.head();
    result(&json!({
        "block_hash": hex(&head.hash),
        "block_number": head.number,
        "blocks": made,
    }))
}

pub(super) fn reorg(node: &StarknetNode, params: Params) -> Answer {
    let depth: u32 = params.named(&["depth"])?.required("depth")?;
    match node.reorg(depth) {
        Ok(()) => head(node),
        Err(SteerError::Reorg(error)) => Err(RpcError::invalid_params(error.to_string())),
        Err(SteerError::Keep(error)) => Err(error.into()),
    }
}

pub(super) fn pause(node: &StarknetNode) -> Answer {
    node.pause()?;
    head(node)
}

pub(super) fn resume(node: &StarknetNode) -> Answer {
    node.resume()?;
    head(node)
}

/// Lets transactions wait that offer too little.
pub(super) fn congest(node: &StarknetNode, params: Params) -> Answer {
    let tip: u64 = params.named(&["tip"])?.required("tip")?;
    node.congest(tip);
    head(node)
}

/// Spoils the next answers to a method, or clears what was to come.
pub(super) fn fault(node: &StarknetNode, params: Params) -> Answer {
    let mut arguments = params.named(&["method", "kind", "count", "delay_ms"])?;
    let method: Option<String> = arguments.optional("method")?;
    let method = method.as_deref().unwrap_or(ANY_METHOD);
    let kind: String = arguments.required("kind")?;
    let count = arguments.optional("count")?.unwrap_or(1);
    let delay: Option<u64> = arguments.optional("delay_ms")?;
    let refused = |reason: String| RpcError::invalid_params(reason);
    if kind == "none" {
        node.clear_faults(method);
        return head(node);
    }
    let kind = match (kind.parse(), delay) {
        (Ok(FaultKind::Delay(_)), Some(delay)) => FaultKind::Delay(Duration::from_millis(delay)),
        (Ok(kind), None) => kind,
        (Ok(_), Some(_)) => return Err(refused("delay_ms belongs to the kind delay".to_owned())),
        (Err(error), _) => return Err(refused(error.to_string())),
    };
    if count == 0 {
        node.clear_faults(method);
    } else {
        node.fault(method, kind, count)
            .map_err(|error| refused(error.to_string()))?;
    }
    head(node)
}

pub(super) fn accounts(node: &StarknetNode) -> Answer {
    let accounts: Vec<_> = node
        .accounts()
        .iter()
        .map(|account| {
            let funding: Vec<_> = account
                .funding
                .iter()
                .map(|funding| {
                    json!({
                        "symbol": funding.symbol,
                        "token": funding.token,
                        "amount": format!("{:#x}", funding.amount),
                    })
                })
                .collect();
            json!({
                "address": account.address,
                "public_key": hex(&account.public_key),
                "private_key": hex(&account.private_key),
                "funding": funding,
            })
        })
        .collect();
    result(&accounts)
}
