//! How much there is of tokens, read by calling them. Whatever a token does
//! wrong costs its own answer alone.

use super::{
    calls::{Said, View, ask},
    venues::Words,
};
use crate::{error::RpcError, jsonrpc::JsonRpc};
use primitives::{Address, Felt, U256};

pub(super) struct Supplies {
    /// In the order of the tokens.
    pub(super) supplies: Vec<Option<U256>>,
    /// Whether any is missing only because the node stayed silent.
    pub(super) any_silent: bool,
}

/// Tokens name the view in one way or the other: the second one is asked where
/// the first is refused.
pub(super) async fn read(
    rpc: &JsonRpc,
    tokens: &[Address],
    block_hash: Felt,
) -> Result<Supplies, RpcError> {
    let views = |tokens: &[Address], name| -> Vec<View> {
        let views = tokens.iter().map(|token| View::plain(*token, name));
        views.collect()
    };
    let mut answers = ask(rpc, &views(tokens, "total_supply"), block_hash).await?;
    let refused = |said: &Said| matches!(said, Said::Nothing);
    let others: Vec<Address> = tokens
        .iter()
        .zip(&answers)
        .filter_map(|(token, said)| refused(said).then_some(*token))
        .collect();
    let second = ask(rpc, &views(&others, "totalSupply"), block_hash).await?;
    let places = answers.iter_mut().filter(|said| refused(said));
    for (answer, second) in places.zip(second) {
        *answer = second;
    }
    Ok(Supplies {
        any_silent: answers.iter().any(|said| matches!(said, Said::Silence(_))),
        supplies: answers.iter().map(supply).collect(),
    })
}

/// One number of 256 bits and nothing else.
fn supply(said: &Said) -> Option<U256> {
    let Said::Felts(felts) = said else {
        return None;
    };
    let mut words = Words::new(&[], felts);
    let supply = words.u256().ok()?;
    words.end().ok().map(|()| supply)
}
