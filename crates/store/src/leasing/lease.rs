//! Leases, each with the payment of its booking.

use super::{
    LedgerTx, columns,
    payment::{COLUMNS, StoredPayment},
};
use crate::{
    LedgerStore,
    db::{Tx, on},
    error::{StoreError, in_table},
    row::row,
};
use leasing::{EpochWindow, Lease, LeaseState, PaymentKind, PaymentStatus, Stage};
use primitives::Ulid;
use sqlx::{AssertSqlSafe, QueryBuilder};

const TABLE: &str = "lease";

/// Which leases are looked for, the newest first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LeaseQuery {
    /// Booked by this trader.
    pub trader: Option<Ulid>,
    /// Leases of this validator; of any without it.
    pub validator: Option<Ulid>,
    /// Leases in this state; in any without it.
    pub state: Option<LeaseState>,
    /// Before this one.
    pub after: Option<Ulid>,
    /// At most so many.
    pub limit: u16,
}

/// Leases `l` with the payments `p` of their bookings.
fn all() -> String {
    format!(
        "SELECT l.id, l.validator_id, v.owner_id, l.trader_id, l.mode, l.state, l.epoch_start,
                l.epoch_end, l.price, l.total, l.created_at, l.activated_at, l.ended_at,
                l.end_reason, l.kept_until, {COLUMNS}
         FROM lease AS l
         JOIN validator AS v ON v.id = l.validator_id
         JOIN payment AS p ON p.lease_id = l.id AND p.kind = 'booking'"
    )
}

/// The statement that finds the leases of a condition of ours.
fn select(condition: &str) -> AssertSqlSafe<String> {
    AssertSqlSafe(format!("{} WHERE {condition}", all()))
}

row! {
    struct StoredLease {
        id: String,
        validator_id: String,
        owner_id: String,
        trader_id: String,
        mode: String,
        state: String,
        epoch_start: i64,
        epoch_end: i64,
        price: i64,
        total: i64,
        created_at: i64,
        activated_at: Option<i64>,
        ended_at: Option<i64>,
        end_reason: Option<String>,
        kept_until: Option<i64>,
        ..payment: StoredPayment,
    }
}

impl StoredLease {
    fn decode(self) -> Result<Lease, StoreError> {
        let column = columns(TABLE);
        let count = self.epoch_end.saturating_sub(self.epoch_start);
        Ok(Lease {
            id: column("id").id(&self.id)?,
            validator: column("validator_id").id(&self.validator_id)?,
            owner: columns("validator")("owner_id").id(&self.owner_id)?,
            trader: column("trader_id").id(&self.trader_id)?,
            mode: column("mode").word(&self.mode)?,
            window: EpochWindow::new(self.epoch_start, count)
                .map_err(|_| column("epoch_start").corrupt())?,
            price: column("price").lamports(self.price)?,
            total: column("total").lamports(self.total)?,
            created_at: column("created_at").time(self.created_at)?,
            payment: self.payment.payment()?,
            pay_until: self.payment.pay_until()?,
            stage: self.stage()?,
        })
    }

    fn stage(&self) -> Result<Stage, StoreError> {
        let column = columns(TABLE);
        let end = match (self.ended_at, &self.end_reason) {
            (Some(at), Some(reason)) => Some((
                column("end_reason").word(reason)?,
                column("ended_at").time(at)?,
            )),
            _ => None,
        };
        let status = self.payment.status()?;
        let state = column("state").word(&self.state)?;
        let kept_until = self
            .kept_until
            .map(|epoch| column("kept_until").narrow(epoch));
        let receipt = self.payment.receipt()?;
        let restored = Stage::restore(state, status, receipt, end, kept_until.transpose()?);
        let restored = restored.ok_or_else(|| column("state").corrupt())?;
        if activated_at(&restored) == self.activated_at {
            Ok(restored)
        } else {
            Err(column("activated_at").corrupt())
        }
    }
}

/// A lease is active from when its payment was taken.
fn activated_at(stage: &Stage) -> Option<i64> {
    stage
        .settled_by()
        .map(|receipt| receipt.at.as_microsecond())
}

impl LedgerTx {
    /// Adds a lease that was just booked, with its payment.
    pub async fn insert_lease(&mut self, lease: &Lease) -> Result<(), StoreError> {
        let column = columns(TABLE);
        let price = column("price").to_stored_lamports(lease.price)?;
        let total = column("total").to_stored_lamports(lease.total)?;
        on!(tx &mut self.0, connection =>
            sqlx::query(
                "INSERT INTO lease
                 (id, validator_id, trader_id, mode, state, epoch_start, epoch_end, price, total,
                  created_at)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
            )
            .bind(lease.id.to_string())
            .bind(lease.validator.to_string())
            .bind(lease.trader.to_string())
            .bind(lease.mode.as_str())
            .bind(lease.state().as_str())
            .bind(i64::from(lease.window.start()))
            .bind(i64::from(lease.window.end()))
            .bind(price)
            .bind(total)
            .bind(lease.created_at.as_microsecond())
            .execute(connection)
            .await
            .map(drop)
        )
        .map_err(in_table(TABLE))?;
        self.insert_booking_payment(lease).await
    }

    /// Writes the stage and the end of a lease over those that it had before.
    /// `false` if they are no longer there; the transaction must be given up then. A
    /// transaction that was taken for another payment is [`StoreError::Exists`].
    pub async fn update_lease(
        &mut self,
        before: &Lease,
        after: &Lease,
    ) -> Result<bool, StoreError> {
        let end = after.stage.end();
        let total = columns(TABLE)("total").to_stored_lamports(after.total)?;
        let moved = on!(tx &mut self.0, connection =>
            sqlx::query(
                "UPDATE lease SET state = $3, activated_at = $4, ended_at = $5, end_reason = $6,
                                  epoch_end = $7, total = $8, kept_until = $9
                 WHERE id = $1 AND state = $2 AND epoch_end = $10",
            )
            .bind(before.id.to_string())
            .bind(before.state().as_str())
            .bind(after.state().as_str())
            .bind(activated_at(&after.stage))
            .bind(end.map(|(_, at)| at.as_microsecond()))
            .bind(end.map(|(reason, _)| reason.as_str()))
            .bind(i64::from(after.window.end()))
            .bind(total)
            .bind(after.stage.kept_until().map(i64::from))
            .bind(i64::from(before.window.end()))
            .execute(connection)
            .await
            .map(|done| done.rows_affected())
        )
        .map_err(in_table(TABLE))?;
        let (old, new) = (before.stage.payment_status(), after.stage.payment_status());
        if moved != 1 || old == new {
            return Ok(moved == 1);
        }
        let memo = before.payment.memo();
        self.move_payment(memo, old, new, after.stage.receipt())
            .await
    }

    /// Notes that people are told that a lease ends. `false` if they were told of
    /// this end before, or it is another one now.
    pub async fn tell_ending(&mut self, lease: &Lease) -> Result<bool, StoreError> {
        let told = on!(tx &mut self.0, connection =>
            sqlx::query(
                "UPDATE lease SET ending_told = epoch_end
                 WHERE id = $1 AND state = $2 AND epoch_end = $3
                   AND (ending_told IS NULL OR ending_told <> epoch_end)",
            )
            .bind(lease.id.to_string())
            .bind(LeaseState::Active.as_str())
            .bind(i64::from(lease.window.end()))
            .execute(connection)
            .await
            .map(|done| done.rows_affected())
        )
        .map_err(in_table(TABLE))?;
        Ok(told == 1)
    }

    /// Keeps others from booking for a trader until the transaction ends, and
    /// counts the leases of theirs that are not paid.
    pub async fn count_unpaid(&mut self, trader: Ulid) -> Result<u64, StoreError> {
        let id = trader.to_string();
        if let Tx::Postgres(connection) = &mut self.0 {
            // On SQLite the transaction has the write lock already.
            sqlx::query("SELECT id FROM lease_user WHERE id = $1 FOR NO KEY UPDATE")
                .bind(&id)
                .execute(&mut **connection)
                .await
                .map_err(in_table("lease_user"))?;
        }
        // A word of the text, not a value: there is an index of these alone.
        let pending = LeaseState::PendingPayment;
        let unpaid: i64 = on!(tx &mut self.0, connection =>
            sqlx::query_scalar(AssertSqlSafe(format!(
                "SELECT COUNT(*) FROM lease WHERE trader_id = $1 AND state = '{pending}'"
            )))
            .bind(id)
            .fetch_one(connection)
            .await
        )
        .map_err(in_table(TABLE))?;
        columns(TABLE)("id").counter(unpaid)
    }

    /// The lease of an id.
    pub async fn lease(&mut self, id: Ulid) -> Result<Option<Lease>, StoreError> {
        let row: Option<StoredLease> = on!(tx &mut self.0, connection =>
            sqlx::query_as(select("l.id = $1"))
                .bind(id.to_string())
                .fetch_optional(connection)
                .await
        )
        .map_err(in_table(TABLE))?;
        row.map(StoredLease::decode).transpose()
    }
}

impl LedgerStore {
    /// The lease of an id.
    pub async fn lease(&self, id: Ulid) -> Result<Option<Lease>, StoreError> {
        let row: Option<StoredLease> = on!(reader self.db(), pool =>
            sqlx::query_as(select("l.id = $1"))
                .bind(id.to_string())
                .fetch_optional(pool)
                .await
        )
        .map_err(in_table(TABLE))?;
        row.map(StoredLease::decode).transpose()
    }

    /// Leases, the newest first.
    pub async fn leases(&self, query: &LeaseQuery) -> Result<Vec<Lease>, StoreError> {
        let rows: Vec<StoredLease> = on!(reader self.db(), pool => {
            let mut select = QueryBuilder::new(all());
            select.push(" WHERE true");
            if let Some(trader) = query.trader {
                select.push(" AND l.trader_id = ").push_bind(trader.to_string());
            }
            if let Some(validator) = query.validator {
                select.push(" AND l.validator_id = ").push_bind(validator.to_string());
            }
            if let Some(state) = query.state {
                select.push(" AND l.state = ").push_bind(state.as_str());
            }
            if let Some(after) = query.after {
                select.push(" AND l.id < ").push_bind(after.to_string());
            }
            select.push(" ORDER BY l.id DESC LIMIT ").push_bind(i64::from(query.limit));
            select.build_query_as().fetch_all(pool).await
        })
        .map_err(in_table(TABLE))?;
        rows.into_iter().map(StoredLease::decode).collect()
    }

    /// Active leases whose epochs all lie before one and that no extension waits
    /// for, the earliest end first.
    pub async fn leases_over(&self, epoch: i32, limit: u16) -> Result<Vec<Lease>, StoreError> {
        // A word of the text, not a value: there is an index of these alone.
        let active = LeaseState::Active;
        let (extension, open) = (PaymentKind::Extension, PaymentStatus::Open);
        let found = select(&format!(
            "l.state = '{active}' AND l.epoch_end <= $1
             AND NOT EXISTS (SELECT 1 FROM payment AS e WHERE e.lease_id = l.id
                             AND e.kind = '{extension}' AND e.status = '{open}')
             ORDER BY l.epoch_end LIMIT $2"
        ));
        let rows: Vec<StoredLease> = on!(reader self.db(), pool =>
            sqlx::query_as(found)
                .bind(i64::from(epoch))
                .bind(i64::from(limit))
                .fetch_all(pool)
                .await
        )
        .map_err(in_table(TABLE))?;
        rows.into_iter().map(StoredLease::decode).collect()
    }

    /// Active leases that have no epoch after this one and whose people were not
    /// told of that end, the earliest first.
    pub async fn leases_ending(&self, epoch: i32, limit: u16) -> Result<Vec<Lease>, StoreError> {
        // A word of the text, not a value: there is an index of these alone.
        let active = LeaseState::Active;
        let found = select(&format!(
            "l.state = '{active}' AND (l.ending_told IS NULL OR l.ending_told <> l.epoch_end)
             AND l.epoch_end <= $1 ORDER BY l.epoch_end LIMIT $2"
        ));
        let rows: Vec<StoredLease> = on!(reader self.db(), pool =>
            sqlx::query_as(found)
                .bind(i64::from(epoch).saturating_add(1))
                .bind(i64::from(limit))
                .fetch_all(pool)
                .await
        )
        .map_err(in_table(TABLE))?;
        rows.into_iter().map(StoredLease::decode).collect()
    }
}
