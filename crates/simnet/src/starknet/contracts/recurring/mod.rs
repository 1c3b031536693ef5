//! Recurring purchases: a factory that deploys orders, and the orders, each of
//! which holds what it sells and sells a part of it every so often.
//!
//! No public contract of this kind has a published ABI: names and layouts are
//! ours, and `docs/simnet.md` has every rule.

mod factory;
mod order;
mod plan;
mod terms;

pub(crate) use factory::{FACTORY, executor_key};

use crate::starknet::execution::Contracts;
use std::sync::Arc;

/// Puts the factory where it belongs, and declares what it deploys.
pub(crate) fn install(contracts: &mut Contracts) {
    contracts.insert(FACTORY, Arc::new(factory::Factory));
    contracts.declare(Arc::new(order::RecurringOrder));
}

#[cfg(test)]
mod tests;
