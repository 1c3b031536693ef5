//! The limits within which a node is asked.

use std::{
    num::{NonZeroU32, NonZeroUsize},
    time::Duration,
};

/// Limits of a client. Every one of them holds for each client and its clones
/// together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RpcOptions {
    /// Time for one attempt, from connecting to the last byte.
    pub timeout: Duration,
    /// Attempts for one request, the first one included.
    pub attempts: NonZeroU32,
    /// The first wait is at most this long, each further one at most twice the
    /// one before it.
    pub backoff_base: Duration,
    /// No wait is longer, whatever the node asks for.
    pub backoff_cap: Duration,
    /// Requests under way at once.
    pub concurrency: NonZeroUsize,
    /// Largest answer, after decompression.
    pub max_response_bytes: usize,
    /// Calls in one batch.
    pub max_batch: NonZeroUsize,
}

impl Default for RpcOptions {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(10),
            attempts: NonZeroU32::MIN.saturating_add(3),
            backoff_base: Duration::from_millis(100),
            backoff_cap: Duration::from_secs(3),
            concurrency: NonZeroUsize::MIN.saturating_add(7),
            max_response_bytes: 32 * 1024 * 1024,
            max_batch: NonZeroUsize::MIN.saturating_add(31),
        }
    }
}
