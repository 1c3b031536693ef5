//! Hearing of commits as they happen (PostgreSQL's `LISTEN` and `NOTIFY`).
//!
//! A notice is a reason to look, and nothing else: it may be lost with its
//! connection, and SQLite gives none.

use crate::{
    block_table::ChainStore,
    db::{Db, Tx},
    error::StoreError,
};
use sqlx::{
    Executor as _, PgPool,
    postgres::{PgListener, PgPoolOptions},
};
use std::time::Duration;
use tokio::time::timeout;

/// The channel that both texts name.
const CHANNEL: &str = "stoa_chain";
const ANNOUNCE: &str = "NOTIFY stoa_chain";

/// How long the server is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long nothing may be heard before the connection is tried.
const QUIET: Duration = Duration::from_secs(30);

/// Commits of blocks, by whomever, heard on a connection of their own.
#[derive(Debug, Clone)]
pub struct Commits(PgPool);

/// Lets others hear of a transaction, once it is committed.
pub(crate) async fn announce(tx: &mut Tx) -> Result<(), StoreError> {
    if let Tx::Postgres(transaction) = tx {
        transaction.execute(ANNOUNCE).await?;
    }
    Ok(())
}

impl ChainStore {
    /// Commits of blocks, where the engine tells of them.
    pub fn commits(&self) -> Option<Commits> {
        match self.db() {
            Db::Postgres(pool) => Some(Commits(pool.clone())),
            Db::Sqlite { .. } => None,
        }
    }
}

impl Commits {
    /// Rings when it begins to listen, since nobody told it what was before, and at
    /// every commit from then on, until the connection is lost.
    pub async fn listen(&self, ring: impl Fn()) -> Result<(), StoreError> {
        let options = self.0.connect_options();
        // Not one of the pool's: it would be missing there.
        let own = PgPoolOptions::new()
            .max_connections(1)
            .acquire_timeout(PATIENCE)
            .connect_lazy_with(options.as_ref().clone());
        let mut listener = PgListener::connect_with(&own).await?;
        listener.eager_reconnect(false);
        listener.listen(CHANNEL).await?;
        ring();
        loop {
            match timeout(QUIET, listener.try_recv()).await {
                Ok(heard) => match heard? {
                    Some(_) => ring(),
                    None => return Ok(()),
                },
                Err(_) => match timeout(PATIENCE, listener.execute("SELECT 1")).await {
                    Ok(Ok(_)) => {}
                    Ok(Err(error)) => return Err(error.into()),
                    Err(_) => return Ok(()),
                },
            }
        }
    }
}
