//! The Ekubo-type exchange: one core that holds all pools, positions between
//! ticks, and a router.
//!
//! All of it is written here, plainly and apart from crate `amm`, which computes
//! the same for quotes: tests hold one against the other. Callers settle with the
//! core directly: only the router and the positions can, so that no lock is
//! needed. Fees stay in the core.

mod addresses;
mod calls;
mod clear;
mod core;
mod maths;
mod pool;
mod pool_key;
mod positions;
mod router;
mod wire;

pub(crate) use self::core::position_liquidity;
pub(crate) use addresses::{CORE, ORACLE, POSITIONS, ROUTER};
pub(crate) use calls::{
    Hop, clear_call, initialize_call, mint_position_call, price_call, quote_call, swap_calls,
    withdraw_call,
};
pub(crate) use maths::{MAX_SQRT_RATIO, MIN_SQRT_RATIO, Rounding, tick_at};
pub(crate) use pool::{pool, price_keys};
pub(crate) use pool_key::PoolKey;
pub(crate) use positions::{COUNT as POSITION_COUNT, position_owner};
pub(crate) use wire::read_key;

use self::core::Core;
use crate::starknet::execution::Contracts;
use primitives::Felt;
use std::sync::Arc;

/// Puts the exchange where it belongs, with a core that rounds like this.
pub(crate) fn install(contracts: &mut Contracts, rounding: Rounding) {
    contracts.insert(CORE, Arc::new(Core(rounding)));
    contracts.insert(POSITIONS, Arc::new(positions::Positions));
    contracts.insert(ROUTER, Arc::new(router::Router));
    for rounding in [Rounding::Older, Rounding::Exact] {
        contracts.declare(Arc::new(Core(rounding)));
    }
}

/// The class of a core that rounds like this.
pub(crate) fn core_class_hash(rounding: Rounding) -> Felt {
    core::kind(rounding).class.hash
}

#[cfg(test)]
mod tests;
