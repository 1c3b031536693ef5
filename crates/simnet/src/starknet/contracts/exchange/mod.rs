//! The exchange contract: sells one token for another along routes through
//! other exchanges, takes fees, and pays what is left to the caller.
//!
//! Names, layouts, the order of the checks and the words of refusals are the
//! public contract's; `docs/simnet.md` has every rule with its rounding. The
//! exchange holds nothing between two calls: what somebody leaves there is part
//! of the next trade in that token.

mod adapter;
mod calls;
mod contract;
mod executor;
mod fees;
mod identity;
mod routes;
mod walk;

pub(crate) use calls::{Step, sell_calls};
pub(crate) use executor::EXECUTOR;
pub(crate) use fees::{set_fees_calls, set_recipient_call, set_weight_call};
pub(crate) use identity::EXCHANGE;

use crate::starknet::execution::Contracts;
use std::sync::Arc;

/// Puts the exchange and the private executor where they belong.
pub(crate) fn install(contracts: &mut Contracts) {
    contracts.insert(EXCHANGE, Arc::new(identity::Exchange));
    contracts.insert(EXECUTOR, Arc::new(executor::Executor));
}

#[cfg(test)]
mod tests;
