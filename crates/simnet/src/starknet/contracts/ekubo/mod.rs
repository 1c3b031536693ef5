//! The Ekubo-type exchange: one core that holds all pools, positions between
//! ticks, and a router.
//!
//! The walk from tick to tick, the bitmap and the bookkeeping are written here.
//! Prices and amounts within a range come from crate `amm`, whose steps are held
//! against another implementation. Callers settle with the core directly: only
//! the router and the positions can, so that no lock is needed. Fees stay in the
//! core.

mod calls;
mod clear;
mod core;
mod pool;
mod positions;
mod router;
mod wire;

pub(crate) use self::core::position_liquidity;
pub(crate) use calls::{
    Hop, clear_call, initialize_call, mint_position_call, price_call, quote_call, swap_calls,
    withdraw_call,
};
pub(crate) use pool::{PoolKey, pool, price_keys};
pub(crate) use positions::{COUNT as POSITION_COUNT, position_owner};
pub(crate) use wire::read_key;

use self::core::Core;
use crate::starknet::execution::Contracts;
use amm::ekubo::Rounding;
use primitives::Felt;
use std::sync::Arc;

/// The contract that holds all pools.
pub(crate) const CORE: Felt =
    Felt::from_hex_unchecked("0x00000005dd3d2f4429af886cd1a3b08289dbcea99a294197e9eb43b0e0325b4b");

/// The contract through which people hold positions.
pub(crate) const POSITIONS: Felt =
    Felt::from_hex_unchecked("0x02e0af29598b407c8716b17f6d2795eca1b471413fa03fb145a5e33722184067");

/// The contract through which people trade.
pub(crate) const ROUTER: Felt =
    Felt::from_hex_unchecked("0x0199741822c2dc722f6f605204f35e56dbc23bceed54818168c4c49e4fb8737e");

/// The extension that records prices; its pools trade as if they had none.
pub(crate) const ORACLE: Felt =
    Felt::from_hex_unchecked("0x005e470ff654d834983a46b8f29dfa99963d5044b993cb7b9c92243a69dab38f");

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
