//! What is known of users' accounts at the newest block, so that the same is not
//! asked twice.

use super::{error::PaymasterError, nodes::AskedNodes, per_block::PerBlock};
use crate::generational_cache::GenerationalCache;
use chain::{AccountFacts, StarknetClient};
use primitives::{Address, BlockRef, Felt};
use std::sync::{Mutex, MutexGuard, PoisonError};
use trading::paymaster::{OutsideVersion, Refusal};

/// Classes whose version is remembered, in each of the cache's two generations.
const KEPT: usize = 2_048;

/// What accounts are, as nodes told.
#[derive(Debug)]
pub(super) struct Accounts {
    nodes: AskedNodes,
    known: PerBlock<Address, AccountFacts>,
    classes: Mutex<GenerationalCache<Felt, OutsideVersion>>,
}

impl Accounts {
    pub(super) fn new(nodes: AskedNodes) -> Self {
        Self {
            nodes,
            known: PerBlock::default(),
            classes: Mutex::new(GenerationalCache::counted(KEPT)),
        }
    }

    /// What nodes say of an account at a block; an address without a contract is refused.
    pub(super) async fn facts(
        &self,
        account: Address,
        at: BlockRef,
    ) -> Result<AccountFacts, PaymasterError> {
        if let Some(facts) = self.known.get(at, &account) {
            return Ok(facts);
        }
        let asked = |node: StarknetClient| async move { node.account_facts(account, at).await };
        let facts = self.nodes.ask(asked).await??;
        let facts = facts.ok_or(Refusal::InvalidAddress)?;
        self.known.put(at, account, facts);
        Ok(facts)
    }

    /// The newest version of outside execution that accounts of a class have.
    pub(super) async fn version_of_class(
        &self,
        class_hash: Felt,
        at: BlockRef,
    ) -> Result<OutsideVersion, PaymasterError> {
        let known = lock(&self.classes).get(&class_hash).copied();
        if let Some(version) = known {
            return Ok(version);
        }
        let asked =
            |node: StarknetClient| async move { node.outside_execution_of(class_hash, at).await };
        let has = self.nodes.ask(asked).await??.unwrap_or_default();
        let version = newest(has).ok_or(Refusal::ClassHashNotSupported)?;
        lock(&self.classes).put(class_hash, version);
        Ok(version)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The newest version of those that there are, the second first.
pub(super) fn newest([second, first]: [bool; 2]) -> Option<OutsideVersion> {
    match (second, first) {
        (true, _) => Some(OutsideVersion::Two),
        (false, true) => Some(OutsideVersion::One),
        (false, false) => None,
    }
}
