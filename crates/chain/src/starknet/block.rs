//! Blocks as the rest of the program needs them.

use super::{
    felt::WireFelt,
    receipts::{Emitted, Event, Transfers},
    watched::{self, WatchedTransaction},
};
use crate::{error::RpcError, jsonrpc::parse};
use market::following::{Sightings, Watch};
use primitives::{Address, BlockRef, Felt, Timestamp};
use serde::{Deserialize, de::Error as _};
use serde_json::value::RawValue;

/// A block that the chain has accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Height and hash.
    pub at: BlockRef,
    /// The root of the state after it, as [`BlockMark`] has it.
    pub state_root: Felt,
    /// Hash of the block before it.
    pub parent_hash: Felt,
    /// When it was made, by the sequencer's clock.
    pub time: Timestamp,
    /// What each contract that emitted an ERC-20 transfer moved; sorted by
    /// contract, unique.
    pub transfers: Vec<Transfers>,
    /// Events with a name that venues use, in the order of the chain.
    pub venue_events: Vec<Event>,
    /// The hashes of their transactions, as far as the node tells them: each after
    /// its place in the block, in order.
    pub venue_transactions: Vec<(u32, Felt)>,
    /// Contracts with the names of their other events, what tokens say left
    /// out; sorted, unique.
    pub other_events: Vec<(Address, Felt)>,
    /// Contracts that it gave other code, if that was asked; sorted, unique.
    pub recoded: Vec<Address>,
    /// What it tells those whom it was read for.
    pub sightings: Sightings,
}

impl Block {
    /// Contracts that emitted an ERC-20 transfer; sorted, unique.
    pub fn tokens_seen(&self) -> impl Iterator<Item = Address> {
        self.transfers.iter().map(|moved| moved.token)
    }

    /// The hash of the transaction at a place, if venues said something in it.
    pub fn venue_transaction(&self, place: u32) -> Option<Felt> {
        let known = &self.venue_transactions;
        let found = known.binary_search_by_key(&place, |(place, _)| *place);
        known.get(found.ok()?).map(|(_, hash)| *hash)
    }
}

/// What blocks of every detail have in common. Blocks that are pending (0.8) or
/// pre-confirmed (0.9, 0.10) have no hash.
#[derive(Deserialize)]
pub(super) struct Header {
    status: Status,
    block_hash: Option<WireFelt>,
    block_number: Option<u64>,
    timestamp: u64,
    new_root: Option<WireFelt>,
    /// From 0.10 on.
    receipt_commitment: Option<WireFelt>,
}

/// A block as it is told from others: some nodes' hashes do not tell its time, nor
/// what it did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockMark {
    /// Height and hash.
    pub at: BlockRef,
    /// The time in its header.
    pub time: Timestamp,
    /// The root of the state after it; where the node computes none, what it says of
    /// the receipts instead.
    pub state_root: Felt,
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
    /// The block, if it is accepted and the one `asked` for.
    pub(super) fn mark(&self, method: &'static str, asked: u64) -> Result<BlockMark, RpcError> {
        let at = self.position(asked)?;
        let WireFelt(root) = self
            .new_root
            .ok_or_else(|| wrong(method, "no `new_root`"))?;
        let receipts = self.receipt_commitment.filter(|_| root == Felt::ZERO);
        Ok(BlockMark {
            at,
            time: self.time(method)?,
            state_root: receipts.map_or(root, |receipts| receipts.0),
        })
    }

    fn time(&self, method: &'static str) -> Result<Timestamp, RpcError> {
        let seconds = i64::try_from(self.timestamp).ok();
        let time = seconds.and_then(|seconds| Timestamp::from_second(seconds).ok());
        time.ok_or_else(|| wrong(method, "a timestamp beyond the calendar"))
    }

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

/// A block with its receipts, whose transactions are read as `T`.
#[derive(Deserialize)]
struct WireBlock<T> {
    status: Status,
    block_hash: Option<WireFelt>,
    block_number: Option<u64>,
    parent_hash: Option<WireFelt>,
    new_root: Option<WireFelt>,
    timestamp: u64,
    /// From 0.10 on.
    receipt_commitment: Option<WireFelt>,
    /// From 0.10 on.
    event_count: Option<u64>,
    transactions: T,
}

/// The block that was `asked` for, read for a watch. Where nobody watches,
/// nothing is done for it.
pub(super) fn read(
    method: &'static str,
    asked: u64,
    answer: &RawValue,
    watch: &Watch,
) -> Result<Block, RpcError> {
    if watch.is_empty() {
        let block: WireBlock<Emitted> = parse(method, answer)?;
        return block.accepted(method, asked, |emitted, _, _| {
            Ok((emitted, Sightings::default()))
        });
    }
    let block: WireBlock<Vec<WatchedTransaction<'_>>> = parse(method, answer)?;
    block.accepted(method, asked, |transactions, at, time| {
        watched::read(transactions, watch, at.number, time)
            .map_err(|source| RpcError::malformed(method, source))
    })
}

impl<T> WireBlock<T> {
    fn accepted(
        self,
        method: &'static str,
        asked: u64,
        read: impl FnOnce(T, BlockRef, Timestamp) -> Result<(Emitted, Sightings), RpcError>,
    ) -> Result<Block, RpcError> {
        let header = Header {
            status: self.status,
            block_hash: self.block_hash,
            block_number: self.block_number,
            timestamp: self.timestamp,
            new_root: self.new_root,
            receipt_commitment: self.receipt_commitment,
        };
        let mark = header.mark(method, asked)?;
        let BlockMark { at, time, .. } = mark;
        let (mut emitted, sightings) = read(self.transactions, at, time)?;
        if emitted.are_incomplete(self.event_count) {
            return Err(RpcError::Incomplete { number: asked });
        }
        let WireFelt(parent_hash) = self
            .parent_hash
            .ok_or_else(|| wrong(method, "missing field `parent_hash`"))?;
        Ok(Block {
            at,
            state_root: mark.state_root,
            parent_hash,
            time,
            transfers: emitted.take_transfers(),
            other_events: emitted.take_others(),
            venue_events: emitted.venue_events,
            venue_transactions: emitted.venue_transactions,
            recoded: Vec::new(),
            sightings,
        })
    }
}

fn wrong(method: &'static str, words: &str) -> RpcError {
    RpcError::malformed(method, serde_json::Error::custom(words))
}
