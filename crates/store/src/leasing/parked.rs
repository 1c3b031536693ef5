//! Transactions that a node lists and cannot show. They are kept until it can.

use super::{LedgerTx, columns};
use crate::{
    LedgerStore,
    db::on,
    error::{StoreError, in_table},
    row::row,
};
use primitives::{Signature, Timestamp};

const TABLE: &str = "parked_transaction";

/// A transaction that waits to be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParkedRow {
    /// Its name.
    pub signature: Signature,
    /// Since when it waits.
    pub since: Timestamp,
    /// How often it was asked for.
    pub tries: u64,
    /// When it is asked for again.
    pub retry_at: Timestamp,
}

/// How many wait, and since when the oldest does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Parked {
    /// How many.
    pub count: u64,
    /// Since when.
    pub oldest: Option<Timestamp>,
}

row! {
    struct StoredParked {
        signature: Vec<u8>,
        since: i64,
        tries: i64,
        retry_at: i64,
    }
}

impl StoredParked {
    fn decode(self) -> Result<ParkedRow, StoreError> {
        let column = columns(TABLE);
        Ok(ParkedRow {
            signature: column("signature").signature(&self.signature)?,
            since: column("since").time(self.since)?,
            tries: column("tries").counter(self.tries)?,
            retry_at: column("retry_at").time(self.retry_at)?,
        })
    }
}

impl LedgerTx {
    /// Lets a transaction wait, or wait longer.
    pub async fn park(&mut self, row: &ParkedRow) -> Result<(), StoreError> {
        let tries = columns(TABLE)("tries").to_stored(row.tries)?;
        on!(tx &mut self.0, connection =>
            sqlx::query(
                "INSERT INTO parked_transaction (signature, since, tries, retry_at)
                 VALUES ($1, $2, $3, $4)
                 ON CONFLICT (signature) DO UPDATE
                 SET tries = excluded.tries, retry_at = excluded.retry_at",
            )
            .bind(row.signature.as_bytes().as_slice())
            .bind(row.since.as_microsecond())
            .bind(tries)
            .bind(row.retry_at.as_microsecond())
            .execute(connection)
            .await
            .map(drop)
        )
        .map_err(in_table(TABLE))
    }

    /// A transaction waits no more. `false` if it did not wait.
    pub async fn unpark(&mut self, signature: Signature) -> Result<bool, StoreError> {
        let gone = on!(tx &mut self.0, connection =>
            sqlx::query("DELETE FROM parked_transaction WHERE signature = $1")
                .bind(signature.as_bytes().as_slice())
                .execute(connection)
                .await
                .map(|done| done.rows_affected())
        )
        .map_err(in_table(TABLE))?;
        Ok(gone == 1)
    }
}

impl LedgerStore {
    /// Transactions that are to be asked for again by now, the most overdue
    /// first.
    pub async fn parked_until(
        &self,
        now: Timestamp,
        limit: u16,
    ) -> Result<Vec<ParkedRow>, StoreError> {
        let rows: Vec<StoredParked> = on!(reader self.db(), pool =>
            sqlx::query_as(
                "SELECT * FROM parked_transaction WHERE retry_at <= $1
                 ORDER BY retry_at, signature LIMIT $2",
            )
            .bind(now.as_microsecond())
            .bind(i64::from(limit))
            .fetch_all(pool)
            .await
        )
        .map_err(in_table(TABLE))?;
        rows.into_iter().map(StoredParked::decode).collect()
    }

    /// How many transactions wait.
    pub async fn parked(&self) -> Result<Parked, StoreError> {
        let (count, oldest): (i64, Option<i64>) = on!(reader self.db(), pool =>
            sqlx::query_as("SELECT COUNT(*), MIN(since) FROM parked_transaction")
                .fetch_one(pool)
                .await
        )
        .map_err(in_table(TABLE))?;
        let column = columns(TABLE);
        Ok(Parked {
            count: column("signature").counter(count)?,
            oldest: column("since").times(oldest)?,
        })
    }
}
