//! Metadata of tokens, read by calling them. Whatever a token does wrong is a
//! refusal of that token alone.

use super::{
    calls::{Said, View, ask},
    text,
};
use crate::{error::RpcError, jsonrpc::JsonRpc};
use market::{Refusal, TokenReading, admit};
use primitives::{Address, Felt};

const ENTRYPOINTS: [&str; 3] = ["name", "symbol", "decimals"];

pub(super) struct Readings {
    /// In the order of the tokens.
    pub(super) readings: Vec<TokenReading>,
    /// Whether any token is refused only because the node stayed silent.
    pub(super) any_silent: bool,
}

pub(super) async fn read(
    rpc: &JsonRpc,
    tokens: &[Address],
    block_hash: Felt,
) -> Result<Readings, RpcError> {
    let views: Vec<_> = tokens
        .iter()
        .flat_map(|token| ENTRYPOINTS.map(|name| View::plain(*token, name)))
        .collect();
    let said = ask(rpc, &views, block_hash).await?;
    let (answers, _) = said.as_chunks::<{ ENTRYPOINTS.len() }>();
    Ok(Readings {
        readings: answers.iter().map(reading).collect(),
        any_silent: said.iter().any(|said| matches!(said, Said::Silence(_))),
    })
}

fn reading(answers: &[Said; 3]) -> TokenReading {
    let [name, symbol, decimals] = answers;
    judge(name, symbol, decimals).unwrap_or_else(TokenReading::Refused)
}

fn judge(name: &Said, symbol: &Said, decimals: &Said) -> Result<TokenReading, Refusal> {
    let (name, symbol, decimals) = (felts(name)?, felts(symbol)?, felts(decimals)?);
    let [decimals] = decimals else {
        return Err(Refusal::Malformed);
    };
    let text = |felts| text::decode(felts).ok_or(Refusal::Malformed);
    Ok(admit(&text(name)?, &text(symbol)?, *decimals))
}

fn felts(said: &Said) -> Result<&[Felt], Refusal> {
    match said {
        Said::Felts(felts) => Ok(felts),
        Said::TooMuch => Err(Refusal::Malformed),
        Said::Nothing | Said::Silence(_) => Err(Refusal::Unanswered),
    }
}
