//! One schema on one of two engines, and the macro that lets a query be
//! written once for both.

use crate::error::StoreError;
use sqlx::{Connection, PgPool, Postgres, Sqlite, SqlitePool, Transaction};

/// The connections of one schema.
#[derive(Debug, Clone)]
pub(crate) enum Db {
    /// SQLite has one writer at a time; readers never wait for it.
    Sqlite {
        writer: SqlitePool,
        reader: SqlitePool,
    },
    Postgres(PgPool),
}

/// A transaction. Dropped without [`Tx::commit`] it leaves nothing.
pub(crate) enum Tx {
    Sqlite(Transaction<'static, Sqlite>),
    Postgres(Transaction<'static, Postgres>),
}

impl Db {
    pub(crate) async fn begin(&self) -> Result<Tx, StoreError> {
        Ok(match self {
            // Takes the write lock now: a transaction that reads first and
            // writes later could fail in the middle.
            Self::Sqlite { writer, .. } => Tx::Sqlite(writer.begin_with("BEGIN IMMEDIATE").await?),
            Self::Postgres(pool) => Tx::Postgres(pool.begin().await?),
        })
    }

    /// Begins a transaction whose reads all see one moment.
    pub(crate) async fn begin_reading(&self) -> Result<Tx, StoreError> {
        Ok(match self {
            Self::Sqlite { reader, .. } => Tx::Sqlite(reader.begin().await?),
            Self::Postgres(pool) => Tx::Postgres(
                pool.begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
                    .await?,
            ),
        })
    }

    pub(crate) async fn ping(&self) -> Result<(), StoreError> {
        on!(reader self, pool => sqlx::query("SELECT 1").execute(pool).await.map(drop))?;
        Ok(())
    }

    /// The writer goes last: closing it folds SQLite's journal into the file.
    pub(crate) async fn close(&self) {
        match self {
            Self::Sqlite { writer, reader } => {
                reader.close().await;
                writer.close().await;
            }
            Self::Postgres(pool) => pool.close().await,
        }
    }
}

/// Whether a connection may be used again. One whose transaction did not end, as
/// when a commit fails and SQLite has rolled back by itself, is replaced.
pub(crate) async fn is_between_transactions(
    connection: &mut impl Connection,
) -> Result<bool, sqlx::Error> {
    if connection.is_in_transaction() {
        // The rollback of a transaction that was dropped is still under way.
        connection.ping().await?;
    }
    Ok(!connection.is_in_transaction())
}

impl Tx {
    pub(crate) async fn commit(self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(tx) => tx.commit().await?,
            Self::Postgres(tx) => tx.commit().await?,
        }
        Ok(())
    }

    pub(crate) async fn rollback(self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(tx) => tx.rollback().await?,
            Self::Postgres(tx) => tx.rollback().await?,
        }
        Ok(())
    }
}

/// Evaluates one expression with the native driver of either engine, so that
/// SQL text, bindings and row type are written once.
macro_rules! on {
    (reader $db:expr, $pool:ident => $body:expr) => {
        match $db {
            $crate::db::Db::Sqlite { reader: $pool, .. } => $body,
            $crate::db::Db::Postgres($pool) => $body,
        }
    };
    (writer $db:expr, $pool:ident => $body:expr) => {
        match $db {
            $crate::db::Db::Sqlite { writer: $pool, .. } => $body,
            $crate::db::Db::Postgres($pool) => $body,
        }
    };
    (tx $tx:expr, $connection:ident => $body:expr) => {
        match $tx {
            $crate::db::Tx::Sqlite(transaction) => {
                let $connection = &mut **transaction;
                $body
            }
            $crate::db::Tx::Postgres(transaction) => {
                let $connection = &mut **transaction;
                $body
            }
        }
    };
}
pub(crate) use on;
