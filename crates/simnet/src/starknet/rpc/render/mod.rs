//! Blocks, transactions, receipts and events in the specification's words.
//!
//! These types borrow from blocks and are written straight to text: a block of
//! hundreds of transactions builds no tree of JSON values.

mod block;
mod body;
mod event;
mod state_diff;
mod trace;
mod transaction;

pub(super) use block::{
    BlockJson, HeadJson, HeaderJson, PRE_CONFIRMED, PreConfirmedJson, finality,
};
pub(super) use body::Body;
pub(super) use event::{EmittedJson, EmittingBlock, EventsJson};
pub(super) use state_diff::state_diff;
pub(super) use trace::trace;
pub(super) use transaction::{ReceiptJson, TransactionJson};
