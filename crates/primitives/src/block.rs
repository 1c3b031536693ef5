//! Positions in a chain.

use starknet_types_core::felt::Felt;

/// One block of one fork: a height alone does not name a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BlockRef {
    /// Height, counted from the chain's first block.
    pub number: u64,
    /// Hash of the header.
    pub hash: Felt,
}
