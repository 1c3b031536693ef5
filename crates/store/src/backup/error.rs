//! Why a backup was not made or not restored.

use crate::{error::StoreError, location::Location};
use std::{
    io,
    path::{Path, PathBuf},
};
use thiserror::Error;

/// Why a backup was not made or not restored. Nothing is changed then.
#[derive(Debug, Error)]
pub enum BackupError {
    /// Nothing is written over.
    #[error("{} is there already: remove it, or name another folder", .0.display())]
    Exists(PathBuf),
    /// There is nothing to copy.
    #[error("there is no store at {0}")]
    NoStore(Location),
    /// A store would be written over.
    #[error("there is a store at {0} already: move it away, or name another place")]
    Occupied(Location),
    /// The folder is no backup of this engine.
    #[error("{} is no backup of {engine}: there is no {file} in it", folder.display())]
    NoBackup {
        /// The one that was named as the backup.
        folder: PathBuf,
        /// What the store is kept by.
        engine: &'static str,
        /// What every backup has.
        file: &'static str,
    },
    /// A file or folder cannot be written or read.
    #[error("cannot use {}", path.display())]
    File {
        /// The one that the operating system refuses.
        path: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
    /// The database refuses.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A program of PostgreSQL is not installed.
    #[error("cannot run {program}: install the client programs of PostgreSQL")]
    NoProgram {
        /// Its name.
        program: &'static str,
        /// What the operating system says.
        source: io::Error,
    },
    /// A program of PostgreSQL failed.
    #[error("{program} failed: {said}")]
    Program {
        /// Its name.
        program: &'static str,
        /// What it says.
        said: String,
    },
}

impl From<sqlx::Error> for BackupError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

/// Names the file in an error of the operating system.
pub(super) fn at(path: &Path) -> impl Fn(io::Error) -> BackupError {
    move |source| BackupError::File {
        path: path.to_owned(),
        source,
    }
}
