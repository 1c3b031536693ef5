//! Refunds: what is owed to people who paid.

use super::{
    LedgerTx, columns,
    payment::{COLUMNS, NewPayment, StoredPayment, TABLE},
};
use crate::{
    LedgerStore,
    db::on,
    error::{StoreError, in_table},
    row::row,
};
use leasing::{Debtor, Memo, PaymentKind, PaymentStatus, Refund, RefundStage};
use primitives::{Signature, Timestamp, Ulid};
use sqlx::{AssertSqlSafe, QueryBuilder};

/// Until when what is owed can be paid: the end of the calendar, as good as.
const NEVER: Timestamp = Timestamp::constant(253_370_764_800, 0);

/// Which refunds are looked for, the newest first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RefundQuery {
    /// Owed by the validators of this owner.
    pub owner: Option<Ulid>,
    /// Standing like this.
    pub status: Option<PaymentStatus>,
    /// Before this one.
    pub after: Option<Ulid>,
    /// At most so many.
    pub limit: u16,
}

row! {
    struct StoredRefund {
        id: String,
        lease_id: String,
        of_memo: String,
        of_signature: Option<Vec<u8>>,
        debtor: String,
        created_at: i64,
        payout_of: Vec<u8>,
        platform_of: Vec<u8>,
        ..payment: StoredPayment,
    }
}

impl StoredRefund {
    fn decode(self) -> Result<Refund, StoreError> {
        let column = columns(TABLE);
        let stage = RefundStage::restore(self.payment.status()?, self.payment.receipt()?);
        let debtor = column("debtor").word(&self.debtor)?;
        let owing = match debtor {
            Debtor::Validator => column("payout_wallet").key(&self.payout_of)?,
            Debtor::Platform => column("platform_wallet").key(&self.platform_of)?,
        };
        Ok(Refund {
            id: column("id").id(&self.id)?,
            lease: column("lease_id").id(&self.lease_id)?,
            of: column("of_memo").word(&self.of_memo)?,
            stray: self
                .of_signature
                .map(|signature| column("of_signature").signature(&signature))
                .transpose()?,
            debtor,
            owing,
            payment: self.payment.payment()?,
            created_at: column("created_at").time(self.created_at)?,
            stage: stage.ok_or_else(|| column("status").corrupt())?,
        })
    }
}

/// The statement that finds the refunds `p` of a condition of ours.
fn select(condition: &str) -> String {
    let kind = PaymentKind::Refund;
    format!(
        "SELECT p.id, p.lease_id, p.of_memo, p.of_signature, p.debtor, p.created_at,
                o.payout_wallet AS payout_of, o.platform_wallet AS platform_of, {COLUMNS}
         FROM payment AS p
         JOIN payment AS o ON o.memo = p.of_memo
         JOIN lease AS l ON l.id = p.lease_id
         JOIN validator AS v ON v.id = l.validator_id
         WHERE p.kind = '{kind}' AND {condition}"
    )
}

impl LedgerTx {
    /// Adds a refund that is owed: for as long as it takes.
    pub async fn insert_refund(&mut self, refund: &Refund) -> Result<(), StoreError> {
        self.insert_payment(&NewPayment {
            kind: PaymentKind::Refund,
            id: Some(refund.id),
            lease: refund.lease,
            payment: &refund.payment,
            created_at: refund.created_at,
            pay_until: NEVER,
            epochs: None,
            owed: Some((&refund.of, refund.debtor)),
            stray: refund.stray,
        })
        .await
    }

    /// Writes the stage of a refund over the one that it had before. `false` if
    /// it is no longer there; the transaction must be given up then.
    pub async fn update_refund(
        &mut self,
        before: &Refund,
        after: &Refund,
    ) -> Result<bool, StoreError> {
        let (old, new) = (before.stage.payment_status(), after.stage.payment_status());
        let memo = before.payment.memo();
        self.move_payment(memo, old, new, after.stage.receipt())
            .await
    }

    /// The refund that a memo pays.
    pub async fn refund(&mut self, memo: &Memo) -> Result<Option<Refund>, StoreError> {
        let row: Option<StoredRefund> = on!(tx &mut self.0, connection =>
            sqlx::query_as(AssertSqlSafe(select("p.memo = $1")))
                .bind(memo.as_str())
                .fetch_optional(connection)
                .await
        )
        .map_err(in_table(TABLE))?;
        row.map(StoredRefund::decode).transpose()
    }
}

impl LedgerStore {
    /// The refund that a memo pays.
    pub async fn refund(&self, memo: &Memo) -> Result<Option<Refund>, StoreError> {
        let row: Option<StoredRefund> = on!(reader self.db(), pool =>
            sqlx::query_as(AssertSqlSafe(select("p.memo = $1")))
                .bind(memo.as_str())
                .fetch_optional(pool)
                .await
        )
        .map_err(in_table(TABLE))?;
        row.map(StoredRefund::decode).transpose()
    }

    /// The refunds of a lease, in the order of its epochs, the validator's first,
    /// those of strays after those of purchases; 1,000 at most.
    pub async fn refunds_of(&self, lease: Ulid) -> Result<Vec<Refund>, StoreError> {
        let rows: Vec<StoredRefund> = on!(reader self.db(), pool =>
            sqlx::query_as(AssertSqlSafe(select("p.lease_id = $1 ORDER BY o.epoch_start, p.of_signature IS NOT NULL, p.debtor DESC, p.id LIMIT 1000")))
                .bind(lease.to_string())
                .fetch_all(pool)
                .await
        )
        .map_err(in_table(TABLE))?;
        rows.into_iter().map(StoredRefund::decode).collect()
    }

    /// The refunds of what a transaction brought that paid for nothing.
    pub async fn refunds_of_stray(&self, stray: Signature) -> Result<Vec<Refund>, StoreError> {
        let rows: Vec<StoredRefund> = on!(reader self.db(), pool =>
            sqlx::query_as(AssertSqlSafe(select("p.of_signature = $1 ORDER BY p.id")))
                .bind(stray.as_bytes().as_slice())
                .fetch_all(pool)
                .await
        )
        .map_err(in_table(TABLE))?;
        rows.into_iter().map(StoredRefund::decode).collect()
    }

    /// Refunds, the newest first.
    pub async fn refunds(&self, query: &RefundQuery) -> Result<Vec<Refund>, StoreError> {
        let validator = Debtor::Validator;
        let rows: Vec<StoredRefund> = on!(reader self.db(), pool => {
            let mut select = QueryBuilder::new(select("true"));
            if let Some(owner) = query.owner {
                select.push(format!(" AND p.debtor = '{validator}' AND v.owner_id = "));
                select.push_bind(owner.to_string());
            }
            if let Some(status) = query.status {
                select.push(" AND p.status = ").push_bind(status.as_str());
            }
            if let Some(after) = query.after {
                select.push(" AND p.id < ").push_bind(after.to_string());
            }
            select.push(" ORDER BY p.id DESC LIMIT ").push_bind(i64::from(query.limit));
            select.build_query_as().fetch_all(pool).await
        })
        .map_err(in_table(TABLE))?;
        rows.into_iter().map(StoredRefund::decode).collect()
    }
}
