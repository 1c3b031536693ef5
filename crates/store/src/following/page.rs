//! How much is read at once.

/// Rows that are read at once, however many are asked for.
pub(super) const MAX_PAGE: u32 = 1_000;
