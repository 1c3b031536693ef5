//! Methods that steer the simulation. All but `sim_accounts` answer with the
//! head as it is afterwards.

use super::blocks::head;
use super::hex::hex;
use crate::jsonrpc::{Answer, Params, RpcError, result};
use crate::starknet::node::StarknetNode;
use serde_json::json;

/// Blocks in one request.
const MAX_BLOCKS: u32 = 10_000;

/// Ten years in one request.
const MAX_SECONDS: u64 = 10 * 366 * 24 * 60 * 60;

pub(super) fn mine(node: &StarknetNode, params: Params) -> Answer {
    let blocks = params.named(&["blocks"])?.optional("blocks")?.unwrap_or(1);
    if !(1..=MAX_BLOCKS).contains(&blocks) {
        return Err(RpcError::invalid_params(format!(
            "blocks must be 1 to {MAX_BLOCKS}"
        )));
    }
    node.mine(blocks);
    head(node)
}

pub(super) fn advance(node: &StarknetNode, params: Params) -> Answer {
    let seconds: u64 = params.named(&["seconds"])?.required("seconds")?;
    if seconds > MAX_SECONDS {
        return Err(RpcError::invalid_params(format!(
            "seconds must be at most {MAX_SECONDS}"
        )));
    }
    node.advance(seconds);
    head(node)
}

pub(super) fn reorg(node: &StarknetNode, params: Params) -> Answer {
    let depth: u32 = params.named(&["depth"])?.required("depth")?;
    node.reorg(depth)
        .map_err(|error| RpcError::invalid_params(error.to_string()))?;
    head(node)
}

pub(super) fn pause(node: &StarknetNode) -> Answer {
    node.pause();
    head(node)
}

pub(super) fn resume(node: &StarknetNode) -> Answer {
    node.resume();
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
