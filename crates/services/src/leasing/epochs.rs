//! Which epoch it is, for everybody in this process.

use super::Leasing;
use crate::fault::Fault;
use leasing::{EpochClock, EpochPosition};
use primitives::{SignedDuration, Timestamp};
use std::sync::Mutex;

/// What is known of the chain's place.
#[derive(Debug, Default)]
pub(super) struct Epochs(Mutex<Option<EpochClock>>);

/// Where the chain is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EpochView {
    /// Where, as far as one can tell.
    pub position: EpochPosition,
    /// When the epoch ends, as far as one can tell.
    pub ends_at: Option<Timestamp>,
    /// How long no node has said anything new.
    pub silence: SignedDuration,
}

/// Asks the node for the epoch, refreshes stakes, completes leases.
#[derive(Debug)]
pub struct EpochWatch {
    leasing: Leasing,
}

impl Leasing {
    /// Where the chain is; `None` until a node has said so once.
    pub fn epoch(&self) -> Option<EpochView> {
        None
    }
}

impl EpochWatch {
    /// A watch over the epochs of a market.
    pub fn new(leasing: Leasing) -> Self {
        Self { leasing }
    }

    /// Looks once.
    pub async fn round(&mut self) -> Result<(), Fault> {
        let _ = &self.leasing;
        Err(Fault::NoSolanaNode)
    }
}
