//! What happened to pools: a blob of changes in each block's row, and now and
//! then all pools at once.

use crate::{
    block_table::{BLOCK, ChainStore, NUMBER},
    column::Column,
    db::{Tx, on},
    error::{StoreError, in_table},
    figures,
    row::row,
};
use amm::book::{Change, changes_from_bytes};
use market::BlockEffects;

const CHECKPOINT: &str = "pool_checkpoint";
const VENUES: &str = "venue_list";

/// Checkpoints that are kept: enough to go back a long way without following
/// every change from the first block on.
const CHECKPOINTS: i64 = 16;

/// Where the pools of a store can be made from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PoolHistory {
    /// All pools after a block, in the form of [`amm::book::Book::to_bytes`];
    /// none while the first is not due yet.
    pub checkpoint: Option<(u64, Vec<u8>)>,
    /// What happened in later blocks, in order.
    pub changes: Vec<(u64, Vec<Change>)>,
}

row! {
    struct BlobRow {
        block_number: i64,
        bytes: Vec<u8>,
    }
}

impl ChainStore {
    /// Whether the stored blocks tell of the pools of these venues. If not, the
    /// store remembers that its next blocks will.
    pub async fn bind_venues(&self, digest: &[u8; 32]) -> Result<bool, StoreError> {
        let mut tx = self.begin_writing().await?;
        let stored: Option<Vec<u8>> = on!(tx &mut tx, connection =>
            sqlx::query_scalar("SELECT digest FROM venue_list")
                .fetch_optional(connection)
                .await
        )
        .map_err(in_table(VENUES))?;
        let bound = stored.is_some_and(|stored| stored == digest);
        if !bound {
            on!(tx &mut tx, connection =>
                sqlx::query(
                    "INSERT INTO venue_list (id, digest) VALUES (1, $1)
                     ON CONFLICT (id) DO UPDATE SET digest = excluded.digest",
                )
                .bind(digest.as_slice())
                .execute(connection)
                .await
                .map(drop)
            )
            .map_err(in_table(VENUES))?;
            figures::forget(&mut tx).await?;
            on!(tx &mut tx, connection =>
                sqlx::query("DELETE FROM block").execute(connection).await.map(drop)
            )
            .map_err(in_table(BLOCK))?;
        }
        tx.commit().await?;
        Ok(bound)
    }

    /// Where the pools can be made from, at the moment of `tx`, as of a block.
    pub(crate) async fn pool_history(tx: &mut Tx, last: i64) -> Result<PoolHistory, StoreError> {
        let checkpoint: Option<BlobRow> = on!(tx &mut *tx, connection =>
            sqlx::query_as(
                "SELECT block_number, pools AS bytes FROM pool_checkpoint
                 WHERE block_number <= $1 ORDER BY block_number DESC LIMIT 1",
            )
            .bind(last)
            .fetch_optional(connection)
            .await
        )
        .map_err(in_table(CHECKPOINT))?;
        let after = checkpoint.as_ref().map_or(-1, |row| row.block_number);
        let rows: Vec<BlobRow> = on!(tx &mut *tx, connection =>
            sqlx::query_as(
                "SELECT number AS block_number, pools AS bytes FROM block
                 WHERE number > $1 AND number <= $2 AND pools IS NOT NULL ORDER BY number",
            )
            .bind(after)
            .bind(last)
            .fetch_all(connection)
            .await
        )
        .map_err(in_table(BLOCK))?;
        let checkpoint = checkpoint
            .map(|row| Ok::<_, StoreError>((NUMBER.counter(row.block_number)?, row.bytes)))
            .transpose()?;
        let changes = rows.into_iter().map(BlobRow::decode);
        Ok(PoolHistory {
            checkpoint,
            changes: changes.collect::<Result<_, _>>()?,
        })
    }
}

impl BlobRow {
    fn decode(self) -> Result<(u64, Vec<Change>), StoreError> {
        let number = NUMBER.counter(self.block_number)?;
        Ok((number, decode_changes(&self.bytes)?))
    }
}

/// What a block's row says of pools.
pub(crate) fn decode_changes(bytes: &[u8]) -> Result<Vec<Change>, StoreError> {
    let column = Column {
        table: BLOCK,
        name: "pools",
    };
    changes_from_bytes(bytes).map_err(|_| column.corrupt())
}

pub(crate) async fn insert_checkpoints(
    tx: &mut Tx,
    effects: &[BlockEffects],
) -> Result<(), StoreError> {
    for effect in effects {
        if let Some(pools) = &effect.checkpoint {
            insert_checkpoint(tx, NUMBER.to_stored(effect.block.number)?, pools).await?;
        }
    }
    Ok(())
}

/// Adds a checkpoint and drops the oldest.
async fn insert_checkpoint(tx: &mut Tx, number: i64, pools: &[u8]) -> Result<(), StoreError> {
    on!(tx &mut *tx, connection =>
        sqlx::query("INSERT INTO pool_checkpoint (block_number, pools) VALUES ($1, $2)")
            .bind(number)
            .bind(pools)
            .execute(connection)
            .await
            .map(drop)
    )
    .map_err(in_table(CHECKPOINT))?;
    on!(tx &mut *tx, connection =>
        sqlx::query(
            "DELETE FROM pool_checkpoint WHERE block_number <=
                 (SELECT block_number FROM pool_checkpoint
                  ORDER BY block_number DESC LIMIT 1 OFFSET $1)",
        )
        .bind(CHECKPOINTS)
        .execute(connection)
        .await
        .map(drop)
    )
    .map_err(in_table(CHECKPOINT))
}
