//! A chain in a folder: everything that happened, in the order in which it did.
//!
//! The folder has numbered segments, files to which entries are only appended.
//! A segment begins with a checkpoint (one block and the whole state after it),
//! so that the segments before it can go when their blocks are too old. Blocks
//! are kept with what they wrote: reading them back runs nothing again.
//!
//! Entries count in groups, and every entry has a checksum: after a crash, what
//! was not finished is cut off, and the chain goes on from what was. Of damaged
//! entries, those that are no block cost nothing but themselves. A block is there
//! twice where a checkpoint has it too; where it is gone, the chain goes on with
//! the next checkpoint, or with the last block before.

mod record;
mod replay;
mod writer;

#[cfg(test)]
mod tests;

pub(crate) use record::Control;
pub(crate) use replay::Restored;
pub(crate) use writer::{Change, Journal};
