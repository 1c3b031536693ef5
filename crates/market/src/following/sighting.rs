//! What is kept of what is followed.

use primitives::{Address, Felt, Timestamp};

/// A contract that became followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FollowedContract {
    /// The contract.
    pub address: Address,
    /// The configured one that led to it, perhaps itself.
    pub lead: Address,
    /// The first block whose events count.
    pub from_block: u64,
}

/// An event of a followed contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContractEvent {
    /// The followed contract that emitted it.
    pub contract: Address,
    /// The height of its block.
    pub block: u64,
    /// The time in the header of that block.
    pub time: Timestamp,
    /// The place of its transaction in the block, counted from 0.
    pub transaction: u32,
    /// Its place among all events of the transaction, counted from 0.
    pub index: u32,
    /// By which nodes know the transaction.
    pub transaction_hash: Felt,
    /// Who sent the transaction; none if it came from the base layer.
    pub sender: Option<Address>,
    /// What the transaction cost, if its receipt tells.
    pub fee: Option<Fee>,
    /// The selector of the event's name, and what is indexed beside it.
    pub keys: Vec<Felt>,
    /// The rest.
    pub data: Vec<Felt>,
}

impl ContractEvent {
    /// Its place on the chain, by which events are in order.
    pub const fn place(&self) -> (u64, u32, u32) {
        (self.block, self.transaction, self.index)
    }
}

/// What a followed sender's transaction came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentTransaction {
    /// Who sent it.
    pub sender: Address,
    /// The height of its block.
    pub block: u64,
    /// The time in the header of that block.
    pub time: Timestamp,
    /// Its place in the block, counted from 0.
    pub transaction: u32,
    /// By which nodes and its sender know it.
    pub hash: Felt,
    /// What the sender paid for it.
    pub fee: Fee,
    /// Why its calls were undone, if they were.
    pub revert_reason: Option<String>,
}

/// What a transaction cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fee {
    /// How much.
    pub amount: u128,
    /// In which token's smallest unit the amount is, as the receipt says.
    pub unit: FeeUnit,
}

/// What a fee is paid in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeeUnit {
    /// The smallest unit of ETH.
    Wei,
    /// The smallest unit of STRK.
    Fri,
}

/// What a block tells those who watch.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sightings {
    /// Events of watched contracts, in order.
    pub events: Vec<ContractEvent>,
    /// Transactions of watched senders, in order.
    pub transactions: Vec<SentTransaction>,
    /// Contracts that emitted something and are not watched; sorted, unique.
    pub strangers: Vec<Address>,
}

/// What a block does to what is followed: it comes and goes with the block.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FollowedEffects {
    /// Contracts that are followed from this block on.
    pub contracts: Vec<FollowedContract>,
    /// Events of followed contracts, in order: those of the block, and earlier
    /// ones of contracts that become followed with it.
    pub events: Vec<ContractEvent>,
    /// The block's transactions of followed senders, in order.
    pub transactions: Vec<SentTransaction>,
}

impl FollowedEffects {
    /// Those of a block in which nothing happens.
    pub const NONE: Self = Self {
        contracts: Vec::new(),
        events: Vec::new(),
        transactions: Vec::new(),
    };
}
