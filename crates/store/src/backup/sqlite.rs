//! The files of a store, each of one moment.

use super::{
    error::{BackupError, at},
    part::{Halves, partial_of, sync_folder_of},
    snapshot::{self, copy_bytes, options},
};
use crate::{
    error::StoreError,
    location::Location,
    sqlite::Durability,
    store::{CHAIN_FILE, LEDGER_FILE, private_folder},
};
use sqlx::{Connection as _, SqliteConnection};
use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

/// Copies the files of a store into a folder. The ledger comes first: a chain may
/// be newer than the ledger beside it, and is read again where it is not.
pub(super) async fn copy(dir: &Path, into: &Path, halves: Halves) -> Result<(), BackupError> {
    if !dir.join(LEDGER_FILE).exists() {
        return Err(BackupError::NoStore(Location::Sqlite {
            dir: dir.to_owned(),
        }));
    }
    snapshot::copy(&dir.join(LEDGER_FILE), &into.join(LEDGER_FILE)).await?;
    let chain = dir.join(CHAIN_FILE);
    if halves == Halves::Both && chain.exists() {
        snapshot::copy(&chain, &into.join(CHAIN_FILE)).await?;
    }
    Ok(())
}

/// Copies the files of a backup to where a store is to be.
pub(super) async fn restore(dir: &Path, from: &Path) -> Result<(), BackupError> {
    if !from.join(LEDGER_FILE).exists() {
        return Err(BackupError::NoBackup {
            folder: from.to_owned(),
            engine: "SQLite",
            file: LEDGER_FILE,
        });
    }
    if [LEDGER_FILE, CHAIN_FILE]
        .iter()
        .any(|file| dir.join(file).exists())
    {
        return Err(BackupError::Occupied(Location::Sqlite {
            dir: dir.to_owned(),
        }));
    }
    private_folder(dir).map_err(at(dir))?;
    // A ledger without a chain is a whole store; the other way round it has lost
    // its ledger.
    let files = [
        (LEDGER_FILE, Durability::Acknowledged),
        (CHAIN_FILE, Durability::Derived),
    ];
    let mut ready = Vec::new();
    for (name, durability) in files {
        let source = from.join(name);
        if source.exists() {
            let file = dir.join(name);
            let partial = checked_copy(&source, &file, durability).await;
            ready.push((partial.inspect_err(|_| abandon(&ready))?, file));
        }
    }
    for (partial, file) in &ready {
        fs::rename(partial, file).map_err(at(file))?;
        sync_folder_of(file).map_err(at(file))?;
    }
    Ok(())
}

/// A sound copy on disk, under a name that nobody opens.
async fn checked_copy(
    source: &Path,
    file: &Path,
    durability: Durability,
) -> Result<PathBuf, BackupError> {
    let partial = partial_of(file);
    let copied = copy_to_disk(source, &partial).map_err(at(&partial));
    let checked = match copied {
        Ok(()) => check(&partial, source, durability).await,
        Err(error) => Err(error),
    };
    if checked.is_err() {
        drop(fs::remove_file(&partial));
    }
    checked.map(|()| partial)
}

fn copy_to_disk(source: &Path, to: &Path) -> io::Result<()> {
    copy_bytes(&File::open(source)?, to)?.sync_all()
}

async fn check(copy: &Path, source: &Path, durability: Durability) -> Result<(), BackupError> {
    let verdict = quick_check(copy).await;
    let sound = match verdict {
        Ok(verdict) if verdict == "ok" => Ok(()),
        Ok(damage) => Err(StoreError::Damaged(sqlx::Error::Protocol(damage))),
        Err(error) => Err(error.into()),
    };
    Ok(sound.map_err(|error| durability.of_file(source, error))?)
}

async fn quick_check(file: &Path) -> Result<String, sqlx::Error> {
    // Nobody else has the file, and no journal may be left beside it.
    let options = options(file).read_only(true).immutable(true);
    let mut connection = SqliteConnection::connect_with(&options).await?;
    let verdict = sqlx::query_scalar("PRAGMA quick_check(1)")
        .fetch_one(&mut connection)
        .await?;
    connection.close().await?;
    Ok(verdict)
}

fn abandon(ready: &[(PathBuf, PathBuf)]) {
    for (partial, _) in ready {
        drop(fs::remove_file(partial));
    }
}
