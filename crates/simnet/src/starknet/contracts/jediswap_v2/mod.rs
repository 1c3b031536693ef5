//! The second version of `JediSwap`: a contract for each pool, with positions
//! between ticks as in Uniswap v3.
//!
//! As for the other exchange of this kind, the walk and the bitmap are the
//! contract's own and the steps within a range come from crate `amm`. Instead of
//! calling back, a pool collects what its caller allowed it to spend.

mod calls;
mod factory;
mod pool;
mod router;

pub(crate) use calls::{
    burn_call, collect_call, create_pool_call, initialize_call, mint_call, sell_call,
};
pub(crate) use pool::{price_keys, snapshot};

use crate::starknet::execution::Contracts;
use crate::starknet::hash::{deployed_address, digest, from_felt};
use amm::v3::FEE_TIERS;
use primitives::Felt;
use std::sync::Arc;

/// Creates pools and knows them all.
pub(crate) const FACTORY: Felt =
    Felt::from_hex_unchecked("0x01aa950c9b974294787de8df8880ecf668840a6ab8fa8290bf2952212b375148");

/// Sells for people.
pub(crate) const ROUTER: Felt =
    Felt::from_hex_unchecked("0x0359550b990167afd6635fa574f3bdadd83cb51850e1d00061fe693158c23f80");

/// Names a pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PoolId {
    /// The smaller address first.
    pub(crate) tokens: [Felt; 2],
    /// Millionths of what is sold.
    pub(crate) fee: u32,
}

impl PoolId {
    /// The pool of two tokens, in any order, of a tier.
    pub(crate) fn new(one: Felt, other: Felt, fee: u32) -> Self {
        let ordered = from_felt(one) <= from_felt(other);
        let tokens = if ordered { [one, other] } else { [other, one] };
        Self { tokens, fee }
    }

    /// The spacing of its ticks; `None` for a fee that is no tier.
    pub(crate) fn tick_spacing(&self) -> Option<u32> {
        let tiers = FEE_TIERS.iter();
        let mut tiers = tiers.filter(|(fee, _)| *fee == self.fee);
        tiers.next().map(|(_, spacing)| *spacing)
    }

    /// Where the pool is, or will be: to be remembered, it takes a while.
    pub(crate) fn address(&self) -> Felt {
        deployed_address(
            FACTORY,
            self.salt(),
            pool::class_hash(),
            &self.constructor(),
        )
    }

    fn salt(&self) -> Felt {
        let [token0, token1] = self.tokens;
        digest("JEDISWAP V2 POOL", &[token0, token1, Felt::from(self.fee)])
    }

    fn constructor(&self) -> Vec<Felt> {
        let [token0, token1] = self.tokens;
        let spacing = self.tick_spacing().unwrap_or_default();
        vec![token0, token1, Felt::from(self.fee), Felt::from(spacing)]
    }
}

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
