//! What a request is answered from.

use primitives::Timestamp;
use services::Snapshot;
use std::sync::Arc;

/// A snapshot, and the time at which it is looked at.
pub(super) struct View {
    pub(super) snapshot: Arc<Snapshot>,
    /// The process's time.
    pub(super) clock: Timestamp,
    /// The market's time: of the newest block or of the clock, whichever is
    /// later, in seconds since 1970.
    pub(super) now: i64,
}
