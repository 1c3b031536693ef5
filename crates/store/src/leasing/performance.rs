//! How well validators do: their blocks by the epoch, and what comes of them.

use super::{LedgerTx, columns};
use crate::{
    LedgerStore,
    db::on,
    error::{StoreError, in_table},
    row::row,
};
use leasing::{LedSlots, Share};
use primitives::{Timestamp, Ulid};
use sqlx::QueryBuilder;
use std::collections::BTreeMap;

const BLOCKS: &str = "validator_blocks";

/// How well a validator does; empty until it is known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Performance {
    /// The share of its leader slots with a block.
    pub uptime: Option<Share>,
    /// The share of the credits that its votes could have earned.
    pub effectiveness: Option<Share>,
}

row! {
    struct StoredBlocks {
        validator_id: String,
        slots: i64,
        blocks: i64,
    }
}

fn stored(share: Option<Share>) -> Option<i64> {
    share.map(|share| i64::from(share.millionths()))
}

impl LedgerTx {
    /// Notes the slots that some validators have led so far in the epoch with
    /// this first slot.
    pub async fn note_blocks(
        &mut self,
        first_slot: u64,
        led: &[(Ulid, LedSlots)],
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let column = columns(BLOCKS);
        let first_slot = column("first_slot").to_stored(first_slot)?;
        let stored = |(validator, led): &(Ulid, LedSlots)| {
            let slots = column("slots").to_stored(led.slots)?;
            // What is no number of blocks is not kept as one.
            let blocks = column("blocks").to_stored(led.blocks.min(led.slots))?;
            Ok((validator.to_string(), slots, blocks))
        };
        let rows: Vec<_> = led.iter().map(stored).collect::<Result<_, StoreError>>()?;
        if rows.is_empty() {
            return Ok(());
        }
        on!(tx &mut self.0, connection => {
            let mut insert = QueryBuilder::new(
                "INSERT INTO validator_blocks (validator_id, first_slot, slots, blocks, seen_at) ",
            );
            insert.push_values(&rows, |mut row, (validator, slots, blocks)| {
                row.push_bind(validator)
                    .push_bind(first_slot)
                    .push_bind(*slots)
                    .push_bind(*blocks)
                    .push_bind(at.as_microsecond());
            });
            insert.push(
                " ON CONFLICT (validator_id, first_slot) DO UPDATE
                  SET slots = excluded.slots, blocks = excluded.blocks, seen_at = excluded.seen_at
                  WHERE validator_blocks.slots <= excluded.slots",
            );
            insert.build().persistent(false).execute(connection).await.map(drop)
        })
        .map_err(in_table(BLOCKS))
    }

    /// Forgets what was seen last before a time.
    pub async fn forget_blocks(&mut self, before: Timestamp) -> Result<(), StoreError> {
        on!(tx &mut self.0, connection =>
            sqlx::query("DELETE FROM validator_blocks WHERE seen_at < $1")
                .bind(before.as_microsecond())
                .execute(connection)
                .await
                .map(drop)
        )
        .map_err(in_table(BLOCKS))
    }

    /// Writes how well a validator does.
    pub async fn set_performance(
        &mut self,
        id: Ulid,
        performance: Performance,
    ) -> Result<(), StoreError> {
        on!(tx &mut self.0, connection =>
            sqlx::query("UPDATE validator SET uptime = $2, effectiveness = $3 WHERE id = $1")
                .bind(id.to_string())
                .bind(stored(performance.uptime))
                .bind(stored(performance.effectiveness))
                .execute(connection)
                .await
                .map(drop)
        )
        .map_err(in_table("validator"))
    }
}

impl LedgerStore {
    /// The slots that validators have led in all epochs that were seen since a
    /// time.
    pub async fn led_slots(
        &self,
        since: Timestamp,
    ) -> Result<BTreeMap<Ulid, LedSlots>, StoreError> {
        let rows: Vec<StoredBlocks> = on!(reader self.db(), pool =>
            sqlx::query_as(
                "SELECT validator_id, CAST(SUM(slots) AS BIGINT) AS slots,
                        CAST(SUM(blocks) AS BIGINT) AS blocks
                 FROM validator_blocks WHERE seen_at >= $1 GROUP BY validator_id",
            )
            .bind(since.as_microsecond())
            .fetch_all(pool)
            .await
        )
        .map_err(in_table(BLOCKS))?;
        let column = columns(BLOCKS);
        let decode = |row: StoredBlocks| {
            let led = LedSlots {
                slots: column("slots").counter(row.slots)?,
                blocks: column("blocks").counter(row.blocks)?,
            };
            Ok((column("validator_id").id(&row.validator_id)?, led))
        };
        rows.into_iter().map(decode).collect()
    }
}
