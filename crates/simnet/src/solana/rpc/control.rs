//! Methods that steer the simulation. All but `sim_accounts` answer with the
//! slot, the block height and the epoch as they are afterwards.

use super::error::{invalid, not_kept};
use crate::fault::{ANY_METHOD, FaultKind};
use crate::jsonrpc::{Answer, Params, result};
use crate::solana::node::{SlotSteerError, SolanaNode};
use crate::solana::timeline::height;
use crate::solana::wallet::SolanaKeypair;
use serde_json::{Value, json};
use std::time::Duration;

/// Slots, epochs and seconds (ten years) in one request.
const MAX_SLOTS: u64 = 1_000_000_000;
const MAX_EPOCHS: u64 = 1_000;
const MAX_SECONDS: u64 = 10 * 366 * 24 * 60 * 60;

fn head(node: &SolanaNode) -> Answer {
    let slot = node.slot();
    let epoch = node.look(|chain| chain.world.validators.epoch(slot));
    result(&json!({"slot": slot, "block_height": height(slot), "epoch": epoch}))
}

pub(super) fn mine(node: &SolanaNode, params: Params) -> Answer {
    let slots = params.named(&["slots"])?.optional("slots")?.unwrap_or(1);
    if !(1..=MAX_SLOTS).contains(&slots) {
        return Err(invalid(format!("slots must be 1 to {MAX_SLOTS}")));
    }
    node.mine(slots).map_err(|error| not_kept(&error))?;
    head(node)
}

pub(super) fn advance(node: &SolanaNode, params: Params) -> Answer {
    let seconds: u64 = params.named(&["seconds"])?.required("seconds")?;
    if seconds > MAX_SECONDS {
        return Err(invalid(format!("seconds must be at most {MAX_SECONDS}")));
    }
    node.advance(seconds).map_err(|error| not_kept(&error))?;
    head(node)
}

pub(super) fn advance_epochs(node: &SolanaNode, params: Params) -> Answer {
    let count = params.named(&["count"])?.optional("count")?.unwrap_or(1);
    if !(1..=MAX_EPOCHS).contains(&count) {
        return Err(invalid(format!("count must be 1 to {MAX_EPOCHS}")));
    }
    node.advance_epochs(count)
        .map_err(|error| not_kept(&error))?;
    head(node)
}

pub(super) fn pause(node: &SolanaNode) -> Answer {
    node.pause().map_err(|error| not_kept(&error))?;
    head(node)
}

pub(super) fn resume(node: &SolanaNode) -> Answer {
    node.resume().map_err(|error| not_kept(&error))?;
    head(node)
}

pub(super) fn reorg(node: &SolanaNode, params: Params) -> Answer {
    let depth: Option<u64> = params.named(&["depth"])?.optional("depth")?;
    match node.reorg(depth) {
        Ok(()) => head(node),
        Err(SlotSteerError::Reorg(error)) => Err(invalid(error.to_string())),
        Err(SlotSteerError::Keep(error)) => Err(not_kept(&error)),
    }
}

/// Spoils the next answers to a method, or clears what was to come.
pub(super) fn fault(node: &SolanaNode, params: Params) -> Answer {
    let mut arguments = params.named(&["method", "kind", "count", "delay_ms"])?;
    let method: Option<String> = arguments.optional("method")?;
    let method = method.as_deref().unwrap_or(ANY_METHOD);
    let kind: String = arguments.required("kind")?;
    let count = arguments.optional("count")?.unwrap_or(1);
    let delay: Option<u64> = arguments.optional("delay_ms")?;
    if kind == "none" || count == 0 {
        node.clear_faults(method);
        return head(node);
    }
    let kind = match (kind.parse(), delay) {
        (Ok(FaultKind::Delay(_)), Some(delay)) => FaultKind::Delay(Duration::from_millis(delay)),
        (Ok(kind), None) => kind,
        (Ok(_), Some(_)) => return Err(invalid("delay_ms belongs to the kind delay")),
        (Err(error), _) => return Err(invalid(error.to_string())),
    };
    node.fault(method, kind, count)
        .map_err(|error| invalid(error.to_string()))?;
    head(node)
}

/// Wallets and validators with their keys, which are public.
pub(super) fn accounts(node: &SolanaNode) -> Answer {
    let keys = |pair: &SolanaKeypair| {
        let bytes = pair.to_bytes();
        (pair.secret_text(), bytes.to_vec())
    };
    let wallet = |pair: &SolanaKeypair| {
        let (secret_key, secret_key_bytes) = keys(pair);
        json!({
            "address": pair.public_key(),
            "secret_key": secret_key,
            "secret_key_bytes": secret_key_bytes,
        })
    };
    let wallets: Vec<Value> = node.wallets().iter().map(wallet).collect();
    let validators = node.validators();
    let validators = validators.iter().map(|validator| {
        let (secret_key, secret_key_bytes) = keys(&validator.identity);
        json!({
            "identity": validator.identity.public_key(),
            "secret_key": secret_key,
            "secret_key_bytes": secret_key_bytes,
            "vote_accounts": validator.vote_accounts,
        })
    });
    let validators: Vec<Value> = validators.collect();
    let platform = wallet(&SolanaKeypair::platform());
    result(&json!({"wallets": wallets, "platform": platform, "validators": validators}))
}
