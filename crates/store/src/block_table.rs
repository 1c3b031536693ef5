//! The table that everything of the chain hangs on, and who reads and writes it.

use crate::{
    column::Column,
    db::{Db, Tx, on},
    error::{StoreError, in_table},
};
use primitives::BlockRef;

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
pub struct ChainStore(Db);

impl ChainStore {
    pub(crate) fn new(db: Db) -> Self {
        Self(db)
    }

    pub(crate) fn db(&self) -> &Db {
        &self.0
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
