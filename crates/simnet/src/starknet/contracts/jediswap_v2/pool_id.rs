//! What names a pool, and where that puts it.

use super::addresses::FACTORY;
use super::maths::FEE_TIERS;
use super::pool::class_hash;
use crate::starknet::hash::{deployed_address, digest, from_felt};
use primitives::Felt;

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
        deployed_address(FACTORY, self.salt(), class_hash(), &self.constructor())
    }

    pub(super) fn salt(&self) -> Felt {
        let [token0, token1] = self.tokens;
        digest("JEDISWAP V2 POOL", &[token0, token1, Felt::from(self.fee)])
    }

    pub(super) fn constructor(&self) -> Vec<Felt> {
        let [token0, token1] = self.tokens;
        let spacing = self.tick_spacing().unwrap_or_default();
        vec![token0, token1, Felt::from(self.fee), Felt::from(spacing)]
    }
}
