//! Swaps against the simulated node.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot go on fails"
)]

mod dice;
mod execution;
mod gas;
mod market;
mod sharing;
mod terms;
mod vault;
