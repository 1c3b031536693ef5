//! What the operator allows a sender.

use primitives::{Address, SignedDuration};

/// What a sender may do.
#[derive(Debug, Clone, Copy)]
pub struct SenderOptions {
    /// The token that fees are paid in.
    pub fee_token: Address,
    /// The most that one transaction may cost, in its smallest unit.
    pub max_fee: u128,
    /// What the account keeps for closing gaps.
    pub reserve: u128,
    /// Transactions that no block has yet.
    pub in_flight: usize,
    /// Room that bounds have above the node's estimate.
    pub room_percent: u32,
    /// After so long, what the node does not know is given to it again.
    pub patience: SignedDuration,
    /// Blocks on top of which make a transaction final.
    pub depth: u64,
    /// Blocks after which what waits, and for nothing else, is sent again for more.
    pub stuck_blocks: u64,
    /// How often that is done at most.
    pub replacements: usize,
}
