//! How the indexer works.

use std::time::Duration;

/// What an operator may choose.
#[derive(Debug, Clone)]
pub struct IndexerOptions {
    /// The first block to index in an empty store.
    pub start_block: u64,
    /// Begins near the node's head instead, and anew whenever it is more than so many
    /// blocks behind or the blocks that it began with are gone.
    pub leap: Option<u64>,
    /// How long to wait between two looks at the node's head.
    pub poll: Duration,
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

impl Default for IndexerOptions {
    fn default() -> Self {
        Self {
            start_block: 0,
            leap: None,
            poll: Duration::from_millis(500),
            batch: 128,
            prefetch: 3,
            unsettled: 256,
            keep_figures_every: 8_192,
        }
    }
}
