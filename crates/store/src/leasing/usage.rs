//! The use of leases: reports, each once, and their sums. One statement writes
//! all rows of a table.

use super::{LedgerTx, columns};
use crate::{
    LedgerStore,
    db::on,
    error::{StoreError, in_table},
    row::row,
};
use leasing::{LeaseState, Usage, UsageReport};
use primitives::{Timestamp, Ulid};
use sqlx::QueryBuilder;
use std::collections::{BTreeMap, BTreeSet};

const REPORT: &str = "usage_report";
const LEASE: &str = "lease_usage";
const DAY: &str = "lease_usage_day";

/// A lease, as far as a report of its use depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsedLease {
    /// The lease.
    pub id: Ulid,
    /// Of whom.
    pub validator: Ulid,
    /// Where it stands.
    pub state: LeaseState,
}

/// The use of a lease in a day, which is counted from 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsageDay {
    /// Days since 1970-01-01, in UTC.
    pub day: i64,
    /// What was used.
    pub usage: Usage,
}

row! {
    struct StoredLease {
        id: String,
        validator_id: String,
        state: String,
    }
}

row! {
    struct StoredUsage {
        day: i64,
        signs: i64,
        failed: i64,
    }
}

impl StoredUsage {
    fn decode(self, table: &'static str) -> Result<UsageDay, StoreError> {
        let column = columns(table);
        Ok(UsageDay {
            day: self.day,
            usage: Usage {
                signs: column("signs").counter(self.signs)?,
                failed: column("failed").counter(self.failed)?,
            },
        })
    }
}

/// Counts as they are stored.
fn stored(table: &'static str, usage: Usage) -> Result<(i64, i64), StoreError> {
    let column = columns(table);
    let signs = column("signs").to_stored(usage.signs)?;
    Ok((signs, column("failed").to_stored(usage.failed)?))
}

impl LedgerTx {
    /// Writes the reports of a validator, at most 1024, and tells which of them
    /// were not there before. They come in the order of their ids, so that two
    /// who write the same do not wait for each other.
    pub async fn insert_reports<'a>(
        &mut self,
        validator: Ulid,
        reports: impl Iterator<Item = &'a UsageReport>,
        at: Timestamp,
    ) -> Result<BTreeSet<Ulid>, StoreError> {
        let counted = |report: &'a UsageReport| Ok((report, stored(REPORT, report.usage)?));
        let rows: Vec<_> = reports.map(counted).collect::<Result<_, StoreError>>()?;
        if rows.is_empty() {
            return Ok(BTreeSet::new());
        }
        let (validator, at) = (validator.to_string(), at.as_microsecond());
        let new: Vec<String> = on!(tx &mut self.0, connection => {
            let mut insert = QueryBuilder::new(
                "INSERT INTO usage_report
                 (validator_id, id, lease_id, window_start, window_end, signs, failed,
                  received_at) ",
            );
            insert.push_values(&rows, |mut row, (report, (signs, failed))| {
                row.push_bind(&validator)
                    .push_bind(report.id.to_string())
                    .push_bind(report.lease.to_string())
                    .push_bind(report.from.as_microsecond())
                    .push_bind(report.to.as_microsecond())
                    .push_bind(*signs)
                    .push_bind(*failed)
                    .push_bind(at);
            });
            insert.push(" ON CONFLICT (validator_id, id) DO NOTHING RETURNING id");
            insert.build_query_scalar().persistent(false).fetch_all(connection).await
        })
        .map_err(in_table(REPORT))?;
        new.iter().map(|id| columns(REPORT)("id").id(id)).collect()
    }

    /// Forgets some reports that came before a time. Returns how many.
    pub async fn forget_reports(
        &mut self,
        before: Timestamp,
        limit: u16,
    ) -> Result<u64, StoreError> {
        on!(tx &mut self.0, connection =>
            sqlx::query(
                "DELETE FROM usage_report WHERE (validator_id, id) IN (
                     SELECT validator_id, id FROM usage_report WHERE received_at < $1
                     ORDER BY received_at LIMIT $2)",
            )
            .bind(before.as_microsecond())
            .bind(i64::from(limit))
            .execute(connection)
            .await
            .map(|done| done.rows_affected())
        )
        .map_err(in_table(REPORT))
    }

    /// Adds to the sums of leases. `false` if one would be more than can be
    /// kept: then nothing of the transaction may stay.
    pub async fn add_usage(&mut self, sums: &BTreeMap<Ulid, Usage>) -> Result<bool, StoreError> {
        let counted = |(lease, usage): (&Ulid, &Usage)| Ok((*lease, stored(LEASE, *usage)?));
        let rows: Vec<_> = sums
            .iter()
            .map(counted)
            .collect::<Result<_, StoreError>>()?;
        if rows.is_empty() {
            return Ok(true);
        }
        let written = on!(tx &mut self.0, connection => {
            let mut insert = QueryBuilder::new("INSERT INTO lease_usage (lease_id, signs, failed) ");
            insert.push_values(&rows, |mut row, (lease, (signs, failed))| {
                row.push_bind(lease.to_string()).push_bind(*signs).push_bind(*failed);
            });
            insert.push(
                " ON CONFLICT (lease_id) DO UPDATE
                  SET signs = lease_usage.signs + excluded.signs,
                      failed = lease_usage.failed + excluded.failed
                  WHERE lease_usage.signs <= 9223372036854775807 - excluded.signs
                    AND lease_usage.failed <= 9223372036854775807 - excluded.failed",
            );
            let done = insert.build().persistent(false).execute(connection).await;
            done.map(|done| done.rows_affected())
        })
        .map_err(in_table(LEASE))?;
        Ok(usize::try_from(written).is_ok_and(|written| written == rows.len()))
    }

    /// Adds to the sums of leases and days, which are part of those of leases.
    pub async fn add_usage_days(
        &mut self,
        sums: &BTreeMap<(Ulid, i64), Usage>,
    ) -> Result<(), StoreError> {
        let counted = |(key, usage): (&(Ulid, i64), &Usage)| Ok((*key, stored(DAY, *usage)?));
        let rows: Vec<_> = sums
            .iter()
            .map(counted)
            .collect::<Result<_, StoreError>>()?;
        if rows.is_empty() {
            return Ok(());
        }
        on!(tx &mut self.0, connection => {
            let mut insert =
                QueryBuilder::new("INSERT INTO lease_usage_day (lease_id, day, signs, failed) ");
            insert.push_values(&rows, |mut row, ((lease, day), (signs, failed))| {
                row.push_bind(lease.to_string())
                    .push_bind(*day)
                    .push_bind(*signs)
                    .push_bind(*failed);
            });
            insert.push(
                " ON CONFLICT (lease_id, day) DO UPDATE
                  SET signs = lease_usage_day.signs + excluded.signs,
                      failed = lease_usage_day.failed + excluded.failed",
            );
            insert.build().persistent(false).execute(connection).await.map(drop)
        })
        .map_err(in_table(DAY))
    }
}

impl LedgerStore {
    /// Those of some leases, at most 1024, that there are.
    pub async fn used_leases(&self, ids: &BTreeSet<Ulid>) -> Result<Vec<UsedLease>, StoreError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let rows: Vec<StoredLease> = on!(reader self.db(), pool => {
            let mut select =
                QueryBuilder::new("SELECT id, validator_id, state FROM lease WHERE id IN (");
            let mut list = select.separated(", ");
            for id in ids {
                list.push_bind(id.to_string());
            }
            select.push(")");
            select.build_query_as().persistent(false).fetch_all(pool).await
        })
        .map_err(in_table("lease"))?;
        let column = columns("lease");
        let decode = |row: StoredLease| {
            Ok(UsedLease {
                id: column("id").id(&row.id)?,
                validator: column("validator_id").id(&row.validator_id)?,
                state: column("state").word(&row.state)?,
            })
        };
        rows.into_iter().map(decode).collect()
    }

    /// How much a lease was used.
    pub async fn usage_of(&self, lease: Ulid) -> Result<Usage, StoreError> {
        let row: Option<StoredUsage> = on!(reader self.db(), pool =>
            sqlx::query_as("SELECT CAST(0 AS BIGINT) AS day, signs, failed FROM lease_usage WHERE lease_id = $1")
                .bind(lease.to_string())
                .fetch_optional(pool)
                .await
        )
        .map_err(in_table(LEASE))?;
        let usage = row.map(|row| row.decode(LEASE)).transpose()?;
        Ok(usage.map_or_else(Usage::default, |row| row.usage))
    }

    /// The days in which a lease was used, the latest first.
    pub async fn usage_days(&self, lease: Ulid, limit: u16) -> Result<Vec<UsageDay>, StoreError> {
        let rows: Vec<StoredUsage> = on!(reader self.db(), pool =>
            sqlx::query_as(
                "SELECT day, signs, failed FROM lease_usage_day WHERE lease_id = $1
                 ORDER BY day DESC LIMIT $2",
            )
            .bind(lease.to_string())
            .bind(i64::from(limit))
            .fetch_all(pool)
            .await
        )
        .map_err(in_table(DAY))?;
        rows.into_iter().map(|row| row.decode(DAY)).collect()
    }
}
