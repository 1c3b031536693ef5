//! What can be chosen about a simulated node.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// A history has at most this many blocks; of a longer one the newest are made.
pub(crate) const MAX_HISTORY_BLOCKS: usize = 20_000;

/// A history has about this many events at most: its blocks get fewer
/// transactions when there are many of them.
pub(crate) const MAX_HISTORY_EVENTS: usize = 200_000;

/// Blocks of a history that come at most so many seconds after the one before
/// have as many transactions as the blocks of today, others at most so many.
pub(crate) const DENSE_SPACING: u64 = 10;
pub(crate) const SPARSE_TRANSACTIONS: u32 = 3;

/// Blocks with more transactions than this (on average) are not made.
pub(crate) const MAX_TRANSACTIONS_PER_BLOCK: u32 = 1_000;

/// More pools than this are not made.
pub(crate) const MAX_POOLS: usize = 1_000;

/// Pools by default.
const POOLS: usize = 320;

/// Blocks kept by default; older ones are dropped, as on a pruned node.
const KEPT_BLOCKS: usize = 40_000;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// How a simulated Starknet node is made.
#[derive(Debug, Clone)]
pub struct StarknetConfig {
    /// Determines holders, accounts and everything that happens.
    pub seed: u64,
    /// Time between blocks by the wall clock; without it blocks are made only
    /// on request.
    pub block_time: Option<Duration>,
    /// The past that the chain has when it starts.
    pub history: History,
    /// Transactions of the world's own actors in a block, on average.
    pub transactions_per_block: u32,
    /// Pools that the exchanges have at the beginning; without any there are no
    /// exchanges. A few are those of the hubs, on every venue.
    pub pools: usize,
    /// Whether prices jump, dollars leave their peg and nobody keeps the prices
    /// of the pools together: a market to try the worst on.
    pub wild: bool,
    /// Blocks that stay readable. At least the newest one always does.
    pub kept_blocks: usize,
    /// Where the making of a history can be followed.
    pub progress: HistoryProgress,
    /// The folder in which the chain outlives the process; nothing is kept
    /// without one. Only [`StarknetNode::open`](crate::StarknetNode::open) looks
    /// at it.
    pub data: Option<PathBuf>,
}

impl Default for StarknetConfig {
    fn default() -> Self {
        Self {
            seed: 0,
            block_time: Some(Duration::from_secs(2)),
            history: History::default(),
            transactions_per_block: 5,
            pools: POOLS,
            wild: false,
            kept_blocks: KEPT_BLOCKS,
            progress: HistoryProgress::default(),
            data: None,
        }
    }
}

/// How far the making of a history is. Clones show the same.
#[derive(Debug, Clone, Default)]
pub struct HistoryProgress(Arc<[AtomicUsize; 2]>);

impl HistoryProgress {
    /// Blocks that are made, and that will be in all; both zero before it
    /// begins.
    pub fn blocks(&self) -> (usize, usize) {
        let [made, all] = &*self.0;
        (made.load(Ordering::Relaxed), all.load(Ordering::Relaxed))
    }

    pub(crate) fn tell(&self, made: usize, all: usize) {
        for (place, blocks) in self.0.iter().zip([made, all]) {
            place.store(blocks, Ordering::Relaxed);
        }
    }
}

/// The block times that lie behind a chain at its start, up to now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct History {
    /// From the oldest to the newest: `count` blocks, `spacing` seconds apart.
    stretches: Vec<Stretch>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Stretch {
    count: usize,
    spacing: u64,
}

impl History {
    /// `count` blocks at even distances; at least one.
    pub fn blocks(count: usize, spacing: Duration) -> Self {
        let spacing = spacing.as_secs();
        Self {
            stretches: vec![Stretch { count, spacing }],
        }
    }

    /// Times of the blocks in seconds, oldest first; the newest is `now`.
    pub(crate) fn timestamps(&self, now: u64) -> Vec<u64> {
        let steps = self.stretches.iter().rev().flat_map(|stretch| {
            std::iter::repeat_n(stretch.spacing, stretch.count.min(MAX_HISTORY_BLOCKS))
        });
        let mut time = now;
        let mut times: Vec<u64> = steps
            .take(MAX_HISTORY_BLOCKS)
            .map(|spacing| {
                let this = time;
                time = time.saturating_sub(spacing);
                this
            })
            .collect();
        if times.is_empty() {
            times.push(now);
        }
        times.reverse();
        times
    }
}

impl Default for History {
    /// 30 days: every half an hour, the last day every two minutes, the last hour
    /// every ten seconds.
    fn default() -> Self {
        let stretch = |span: u64, spacing: u64| Stretch {
            count: usize::try_from(span / spacing).unwrap_or(MAX_HISTORY_BLOCKS),
            spacing,
        };
        Self {
            stretches: vec![
                stretch(29 * DAY + 30 * MINUTE, 30 * MINUTE),
                stretch(23 * HOUR, 2 * MINUTE),
                stretch(HOUR, 10),
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_800_000_000;

    #[test]
    fn the_default_history_covers_thirty_days_and_thins_out_into_the_past() {
        let times = History::default().timestamps(NOW);
        assert_eq!(times.last(), Some(&NOW));
        assert!(NOW - times[0] >= 30 * DAY);
        assert!((2_000..=MAX_HISTORY_BLOCKS).contains(&times.len()));
        let gaps: Vec<u64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(gaps.is_sorted_by(|earlier, later| earlier >= later));
        assert_eq!((gaps[0], gaps[gaps.len() - 1]), (30 * MINUTE, 10));
    }

    #[test]
    fn a_history_has_one_to_twenty_thousand_blocks() {
        let second = Duration::from_secs(1);
        assert_eq!(History::blocks(0, second).timestamps(NOW), [NOW]);
        assert_eq!(
            History::blocks(3, second).timestamps(NOW),
            [NOW - 2, NOW - 1, NOW]
        );
        let longest = History::blocks(usize::MAX, second).timestamps(NOW);
        assert_eq!(longest.len(), MAX_HISTORY_BLOCKS);
        assert_eq!(longest.last(), Some(&NOW));
    }

    #[test]
    fn a_history_does_not_begin_before_the_epoch() {
        let times = History::default().timestamps(DAY);
        assert_eq!(times.first(), Some(&0));
        assert!(times.is_sorted());
    }
}
