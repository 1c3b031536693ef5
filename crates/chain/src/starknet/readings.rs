//! Metadata of tokens, read by calling them.
//!
//! A token is a stranger's program: it may revert, answer nonsense, answer
//! megabytes or make the node work until nobody waits any more. Each of these
//! is a refusal of that token alone.

use super::{
    felt::{Returned, WireFelt},
    text,
};
use crate::{
    error::RpcError,
    jsonrpc::{JsonRpc, parse},
};
use market::{Reading, Refusal, admit};
use primitives::{Address, Felt, selector};
use serde::Serialize;
use serde_json::value::RawValue;

const METHOD: &str = "starknet_call";
const ENTRYPOINTS: [&str; 3] = ["name", "symbol", "decimals"];

/// No name needs more: this is over 1,800 bytes of text.
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
    calldata: [(); 0],
}

#[derive(Serialize, Clone, Copy)]
struct ByHash {
    block_hash: WireFelt,
}

/// What came of one call.
#[derive(Debug)]
enum Said {
    Felts(Vec<Felt>),
    Nothing(Refusal),
    /// The node did not answer this call, although asked for nothing else.
    Silence,
}

pub(super) struct Readings {
    /// In the order of the tokens.
    pub(super) readings: Vec<Reading>,
    /// Whether any token is refused only because the node stayed silent.
    pub(super) any_silent: bool,
}

pub(super) async fn read(
    rpc: &JsonRpc,
    tokens: &[Address],
    block_hash: Felt,
) -> Result<Readings, RpcError> {
    let block_id = ByHash {
        block_hash: WireFelt(block_hash),
    };
    let selectors = ENTRYPOINTS.map(|name| WireFelt(selector(name)));
    let calls: Vec<_> = tokens
        .iter()
        .flat_map(|token| {
            selectors.map(|entry_point_selector| Call {
                request: FunctionCall {
                    contract_address: WireFelt(token.felt()),
                    entry_point_selector,
                    calldata: [],
                },
                block_id,
            })
        })
        .collect();
    let said = rpc.batch(METHOD, &calls, |_, answer| said(answer)).await?;
    let (answers, _) = said.as_chunks::<{ ENTRYPOINTS.len() }>();
    Ok(Readings {
        readings: answers.iter().map(reading).collect(),
        any_silent: said.iter().any(|said| matches!(said, Said::Silence)),
    })
}

fn said(answer: Result<&RawValue, RpcError>) -> Result<Said, RpcError> {
    match answer {
        Ok(result) => {
            let Returned::<MAX_FELTS>(felts) = parse(METHOD, result)?;
            Ok(felts.map_or(Said::Nothing(Refusal::Malformed), Said::Felts))
        }
        Err(error) if error.is_block_not_found() => Err(error),
        Err(RpcError::Node { source, .. }) if !source.is_overload() => {
            Ok(Said::Nothing(Refusal::Unanswered))
        }
        Err(RpcError::TooLarge { .. }) => Ok(Said::Nothing(Refusal::Malformed)),
        Err(RpcError::Timeout { .. }) => Ok(Said::Silence),
        Err(RpcError::HttpStatus { status, .. }) if status.is_server_error() => Ok(Said::Silence),
        Err(error) => Err(error),
    }
}

fn reading(answers: &[Said; 3]) -> Reading {
    let [name, symbol, decimals] = answers;
    judge(name, symbol, decimals).unwrap_or_else(Reading::Refused)
}

fn judge(name: &Said, symbol: &Said, decimals: &Said) -> Result<Reading, Refusal> {
    let (name, symbol, decimals) = (name.felts()?, symbol.felts()?, decimals.felts()?);
    let [decimals] = decimals else {
        return Err(Refusal::Malformed);
    };
    let text = |felts| text::decode(felts).ok_or(Refusal::Malformed);
    Ok(admit(&text(name)?, &text(symbol)?, *decimals))
}

impl Said {
    fn felts(&self) -> Result<&[Felt], Refusal> {
        match self {
            Self::Felts(felts) => Ok(felts),
            Self::Nothing(refusal) => Err(*refusal),
            Self::Silence => Err(Refusal::Unanswered),
        }
    }
}
