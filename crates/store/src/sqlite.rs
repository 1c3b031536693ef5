//! Files, pools and pragmas of SQLite.

use crate::{
    db::{Db, is_between_transactions},
    error::StoreError,
};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use std::{fs::OpenOptions, io, os::unix::fs::OpenOptionsExt as _, path::Path, time::Duration};

/// How long a write waits for another process.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a query waits for a connection of this process: together with the
/// above less than a request may take.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(3);
const READERS: u32 = 4;
/// The journal is cut to this size when it has been folded into the file.
const JOURNAL_BYTES: &str = "67108864";

/// Rows that the thread of a connection reads ahead. A long answer is read in few
/// turns: each turn wakes a thread twice.
const ROWS_AHEAD: usize = 1_024;

/// What a power cut may take from a file.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Durability {
    /// The last commits: the chain has them still.
    Derived,
    /// Nothing that was acknowledged.
    Acknowledged,
}

impl Durability {
    /// What to do about a damaged file.
    const fn advice(self) -> &'static str {
        match self {
            Self::Derived => "it may be deleted, and is read from the chain again",
            Self::Acknowledged => {
                "it must not be deleted, users, keys and leases are nowhere else: \
                 put a backup in its place"
            }
        }
    }

    /// Names the file in an error that is about one.
    pub(crate) fn of_file(self, path: &Path, error: StoreError) -> StoreError {
        match error {
            StoreError::Damaged(source) => StoreError::DamagedFile {
                path: path.to_owned(),
                advice: self.advice(),
                source,
            },
            other => other,
        }
    }

    /// Names the file of a database in an error that is about one.
    pub(crate) fn in_file(self, db: &Db) -> impl Fn(StoreError) -> StoreError {
        move |error| match db {
            Db::Sqlite { writer, .. } => {
                self.of_file(writer.connect_options().get_filename(), error)
            }
            Db::Postgres(_) => error,
        }
    }
}

/// Opens `file`, and makes it when it is missing.
pub(crate) async fn open(file: &Path, durability: Durability) -> Result<Db, StoreError> {
    let opened = connect(file, durability).await;
    opened.map_err(|error| durability.of_file(file, error.into()))
}

/// Reads the whole of a file: damage shows only where it is read.
pub(crate) async fn examine(db: &Db, durability: Durability) -> Result<(), StoreError> {
    let Db::Sqlite { reader, .. } = db else {
        return Ok(());
    };
    let checked: Result<String, sqlx::Error> = sqlx::query_scalar("PRAGMA quick_check(1)")
        .fetch_one(reader)
        .await;
    let outcome = match checked {
        Ok(verdict) if verdict == "ok" => Ok(()),
        Ok(damage) => Err(StoreError::Damaged(sqlx::Error::Protocol(damage))),
        Err(error) => Err(error.into()),
    };
    outcome.map_err(durability.in_file(db))
}

async fn connect(file: &Path, durability: Durability) -> Result<Db, sqlx::Error> {
    private_file(file)?;
    let options = SqliteConnectOptions::new()
        .filename(file)
        .foreign_keys(true)
        .busy_timeout(BUSY_TIMEOUT)
        .row_buffer_size(ROWS_AHEAD)
        .synchronous(match durability {
            Durability::Derived => SqliteSynchronous::Normal,
            Durability::Acknowledged => SqliteSynchronous::Full,
        });
    let pool = || {
        SqlitePoolOptions::new()
            .acquire_timeout(ACQUIRE_TIMEOUT)
            .idle_timeout(None)
            .max_lifetime(None)
            // A file does not hang up.
            .test_before_acquire(false)
            .after_release(|connection, _| Box::pin(is_between_transactions(connection)))
    };
    let writer = pool()
        .max_connections(1)
        .connect_with(
            options
                .clone()
                .journal_mode(SqliteJournalMode::Wal)
                .pragma("journal_size_limit", JOURNAL_BYTES),
        )
        .await?;
    let reader = pool()
        .max_connections(READERS)
        .connect_with(options.pragma("query_only", "ON"))
        .await?;
    Ok(Db::Sqlite { writer, reader })
}

/// Makes a file that only its owner can read, if it is missing. SQLite gives its
/// journals the mode of the file.
pub(crate) fn private_file(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let made = options.append(true).create(true).mode(0o600).open(path);
    made.map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Location, Store};
    use market::BlockEffects;
    use primitives::{BlockRef, Felt, Timestamp};
    use sqlx::{AssertSqlSafe, SqlitePool};

    async fn pragma(pool: &SqlitePool, name: &str) -> i64 {
        sqlx::query_scalar(AssertSqlSafe(format!("PRAGMA {name}")))
            .fetch_one(pool)
            .await
            .unwrap()
    }

    #[tokio::test]
    async fn every_connection_has_the_promised_pragmas() {
        let folder = tempfile::tempdir().unwrap();
        for (file, durability, synchronous) in [
            ("chain.db", Durability::Derived, 1),
            ("ledger.db", Durability::Acknowledged, 2),
        ] {
            let db = open(&folder.path().join(file), durability).await.unwrap();
            let Db::Sqlite { writer, reader } = &db else {
                panic!("not SQLite");
            };
            for (pool, query_only) in [(writer, 0), (reader, 1)] {
                let journal: String = sqlx::query_scalar("PRAGMA journal_mode")
                    .fetch_one(pool)
                    .await
                    .unwrap();
                assert_eq!(journal, "wal");
                assert_eq!(pragma(pool, "synchronous").await, synchronous);
                assert_eq!(pragma(pool, "foreign_keys").await, 1);
                assert_eq!(pragma(pool, "busy_timeout").await, 5_000);
                assert_eq!(pragma(pool, "query_only").await, query_only);
            }
            assert_eq!(writer.options().get_max_connections(), 1);
            db.close().await;
        }
    }

    #[tokio::test]
    async fn a_full_disk_is_told_from_other_errors() {
        let folder = tempfile::tempdir().unwrap();
        let db = open(&folder.path().join("chain.db"), Durability::Derived)
            .await
            .unwrap();
        let Db::Sqlite { writer, .. } = &db else {
            panic!("not SQLite");
        };
        let filled: Result<_, sqlx::Error> = async {
            sqlx::query("PRAGMA max_page_count = 2")
                .execute(writer)
                .await?;
            sqlx::query("CREATE TABLE heap (bytes BLOB)")
                .execute(writer)
                .await?;
            sqlx::query("INSERT INTO heap VALUES (zeroblob(100000))")
                .execute(writer)
                .await
        }
        .await;
        assert!(matches!(
            StoreError::from(filled.unwrap_err()),
            StoreError::DiskFull(_)
        ));
    }

    #[tokio::test]
    async fn a_disk_that_fills_up_leaves_no_half_of_a_batch() {
        let folder = tempfile::tempdir().unwrap();
        let location = Location::Sqlite {
            dir: folder.path().to_owned(),
        };
        let store = Store::open(&location).await.unwrap();
        store.migrate().await.unwrap();
        let Db::Sqlite { writer, .. } = store.chain().db() else {
            panic!("not SQLite");
        };
        let pages = pragma(writer, "page_count").await;
        pragma(writer, &format!("max_page_count = {}", pages + 5)).await;
        let batch: Vec<_> = (0..2_000).map(plain_block).collect();
        let refused = store.chain().append(None, &batch).await;
        assert!(
            matches!(refused, Err(StoreError::DiskFull(_))),
            "{refused:?}"
        );
        assert_eq!(store.chain().tip().await.unwrap(), None);
        pragma(writer, "max_page_count = 100000").await;
        store.chain().append(None, &batch).await.unwrap();
        let tip = store.chain().tip().await.unwrap();
        assert_eq!(tip, batch.last().map(|last| last.block));
    }

    fn plain_block(number: u64) -> BlockEffects {
        let block = BlockRef {
            number,
            hash: Felt::from(number + 1),
        };
        BlockEffects::quiet(block, Felt::from(number), Timestamp::UNIX_EPOCH)
    }

    #[tokio::test]
    async fn a_file_that_is_no_database_is_called_damaged() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("chain.db");
        std::fs::write(&file, "something else entirely".repeat(100)).unwrap();
        let error = open(&file, Durability::Derived).await.unwrap_err();
        assert!(matches!(error, StoreError::DamagedFile { .. }), "{error:?}");
        assert!(error.to_string().contains("chain.db"), "{error}");
        assert!(error.to_string().contains("may be deleted"), "{error}");
    }
}
