//! Blocks, transactions, receipts and events in the specification's words.
//!
//! These types borrow from blocks and are written straight to text: a block of
//! hundreds of transactions builds no tree of JSON values.

mod block;
mod event;
mod transaction;

pub(super) use block::{BlockJson, HeadJson, PreConfirmedJson};
pub(super) use event::{EmittedJson, EventsJson};

/// How much of its transactions a block shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Body {
    Hashes,
    Transactions,
    Receipts,
}
