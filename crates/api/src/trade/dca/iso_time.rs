//! Times on the wire.

use primitives::Timestamp;
use serde::{Serialize, Serializer};

/// A moment, written as ISO 8601 in UTC.
#[derive(Debug, Clone, Copy)]
pub(super) struct IsoTime(pub(super) Timestamp);

impl Serialize for IsoTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}
