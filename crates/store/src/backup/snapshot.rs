//! One moment of an SQLite database that others write to, at the speed of a file
//! copy: the file and its write-ahead log (<https://sqlite.org/walformat.html>) are
//! copied while a read transaction is held, and folded into one file afterwards.
//!
//! The transaction keeps what both files mean together. Where it reads from the log,
//! the log only grows, and a checkpoint folds in no more than what the transaction
//! sees: a page that was half written when it was copied is in the log's copy. Where
//! all of the log was folded in before, nothing is folded in at all, and the log may
//! start anew: then the file alone is that moment.

use super::error::{BackupError, at};
use crate::sqlite::private_file;
use sqlx::{Connection as _, SqliteConnection, sqlite::SqliteConnectOptions};
use std::{
    ffi::OsString,
    fs::{self, File, OpenOptions},
    io,
    os::unix::fs::FileExt as _,
    path::{Path, PathBuf},
};
use tokio::task::spawn_blocking;

/// The header of a log has salts that no two logs of a file share.
const LOG_HEADER_BYTES: usize = 32;

/// Copies a database to `to`, which must not exist: what was committed before, and
/// perhaps some of what is committed meanwhile.
///
/// Closing a file takes away all locks that its process has on it, SQLite's among
/// them (<https://sqlite.org/howtocorrupt.html>): a process that serves a store should
/// leave this to another one.
pub(super) async fn copy(from: &Path, to: &Path) -> Result<(), BackupError> {
    let mut source = SqliteConnection::connect_with(&options(from)).await?;
    let mut transaction = source.begin().await?;
    // The first read chooses the moment.
    sqlx::query("SELECT count(*) FROM sqlite_schema")
        .execute(&mut *transaction)
        .await?;
    let paths = (from.to_owned(), to.to_owned());
    let copying = spawn_blocking(move || copy_files(&paths.0, &paths.1)).await;
    let open = copying.map_err(io::Error::other).map_err(at(to))??;
    transaction.rollback().await?;
    source.close().await?;
    drop(open);
    fold_log(to).await
}

/// Copies the file and, where it is needed, the log. The files that were read are
/// given back open, for the sake of the transaction's locks.
fn copy_files(from: &Path, to: &Path) -> Result<Vec<File>, BackupError> {
    let file = File::open(from).map_err(at(from))?;
    let log_path = log_of(from);
    let Some(log) = existing(&log_path).map_err(at(&log_path))? else {
        copy_bytes(&file, to).map_err(at(to))?;
        return Ok(vec![file]);
    };
    let before = header(&log).map_err(at(&log_path))?;
    copy_bytes(&file, to).map_err(at(to))?;
    let copied_log = log_of(to);
    copy_bytes(&log, &copied_log).map_err(at(&copied_log))?;
    let is_same_log = before.is_some() && header(&log).map_err(at(&log_path))? == before;
    if !is_same_log {
        fs::remove_file(&copied_log).map_err(at(&copied_log))?;
    }
    Ok(vec![file, log])
}

fn existing(path: &Path) -> io::Result<Option<File>> {
    match File::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// None of a log that nothing was written to yet.
fn header(log: &File) -> io::Result<Option<[u8; LOG_HEADER_BYTES]>> {
    let mut header = [0; LOG_HEADER_BYTES];
    match log.read_exact_at(&mut header, 0) {
        Ok(()) => Ok(Some(header)),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}

/// Copies what `source` has from where it stands to a file of its owner's alone.
pub(super) fn copy_bytes(mut source: &File, to: &Path) -> io::Result<File> {
    private_file(to)?;
    let mut to = OpenOptions::new().write(true).truncate(true).open(to)?;
    io::copy(&mut source, &mut to)?;
    Ok(to)
}

/// Makes one file of a file and its log. It is not on disk before it is synced.
async fn fold_log(file: &Path) -> Result<(), BackupError> {
    let options = options(file).pragma("synchronous", "OFF");
    let mut copy = SqliteConnection::connect_with(&options).await?;
    sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)")
        .execute(&mut copy)
        .await?;
    copy.close().await?;
    Ok(())
}

pub(super) fn options(file: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new().filename(file)
}

fn log_of(file: &Path) -> PathBuf {
    let mut name = OsString::from(file);
    name.push("-wal");
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sqlx::{
        SqlitePool,
        sqlite::{SqliteJournalMode, SqlitePoolOptions},
    };
    use std::{
        sync::atomic::{AtomicI64, Ordering::SeqCst},
        time::Duration,
    };

    const ROWS: i64 = 200;

    /// A table of rows that are a page each, all with the same number.
    async fn filled(file: &Path) -> SqlitePool {
        let options = options(file)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(sqlx::sqlite::SqliteSynchronous::Off)
            .busy_timeout(Duration::from_secs(30));
        let pool = SqlitePoolOptions::new().max_connections(3);
        let pool = pool.connect_with(options).await.unwrap();
        sqlx::query("CREATE TABLE rows (id INTEGER PRIMARY KEY, number INTEGER, filler BLOB)")
            .execute(&pool)
            .await
            .unwrap();
        sqlx::query("CREATE INDEX numbers ON rows (number)")
            .execute(&pool)
            .await
            .unwrap();
        for _ in 0..ROWS {
            sqlx::query("INSERT INTO rows (number, filler) VALUES (0, zeroblob(3500))")
                .execute(&pool)
                .await
                .unwrap();
        }
        pool
    }

    /// Gives every row the next number in one transaction, again and again.
    async fn count_up(pool: SqlitePool, committed: &AtomicI64) {
        for number in 1.. {
            sqlx::query("UPDATE rows SET number = $1")
                .bind(number)
                .execute(&pool)
                .await
                .unwrap();
            committed.store(number, SeqCst);
        }
    }

    /// Folds the log in, and starts it anew where it can.
    async fn checkpoint(pool: SqlitePool) {
        loop {
            for mode in ["PASSIVE", "RESTART", "PASSIVE", "TRUNCATE"] {
                let pragma = sqlx::AssertSqlSafe(format!("PRAGMA wal_checkpoint({mode})"));
                sqlx::query(pragma).execute(&pool).await.unwrap();
                tokio::time::sleep(Duration::from_millis(3)).await;
            }
        }
    }

    /// The only number of a sound copy.
    async fn number_of(copy: &Path) -> i64 {
        let mut connection = SqliteConnection::connect_with(&options(copy))
            .await
            .unwrap();
        let verdict: String = sqlx::query_scalar("PRAGMA integrity_check")
            .fetch_one(&mut connection)
            .await
            .unwrap();
        assert_eq!(verdict, "ok");
        let (least, most, rows): (i64, i64, i64) =
            sqlx::query_as("SELECT min(number), max(number), count(*) FROM rows NOT INDEXED")
                .fetch_one(&mut connection)
                .await
                .unwrap();
        assert_eq!((least, rows), (most, ROWS));
        connection.close().await.unwrap();
        least
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn a_copy_is_one_moment_however_logs_are_written_and_folded_in() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("counted");
        let pool = filled(&file).await;
        let committed = AtomicI64::new(0);
        let copies = async {
            for turn in 0..150 {
                let before = committed.load(SeqCst);
                let to = folder.path().join(format!("copy {turn}"));
                copy(&file, &to).await.unwrap();
                assert!(!log_of(&to).exists());
                let number = number_of(&to).await;
                assert!(number >= before, "{number} of {before}");
                fs::remove_file(to).unwrap();
                // Time for the log to be folded in whole, on some turns.
                tokio::time::sleep(Duration::from_millis(turn % 5)).await;
            }
        };
        tokio::select! {
            () = copies => {}
            () = count_up(pool.clone(), &committed) => {}
            () = checkpoint(pool) => {}
        }
        assert!(committed.into_inner() > 100);
    }

    #[tokio::test]
    async fn an_empty_log_is_not_needed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("counted");
        let pool = filled(&file).await;
        sqlx::query("UPDATE rows SET number = 1")
            .execute(&pool)
            .await
            .unwrap();
        sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)")
            .execute(&pool)
            .await
            .unwrap();
        let to = folder.path().join("copy");
        copy(&file, &to).await.unwrap();
        assert_eq!(number_of(&to).await, 1);
    }
}
