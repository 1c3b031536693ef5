//! Which market is wanted.

/// What market is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Plan {
    /// How many pools.
    pub pools: usize,
    /// What determines everything else.
    pub seed: u64,
    /// What is special about it.
    pub variant: Variant,
}

/// What is special about a market.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Variant {
    /// Nothing.
    Usual,
    /// All pools are of the kind `x·y = k`.
    ConstantProduct,
    /// Some tokens are worth the same, and trade on flat curves too.
    Stable,
    /// Two pools of a hundred are out of line with the others.
    Arbitrage,
    /// Some pools are empty, or hold one of their tokens only.
    Hollow,
}

impl Variant {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Usual,
        Self::ConstantProduct,
        Self::Stable,
        Self::Arbitrage,
        Self::Hollow,
    ];
}
