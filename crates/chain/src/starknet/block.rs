//! Blocks as the rest of the program needs them.

use super::{
    felt::WireFelt,
    receipts::{Emitted, Event, Transfers},
};
use crate::error::RpcError;
use primitives::{Address, BlockRef, Felt, Timestamp};
use serde::{Deserialize, de::Error as _};

/// A block that the chain has accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Height and hash.
    pub at: BlockRef,
    /// Hash of the block before it.
    pub parent_hash: Felt,
    /// When it was made, by the sequencer's clock.
    pub time: Timestamp,
    /// What each contract that emitted an ERC-20 transfer moved; sorted by
    /// contract, unique.
    pub transfers: Vec<Transfers>,
    /// Events with a name that venues use, in the order of the chain.
    pub venue_events: Vec<Event>,
    /// Contracts with the names of their other events, what tokens say left
    /// out; sorted, unique.
    pub other_events: Vec<(Address, Felt)>,
}

impl Block {
    /// Contracts that emitted an ERC-20 transfer; sorted, unique.
    pub fn tokens_seen(&self) -> impl Iterator<Item = Address> {
        self.transfers.iter().map(|moved| moved.token)
    }
}

/// What blocks of every detail have in common. Blocks that are pending (0.8) or
/// pre-confirmed (0.9, 0.10) have no hash.
#[derive(Deserialize)]
pub(super) struct Header {
    status: Status,
    block_hash: Option<WireFelt>,
    block_number: Option<u64>,
}

#[derive(Deserialize, PartialEq, Eq)]
enum Status {
    #[serde(rename = "ACCEPTED_ON_L2")]
    AcceptedOnL2,
    #[serde(rename = "ACCEPTED_ON_L1")]
    AcceptedOnL1,
    #[serde(other)]
    NotAccepted,
}

impl Header {
    /// The position of the block, if it is accepted and the one `asked` for.
    pub(super) fn position(&self, asked: u64) -> Result<BlockRef, RpcError> {
        let (Some(WireFelt(hash)), Some(number)) = (self.block_hash, self.block_number) else {
            return Err(RpcError::Pending { number: asked });
        };
        if self.status == Status::NotAccepted {
            return Err(RpcError::Pending { number: asked });
        }
        if number != asked {
            return Err(RpcError::WrongBlock { asked, got: number });
        }
        Ok(BlockRef { number, hash })
    }
}

/// A block with its receipts.
#[derive(Deserialize)]
pub(super) struct WireBlock {
    status: Status,
    block_hash: Option<WireFelt>,
    block_number: Option<u64>,
    parent_hash: Option<WireFelt>,
    timestamp: u64,
    /// From 0.10 on.
    event_count: Option<u64>,
    transactions: Emitted,
}

impl WireBlock {
    pub(super) fn accepted(self, method: &'static str, asked: u64) -> Result<Block, RpcError> {
        let header = Header {
            status: self.status,
            block_hash: self.block_hash,
            block_number: self.block_number,
        };
        let at = header.position(asked)?;
        if self.transactions.are_incomplete(self.event_count) {
            return Err(RpcError::Incomplete { number: asked });
        }
        let wrong = |words| RpcError::malformed(method, serde_json::Error::custom(words));
        let WireFelt(parent_hash) = self
            .parent_hash
            .ok_or_else(|| wrong("missing field `parent_hash`"))?;
        let time = i64::try_from(self.timestamp)
            .ok()
            .and_then(|seconds| Timestamp::from_second(seconds).ok())
            .ok_or_else(|| wrong("a timestamp beyond the calendar"))?;
        let mut emitted = self.transactions;
        Ok(Block {
            at,
            parent_hash,
            time,
            transfers: emitted.take_transfers(),
            other_events: emitted.take_others(),
            venue_events: emitted.venue_events,
        })
    }
}
