//! The table that everything of the chain hangs on, and who reads and writes it.

use crate::{
    column::Column,
    db::{Db, Tx, on},
    error::{StoreError, in_table},
    fence::Fence,
    half::Half,
};
use primitives::BlockRef;

/// The advisory lock that makes PostgreSQL's chain writers take turns.
const WRITER_LOCK: i64 = 0x5354_4f41;

/// The name of the table.
pub(crate) const BLOCK: &str = "block";
pub(crate) const NUMBER: Column = column("number");
pub(crate) const HASH: Column = column("hash");
pub(crate) const TIME: Column = column("time");
pub(crate) const STATE_ROOT: Column = column("state_root");

const fn column(name: &'static str) -> Column {
    Column { table: BLOCK, name }
}

/// What can be read from the chain again.
#[derive(Debug, Clone)]
pub struct ChainStore(Half);

impl ChainStore {
    pub(crate) fn new(db: Db) -> Self {
        Self(Half::new(db))
    }

    pub(crate) fn db(&self) -> &Db {
        self.0.db()
    }

    /// A duty of writing here, which nobody has taken yet.
    pub fn fence(&self, duty: &'static str) -> Fence {
        self.0.fence(duty)
    }

    /// The same, which writes blocks only while a duty is held.
    pub(crate) fn fenced(&self, fence: &Fence) -> Self {
        Self(self.0.fenced(fence))
    }

    /// Begins a write that no other can overtake.
    pub(crate) async fn begin_writing(&self) -> Result<Tx, StoreError> {
        let mut tx = self.db().begin().await?;
        // SQLite has one writer by nature.
        if let Tx::Postgres(transaction) = &mut tx {
            sqlx::query("SELECT pg_advisory_xact_lock($1)")
                .bind(WRITER_LOCK)
                .execute(&mut **transaction)
                .await?;
        }
        self.0.check(&mut tx).await?;
        Ok(tx)
    }
}

/// The height of a block as it is stored; none if the block is not.
pub(crate) async fn find_block(tx: &mut Tx, block: BlockRef) -> Result<Option<i64>, StoreError> {
    let number = NUMBER.to_stored(block.number)?;
    let hash = block.hash.to_bytes_be();
    on!(tx tx, connection =>
        sqlx::query_scalar("SELECT number FROM block WHERE number = $1 AND hash = $2")
            .bind(number)
            .bind(hash.as_slice())
            .fetch_optional(connection)
            .await
    )
    .map_err(in_table(BLOCK))
}
