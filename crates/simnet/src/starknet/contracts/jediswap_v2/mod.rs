//! The second version of `JediSwap`: a contract for each pool, with positions
//! between ticks as in Uniswap v3.
//!
//! As for the other exchange of this kind, everything is the contract's own, and
//! tests hold crate `amm` against it. Instead of calling back, a pool collects
//! what its caller allowed it to spend.

mod addresses;
mod calls;
mod factory;
mod maths;
mod pool;
mod pool_id;
mod router;

pub(crate) use addresses::{FACTORY, ROUTER};
pub(crate) use calls::{
    burn_call, collect_call, create_pool_call, initialize_call, mint_call, sell_call,
};
pub(crate) use maths::{MAX_TICK, tick_at};
pub(crate) use pool::{price_keys, snapshot};
pub(crate) use pool_id::PoolId;

use crate::starknet::execution::Contracts;
use primitives::Felt;
use std::sync::Arc;

/// The class of all pools.
pub(crate) fn pool_class_hash() -> Felt {
    pool::class_hash()
}

/// Puts the factory and the router where they belong.
pub(crate) fn install(contracts: &mut Contracts) {
    contracts.insert(FACTORY, Arc::new(factory::Factory));
    contracts.insert(ROUTER, Arc::new(router::Router));
    contracts.declare(Arc::new(pool::Pool));
}

#[cfg(test)]
mod tests;
