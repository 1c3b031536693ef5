//! What a sponsor paid in some time.

use super::{
    row::{SPONSOR, StoredSponsor},
    sponsored::{SPONSORED, column, joined},
};
use crate::{
    LedgerStore,
    db::on,
    error::{StoreError, in_table},
};
use primitives::Timestamp;

/// Transactions, and what they did cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ActivityPart {
    /// How many.
    pub count: u64,
    /// In the smallest unit of STRK.
    pub fees: u128,
}

/// What a sponsor paid, by what became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Activity {
    /// What did something.
    pub succeeded: ActivityPart,
    /// What only cost.
    pub reverted: ActivityPart,
    /// What is left and not reserved, in the smallest unit of STRK.
    pub credits: u128,
}

impl LedgerStore {
    /// What a sponsor was charged for transactions of blocks from one time to
    /// another, both included, and what it has left: both of one moment.
    pub async fn sponsor_activity(
        &self,
        sponsor: &str,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<Activity, StoreError> {
        let mut tx = self.db().begin_reading().await?;
        let row: Option<StoredSponsor> = on!(tx &mut tx, connection =>
            sqlx::query_as("SELECT * FROM sponsor WHERE id = $1")
                .bind(sponsor)
                .fetch_optional(connection)
                .await
        )
        .map_err(in_table(SPONSOR))?;
        let row = row.map(StoredSponsor::decode).transpose()?;
        let rows: Vec<(i64, i64, i64, i64)> = on!(tx &mut tx, connection =>
            sqlx::query_as(
                "SELECT reverted, COUNT(*),
                        CAST(SUM(fee_billions) AS BIGINT), CAST(SUM(fee_rest) AS BIGINT)
                 FROM sponsored
                 WHERE sponsor = $1 AND state = 'final' AND block_time >= $2 AND block_time <= $3
                 GROUP BY reverted",
            )
            .bind(sponsor)
            .bind(from.as_microsecond())
            .bind(to.as_microsecond())
            .fetch_all(connection)
            .await
        )
        .map_err(in_table(SPONSORED))?;
        tx.commit().await?;
        let mut activity = Activity {
            credits: row.map_or(0, |row| row.credits),
            ..Activity::default()
        };
        for (reverted, count, billions, rest) in rows {
            let part = ActivityPart {
                count: column("reverted").counter(count)?,
                fees: joined("fee", billions, rest)?,
            };
            if column("reverted").flag(reverted)? {
                activity.reverted = part;
            } else {
                activity.succeeded = part;
            }
        }
        Ok(activity)
    }
}
