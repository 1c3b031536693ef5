//! What a transaction may cost, taken from its sponsor's credits before it is sent.

use super::{
    row::SponsorRow,
    sponsored::{SPONSORED, StoredSponsored, joined, split},
};
use crate::{
    db::on,
    error::{StoreError, in_table},
    leasing::LedgerTx,
};
use primitives::{Address, Felt, Timestamp};

/// What is to be reserved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewReservation {
    /// Who pays.
    pub sponsor: String,
    /// For whom.
    pub user: Address,
    /// What a private pool takes beside the fee, where the sponsor pays that too.
    pub pool_fee: u128,
}

/// What became of a wish to reserve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reservation {
    /// It is reserved.
    Made,
    /// There is no such sponsor any more.
    Gone,
    /// The sponsor has too little.
    NoCredits,
    /// The user had what a user may have in a day.
    OverBudget,
}

/// When the day of a time began, as it is stored.
fn day_of(at: Timestamp) -> i64 {
    const DAY: i64 = 86_400_000_000;
    at.as_microsecond().div_euclid(DAY) * DAY
}

impl LedgerTx {
    /// Takes what a transaction may cost, and a pool for it, from its sponsor's credits.
    pub async fn reserve(
        &mut self,
        wanted: &NewReservation,
        chain_id: Felt,
        hash: Felt,
        max_fee: u128,
        at: Timestamp,
    ) -> Result<Reservation, StoreError> {
        let amount = max_fee.saturating_add(wanted.pool_fee);
        let sponsor = self.lock_sponsor(&wanted.sponsor).await?;
        let Some(sponsor) = sponsor.filter(|it| it.disabled_at.is_none()) else {
            return Ok(Reservation::Gone);
        };
        let Some(left) = sponsor.credits.checked_sub(amount) else {
            return Ok(Reservation::NoCredits);
        };
        if self
            .exceeds_budget(&sponsor, wanted.user, at, amount)
            .await?
        {
            return Ok(Reservation::OverBudget);
        }
        self.set_credits(&sponsor.id, left).await?;
        let (billions, rest) = split("reserved", amount)?;
        let (pool_billions, pool_rest) = split("pool_fee", wanted.pool_fee)?;
        on!(tx &mut self.0, connection =>
            sqlx::query(
                "INSERT INTO sponsored (chain_id, hash, sponsor, user_address, state, created_at,
                                        reserved_billions, reserved_rest,
                                        pool_fee_billions, pool_fee_rest)
                 VALUES ($1, $2, $3, $4, 'reserved', $5, $6, $7, $8, $9)",
            )
            .bind(chain_id.to_bytes_be().as_slice())
            .bind(hash.to_bytes_be().as_slice())
            .bind(&wanted.sponsor)
            .bind(wanted.user.to_bytes().as_slice())
            .bind(at.as_microsecond())
            .bind(billions)
            .bind(rest)
            .bind(pool_billions)
            .bind(pool_rest)
            .execute(connection)
            .await
            .map(drop)
        )
        .map_err(in_table(SPONSORED))?;
        Ok(Reservation::Made)
    }

    /// Has a sponsor pay for what takes the place of a transaction that it pays for,
    /// as far as that may cost more; nothing where there is no such transaction.
    pub async fn extend_reservation(
        &mut self,
        chain_id: Felt,
        from: Felt,
        to: Felt,
        max_fee: u128,
    ) -> Result<Reservation, StoreError> {
        let row: Option<StoredSponsored> = on!(tx &mut self.0, connection =>
            sqlx::query_as(
                "SELECT * FROM sponsored
                 WHERE chain_id = $1 AND hash = $2 AND state NOT IN ('final', 'released')",
            )
            .bind(chain_id.to_bytes_be().as_slice())
            .bind(from.to_bytes_be().as_slice())
            .fetch_optional(connection)
            .await
        )
        .map_err(in_table(SPONSORED))?;
        let Some(row) = row.map(StoredSponsored::decode).transpose()? else {
            return Ok(Reservation::Made);
        };
        let Some(sponsor) = self.lock_sponsor(&row.sponsor).await? else {
            return Ok(Reservation::Gone);
        };
        let amount = max_fee.saturating_add(row.pool_fee);
        let more = amount.saturating_sub(row.reserved);
        let Some(left) = sponsor.credits.checked_sub(more) else {
            return Ok(Reservation::NoCredits);
        };
        let (user, at) = (row.user, row.created_at);
        if self.exceeds_budget(&sponsor, user, at, more).await? {
            return Ok(Reservation::OverBudget);
        }
        self.set_credits(&sponsor.id, left).await?;
        self.move_sponsored(chain_id, from, to, row.reserved.saturating_add(more))
            .await?;
        Ok(Reservation::Made)
    }

    /// What a sponsor pays for goes by another hash, with so much reserved.
    async fn move_sponsored(
        &mut self,
        chain_id: Felt,
        from: Felt,
        to: Felt,
        reserved: u128,
    ) -> Result<(), StoreError> {
        let (billions, rest) = split("reserved", reserved)?;
        on!(tx &mut self.0, connection =>
            sqlx::query(
                "UPDATE sponsored SET hash = $3, reserved_billions = $4, reserved_rest = $5
                 WHERE chain_id = $1 AND hash = $2",
            )
            .bind(chain_id.to_bytes_be().as_slice())
            .bind(from.to_bytes_be().as_slice())
            .bind(to.to_bytes_be().as_slice())
            .bind(billions)
            .bind(rest)
            .execute(connection)
            .await
            .map(drop)
        )
        .map_err(in_table(SPONSORED))
    }

    /// Whether so much more is more than a user may have in the day of a time.
    async fn exceeds_budget(
        &mut self,
        sponsor: &SponsorRow,
        user: Address,
        at: Timestamp,
        amount: u128,
    ) -> Result<bool, StoreError> {
        let Some(most) = sponsor.user_daily else {
            return Ok(false);
        };
        let (billions, rest): (i64, i64) = on!(tx &mut self.0, connection =>
            sqlx::query_as(
                "SELECT CAST(COALESCE(SUM(COALESCE(fee_billions, reserved_billions)), 0) AS BIGINT),
                        CAST(COALESCE(SUM(COALESCE(fee_rest, reserved_rest)), 0) AS BIGINT)
                 FROM sponsored
                 WHERE sponsor = $1 AND user_address = $2 AND created_at >= $3
                   AND state <> 'released'",
            )
            .bind(&sponsor.id)
            .bind(user.to_bytes().as_slice())
            .bind(day_of(at))
            .fetch_one(connection)
            .await
        )
        .map_err(in_table(SPONSORED))?;
        let had = joined("reserved", billions, rest)?;
        Ok(had.saturating_add(amount) > most)
    }
}
