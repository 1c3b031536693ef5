//! Extensions of leases.

use super::{
    LedgerTx, columns,
    payment::{COLUMNS, NewPayment, StoredPayment, TABLE, window},
};
use crate::{
    LedgerStore,
    db::on,
    error::{StoreError, in_table},
    row::row,
};
use leasing::{Extension, ExtensionStage, Memo, PaymentKind, PaymentStatus};
use primitives::Ulid;
use sqlx::AssertSqlSafe;

row! {
    struct StoredExtension {
        id: String,
        lease_id: String,
        epoch_start: i64,
        epoch_end: i64,
        price: i64,
        created_at: i64,
        ..payment: StoredPayment,
    }
}

impl StoredExtension {
    fn decode(self) -> Result<Extension, StoreError> {
        let column = columns(TABLE);
        let stage = ExtensionStage::restore(self.payment.status()?, self.payment.receipt()?);
        Ok(Extension {
            id: column("id").id(&self.id)?,
            lease: column("lease_id").id(&self.lease_id)?,
            window: window(self.epoch_start, self.epoch_end)?,
            price: column("price").lamports(self.price)?,
            created_at: column("created_at").time(self.created_at)?,
            payment: self.payment.payment()?,
            pay_until: self.payment.pay_until()?,
            stage: stage.ok_or_else(|| column("status").corrupt())?,
        })
    }
}

/// The statement that finds the extensions `p` of a condition of ours.
fn select(condition: &str) -> AssertSqlSafe<String> {
    let kind = PaymentKind::Extension;
    AssertSqlSafe(format!(
        "SELECT p.id, p.lease_id, p.epoch_start, p.epoch_end, p.price, p.created_at, {COLUMNS}
         FROM payment AS p WHERE p.kind = '{kind}' AND {condition}"
    ))
}

impl LedgerTx {
    /// Adds an extension that waits for its payment.
    pub async fn insert_extension(&mut self, extension: &Extension) -> Result<(), StoreError> {
        self.insert_payment(&NewPayment {
            kind: PaymentKind::Extension,
            id: Some(extension.id),
            lease: extension.lease,
            payment: &extension.payment,
            created_at: extension.created_at,
            pay_until: extension.pay_until,
            epochs: Some((extension.window, extension.price)),
            owed: None,
            stray: None,
        })
        .await
    }

    /// Writes the stage of an extension over the one that it had before. `false`
    /// if it is no longer there; the transaction must be given up then.
    pub async fn update_extension(
        &mut self,
        before: &Extension,
        after: &Extension,
    ) -> Result<bool, StoreError> {
        let (old, new) = (before.stage.payment_status(), after.stage.payment_status());
        let memo = before.payment.memo();
        self.move_payment(memo, old, new, after.stage.receipt())
            .await
    }

    /// The extension that a memo pays.
    pub async fn extension(&mut self, memo: &Memo) -> Result<Option<Extension>, StoreError> {
        let row: Option<StoredExtension> = on!(tx &mut self.0, connection =>
            sqlx::query_as(select("p.memo = $1"))
                .bind(memo.as_str())
                .fetch_optional(connection)
                .await
        )
        .map_err(in_table(TABLE))?;
        row.map(StoredExtension::decode).transpose()
    }

    /// The extension of a lease that waits for its payment.
    pub async fn open_extension(&mut self, lease: Ulid) -> Result<Option<Extension>, StoreError> {
        let open = PaymentStatus::Open;
        let found = select(&format!("p.lease_id = $1 AND p.status = '{open}'"));
        let row: Option<StoredExtension> = on!(tx &mut self.0, connection =>
            sqlx::query_as(found).bind(lease.to_string()).fetch_optional(connection).await
        )
        .map_err(in_table(TABLE))?;
        row.map(StoredExtension::decode).transpose()
    }

    /// How many extensions of a lease were ever asked for.
    pub async fn count_extensions(&mut self, lease: Ulid) -> Result<u64, StoreError> {
        let count: i64 = on!(tx &mut self.0, connection =>
            sqlx::query_scalar(COUNT).bind(lease.to_string()).fetch_one(connection).await
        )
        .map_err(in_table(TABLE))?;
        columns(TABLE)("id").counter(count)
    }
}

const COUNT: &str = "SELECT COUNT(*) FROM payment WHERE lease_id = $1 AND kind = 'extension'";

impl LedgerStore {
    /// The extension that a memo pays.
    pub async fn extension(&self, memo: &Memo) -> Result<Option<Extension>, StoreError> {
        let row: Option<StoredExtension> = on!(reader self.db(), pool =>
            sqlx::query_as(select("p.memo = $1"))
                .bind(memo.as_str())
                .fetch_optional(pool)
                .await
        )
        .map_err(in_table(TABLE))?;
        row.map(StoredExtension::decode).transpose()
    }

    /// The extensions of a lease, the newest first.
    pub async fn extensions_of(
        &self,
        lease: Ulid,
        limit: u16,
    ) -> Result<Vec<Extension>, StoreError> {
        let rows: Vec<StoredExtension> = on!(reader self.db(), pool =>
            sqlx::query_as(select("p.lease_id = $1 ORDER BY p.id DESC LIMIT $2"))
                .bind(lease.to_string())
                .bind(i64::from(limit))
                .fetch_all(pool)
                .await
        )
        .map_err(in_table(TABLE))?;
        rows.into_iter().map(StoredExtension::decode).collect()
    }

    /// How many extensions of a lease were ever asked for.
    pub async fn count_extensions(&self, lease: Ulid) -> Result<u64, StoreError> {
        let count: i64 = on!(reader self.db(), pool =>
            sqlx::query_scalar(COUNT).bind(lease.to_string()).fetch_one(pool).await
        )
        .map_err(in_table(TABLE))?;
        columns(TABLE)("id").counter(count)
    }
}
