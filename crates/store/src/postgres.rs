//! Connections of PostgreSQL. Each half of the store is a schema of one
//! database, chosen by the search path, so that SQL texts name plain tables.

use crate::{
    db::{Db, is_between_transactions},
    error::StoreError,
};
use sqlx::{
    Connection as _, PgConnection,
    postgres::{PgConnectOptions, PgPoolOptions},
};
use std::{str::FromStr, time::Duration};
use tokio::time::timeout;

/// How long a write waits for another one, as PostgreSQL writes it.
const LOCK_TIMEOUT: &str = "5s";
/// How long a replica waits while another one migrates.
const MIGRATION_LOCK_TIMEOUT: &str = "10min";
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a query waits for a connection: with the lock less than a request
/// may take.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(3);

/// How a server is used.
#[derive(Debug, Clone, Copy)]
pub struct ServerUse {
    /// Connections of each half of the store, at most.
    pub connections: u32,
    /// How long the server may work on one statement; migrations take as long as they
    /// need.
    pub statement_timeout: Duration,
}

impl Default for ServerUse {
    fn default() -> Self {
        Self {
            connections: 8,
            statement_timeout: Duration::from_mins(1),
        }
    }
}

/// A pool whose connections see `schema`, after one of them has been made: the
/// pool itself would take a dead server for one that is starting.
pub(crate) async fn open(url: &str, schema: &str, server: ServerUse) -> Result<Db, StoreError> {
    let options = options(url, schema, server.statement_timeout)?;
    connect(&options).await?.close().await?;
    let pool = PgPoolOptions::new()
        .max_connections(server.connections)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .after_release(|connection, _| Box::pin(is_between_transactions(connection)))
        .connect_lazy_with(options);
    Ok(Db::Postgres(pool))
}

/// A connection of its own for migrations: a session that fails while it holds
/// the migrations' lock must end, not return to the pool.
pub(crate) async fn migration_connection(
    pooled: &PgConnectOptions,
) -> Result<PgConnection, StoreError> {
    let options = pooled.clone().options([
        ("lock_timeout", MIGRATION_LOCK_TIMEOUT),
        ("statement_timeout", "0"),
    ]);
    connect(&options).await
}

fn options(
    url: &str,
    schema: &str,
    statement_timeout: Duration,
) -> Result<PgConnectOptions, StoreError> {
    let options = PgConnectOptions::from_str(url)?;
    let name = options.get_application_name().unwrap_or("stoa").to_owned();
    let statement_timeout = format!("{}ms", statement_timeout.as_millis());
    Ok(options.application_name(&name).options([
        ("search_path", schema),
        ("lock_timeout", LOCK_TIMEOUT),
        ("statement_timeout", &statement_timeout),
    ]))
}

async fn connect(options: &PgConnectOptions) -> Result<PgConnection, StoreError> {
    match timeout(CONNECT_TIMEOUT, PgConnection::connect_with(options)).await {
        Ok(connected) => Ok(connected?),
        Err(_) => Err(StoreError::NoAnswer {
            seconds: CONNECT_TIMEOUT.as_secs(),
        }),
    }
}
