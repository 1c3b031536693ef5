//! What can go wrong with a data folder.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;

/// Something could not be written into the data folder. The node goes on
/// answering from what it has kept, and makes no blocks any more.
#[derive(Debug, Clone, Error)]
#[error("{} cannot be written, so no blocks are made until a restart", .path.display())]
pub struct KeepError {
    /// The file or folder.
    pub path: PathBuf,
    /// What the system says.
    #[source]
    pub source: Arc<io::Error>,
}

impl KeepError {
    pub(crate) fn at(path: &Path) -> impl Fn(io::Error) -> Self {
        |source| Self {
            path: path.to_owned(),
            source: Arc::new(source),
        }
    }

    /// The message with its cause.
    pub(crate) fn reason(&self) -> String {
        format!("{self}: {}", self.source)
    }
}

/// Why a data folder cannot be used.
#[derive(Debug, Error)]
pub enum OpenError {
    /// Another process has it open.
    #[error("{} is in use by another process", .path.display())]
    InUse {
        /// The folder.
        path: PathBuf,
    },
    /// It belongs to a world of another seed.
    #[error("{} was made with seed {found}, not {expected}", .path.display())]
    Seed {
        /// The file that says so.
        path: PathBuf,
        /// Its seed.
        found: u64,
        /// The seed that was asked for.
        expected: u64,
    },
    /// It was written by another version of the program.
    #[error("{} has format {found}, this program reads format {expected}", .path.display())]
    Format {
        /// The file that says so.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// The one that can be read.
        expected: u32,
    },
    /// A file has the name of a segment and is none.
    #[error("{} is no segment of a simulated chain", .path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// It cannot be read.
    #[error("{} cannot be read", .path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        #[source]
        source: io::Error,
    },
    /// It cannot be written.
    #[error(transparent)]
    Write(#[from] KeepError),
}

impl OpenError {
    pub(crate) fn read(path: &Path) -> impl Fn(io::Error) -> Self {
        |source| Self::Read {
            path: path.to_owned(),
            source,
        }
    }
}
