//! Connections of PostgreSQL. Each half of the store is a schema of one
//! database, chosen by the search path, so that SQL texts name plain tables.

use crate::{
    db::{Db, is_between_transactions},
    error::StoreError,
};
use sqlx::{
    AssertSqlSafe, Connection as _, PgConnection,
    postgres::{PgConnectOptions, PgPoolOptions},
};
use std::{str::FromStr, sync::Arc, time::Duration};
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

/// What every connection is told first. Not in its startup packet, which poolers of
/// sessions do not pass on.
#[derive(Debug)]
struct Session {
    schema: &'static str,
    lock_timeout: &'static str,
    /// In milliseconds; 0 for as long as it takes.
    statement_timeout: u128,
}

impl Session {
    async fn begin(&self, connection: &mut PgConnection) -> Result<(), sqlx::Error> {
        let Self {
            schema,
            lock_timeout,
            statement_timeout,
        } = self;
        let settings = format!(
            "SET search_path TO {schema}; SET lock_timeout TO '{lock_timeout}';
             SET statement_timeout TO {statement_timeout}"
        );
        // Names of our own, and a number.
        let settings = sqlx::raw_sql(AssertSqlSafe(settings));
        settings.execute(connection).await.map(drop)
    }
}

/// A pool whose connections see `schema`, after one of them has been made: the
/// pool itself would take a dead server for one that is starting.
pub(crate) async fn open(
    url: &str,
    schema: &'static str,
    server: ServerUse,
) -> Result<Db, StoreError> {
    let options = options(url)?;
    connect(&options).await?.close().await?;
    let session = Arc::new(Session {
        schema,
        lock_timeout: LOCK_TIMEOUT,
        statement_timeout: server.statement_timeout.as_millis(),
    });
    let pool = PgPoolOptions::new()
        .max_connections(server.connections)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .after_connect(move |connection, _| {
            let session = Arc::clone(&session);
            Box::pin(async move { session.begin(connection).await })
        })
        .after_release(|connection, _| Box::pin(is_between_transactions(connection)))
        .connect_lazy_with(options);
    Ok(Db::Postgres(pool))
}

/// A connection of its own for migrations: a session that fails while it holds
/// the migrations' lock must end, not return to the pool.
pub(crate) async fn migration_connection(
    pooled: &PgConnectOptions,
    schema: &'static str,
) -> Result<PgConnection, StoreError> {
    let mut connection = connect(pooled).await?;
    let session = Session {
        schema,
        lock_timeout: MIGRATION_LOCK_TIMEOUT,
        statement_timeout: 0,
    };
    session.begin(&mut connection).await?;
    Ok(connection)
}

fn options(url: &str) -> Result<PgConnectOptions, StoreError> {
    let options = PgConnectOptions::from_str(url)?;
    let name = options.get_application_name().unwrap_or("stoa").to_owned();
    Ok(options.application_name(&name))
}

async fn connect(options: &PgConnectOptions) -> Result<PgConnection, StoreError> {
    match timeout(CONNECT_TIMEOUT, PgConnection::connect_with(options)).await {
        Ok(connected) => Ok(connected?),
        Err(_) => Err(StoreError::NoAnswer {
            seconds: CONNECT_TIMEOUT.as_secs(),
        }),
    }
}
