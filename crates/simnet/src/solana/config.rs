//! What can be chosen about a simulated Solana node.

use std::path::PathBuf;
use std::time::Duration;

/// Epochs that lie behind a chain at its start.
pub(crate) const PAST_EPOCHS: u64 = 20;

const SLOTS_PER_EPOCH: std::ops::RangeInclusive<u64> = 64..=432_000;
const MIN_SLOT_TIME: Duration = Duration::from_millis(1);
const MAX_FINALITY_SLOTS: u64 = 128;

/// How a simulated Solana node is made.
#[derive(Debug, Clone)]
pub struct SolanaConfig {
    /// Determines wallets, validators, leaders and hashes.
    pub seed: u64,
    /// How long a slot takes, in whole milliseconds.
    pub slot_time: Duration,
    /// Slots of an epoch, 64 to 432,000. A chain that was begun keeps its own.
    pub slots_per_epoch: u64,
    /// Slots after which a transaction is final, at most 128.
    pub finality_slots: u64,
    /// Transactions that stay readable; final ones above this number go.
    pub kept_transactions: usize,
    /// The folder in which the chain outlives the process; nothing is kept
    /// without one. Only [`SolanaNode::open`](crate::SolanaNode::open) looks at
    /// it.
    pub data: Option<PathBuf>,
}

impl Default for SolanaConfig {
    fn default() -> Self {
        Self {
            seed: 0,
            slot_time: Duration::from_millis(400),
            slots_per_epoch: 1_200,
            finality_slots: 32,
            kept_transactions: 50_000,
            data: None,
        }
    }
}

/// The same, within the limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rules {
    pub(crate) seed: u64,
    pub(crate) slot_ms: u64,
    pub(crate) slots_per_epoch: u64,
    pub(crate) finality_slots: u64,
    pub(crate) kept_transactions: usize,
}

impl From<&SolanaConfig> for Rules {
    fn from(config: &SolanaConfig) -> Self {
        let slot_time = config.slot_time.max(MIN_SLOT_TIME);
        let (least, most) = (*SLOTS_PER_EPOCH.start(), *SLOTS_PER_EPOCH.end());
        Self {
            seed: config.seed,
            slot_ms: u64::try_from(slot_time.as_millis()).unwrap_or(u64::MAX),
            slots_per_epoch: config.slots_per_epoch.clamp(least, most),
            finality_slots: config.finality_slots.min(MAX_FINALITY_SLOTS),
            kept_transactions: config.kept_transactions.max(1),
        }
    }
}
