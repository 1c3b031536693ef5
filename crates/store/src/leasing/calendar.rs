//! Who has which epoch of a validator.
//!
//! One row for each epoch of which something is booked: a lease that has all of
//! it, or how many seats are taken. A claim is one guarded statement that
//! takes each of its epochs or leaves it; one that is left means that somebody
//! was there before, and the transaction is given up. Whoever claims or releases holds the
//! validator's lock ([`LedgerTx::lock_validator`]).

use super::{LedgerTx, columns};
use crate::{
    LedgerStore,
    db::on,
    error::{StoreError, in_table},
    row::row,
};
use leasing::{EpochWindow, LeaseState, Mode, Occupancy, PaymentKind, PaymentStatus};
use primitives::Ulid;
use sqlx::{AssertSqlSafe, QueryBuilder};

const TABLE: &str = "validator_epoch";

/// What is booked of an epoch of a validator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EpochRow {
    /// Of whom.
    pub validator: Ulid,
    /// Which epoch it is, and how much of it is taken.
    pub occupancy: Occupancy,
}

/// An epoch whose row is not what the leases make it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Drift {
    /// Of whom.
    pub validator: Ulid,
    /// By its number on the cluster.
    pub epoch: i32,
}

/// Which leases have which epochs: their own, those that a revoked one used, and
/// those that an extension holds until it is paid or lapses.
fn held() -> String {
    let states = LeaseState::ALL.into_iter();
    let words = states.filter(|state| state.holds_epochs());
    let words: Vec<_> = words.map(|state| format!("'{state}'")).collect();
    let (words, revoked) = (words.join(", "), LeaseState::Revoked);
    let (extension, open) = (PaymentKind::Extension, PaymentStatus::Open);
    format!(
        "SELECT validator_id, epoch_start AS epoch, epoch_end, id, mode FROM lease
         WHERE state IN ({words})
         UNION ALL
         SELECT validator_id, epoch_start, kept_until, id, mode FROM lease
         WHERE state = '{revoked}' AND kept_until > epoch_start
         UNION ALL
         SELECT l.validator_id, p.epoch_start, p.epoch_end, l.id, l.mode
         FROM payment AS p JOIN lease AS l ON l.id = p.lease_id
         WHERE p.kind = '{extension}' AND p.status = '{open}'"
    )
}

row! {
    struct StoredEpoch {
        validator_id: String,
        epoch: i64,
        exclusive_lease: Option<String>,
        shared_used: i64,
    }
}

impl LedgerTx {
    /// Takes all of the epochs for a lease. The first epoch of which something
    /// is booked already is told; the transaction must be given up then.
    pub async fn claim_exclusive(
        &mut self,
        validator: Ulid,
        window: EpochWindow,
        lease: Ulid,
    ) -> Result<Option<i32>, StoreError> {
        let claimed: Vec<i64> = on!(tx &mut self.0, connection =>
            sqlx::query_scalar(
                "WITH RECURSIVE span (epoch) AS (
                     SELECT CAST($2 AS BIGINT)
                     UNION ALL SELECT epoch + 1 FROM span WHERE epoch + 1 < $3
                 )
                 INSERT INTO validator_epoch (validator_id, epoch, exclusive_lease, shared_used)
                 SELECT $1, epoch, $4, 0 FROM span WHERE true
                 ON CONFLICT (validator_id, epoch) DO UPDATE
                 SET exclusive_lease = excluded.exclusive_lease
                 WHERE validator_epoch.exclusive_lease IS NULL
                   AND validator_epoch.shared_used = 0
                 RETURNING epoch",
            )
            .bind(validator.to_string())
            .bind(i64::from(window.start()))
            .bind(i64::from(window.end()))
            .bind(lease.to_string())
            .fetch_all(connection)
            .await
        )
        .map_err(in_table(TABLE))?;
        Ok(first_missing(&claimed, window))
    }

    /// Takes a seat in each of the epochs. The first epoch that has none of
    /// `seats` left is told; the transaction must be given up then.
    pub async fn claim_seat(
        &mut self,
        validator: Ulid,
        window: EpochWindow,
        seats: u32,
    ) -> Result<Option<i32>, StoreError> {
        let claimed: Vec<i64> = on!(tx &mut self.0, connection =>
            sqlx::query_scalar(
                "WITH RECURSIVE span (epoch) AS (
                     SELECT CAST($2 AS BIGINT)
                     UNION ALL SELECT epoch + 1 FROM span WHERE epoch + 1 < $3
                 )
                 INSERT INTO validator_epoch (validator_id, epoch, exclusive_lease, shared_used)
                 SELECT $1, epoch, NULL, 1 FROM span WHERE true
                 ON CONFLICT (validator_id, epoch) DO UPDATE
                 SET shared_used = validator_epoch.shared_used + 1
                 WHERE validator_epoch.exclusive_lease IS NULL
                   AND validator_epoch.shared_used < $4
                 RETURNING epoch",
            )
            .bind(validator.to_string())
            .bind(i64::from(window.start()))
            .bind(i64::from(window.end()))
            .bind(i64::from(seats))
            .fetch_all(connection)
            .await
        )
        .map_err(in_table(TABLE))?;
        Ok(first_missing(&claimed, window))
    }

    /// Gives the epochs of a lease back. Fewer than it has are
    /// [`StoreError::Corrupt`].
    pub async fn release(
        &mut self,
        validator: Ulid,
        window: EpochWindow,
        lease: Ulid,
        mode: Mode,
    ) -> Result<(), StoreError> {
        // Both texts name the lease, so that one list of values serves both.
        let release = match mode {
            Mode::Exclusive => {
                "UPDATE validator_epoch SET exclusive_lease = NULL
                 WHERE validator_id = $1 AND epoch >= $2 AND epoch < $3 AND exclusive_lease = $4"
            }
            Mode::Shared => {
                "UPDATE validator_epoch SET shared_used = shared_used - 1
                 WHERE validator_id = $1 AND epoch >= $2 AND epoch < $3 AND shared_used > 0
                   AND CAST($4 AS TEXT) IS NOT NULL"
            }
        };
        let released = on!(tx &mut self.0, connection =>
            sqlx::query(release)
                .bind(validator.to_string())
                .bind(i64::from(window.start()))
                .bind(i64::from(window.end()))
                .bind(lease.to_string())
                .execute(connection)
                .await
                .map(|done| done.rows_affected())
        )
        .map_err(in_table(TABLE))?;
        if !is_all(released, window) {
            return Err(columns(TABLE)("epoch").corrupt());
        }
        on!(tx &mut self.0, connection =>
            sqlx::query(
                "DELETE FROM validator_epoch
                 WHERE validator_id = $1 AND epoch >= $2 AND epoch < $3
                   AND exclusive_lease IS NULL AND shared_used = 0",
            )
            .bind(validator.to_string())
            .bind(i64::from(window.start()))
            .bind(i64::from(window.end()))
            .execute(connection)
            .await
            .map(drop)
        )
        .map_err(in_table(TABLE))
    }

    /// A lease other than `besides` that has some of the epochs, the earliest.
    pub async fn holder_within(
        &mut self,
        validator: Ulid,
        window: EpochWindow,
        besides: Ulid,
    ) -> Result<Option<Ulid>, StoreError> {
        let holder: Option<String> = on!(tx &mut self.0, connection =>
            sqlx::query_scalar(AssertSqlSafe(format!(
                "SELECT id FROM ({}) AS held
                 WHERE validator_id = $1 AND epoch < $3 AND epoch_end > $2 AND id <> $4
                 ORDER BY epoch, id LIMIT 1",
                held(),
            )))
            .bind(validator.to_string())
            .bind(i64::from(window.start()))
            .bind(i64::from(window.end()))
            .bind(besides.to_string())
            .fetch_optional(connection)
            .await
        )
        .map_err(in_table("lease"))?;
        columns("lease")("id").ids(holder.as_deref())
    }
}

/// The first epoch of a window that is not among the claimed ones.
fn first_missing(claimed: &[i64], window: EpochWindow) -> Option<i32> {
    let mut epochs = window.epochs();
    epochs.find(|epoch| !claimed.contains(&i64::from(*epoch)))
}

/// Whether a statement touched every epoch of a window.
fn is_all(rows: u64, window: EpochWindow) -> bool {
    i64::try_from(rows).is_ok_and(|rows| rows == i64::from(window.count()))
}

impl StoredEpoch {
    fn decode(self) -> Result<EpochRow, StoreError> {
        let column = columns(TABLE);
        Ok(EpochRow {
            validator: column("validator_id").id(&self.validator_id)?,
            occupancy: Occupancy {
                epoch: column("epoch").narrow(self.epoch)?,
                exclusive: self.exclusive_lease.is_some(),
                shared_used: column("shared_used").narrow(self.shared_used)?,
            },
        })
    }
}

row! {
    struct StoredDrift {
        validator_id: String,
        epoch: i64,
    }
}

impl LedgerStore {
    /// What is booked of some validators from one epoch to another, which is
    /// not part of it.
    pub async fn booked(
        &self,
        validators: &[Ulid],
        from: i32,
        to: i32,
    ) -> Result<Vec<EpochRow>, StoreError> {
        if validators.is_empty() {
            return Ok(Vec::new());
        }
        let rows: Vec<StoredEpoch> = on!(reader self.db(), pool => {
            let mut select =
                QueryBuilder::new("SELECT * FROM validator_epoch WHERE validator_id IN (");
            let mut list = select.separated(", ");
            for validator in validators {
                list.push_bind(validator.to_string());
            }
            select.push(") AND epoch >= ").push_bind(i64::from(from));
            select.push(" AND epoch < ").push_bind(i64::from(to));
            select.build_query_as().fetch_all(pool).await
        })
        .map_err(in_table(TABLE))?;
        rows.into_iter().map(StoredEpoch::decode).collect()
    }

    /// Epochs whose rows are not what the leases make them, at most `limit`.
    /// There are none, or there is a bug.
    pub async fn calendar_drift(&self, limit: u16) -> Result<Vec<Drift>, StoreError> {
        let rows: Vec<StoredDrift> = on!(reader self.db(), pool =>
            sqlx::query_as(AssertSqlSafe(format!(
                "WITH RECURSIVE held (validator_id, epoch, epoch_end, id, mode) AS (
                     {}
                     UNION ALL
                     SELECT validator_id, epoch + 1, epoch_end, id, mode FROM held
                     WHERE epoch + 1 < epoch_end
                 ), wanted AS (
                     SELECT validator_id, epoch,
                            MAX(CASE WHEN mode = 'exclusive' THEN id END) AS lease,
                            SUM(CASE WHEN mode = 'exclusive' THEN 1 ELSE 0 END) AS leases,
                            SUM(CASE WHEN mode = 'shared' THEN 1 ELSE 0 END) AS seats
                     FROM held GROUP BY validator_id, epoch
                 )
                 SELECT COALESCE(w.validator_id, e.validator_id) AS validator_id,
                        COALESCE(w.epoch, e.epoch) AS epoch
                 FROM wanted AS w FULL JOIN validator_epoch AS e
                   ON w.validator_id = e.validator_id AND w.epoch = e.epoch
                 WHERE COALESCE(w.lease, '') <> COALESCE(e.exclusive_lease, '')
                    OR COALESCE(w.leases, 0) > 1
                    OR COALESCE(w.seats, 0) <> COALESCE(e.shared_used, 0)
                 ORDER BY 1, 2 LIMIT $1",
                held(),
            )))
            .bind(i64::from(limit))
            .fetch_all(pool)
            .await
        )
        .map_err(in_table(TABLE))?;
        let column = columns(TABLE);
        rows.into_iter()
            .map(|row| {
                Ok(Drift {
                    validator: column("validator_id").id(&row.validator_id)?,
                    epoch: column("epoch").narrow(row.epoch)?,
                })
            })
            .collect()
    }
}
