//! What somebody asks who makes others' transactions: what an account can do, what
//! a class would be able to, whether a signature is good, what tips are usual.

use super::{
    calls::{ByHash, Said, View, ask, ask_one},
    felt::{WireFelt, u128_from_hex},
    simulation,
};
use crate::{error::RpcError, jsonrpc::JsonRpc};
use primitives::{Address, BlockRef, Felt, short_string};
use serde::{Deserialize, Serialize};

/// The interfaces of both versions of outside execution (SNIP-9), the second first.
const OUTSIDE: [Felt; 2] = [
    Felt::from_hex_unchecked("0x1d1144bb2138366ff28d8e9ab57456b1d332ac42196230c3a602003c89872"),
    Felt::from_hex_unchecked("0x68cfd18b92d1907b8ba3cc324900277f5a3622099431ea85dd8089255e4181"),
];

/// The entrypoints of both, the second first.
const ENTRYPOINTS: [&str; 2] = [r#""execute_from_outside_v2""#, r#""execute_from_outside""#];

/// An account as a relayer sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccountFacts {
    /// How many transactions it has sent.
    pub nonce: u64,
    /// Which versions of outside execution it has, the second first.
    pub outside: [bool; 2],
    /// How many elements tell its signers, where it has such a view.
    pub signers: usize,
}

/// `None` where there is no contract.
pub(super) async fn account(
    rpc: &JsonRpc,
    account: Address,
    at: BlockRef,
) -> Result<Option<AccountFacts>, RpcError> {
    let supports = |interface: Felt| View {
        contract: account,
        entrypoint: "supports_interface",
        calldata: vec![interface],
    };
    let [second, first] = OUTSIDE.map(supports);
    let views = [second, first, View::plain(account, "get_signers")];
    let accounts = [account];
    let (nonces, said) = tokio::try_join!(
        simulation::nonces(rpc, &accounts, at.hash),
        ask(rpc, &views, at.hash)
    )?;
    let Some(nonce) = nonces.into_iter().next().flatten() else {
        return Ok(None);
    };
    let mut said = said.into_iter();
    let mut next = || said.next().map_or(Ok(None), Said::felts);
    let mut yes = || Ok::<_, RpcError>(next()?.is_some_and(|felts| felts == [Felt::ONE]));
    let outside = [yes()?, yes()?];
    let signers = next()?.map_or(0, |felts| felts.len());
    Ok(Some(AccountFacts {
        nonce,
        outside,
        signers,
    }))
}

#[derive(Serialize)]
struct OfClass {
    block_id: ByHash,
    class_hash: WireFelt,
}

#[derive(Deserialize)]
struct Class {
    /// A text in classes of our days, a list in older ones.
    #[serde(default)]
    abi: serde_json::Value,
}

/// Which versions of outside execution accounts of a class have, the second
/// first; `None` if the node does not know the class.
pub(super) async fn class(
    rpc: &JsonRpc,
    class_hash: Felt,
    at: BlockRef,
) -> Result<Option<[bool; 2]>, RpcError> {
    let question = OfClass {
        block_id: by_hash(at),
        class_hash: WireFelt(class_hash),
    };
    match rpc.call::<_, Class>("starknet_getClass", &question).await {
        Ok(Class { abi }) => {
            let text = match abi {
                serde_json::Value::String(text) => text,
                other => other.to_string(),
            };
            Ok(Some(ENTRYPOINTS.map(|name| text.contains(name))))
        }
        Err(error) if error.is_block_not_found() => Err(error),
        Err(RpcError::Node { source, .. }) if !source.is_overload() => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether an account says that its owner signed a hash.
pub(super) async fn is_valid_signature(
    rpc: &JsonRpc,
    account: Address,
    hash: Felt,
    signature: &[Felt],
    at: BlockRef,
) -> Result<bool, RpcError> {
    let mut calldata = vec![hash, Felt::from(signature.len())];
    calldata.extend(signature);
    let view = View {
        contract: account,
        entrypoint: "is_valid_signature",
        calldata,
    };
    let said = ask_one(rpc, view, at.hash).await?;
    let is_yes = |felts: Vec<Felt>| felts == [short_string("VALID")] || felts == [Felt::ONE];
    Ok(said.is_some_and(is_yes))
}

/// What a pool of private transactions takes; `None` if it does not say.
pub(super) async fn pool_fee(
    rpc: &JsonRpc,
    pool: Address,
    at: BlockRef,
) -> Result<Option<u128>, RpcError> {
    let view = View::plain(pool, "get_fee_amount");
    let said = ask_one(rpc, view, at.hash).await?;
    Ok(match said.as_deref() {
        Some([fee]) => u128::try_from(*fee).ok(),
        _ => None,
    })
}

/// Who receives what users pay a forwarder; `None` if it does not say.
pub(super) async fn gas_fees_recipient(
    rpc: &JsonRpc,
    forwarder: Address,
    at: BlockRef,
) -> Result<Option<Address>, RpcError> {
    let view = View::plain(forwarder, "get_gas_fees_recipient");
    let said = ask_one(rpc, view, at.hash).await?;
    Ok(match said.as_deref() {
        Some([recipient]) => Some(Address::new(*recipient)),
        _ => None,
    })
}

#[derive(Serialize)]
struct OfBlock {
    block_id: ByHash,
}

#[derive(Deserialize)]
struct Tipped {
    transactions: Vec<WithTip>,
}

/// Only newer transactions have one.
#[derive(Deserialize)]
struct WithTip {
    tip: Option<String>,
}

/// What the transactions of a block offer for each unit of gas, in order.
pub(super) async fn tips(rpc: &JsonRpc, at: BlockRef) -> Result<Vec<u64>, RpcError> {
    let question = OfBlock {
        block_id: by_hash(at),
    };
    let Tipped { transactions } = rpc.call("starknet_getBlockWithTxs", &question).await?;
    let tips = transactions
        .into_iter()
        .filter_map(|sent| u64::try_from(u128_from_hex(&sent.tip?)?).ok());
    Ok(tips.collect())
}

#[derive(Deserialize)]
struct Header {
    timestamp: u64,
}

/// The time that a block's header carries, in seconds since 1970.
pub(super) async fn time(rpc: &JsonRpc, at: BlockRef) -> Result<u64, RpcError> {
    let question = OfBlock {
        block_id: by_hash(at),
    };
    let Header { timestamp } = rpc.call("starknet_getBlockWithTxHashes", &question).await?;
    Ok(timestamp)
}

fn by_hash(at: BlockRef) -> ByHash {
    ByHash {
        block_hash: WireFelt(at.hash),
    }
}
