//! What somebody has of a token and lets others take, read by calling the
//! token. A token that does not answer as tokens do has nothing to say.

use super::{
    calls::{Said, View, ask},
    venues::Words,
};
use crate::{error::RpcError, jsonrpc::JsonRpc};
use primitives::{Address, Felt, U256};

/// Tokens name the view in one way or the other. Both are asked at once, since
/// somebody waits for the answer.
const BALANCE: [&str; 2] = ["balance_of", "balanceOf"];

pub(super) async fn balance(
    rpc: &JsonRpc,
    token: Address,
    owner: Address,
    block_hash: Felt,
) -> Result<Option<U256>, RpcError> {
    let views = BALANCE.map(|entrypoint| View {
        contract: token,
        entrypoint,
        calldata: vec![owner.felt()],
    });
    first(ask(rpc, &views, block_hash).await?)
}

pub(super) async fn allowance(
    rpc: &JsonRpc,
    token: Address,
    owner: Address,
    spender: Address,
    block_hash: Felt,
) -> Result<Option<U256>, RpcError> {
    let view = View {
        contract: token,
        entrypoint: "allowance",
        calldata: vec![owner.felt(), spender.felt()],
    };
    first(ask(rpc, &[view], block_hash).await?)
}

/// The first amount that was said; a silence is no answer.
fn first(said: Vec<Said>) -> Result<Option<U256>, RpcError> {
    for said in said {
        let felts = said.felts()?.unwrap_or_default();
        let mut words = Words::new(&[], &felts);
        if let (Ok(amount), Ok(())) = (words.u256(), words.end()) {
            return Ok(Some(amount));
        }
    }
    Ok(None)
}
