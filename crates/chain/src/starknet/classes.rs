//! The code that contracts run: their class, or the one behind it where a class
//! only forwards calls.

use super::{calls::ByHash, felt::WireFelt, recoding::IMPLEMENTATION};
use crate::{
    error::RpcError,
    jsonrpc::{JsonRpc, parse},
};
use primitives::{Address, Felt};
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeSet, HashMap},
    sync::{Mutex, PoisonError},
};

const HASH_METHOD: &str = "starknet_getClassHashAt";
const CLASS_METHOD: &str = "starknet_getClass";
const STORAGE_METHOD: &str = "starknet_getStorageAt";

/// Starknet's code for a contract that is not there.
const CONTRACT_NOT_FOUND: i64 = 20;

/// Classes that are remembered; when there are more, all are looked at again.
const MAX_REMEMBERED: usize = 4_096;

/// Which classes only forward calls. A class never changes, so that this is
/// asked once.
#[derive(Debug, Default)]
pub(super) struct Forwarders(Mutex<HashMap<Felt, bool>>);

impl Forwarders {
    fn get(&self, class: Felt) -> Option<bool> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&class).copied()
    }

    fn remember(&self, class: Felt, forwards: bool) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MAX_REMEMBERED {
            known.clear();
        }
        known.insert(class, forwards);
    }
}

#[derive(Serialize)]
struct OfContract {
    block_id: ByHash,
    contract_address: WireFelt,
}

#[derive(Serialize)]
struct OfClass {
    block_id: ByHash,
    class_hash: WireFelt,
}

#[derive(Serialize)]
struct OfPlace {
    contract_address: WireFelt,
    key: WireFelt,
    block_id: ByHash,
}

/// What is wanted of a class.
#[derive(Deserialize)]
struct Definition {
    entry_points_by_type: EntryPoints,
}

#[derive(Deserialize)]
struct EntryPoints {
    #[serde(rename = "EXTERNAL")]
    external: Vec<EntryPoint>,
}

#[derive(Deserialize)]
struct EntryPoint {
    selector: WireFelt,
}

impl Definition {
    /// Whether calls that nothing else answers go to `__default__`, whose selector
    /// is zero: only contracts of Cairo 0 can do that.
    fn forwards(&self) -> bool {
        let mut external = self.entry_points_by_type.external.iter();
        external.any(|entry| entry.selector.0 == Felt::ZERO)
    }
}

/// What each of `contracts` runs at a block; `None` where nothing is deployed.
pub(super) async fn running(
    rpc: &JsonRpc,
    forwarders: &Forwarders,
    contracts: &[Address],
    block_hash: Felt,
) -> Result<Vec<Option<Felt>>, RpcError> {
    let block_id = ByHash {
        block_hash: WireFelt(block_hash),
    };
    let mut classes = hashes(rpc, contracts, block_id).await?;
    for class in classes.iter().flatten().collect::<BTreeSet<_>>() {
        if forwarders.get(*class).is_none() {
            let forwards = forwards(rpc, *class, block_id).await?;
            forwarders.remember(*class, forwards);
        }
    }
    let is_forwarder =
        |class: &Option<Felt>| class.and_then(|class| forwarders.get(class)) == Some(true);
    let (places, questions): (Vec<usize>, Vec<OfPlace>) = (0..)
        .zip(contracts.iter().zip(&classes))
        .filter(|(_, (_, class))| is_forwarder(class))
        .map(|(place, (contract, _))| {
            let question = OfPlace {
                contract_address: WireFelt(contract.felt()),
                key: WireFelt(*IMPLEMENTATION),
                block_id,
            };
            (place, question)
        })
        .unzip();
    let answers = rpc.batch(STORAGE_METHOD, &questions, |_, answer| {
        parse::<WireFelt>(STORAGE_METHOD, answer?).map(|WireFelt(class)| class)
    });
    for (place, implementation) in places.into_iter().zip(answers.await?) {
        // A forwarder that keeps it elsewhere is what it is itself.
        if implementation != Felt::ZERO
            && let Some(class) = classes.get_mut(place)
        {
            *class = Some(implementation);
        }
    }
    Ok(classes)
}

async fn hashes(
    rpc: &JsonRpc,
    contracts: &[Address],
    block_id: ByHash,
) -> Result<Vec<Option<Felt>>, RpcError> {
    let params: Vec<_> = contracts
        .iter()
        .map(|contract| OfContract {
            block_id,
            contract_address: WireFelt(contract.felt()),
        })
        .collect();
    rpc.batch(HASH_METHOD, &params, |_, answer| match answer {
        Ok(result) => parse::<WireFelt>(HASH_METHOD, result).map(|WireFelt(class)| Some(class)),
        Err(RpcError::Node { source, .. }) if source.code == CONTRACT_NOT_FOUND => Ok(None),
        Err(error) => Err(error),
    })
    .await
}

async fn forwards(rpc: &JsonRpc, class: Felt, block_id: ByHash) -> Result<bool, RpcError> {
    let params = OfClass {
        block_id,
        class_hash: WireFelt(class),
    };
    match rpc.call::<_, Definition>(CLASS_METHOD, &params).await {
        Ok(definition) => Ok(definition.forwards()),
        // What only forwards is small.
        Err(RpcError::TooLarge { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Fails if the node does not know the state of a block, whatever a contract does
/// when it is called.
pub(super) async fn check_state(
    rpc: &JsonRpc,
    contract: Address,
    block_hash: Felt,
) -> Result<(), RpcError> {
    let block_id = ByHash {
        block_hash: WireFelt(block_hash),
    };
    hashes(rpc, &[contract], block_id).await.map(drop)
}
