//! What journals of simulated chains are made of: files to which entries are
//! only appended, in groups that count together or not at all.
//!
//! Every entry has a checksum: after a crash, what was not finished is cut off,
//! and the chain goes on from what was. What entries say is the chains' own.

pub(crate) mod codec;
mod error;
mod file;
pub(crate) mod frame;
pub(crate) mod segment;

pub use error::{KeepError, OpenError};
pub(crate) use file::{SegmentFile, lock};
