//! Copies of a store that is in use, and stores made of such copies.
//!
//! A backup is a folder. It appears under its name only when it is whole and on
//! disk; a copy that is cut off leaves `NAME.partial`. Restoring writes over
//! nothing: where a store is, it is refused.

mod error;
mod part;
mod postgres;
mod snapshot;
mod sqlite;

pub use error::BackupError;
pub use part::Halves;

use crate::{location::Location, store::private_folder};
use error::at;
use part::{partial_of, sync_folder_of};
use std::{
    fs::{self, File},
    io,
    path::Path,
};

/// A file of a backup or of a store made of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopiedFile {
    /// Its name in the folder.
    pub name: String,
    /// Its length.
    pub bytes: u64,
}

/// Copies a store as it is at one moment into a folder that does not exist yet.
/// Others may go on to read and write it.
pub async fn backup(
    location: &Location,
    folder: &Path,
    halves: Halves,
) -> Result<Vec<CopiedFile>, BackupError> {
    let partial = partial_of(folder);
    for path in [folder, &partial] {
        if path.exists() {
            return Err(BackupError::Exists(path.to_owned()));
        }
    }
    private_folder(&partial).map_err(at(&partial))?;
    let copied = match location {
        Location::Sqlite { dir } => sqlite::copy(dir, &partial, halves).await,
        Location::Postgres { url } => postgres::dump(url, &partial, halves).await,
    };
    match copied.and_then(|()| settle(&partial, folder)) {
        Ok(files) => Ok(files),
        Err(error) => {
            // What cannot be removed is named by the next attempt.
            drop(fs::remove_dir_all(&partial));
            Err(error)
        }
    }
}

/// Makes a store of a backup, where there is none yet.
pub async fn restore(location: &Location, folder: &Path) -> Result<(), BackupError> {
    match location {
        Location::Sqlite { dir } => sqlite::restore(dir, folder).await,
        Location::Postgres { url } => postgres::restore(url, folder).await,
    }
}

/// Gives a whole backup its name, once it is on disk.
fn settle(partial: &Path, folder: &Path) -> Result<Vec<CopiedFile>, BackupError> {
    let files = synced(partial).map_err(at(partial))?;
    fs::rename(partial, folder).map_err(at(folder))?;
    sync_folder_of(folder).map_err(at(folder))?;
    Ok(files)
}

fn synced(folder: &Path) -> io::Result<Vec<CopiedFile>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let file = File::open(entry.path())?;
        file.sync_all()?;
        files.push(CopiedFile {
            name: entry.file_name().to_string_lossy().into_owned(),
            bytes: file.metadata()?.len(),
        });
    }
    File::open(folder)?.sync_all()?;
    files.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(files)
}
