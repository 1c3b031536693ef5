//! What names a pool.

use crate::starknet::hash::digest;
use primitives::Felt;

/// The five facts by which everybody names a pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PoolKey {
    /// The smaller address first.
    pub(crate) tokens: [Felt; 2],
    /// The share of what is sold, in units of 2^-128.
    pub(crate) fee: u128,
    pub(crate) tick_spacing: u32,
    pub(crate) extension: Felt,
}

impl PoolKey {
    pub(crate) fn felts(&self) -> [Felt; 5] {
        let [token0, token1] = self.tokens;
        [
            token0,
            token1,
            Felt::from(self.fee),
            Felt::from(self.tick_spacing),
            self.extension,
        ]
    }

    /// What the core finds the pool by.
    pub(super) fn id(&self) -> Felt {
        digest("EKUBO POOL", &self.felts())
    }
}
