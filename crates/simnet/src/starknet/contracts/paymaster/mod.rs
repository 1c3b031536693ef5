//! Sponsored and relayed transactions: the forwarder, through which relayers do
//! what owners of accounts signed, and a pool whose users stay private.
//!
//! Entrypoints are those that paymasters of the network call; `docs/simnet.md` has
//! every rule.

mod forwarder;
mod pool;

pub(crate) use forwarder::{FORWARDER, first_state};
pub(crate) use pool::PRIVACY_POOL;

use crate::starknet::execution::Contracts;
use std::sync::Arc;

/// Puts both where they belong.
pub(crate) fn install(contracts: &mut Contracts) {
    contracts.insert(FORWARDER, Arc::new(forwarder::Forwarder));
    contracts.insert(PRIVACY_POOL, Arc::new(pool::PrivacyPool));
}

#[cfg(test)]
mod tests;
