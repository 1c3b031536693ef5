//! Running calls over a state without changing it.
//!
//! Writes and events are collected beside the state. A transaction applies them
//! when it succeeds; a revert, a read-only call or a simulation drops them.

use super::contract::{Contract, Env, Revert};
use super::state::{Key, State};
use super::transaction::{Call, Event};
use primitives::{Felt, U256, felt_to_hex};
use std::collections::HashMap;
use std::sync::Arc;
use thiserror::Error;

/// All contracts that can exist, by address.
pub(crate) type Contracts = HashMap<Felt, Arc<dyn Contract>>;

/// Why a call came to nothing.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum CallFailure {
    #[error("requested contract address {} is not deployed", felt_to_hex(*.0))]
    ContractNotFound(Felt),
    #[error("entry point {} not found in contract", felt_to_hex(*.0))]
    EntrypointNotFound(Felt),
    #[error("error in contract {}: {revert}", felt_to_hex(*.contract))]
    Reverted {
        contract: Felt,
        class_hash: Felt,
        selector: Felt,
        #[source]
        revert: Revert,
    },
}

/// Calls in progress on the state after block `at`.
#[derive(Debug)]
pub(crate) struct Execution<'a> {
    contracts: &'a Contracts,
    state: &'a State,
    at: u64,
    writes: HashMap<Key, U256>,
    events: Vec<Event>,
}

/// What an execution would change.
#[derive(Debug)]
pub(crate) struct Effects {
    pub(crate) writes: HashMap<Key, U256>,
    pub(crate) events: Vec<Event>,
}

impl<'a> Execution<'a> {
    pub(crate) fn new(contracts: &'a Contracts, state: &'a State, at: u64) -> Self {
        Self {
            contracts,
            state,
            at,
            writes: HashMap::new(),
            events: Vec::new(),
        }
    }

    /// Runs one call in the name of `caller`. After a failure the execution is
    /// to be dropped: it may hold half of the call's effects.
    pub(crate) fn call(&mut self, caller: Felt, call: &Call) -> Result<Vec<Felt>, CallFailure> {
        let class_hash = super::hash::felt(self.read(&Key::class_hash(call.to)));
        let contracts = self.contracts;
        let contract = contracts
            .get(&call.to)
            .filter(|_| class_hash != Felt::ZERO)
            .ok_or(CallFailure::ContractNotFound(call.to))?;
        let mut env = Env {
            execution: self,
            address: call.to,
            caller,
        };
        contract
            .call(&mut env, call.selector, &call.calldata)
            .ok_or(CallFailure::EntrypointNotFound(call.selector))?
            .map_err(|revert| CallFailure::Reverted {
                contract: call.to,
                class_hash,
                selector: call.selector,
                revert,
            })
    }

    pub(crate) fn read(&self, key: &Key) -> U256 {
        self.writes
            .get(key)
            .copied()
            .unwrap_or_else(|| self.state.read(key, self.at))
    }

    pub(crate) fn write(&mut self, key: Key, value: U256) {
        self.writes.insert(key, value);
    }

    pub(crate) fn emit(&mut self, event: Event) {
        self.events.push(event);
    }

    pub(crate) fn finish(self) -> Effects {
        Effects {
            writes: self.writes,
            events: self.events,
        }
    }
}
