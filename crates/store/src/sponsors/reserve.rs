//! What a sponsor pays for: reserved before it is sent, charged once from what it
//! did cost.

use super::row::SponsorRow;
use crate::{
    LedgerStore,
    column::Column,
    db::on,
    error::{StoreError, in_table},
    leasing::LedgerTx,
};
use primitives::{Address, Felt, Timestamp};
use sqlx::FromRow;

pub(super) const SPONSORED: &str = "sponsored";

/// Open reservations that are read at once.
const MAX_ROWS: i64 = 1_024;

/// Amounts are kept as so many of these, and a rest.
const BILLION: u128 = 1_000_000_000;

pub(super) const fn column(name: &'static str) -> Column {
    Column {
        table: SPONSORED,
        name,
    }
}

/// What is to be reserved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewReservation {
    /// Who pays.
    pub sponsor: String,
    /// For whom.
    pub user: Address,
    /// When the day began that the user's budget is for.
    pub day: Timestamp,
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

/// A transaction that a sponsor pays for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SponsoredRow {
    /// By which the chain knows it.
    pub hash: Felt,
    /// Who pays.
    pub sponsor: String,
    /// For whom.
    pub user: Address,
    /// What was reserved for it.
    pub reserved: u128,
    /// When.
    pub created_at: Timestamp,
    /// What it did cost, once that is final.
    pub charged: Option<SponsoredOutcome>,
}

/// What a transaction did cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SponsoredOutcome {
    /// The fee.
    pub fee: u128,
    /// Whether it did nothing but cost that.
    pub reverted: bool,
    /// The block's height.
    pub block_number: u64,
    /// Its time.
    pub block_time: Timestamp,
}

#[derive(FromRow)]
struct StoredSponsored {
    hash: Vec<u8>,
    sponsor: String,
    user_address: Vec<u8>,
    created_at: i64,
    reserved_billions: i64,
    reserved_rest: i64,
    fee_billions: Option<i64>,
    fee_rest: Option<i64>,
    reverted: Option<i64>,
    block_number: Option<i64>,
    block_time: Option<i64>,
}

impl StoredSponsored {
    fn decode(self) -> Result<SponsoredRow, StoreError> {
        let charged = match (self.fee_billions, self.fee_rest, self.reverted) {
            (Some(billions), Some(rest), Some(reverted)) => Some(SponsoredOutcome {
                fee: joined("fee", billions, rest)?,
                reverted: column("reverted").flag(reverted)?,
                block_number: column("block_number").counter(self.block_number.unwrap_or(-1))?,
                block_time: column("block_time").time(self.block_time.unwrap_or(i64::MAX))?,
            }),
            _ => None,
        };
        Ok(SponsoredRow {
            hash: column("hash").felt(&self.hash)?,
            user: column("user_address").address(&self.user_address)?,
            reserved: joined("reserved", self.reserved_billions, self.reserved_rest)?,
            created_at: column("created_at").time(self.created_at)?,
            sponsor: self.sponsor,
            charged,
        })
    }
}

/// An amount of two columns, or of two sums over them.
pub(super) fn joined(name: &'static str, billions: i64, rest: i64) -> Result<u128, StoreError> {
    let part = |part: i64| u128::try_from(part).map_err(|_| column(name).corrupt());
    Ok(part(billions)? * BILLION + part(rest)?)
}

fn split(name: &'static str, amount: u128) -> Result<(i64, i64), StoreError> {
    let part = |part: u128| {
        let part = i64::try_from(part);
        part.map_err(|_| StoreError::OutOfRange { column: name })
    };
    Ok((part(amount / BILLION)?, part(amount % BILLION)?))
}

impl LedgerTx {
    /// Takes what a transaction may cost from its sponsor's credits.
    pub async fn reserve(
        &mut self,
        wanted: &NewReservation,
        chain_id: Felt,
        hash: Felt,
        amount: u128,
        at: Timestamp,
    ) -> Result<Reservation, StoreError> {
        let sponsor = self.lock_sponsor(&wanted.sponsor).await?;
        let Some(sponsor) = sponsor.filter(|it| it.disabled_at.is_none()) else {
            return Ok(Reservation::Gone);
        };
        let Some(left) = sponsor.credits.checked_sub(amount) else {
            return Ok(Reservation::NoCredits);
        };
        if self.exceeds_budget(&sponsor, wanted, amount).await? {
            return Ok(Reservation::OverBudget);
        }
        self.set_credits(&sponsor.id, left).await?;
        let (billions, rest) = split("reserved", amount)?;
        on!(tx &mut self.0, connection =>
            sqlx::query(
                "INSERT INTO sponsored (chain_id, hash, sponsor, user_address, state, created_at,
                                        reserved_billions, reserved_rest)
                 VALUES ($1, $2, $3, $4, 'reserved', $5, $6, $7)",
            )
            .bind(chain_id.to_bytes_be().as_slice())
            .bind(hash.to_bytes_be().as_slice())
            .bind(&wanted.sponsor)
            .bind(wanted.user.to_bytes().as_slice())
            .bind(at.as_microsecond())
            .bind(billions)
            .bind(rest)
            .execute(connection)
            .await
            .map(drop)
        )
        .map_err(in_table(SPONSORED))?;
        Ok(Reservation::Made)
    }

    async fn exceeds_budget(
        &mut self,
        sponsor: &SponsorRow,
        wanted: &NewReservation,
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
            .bind(wanted.user.to_bytes().as_slice())
            .bind(wanted.day.as_microsecond())
            .fetch_one(connection)
            .await
        )
        .map_err(in_table(SPONSORED))?;
        let had = joined("reserved", billions, rest)?;
        Ok(had.saturating_add(amount) > most)
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
        let settled = on!(tx &mut self.0, connection =>
            sqlx::query(
                "UPDATE sponsored SET state = $3, fee_billions = $4, fee_rest = $5, reverted = $6,
                                      block_number = $7, block_time = $8
                 WHERE chain_id = $1 AND hash = $2 AND state = 'reserved'",
            )
            .bind(chain_id.to_bytes_be().as_slice())
            .bind(row.hash.to_bytes_be().as_slice())
            .bind(if outcome.is_some() { "final" } else { "released" })
            .bind(fee.map(|(billions, _)| billions))
            .bind(fee.map(|(_, rest)| rest))
            .bind(outcome.map(|it| i64::from(it.reverted)))
            .bind(number.transpose()?)
            .bind(outcome.map(|it| it.block_time.as_microsecond()))
            .execute(connection)
            .await
            .map(|done| done.rows_affected())
        )
        .map_err(in_table(SPONSORED))?;
        if settled == 0 {
            return Ok(false);
        }
        // The chain never takes more than a transaction allows.
        let spent = outcome.map_or(0, |it| it.fee);
        let back = row.reserved.saturating_sub(spent);
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
                "SELECT * FROM sponsored WHERE chain_id = $1 AND state = 'reserved'
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
