//! The chain in a folder.
//!
//! A segment begins with a checkpoint: how the chain is steered, how long its
//! epochs are, the accounts before the oldest kept transaction, and the
//! transactions since. Then comes whatever happens. Reading it back executes the
//! transactions again, which gives the same result. A large segment is followed
//! by a new one, and goes. Entries that are damaged are passed over, and so are
//! transactions that nobody can pay for without them.

mod record;
mod replay;
#[cfg(test)]
mod tests;
mod writer;

pub(crate) use writer::Journal;
