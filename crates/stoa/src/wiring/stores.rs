//! Where the store is, and how it is opened: commands that look create nothing,
//! those that make something make the store too.

use crate::{
    config::{Config, Migration},
    network::Network,
};
use anyhow::Context as _;
use primitives::SignedDuration;
use std::{fs::File, os::unix::fs::OpenOptionsExt as _, path::PathBuf};
use store::{Location, MigrationReport, ServerUse, Store, StoreError};
use thiserror::Error;

/// Where the store is: as configured, or SQLite in the data folder.
pub(crate) fn location(config: &Config) -> Location {
    config
        .store
        .location
        .clone()
        .unwrap_or_else(|| Location::Sqlite {
            dir: config.store.data.clone(),
        })
}

/// The folder that must have room.
pub(crate) fn folder(config: &Config) -> PathBuf {
    match location(config) {
        Location::Sqlite { dir } => dir,
        Location::Postgres { .. } => config.store.data.clone(),
    }
}

/// Makes the data folder. Whatever is kept in it is nobody else's.
fn own_folder(config: &Config) -> anyhow::Result<()> {
    let folder = &config.store.data;
    let made = store::private_folder(folder);
    made.with_context(|| format!("cannot make the folder {}", folder.display()))
}

/// How long the details of blocks are kept; none for ever.
pub(super) fn keep_details(config: &Config) -> Option<SignedDuration> {
    let keep = config.store.keep_trades;
    let keep = (!keep.is_zero()).then(|| SignedDuration::try_from(keep).ok());
    keep.flatten()
}

fn server_use(config: &Config) -> ServerUse {
    ServerUse {
        connections: config.store.connections,
        statement_timeout: config.store.statement_timeout,
    }
}

/// Notes that this process serves from a folder of SQLite. If no other one does, those
/// who had duties there are gone, and nobody has to wait until their time is over; where
/// that cannot be said, one waits. To be kept until the process ends.
pub(crate) async fn sole_use(config: &Config, store: &Store) -> Option<File> {
    let Location::Sqlite { dir } = location(config) else {
        return None;
    };
    let mut options = File::options();
    let options = options.write(true).create(true).truncate(false).mode(0o600);
    let file = options.open(dir.join("serving.lock")).ok()?;
    file.try_lock().ok()?;
    store.end_duties().await.ok()?;
    Some(file)
}

/// Whether opening the store would make it.
pub(crate) fn is_to_be_made(location: &Location) -> bool {
    let Location::Sqlite { dir } = location else {
        return false;
    };
    !dir.exists() || dir.is_dir() && !dir.join("chain.db").exists()
}

/// What becomes of a store whose ledger is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ledger {
    /// It is refused.
    Kept,
    /// It gets an empty one.
    New,
}

/// Opens the store, and brings it to this version if the configuration lets us.
pub(crate) async fn open_store(config: &Config, ledger: Ledger) -> anyhow::Result<Store> {
    match config.store.migrate {
        Migration::Auto => Ok(migrated_store(config, ledger).await?.0),
        Migration::Never => {
            own_folder(config)?;
            existing_store(config).await
        }
    }
}

/// Opens the store and brings it to this version.
pub(crate) async fn migrated_store(
    config: &Config,
    ledger: Ledger,
) -> anyhow::Result<(Store, MigrationReport)> {
    let location = location(config);
    let context = || format!("cannot use the store {location}");
    own_folder(config).with_context(context)?;
    let store = match ledger {
        Ledger::Kept => Store::open_with(&location, server_use(config)).await,
        Ledger::New => Store::open_with_new_ledger(&location, server_use(config)).await,
    };
    let store = store.with_context(context)?;
    match store.migrate().await {
        Ok(report) => Ok((store, report)),
        Err(error) => {
            store.close().await;
            Err(error).with_context(context)
        }
    }
}

/// Opens the store as it is.
pub(crate) async fn inspect_store(config: &Config) -> Result<Store, StoreError> {
    Store::open_with(&location(config), server_use(config)).await
}

/// Ties the store to the chain, or refuses a store of another one.
pub(crate) async fn bind_chain(
    config: &Config,
    store: &Store,
    network: Network,
) -> anyhow::Result<()> {
    let bound = store.chain().bind_chain(network.chain_id()).await;
    bound.with_context(|| {
        let location = location(config);
        format!("cannot use the store {location} for {network}, see --data and --store")
    })
}

/// There is no database yet.
#[derive(Debug, Error)]
#[error(
    "there is no database at {0}: `stoa serve` makes one, or name another with --data or --store"
)]
pub(crate) struct NoStore(Location);

/// The store as it is, of this program's version.
pub(crate) async fn existing_store(config: &Config) -> anyhow::Result<Store> {
    let location = location(config);
    if is_to_be_made(&location) {
        return Err(NoStore(location).into());
    }
    let context = || format!("cannot use the store {location}");
    let store = Store::open_with(&location, server_use(config)).await;
    let store = store.with_context(context)?;
    match store.require_migrated().await {
        Ok(()) => Ok(store),
        Err(error) => {
            store.close().await;
            if let StoreError::SchemaOlder { found: 0, .. } = error {
                return Err(NoStore(location).into());
            }
            Err(error).with_context(context)
        }
    }
}

/// The store, made where there is none.
pub(crate) async fn made_store(config: &Config) -> anyhow::Result<Store> {
    open_store(config, Ledger::Kept).await
}
