//! Forgetting the details of old blocks: what happened to pools in them, their trades,
//! and what they did to figures. Blocks themselves, candles and everything that is made
//! of them stay.

use crate::{
    block_table::{BLOCK, ChainStore, NUMBER},
    db::{Tx, on},
    error::{StoreError, in_table},
};
use primitives::Timestamp;

impl ChainStore {
    /// Forgets the details of blocks above one, of those before a time, at most so many
    /// blocks. Those that pools and figures would be made of again keep theirs. Returns
    /// the last block whose details are gone; none if there was nothing to do.
    pub async fn forget_details(
        &self,
        above: Option<u64>,
        before: Timestamp,
        most: u16,
    ) -> Result<Option<u64>, StoreError> {
        let above = match above {
            Some(above) => NUMBER.to_stored(above)?,
            None => -1,
        };
        let mut tx = self.begin_writing().await?;
        let last: Option<i64> = on!(tx &mut tx, connection =>
            sqlx::query_scalar(
                "SELECT MAX(number) FROM
                     (SELECT number FROM block
                      WHERE number > $1 AND time < $2
                        AND number < (SELECT MIN(block_number) FROM pool_checkpoint)
                        AND number < (SELECT MIN(block_number) FROM figure_state)
                      ORDER BY number LIMIT $3) AS old",
            )
            .bind(above)
            .bind(before.as_microsecond())
            .bind(i64::from(most))
            .fetch_one(connection)
            .await
        )
        .map_err(in_table(BLOCK))?;
        let Some(last) = last else {
            return Ok(None);
        };
        clear(&mut tx, above, last).await?;
        tx.commit().await?;
        Ok(Some(NUMBER.counter(last)?))
    }

    /// The oldest block whose pools are kept whole: details of earlier ones may be gone.
    pub async fn oldest_checkpoint(&self) -> Result<Option<u64>, StoreError> {
        let number: Option<i64> = on!(reader self.db(), pool =>
            sqlx::query_scalar("SELECT MIN(block_number) FROM pool_checkpoint")
                .fetch_one(pool)
                .await
        )
        .map_err(in_table("pool_checkpoint"))?;
        number.map(|number| NUMBER.counter(number)).transpose()
    }
}

async fn clear(tx: &mut Tx, above: i64, last: i64) -> Result<(), StoreError> {
    on!(tx tx, connection =>
        sqlx::query(
            "UPDATE block SET pools = NULL, trades = NULL, figures = NULL
             WHERE number > $1 AND number <= $2
               AND (pools IS NOT NULL OR trades IS NOT NULL OR figures IS NOT NULL)",
        )
        .bind(above)
        .bind(last)
        .execute(connection)
        .await
        .map(drop)
    )
    .map_err(in_table(BLOCK))
}
