//! How the indexer works.

use crate::duty::Duty;
use primitives::SignedDuration;
use std::time::Duration;

/// What to index, how far ahead, and how long to keep it; by default, as the only writer.
#[derive(Debug, Clone)]
pub struct IndexerOptions {
    /// Held while blocks are written, where several processes may; others follow the
    /// store meanwhile (warm standby).
    pub duty: Option<Duty>,
    /// The first block to index in an empty store.
    pub start_block: u64,
    /// Begins near the node's head instead, and anew whenever it is more than so many
    /// blocks behind or the blocks that it began with are gone.
    pub leap: Option<u64>,
    /// How long to wait between two looks at the node's head.
    pub poll: Duration,
    /// How long the details of blocks are kept, seen from the newest one; for ever
    /// without it.
    pub keep_details: Option<SignedDuration>,
    /// Blocks fetched and committed together while catching up.
    pub batch: u64,
    /// Batches in flight while catching up.
    pub prefetch: usize,
    /// Blocks below the node's head whose state updates are read: deeper ones are
    /// settled.
    pub unsettled: u64,
    /// Pages of figures are kept every so many blocks: seldom, since the newest
    /// page of every series is written anew each time.
    pub keep_figures_every: u64,
}

/// Where there is no duty, there is one tenure for ever.
const ALONE: i64 = 0;

impl IndexerOptions {
    /// The number of the time for which blocks may be written; none while another
    /// process does.
    pub(super) fn tenure(&self) -> Option<i64> {
        match &self.duty {
            Some(duty) => duty.number(),
            None => Some(ALONE),
        }
    }
}

impl Default for IndexerOptions {
    fn default() -> Self {
        Self {
            duty: None,
            start_block: 0,
            leap: None,
            poll: Duration::from_millis(500),
            keep_details: None,
            batch: 128,
            prefetch: 3,
            unsettled: 256,
            keep_figures_every: 8_192,
        }
    }
}
