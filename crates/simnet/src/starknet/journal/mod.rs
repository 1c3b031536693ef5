//! A chain in a folder: everything that happened, in the order in which it did.
//!
//! The folder has numbered segments, files to which entries are only appended.
//! A segment begins with a checkpoint (one block and the whole state after it),
//! so that the segments before it can go when their blocks are too old. Blocks
//! are kept with what they wrote: reading them back runs nothing again.
//!
//! Entries count in groups, and every entry has a checksum: after a crash, what
//! was not finished is cut off, and the chain goes on from what was.

mod record;
mod replay;
mod writer;

#[cfg(test)]
mod tests;

pub(crate) use record::Control;
pub(crate) use replay::Restored;
pub(crate) use writer::{Change, Journal};
