//! What journals of simulated chains are made of: files to which entries are
//! only appended, in groups that count together or not at all.
//!
//! Every entry has a checksum: after a crash, what was not finished is cut off,
//! and the chain goes on from what was. What is damaged before that is passed
//! over, its file kept aside, and the loss told. What entries say is the chains'
//! own.

pub(crate) mod codec;
mod damage;
mod error;
mod file;
pub(crate) mod frame;
pub(crate) mod segment;
#[cfg(test)]
pub(crate) mod testing;

pub(crate) use damage::Damage;
pub use error::{KeepError, OpenError};
pub(crate) use file::{SegmentFile, lock};
