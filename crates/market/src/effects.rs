//! What one block changes.

use crate::{figures::KeptFigures, following::FollowedEffects, metadata::TokenReading};
use amm::book::Change;
use primitives::{Address, BlockRef, Felt, Timestamp};

/// The effects of one block on the state of Stoa, complete: applying it needs
/// nothing but the state before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockEffects {
    /// The block that has them, by height and hash.
    pub block: BlockRef,
    /// Hash of the block before it.
    pub parent_hash: Felt,
    /// The time that its header carries.
    pub time: Timestamp,
    /// The root of the state after it, if it is known.
    pub state_root: Option<Felt>,
    /// What was read of tokens at this block, each address at most once, in
    /// the order of addresses.
    pub readings: Vec<(Address, TokenReading)>,
    /// What happened to pools, in order.
    pub pools: Vec<Change>,
    /// All pools after the block, at the heights where they are kept.
    pub checkpoint: Option<Vec<u8>>,
    /// What the block does to market figures, as bytes; empty if nothing.
    pub figures: Vec<u8>,
    /// What is kept of its trades beside that, as bytes; empty if there are none.
    pub trades: Vec<u8>,
    /// Pages of figures, at the heights where they are kept.
    pub pages: Option<KeptFigures>,
    /// What it does to what is followed.
    pub followed: FollowedEffects,
}

impl BlockEffects {
    /// Those of a block in which nothing happens.
    #[must_use]
    pub const fn quiet(block: BlockRef, parent_hash: Felt, time: Timestamp) -> Self {
        Self {
            block,
            parent_hash,
            time,
            state_root: None,
            readings: Vec::new(),
            pools: Vec::new(),
            checkpoint: None,
            figures: Vec::new(),
            trades: Vec::new(),
            pages: None,
            followed: FollowedEffects::NONE,
        }
    }
}
