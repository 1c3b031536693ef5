//! Views of contracts, many at once.
//!
//! A contract is a stranger's program: it may revert, answer nonsense, answer
//! megabytes or make the node work until nobody waits any more.

use super::felt::{Returned, WireFelt};
use crate::{
    error::RpcError,
    jsonrpc::{JsonRpc, parse},
};
use primitives::{Address, Felt, selector};
use serde::Serialize;
use serde_json::value::RawValue;

const METHOD: &str = "starknet_call";

/// More than any view that is asked has to say: over 1,800 bytes of text.
const MAX_FELTS: usize = 64;

#[derive(Serialize)]
struct Call {
    request: FunctionCall,
    block_id: ByHash,
}

#[derive(Serialize)]
struct FunctionCall {
    contract_address: WireFelt,
    entry_point_selector: WireFelt,
    calldata: Vec<WireFelt>,
}

/// A block by its hash, so that a fork cannot answer for another.
#[derive(Serialize, Clone, Copy)]
pub(super) struct ByHash {
    pub(super) block_hash: WireFelt,
}

/// One question to a contract.
#[derive(Debug, Clone)]
pub(super) struct View {
    pub(super) contract: Address,
    pub(super) entrypoint: &'static str,
    pub(super) calldata: Vec<Felt>,
}

impl View {
    /// A question without arguments.
    pub(super) const fn plain(contract: Address, entrypoint: &'static str) -> Self {
        Self {
            contract,
            entrypoint,
            calldata: Vec::new(),
        }
    }

    fn call(&self, block_hash: Felt) -> Call {
        Call {
            request: FunctionCall {
                contract_address: WireFelt(self.contract.felt()),
                entry_point_selector: WireFelt(selector(self.entrypoint)),
                calldata: self.calldata.iter().copied().map(WireFelt).collect(),
            },
            block_id: ByHash {
                block_hash: WireFelt(block_hash),
            },
        }
    }
}

/// What came of one call.
#[derive(Debug)]
pub(super) enum Said {
    Felts(Vec<Felt>),
    /// The contract refuses.
    Nothing,
    /// More than anybody reads.
    TooMuch,
    /// The node did not answer this call, although asked for nothing else, or says
    /// something of itself and not of the contract: that it has pruned the state of
    /// the block, perhaps.
    Silence(RpcError),
}

impl Said {
    /// What the contract says, if anything. A node's silence says nothing of it.
    pub(super) fn felts(self) -> Result<Option<Vec<Felt>>, RpcError> {
        match self {
            Self::Felts(felts) => Ok(Some(felts)),
            Self::Nothing | Self::TooMuch => Ok(None),
            Self::Silence(error) => Err(error),
        }
    }
}

/// Asks one view at a block.
pub(super) async fn ask_one(
    rpc: &JsonRpc,
    view: View,
    block_hash: Felt,
) -> Result<Option<Vec<Felt>>, RpcError> {
    let said = ask(rpc, &[view], block_hash).await?.pop();
    said.map_or(Ok(None), Said::felts)
}

/// Asks all views at one block; the answers are in their order.
pub(super) async fn ask(
    rpc: &JsonRpc,
    views: &[View],
    block_hash: Felt,
) -> Result<Vec<Said>, RpcError> {
    let calls: Vec<_> = views.iter().map(|view| view.call(block_hash)).collect();
    rpc.batch(METHOD, &calls, |_, answer| said(answer)).await
}

fn said(answer: Result<&RawValue, RpcError>) -> Result<Said, RpcError> {
    match answer {
        Ok(result) => {
            let Returned::<MAX_FELTS>(felts) = parse(METHOD, result)?;
            Ok(felts.map_or(Said::TooMuch, Said::Felts))
        }
        Err(error) if error.is_block_not_found() => Err(error),
        Err(RpcError::Node { source, .. }) if source.is_refusal() => Ok(Said::Nothing),
        Err(error @ RpcError::Node { .. }) if !error.is_overload() => Ok(Said::Silence(error)),
        Err(RpcError::TooLarge { .. }) => Ok(Said::TooMuch),
        Err(error) if is_silence(&error) => Ok(Said::Silence(error)),
        Err(error) => Err(error),
    }
}

/// No answer to one call may be the contract's doing or the node's.
pub(super) fn is_silence(error: &RpcError) -> bool {
    match error {
        RpcError::Timeout { .. } => true,
        RpcError::HttpStatus { status, .. } => status.is_server_error(),
        _ => false,
    }
}

/// Asks one view that answers with a long list, of at most `LIMIT` elements.
/// A contract that refuses has an empty one.
pub(super) async fn ask_for_list<const LIMIT: usize>(
    rpc: &JsonRpc,
    view: &View,
    block_hash: Felt,
) -> Result<Vec<Felt>, RpcError> {
    let call = view.call(block_hash);
    match rpc.call::<_, Returned<LIMIT>>(METHOD, &call).await {
        Ok(Returned(felts)) => Ok(felts.unwrap_or_default()),
        Err(RpcError::Node { source, .. }) if source.is_refusal() => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}
