//! Sponsored and relayed transactions: the forwarder, through which relayers do
//! what owners of accounts signed, a pool whose users stay private, and a factory of
//! accounts.
//!
//! Entrypoints are those that paymasters of the network call; `docs/simnet.md` has
//! every rule.

mod factory;
mod forwarder;
mod pool;

pub(crate) use factory::ACCOUNT_FACTORY;
pub(crate) use forwarder::{FORWARDER, first_state};
pub(crate) use pool::PRIVACY_POOL;

use crate::starknet::execution::Contracts;
use std::sync::Arc;

/// Puts them where they belong.
pub(crate) fn install(contracts: &mut Contracts) {
    contracts.insert(FORWARDER, Arc::new(forwarder::Forwarder));
    contracts.insert(PRIVACY_POOL, Arc::new(pool::PrivacyPool));
    contracts.insert(ACCOUNT_FACTORY, Arc::new(factory::AccountFactory));
}

#[cfg(test)]
mod tests;
