//! Opening the store for commands: those that look create nothing, those that
//! make something make the store too.

use super::{Ledger, is_to_be_made, location, open_store};
use crate::config::Config;
use anyhow::Context as _;
use store::{Location, Store, StoreError};
use thiserror::Error;

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
    let store = Store::open(&location).await.with_context(context)?;
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
    let (store, _) = open_store(config, Ledger::Kept).await?;
    Ok(store)
}
