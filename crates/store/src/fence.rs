//! Work that one process does at a time (fenced leases): who does it, until when, and
//! under which number.
//!
//! Every change of hands has a new number. A half of the store that was given a
//! [`Fence`] checks it in each transaction, which then holds the duty's row: whoever
//! was paused and has lost the duty meanwhile writes nothing, whatever its clock
//! says. Clocks decide only how soon another one takes over.

use crate::{
    db::{Db, Tx, on},
    error::{StoreError, in_table},
};
use primitives::Timestamp;
use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

const DUTY: &str = "duty";

/// No number: the duty is not held.
const NONE: i64 = 0;

/// A duty as one process has it. Clones share the number.
#[derive(Debug, Clone)]
pub struct Fence {
    db: Db,
    duty: &'static str,
    number: Arc<AtomicI64>,
}

/// Ends all duties of a half: whoever held them is gone.
pub(crate) async fn end_all(db: &Db) -> Result<(), StoreError> {
    on!(writer db, pool =>
        sqlx::query("UPDATE duty SET held_until = 0").execute(pool).await.map(drop)
    )
    .map_err(in_table(DUTY))
}

impl Fence {
    pub(crate) fn new(db: Db, duty: &'static str) -> Self {
        Self {
            db,
            duty,
            number: Arc::new(AtomicI64::new(NONE)),
        }
    }

    /// What it is called.
    pub fn duty(&self) -> &'static str {
        self.duty
    }

    /// The number under which the duty was taken, as far as is known.
    pub fn number(&self) -> Option<i64> {
        Some(self.number.load(Ordering::SeqCst)).filter(|number| *number != NONE)
    }

    /// Takes the duty, if nobody holds it at this time. Says whether that was done.
    pub async fn take(
        &self,
        holder: &str,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<bool, StoreError> {
        let number: Option<i64> = on!(writer &self.db, pool =>
            sqlx::query_scalar(
                "INSERT INTO duty (name, holder, number, held_until) VALUES ($1, $2, 1, $4)
                 ON CONFLICT (name) DO UPDATE
                 SET holder = excluded.holder, number = duty.number + 1,
                     held_until = excluded.held_until
                 WHERE duty.held_until <= $3
                 RETURNING number",
            )
            .bind(self.duty)
            .bind(holder)
            .bind(now.as_microsecond())
            .bind(until.as_microsecond())
            .fetch_optional(pool)
            .await
        )
        .map_err(in_table(DUTY))?;
        self.number.store(number.unwrap_or(NONE), Ordering::SeqCst);
        Ok(number.is_some())
    }

    /// Holds the duty for longer, unless another one has taken it: a time that has
    /// passed unnoticed by all others does no harm. Says whether it is still held.
    pub async fn renew(&self, until: Timestamp) -> Result<bool, StoreError> {
        self.hold_until(until).await
    }

    /// Lets others take the duty at once.
    pub async fn give_back(&self) -> Result<(), StoreError> {
        self.hold_until(Timestamp::UNIX_EPOCH).await?;
        self.number.store(NONE, Ordering::SeqCst);
        Ok(())
    }

    async fn hold_until(&self, until: Timestamp) -> Result<bool, StoreError> {
        let Some(number) = self.number() else {
            return Ok(false);
        };
        let held = on!(writer &self.db, pool =>
            sqlx::query("UPDATE duty SET held_until = $3 WHERE name = $1 AND number = $2")
                .bind(self.duty)
                .bind(number)
                .bind(until.as_microsecond())
                .execute(pool)
                .await
                .map(|done| done.rows_affected())
        )
        .map_err(in_table(DUTY))?;
        Ok(self.found(number, held))
    }

    /// Refuses what is not written under the newest number, and keeps the duty from
    /// changing hands until the transaction ends.
    pub(crate) async fn check(&self, tx: &mut Tx) -> Result<(), StoreError> {
        let duty = self.duty;
        let number = self.number().ok_or(StoreError::NotOnDuty { duty })?;
        // Whoever is paused in the middle must not keep others waiting for its locks.
        if let Tx::Postgres(transaction) = tx {
            sqlx::query("SET LOCAL idle_in_transaction_session_timeout = '2s'")
                .execute(&mut **transaction)
                .await?;
        }
        let held = on!(tx tx, connection =>
            sqlx::query("UPDATE duty SET number = number WHERE name = $1 AND number = $2")
                .bind(duty)
                .bind(number)
                .execute(connection)
                .await
                .map(|done| done.rows_affected())
        )
        .map_err(in_table(DUTY))?;
        if self.found(number, held) {
            Ok(())
        } else {
            Err(StoreError::NotOnDuty { duty })
        }
    }

    /// Forgets a number that the store does not have any more.
    fn found(&self, number: i64, rows: u64) -> bool {
        if rows == 0 {
            let order = Ordering::SeqCst;
            // Where it was taken anew meanwhile, that number stays.
            let _ = self.number.compare_exchange(number, NONE, order, order);
        }
        rows > 0
    }
}
