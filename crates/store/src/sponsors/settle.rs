//! How far what a sponsor pays for is, and what it did cost: charged once.

use super::sponsored::{
    SPONSORED, SponsoredOutcome, SponsoredProgress, SponsoredRow, StoredSponsored, column, joined,
    split,
};
use crate::{
    LedgerStore,
    db::on,
    error::{StoreError, in_table},
    leasing::LedgerTx,
};
use primitives::Felt;

/// Rows that are read at once.
const MAX_ROWS: i64 = 1_024;

impl LedgerTx {
    /// What a sponsor pays for landed by the hash of another attempt.
    pub async fn rename_sponsored(
        &mut self,
        chain_id: Felt,
        from: Felt,
        to: Felt,
    ) -> Result<(), StoreError> {
        on!(tx &mut self.0, connection =>
            sqlx::query(
                "UPDATE sponsored SET hash = $3
                 WHERE chain_id = $1 AND hash = $2 AND state NOT IN ('final', 'released')",
            )
            .bind(chain_id.to_bytes_be().as_slice())
            .bind(from.to_bytes_be().as_slice())
            .bind(to.to_bytes_be().as_slice())
            .execute(connection)
            .await
            .map(drop)
        )
        .map_err(in_table(SPONSORED))
    }

    /// Says how far a transaction is; nothing once it is settled.
    pub async fn note_sponsored(
        &mut self,
        chain_id: Felt,
        hash: Felt,
        progress: SponsoredProgress,
    ) -> Result<(), StoreError> {
        let number = progress.block_number();
        let number = number.map(|number| column("block_number").to_stored(number));
        on!(tx &mut self.0, connection =>
            sqlx::query(
                "UPDATE sponsored SET state = $3, block_number = $4
                 WHERE chain_id = $1 AND hash = $2 AND state NOT IN ('final', 'released')",
            )
            .bind(chain_id.to_bytes_be().as_slice())
            .bind(hash.to_bytes_be().as_slice())
            .bind(progress.word())
            .bind(number.transpose()?)
            .execute(connection)
            .await
            .map(drop)
        )
        .map_err(in_table(SPONSORED))
    }

    /// Charges what a transaction did cost, or nothing where it never will land,
    /// and gives the rest back; whether it was open still.
    pub async fn settle_sponsored(
        &mut self,
        chain_id: Felt,
        row: &SponsoredRow,
        outcome: Option<SponsoredOutcome>,
    ) -> Result<bool, StoreError> {
        let Some(sponsor) = self.lock_sponsor(&row.sponsor).await? else {
            return Ok(false);
        };
        let fee = outcome.map(|it| split("fee", it.fee)).transpose()?;
        let number = outcome.map(|it| column("block_number").to_stored(it.block_number));
        let reserved: Option<(i64, i64)> = on!(tx &mut self.0, connection =>
            sqlx::query_as(
                "UPDATE sponsored SET state = $3, fee_billions = $4, fee_rest = $5, reverted = $6,
                                      block_number = $7, block_time = $8
                 WHERE chain_id = $1 AND hash = $2 AND state NOT IN ('final', 'released')
                 RETURNING reserved_billions, reserved_rest",
            )
            .bind(chain_id.to_bytes_be().as_slice())
            .bind(row.hash.to_bytes_be().as_slice())
            .bind(if outcome.is_some() { "final" } else { "released" })
            .bind(fee.map(|(billions, _)| billions))
            .bind(fee.map(|(_, rest)| rest))
            .bind(outcome.map(|it| i64::from(it.reverted)))
            .bind(number.transpose()?)
            .bind(outcome.map(|it| it.block_time.as_microsecond()))
            .fetch_optional(connection)
            .await
        )
        .map_err(in_table(SPONSORED))?;
        let Some((billions, rest)) = reserved else {
            return Ok(false);
        };
        // The chain never takes more than a transaction allows.
        let spent = outcome.map_or(0, |it| it.fee);
        let back = joined("reserved", billions, rest)?.saturating_sub(spent);
        let credits = sponsor.credits.saturating_add(back);
        self.set_credits(&sponsor.id, credits).await?;
        Ok(true)
    }
}

impl LedgerStore {
    /// What is reserved and not settled, the oldest first.
    pub async fn open_sponsored(&self, chain_id: Felt) -> Result<Vec<SponsoredRow>, StoreError> {
        let rows: Vec<StoredSponsored> = on!(reader self.db(), pool =>
            sqlx::query_as(
                "SELECT * FROM sponsored
                 WHERE chain_id = $1 AND state NOT IN ('final', 'released')
                 ORDER BY created_at, hash LIMIT $2",
            )
            .bind(chain_id.to_bytes_be().as_slice())
            .bind(MAX_ROWS)
            .fetch_all(pool)
            .await
        )
        .map_err(in_table(SPONSORED))?;
        rows.into_iter().map(StoredSponsored::decode).collect()
    }

    /// What a sponsor was charged for, in the order of hashes, from after one on.
    pub async fn charged_sponsored(
        &self,
        chain_id: Felt,
        sponsor: &str,
        after: Option<Felt>,
    ) -> Result<Vec<SponsoredRow>, StoreError> {
        let after = after.map_or(Vec::new(), |hash| hash.to_bytes_be().to_vec());
        let rows: Vec<StoredSponsored> = on!(reader self.db(), pool =>
            sqlx::query_as(
                "SELECT * FROM sponsored
                 WHERE chain_id = $1 AND sponsor = $2 AND state = 'final' AND hash > $3
                 ORDER BY hash LIMIT $4",
            )
            .bind(chain_id.to_bytes_be().as_slice())
            .bind(sponsor)
            .bind(after)
            .bind(MAX_ROWS)
            .fetch_all(pool)
            .await
        )
        .map_err(in_table(SPONSORED))?;
        rows.into_iter().map(StoredSponsored::decode).collect()
    }
}
