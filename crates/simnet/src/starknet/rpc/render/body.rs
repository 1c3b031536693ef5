//! How much a block shows.

/// How much of its transactions a block shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Body {
    Hashes,
    Transactions,
    Receipts,
}
