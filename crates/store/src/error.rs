//! What can go wrong with a store, told apart by what a caller does about it.

use primitives::{BlockRef, Felt, SolanaHash, felt_to_hex};
use sqlx::{migrate::MigrateError, postgres::PgDatabaseError, sqlite::SqliteError};
use std::{io, path::PathBuf};
use thiserror::Error;

/// Why the store did not do what it was asked. Nothing was written.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The folder of the files cannot be made.
    #[error("cannot make the folder {}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
    /// No connection, no permission, or an input or output error.
    #[error("the store cannot be reached")]
    Unreachable(#[source] sqlx::Error),
    /// The server did not take the connection in time.
    #[error("the store did not answer within {seconds} s")]
    NoAnswer {
        /// How long it was waited for.
        seconds: u64,
    },
    /// Others hold the lock or all connections. Trying again may help.
    #[error("the store is busy")]
    Busy(#[source] sqlx::Error),
    /// No space is left for the write.
    #[error("the disk of the store is full")]
    DiskFull(#[source] sqlx::Error),
    /// A file is not a database, or no longer a sound one.
    #[error("a database file is damaged or not a database: `stoa doctor` says which")]
    Damaged(#[source] sqlx::Error),
    /// The same, and which file it is.
    #[error("{} is damaged or not a database: {advice}", path.display())]
    DamagedFile {
        /// The file.
        path: PathBuf,
        /// Whether it may be deleted.
        advice: &'static str,
        /// What the database says.
        source: sqlx::Error,
    },
    /// A newer program has migrated the store.
    #[error(
        "the {schema} schema has version {found}, this program knows {known} at most: \
         use the newer program; `stoa migrate` goes forward only"
    )]
    SchemaNewer {
        /// Which half of the store.
        schema: &'static str,
        /// Its version.
        found: i64,
        /// The newest version that the program knows.
        known: i64,
    },
    /// The store must be migrated first.
    #[error(
        "the {schema} schema has version {found}, this program needs {known}: run `stoa migrate`"
    )]
    SchemaOlder {
        /// Which half of the store.
        schema: &'static str,
        /// Its version, 0 when it is empty.
        found: i64,
        /// The version that the program needs.
        known: i64,
    },
    /// A migration failed, or differs from the one that was once applied.
    #[error("cannot migrate the {schema} schema")]
    Migration {
        /// Which half of the store.
        schema: &'static str,
        /// What the migration met.
        source: Box<MigrateError>,
    },
    /// The half that cannot be read from the chain again is not there.
    #[error(
        "the ledger with users, keys and leases is missing beside a chain that was indexed: \
         put it back from a backup, or begin an empty one with --new-ledger"
    )]
    LedgerMissing,
    /// The two halves were not written side by side.
    #[error(
        "the ledger is not the one that this chain was indexed beside: \
         put that one back, or keep this one with --new-ledger"
    )]
    OtherLedger,
    /// The store belongs to another network.
    #[error(
        "the store was made for chain {}, not for {}",
        felt_to_hex(*stored),
        felt_to_hex(*given)
    )]
    OtherChain {
        /// The chain whose blocks are stored.
        stored: Felt,
        /// The chain that was asked for.
        given: Felt,
    },
    /// The ledger belongs to another cluster of Solana.
    #[error(
        "the ledger was made for the cluster with genesis {stored}, and the node is of {given}: \
         its users, validators and leases mean nothing there. Give this market a store of its \
         own, with --data or --store, or name nodes of its own cluster"
    )]
    OtherCluster {
        /// The cluster that the ledger is of.
        stored: SolanaHash,
        /// The one that was asked for.
        given: SolanaHash,
    },
    /// The highest stored block is not the one that the caller built upon.
    #[error("the cursor stands at {}, not at {}", position(*found), position(*expected))]
    CursorMoved {
        /// Where the caller thought the cursor was.
        expected: Option<BlockRef>,
        /// Where it is.
        found: Option<BlockRef>,
    },
    /// A block was given that does not follow the one before it.
    #[error("{} does not follow {}", position(Some(*block)), position(Some(*parent)))]
    NotLinked {
        /// The block before.
        parent: BlockRef,
        /// The block that does not name it as its parent.
        block: BlockRef,
    },
    /// The target of a rollback is not among the stored blocks.
    #[error("{} is not stored", position(Some(*block)))]
    NotStored {
        /// The block that was asked for.
        block: BlockRef,
    },
    /// The kept market figures tell of blocks that a rollback would take back,
    /// and it does not say what becomes of them.
    #[error("the figures kept at block {kept} stand above {}", position(Some(*to)))]
    FiguresAbove {
        /// The block of the kept figures.
        kept: u64,
        /// The target of the rollback.
        to: BlockRef,
    },
    /// Another process does this work, or did meanwhile.
    #[error("another process has taken over as {duty}")]
    NotOnDuty {
        /// The work.
        duty: &'static str,
    },
    /// A row with the same identity exists.
    #[error("the {table} exists already")]
    Exists {
        /// The table of the row.
        table: &'static str,
    },
    /// A number is larger than its column.
    #[error("{column} is larger than the store can hold")]
    OutOfRange {
        /// The name of the column that cannot hold it.
        column: &'static str,
    },
    /// A stored value is not one that this program writes.
    #[error("corrupt data in {table}.{column}")]
    Corrupt {
        /// The table of the row.
        table: &'static str,
        /// The column of the value.
        column: String,
    },
    /// Any other refusal of the database: a bug of the program.
    #[error("the database refused a statement")]
    Refused(#[source] sqlx::Error),
}

/// Gives an error of the driver the meaning that it has in `table`.
pub(crate) fn in_table(table: &'static str) -> impl Fn(sqlx::Error) -> StoreError {
    move |error| match error {
        sqlx::Error::ColumnDecode { index, .. } => StoreError::Corrupt {
            table,
            column: index.trim_matches('"').into(),
        },
        sqlx::Error::Database(error) if error.is_unique_violation() => StoreError::Exists { table },
        error => error.into(),
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        use sqlx::Error as E;
        match &error {
            E::PoolTimedOut => Self::Busy(error),
            E::Configuration(_)
            | E::Io(_)
            | E::Tls(_)
            | E::Protocol(_)
            | E::PoolClosed
            | E::WorkerCrashed => Self::Unreachable(error),
            E::Database(reported) => {
                let meaning = if let Some(sqlite) = reported.try_downcast_ref::<SqliteError>() {
                    sqlite_meaning(sqlite)
                } else if let Some(postgres) = reported.try_downcast_ref::<PgDatabaseError>() {
                    postgres_meaning(postgres.code())
                } else {
                    Self::Refused
                };
                meaning(error)
            }
            _ => Self::Refused(error),
        }
    }
}

type Meaning = fn(sqlx::Error) -> StoreError;

/// By the primary result code, the low byte of the extended one.
fn sqlite_meaning(error: &SqliteError) -> Meaning {
    let code = sqlx::error::DatabaseError::code(error)
        .and_then(|code| code.parse::<u32>().ok())
        .map(|code| code & 0xff);
    match code {
        Some(5 | 6) => StoreError::Busy,
        Some(13) => StoreError::DiskFull,
        Some(11 | 26) => StoreError::Damaged,
        // Permission, read-only, input or output error, cannot open, not authorised.
        Some(3 | 8 | 10 | 14 | 23) => StoreError::Unreachable,
        _ => StoreError::Refused,
    }
}

/// By SQLSTATE.
fn postgres_meaning(code: &str) -> Meaning {
    match code {
        // Lock not available, serialisation failure, deadlock, timeout.
        "55P03" | "40001" | "40P01" | "57014" => StoreError::Busy,
        "53100" => StoreError::DiskFull,
        // Too many connections, shutting down, starting up, no such database, a
        // transaction that was paused for too long.
        "53300" | "57P01" | "57P02" | "57P03" | "3D000" | "25P03" => StoreError::Unreachable,
        // Connection exceptions and refused credentials.
        _ if code.starts_with("08") || code.starts_with("28") => StoreError::Unreachable,
        "XX001" | "XX002" => StoreError::Damaged,
        _ => StoreError::Refused,
    }
}

fn position(block: Option<BlockRef>) -> String {
    match block {
        Some(block) => format!("block {} ({})", block.number, felt_to_hex(block.hash)),
        None => "the empty chain".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn server_errors_are_told_apart_by_their_code() {
        for (code, expected) in [
            ("55P03", "the store is busy"),
            ("53100", "the disk of the store is full"),
            ("57P01", "the store cannot be reached"),
            ("08006", "the store cannot be reached"),
            ("28P01", "the store cannot be reached"),
            (
                "XX001",
                "a database file is damaged or not a database: `stoa doctor` says which",
            ),
            ("42601", "the database refused a statement"),
        ] {
            let error = postgres_meaning(code)(sqlx::Error::RowNotFound);
            assert_eq!(error.to_string(), expected, "{code}");
        }
    }

    #[test]
    fn a_moved_cursor_says_where_it_is() {
        let error = StoreError::CursorMoved {
            expected: Some(BlockRef {
                number: 7,
                hash: Felt::from(0xab),
            }),
            found: None,
        };
        assert_eq!(
            error.to_string(),
            "the cursor stands at the empty chain, not at block 7 (0xab)"
        );
    }
}
