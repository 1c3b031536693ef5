//! Payments of every kind: of bookings, of extensions, and refunds.

use super::{LedgerTx, columns};
use crate::{
    LedgerStore,
    db::on,
    error::{StoreError, in_table},
    row::row,
};
use leasing::{
    Debtor, EpochWindow, Lease, Leg, Memo, Payment, PaymentKind, PaymentStatus, Purchase, Receipt,
};
use primitives::{Lamports, PublicKey, Signature, Timestamp, Ulid};
use sqlx::{AssertSqlSafe, QueryBuilder};

pub(super) const TABLE: &str = "payment";

/// The columns of [`StoredPayment`], of a payment `p`.
pub(super) const COLUMNS: &str = "p.memo, p.status, p.share, p.fee, p.payout_wallet,
        p.platform_wallet, p.expires_at, p.signature, p.slot, p.payer, p.surplus, p.settled_at";

row! {
    /// What all payments have.
    pub(super) struct StoredPayment {
        memo: String,
        status: String,
        share: i64,
        fee: i64,
        payout_wallet: Vec<u8>,
        platform_wallet: Vec<u8>,
        expires_at: i64,
        signature: Option<Vec<u8>>,
        slot: Option<i64>,
        payer: Option<Vec<u8>>,
        surplus: Option<i64>,
        settled_at: Option<i64>,
    }
}

impl StoredPayment {
    pub(super) fn payment(&self) -> Result<Payment, StoreError> {
        let column = columns(TABLE);
        let payout = Leg {
            wallet: column("payout_wallet").key(&self.payout_wallet)?,
            amount: column("share").lamports(self.share)?,
        };
        let platform = Leg {
            wallet: column("platform_wallet").key(&self.platform_wallet)?,
            amount: column("fee").lamports(self.fee)?,
        };
        let memo = column("memo").word(&self.memo)?;
        Payment::new(memo, payout, platform).map_err(|_| column("share").corrupt())
    }

    pub(super) fn status(&self) -> Result<PaymentStatus, StoreError> {
        columns(TABLE)("status").word(&self.status)
    }

    pub(super) fn pay_until(&self) -> Result<Timestamp, StoreError> {
        columns(TABLE)("expires_at").time(self.expires_at)
    }

    pub(super) fn receipt(&self) -> Result<Option<Receipt>, StoreError> {
        let column = columns(TABLE);
        Ok(
            match (&self.signature, &self.payer, self.slot, self.settled_at) {
                (Some(signature), Some(payer), Some(slot), Some(at)) => Some(Receipt {
                    signature: column("signature").signature(signature)?,
                    payer: column("payer").key(payer)?,
                    slot: column("slot").counter(slot)?,
                    surplus: column("surplus").lamports(self.surplus.unwrap_or(0))?,
                    at: column("settled_at").time(at)?,
                }),
                _ => None,
            },
        )
    }
}

/// A payment, and what it is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedPayment {
    /// What kind of thing.
    pub kind: PaymentKind,
    /// The lease that is booked or extended, or of which something is owed.
    pub lease: Ulid,
    /// Whose validator.
    pub validator: Ulid,
    /// What is asked for.
    pub payment: Payment,
    /// Until when.
    pub pay_until: Timestamp,
}

row! {
    struct StoredName {
        kind: String,
        lease_id: String,
        validator_id: String,
        ..payment: StoredPayment,
    }
}

impl StoredName {
    fn decode(self) -> Result<NamedPayment, StoreError> {
        let column = columns(TABLE);
        Ok(NamedPayment {
            kind: column("kind").word(&self.kind)?,
            lease: column("lease_id").id(&self.lease_id)?,
            validator: columns("lease")("validator_id").id(&self.validator_id)?,
            payment: self.payment.payment()?,
            pay_until: self.payment.pay_until()?,
        })
    }
}

/// The statement that finds the payments `p` of a condition of ours.
fn select(condition: &str) -> String {
    format!(
        "SELECT p.kind, p.lease_id, l.validator_id, {COLUMNS}
         FROM payment AS p JOIN lease AS l ON l.id = p.lease_id WHERE {condition}"
    )
}

/// A row that is to be added.
pub(super) struct NewPayment<'a> {
    pub(super) kind: PaymentKind,
    pub(super) id: Option<Ulid>,
    pub(super) lease: Ulid,
    pub(super) payment: &'a Payment,
    pub(super) created_at: Timestamp,
    pub(super) pay_until: Timestamp,
    /// What is sold, and the price of an epoch.
    pub(super) epochs: Option<(EpochWindow, Lamports)>,
    /// Of which payment something is given back, and who owes it.
    pub(super) owed: Option<(&'a Memo, Debtor)>,
    /// The transaction that brought it, if that paid for nothing.
    pub(super) stray: Option<Signature>,
}

impl LedgerTx {
    /// Adds a payment that can be asked for.
    pub(super) async fn insert_payment(&mut self, new: &NewPayment<'_>) -> Result<(), StoreError> {
        let column = columns(TABLE);
        let (payout, platform) = (new.payment.payout(), new.payment.platform());
        let share = column("share").to_stored_lamports(payout.amount)?;
        let fee = column("fee").to_stored_lamports(platform.amount)?;
        let price = new
            .epochs
            .map(|(_, price)| column("price").to_stored_lamports(price));
        let price = price.transpose()?;
        let window = new.epochs.map(|(window, _)| window);
        on!(tx &mut self.0, connection =>
            sqlx::query(
                "INSERT INTO payment
                 (memo, lease_id, kind, status, share, fee, payout_wallet, platform_wallet,
                  created_at, expires_at, reference, id, epoch_start, epoch_end, price, of_memo,
                  debtor, of_signature)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16,
                         $17, $18)",
            )
            .bind(new.payment.memo().as_str())
            .bind(new.lease.to_string())
            .bind(new.kind.as_str())
            .bind(PaymentStatus::Open.as_str())
            .bind(share)
            .bind(fee)
            .bind(payout.wallet.as_bytes().as_slice())
            .bind(platform.wallet.as_bytes().as_slice())
            .bind(new.created_at.as_microsecond())
            .bind(new.pay_until.as_microsecond())
            .bind(new.payment.memo().reference().as_bytes().as_slice())
            .bind(new.id.map(|id| id.to_string()))
            .bind(window.map(|window| i64::from(window.start())))
            .bind(window.map(|window| i64::from(window.end())))
            .bind(price)
            .bind(new.owed.map(|(memo, _)| memo.as_str()))
            .bind(new.owed.map(|(_, debtor)| debtor.as_str()))
            .bind(new.stray.as_ref().map(|signature| signature.as_bytes().as_slice()))
            .execute(connection)
            .await
            .map(drop)
        )
        .map_err(in_table(TABLE))
    }

    /// Adds the payment of a booking.
    pub(super) async fn insert_booking_payment(&mut self, lease: &Lease) -> Result<(), StoreError> {
        self.insert_payment(&NewPayment {
            kind: PaymentKind::Booking,
            id: None,
            lease: lease.id,
            payment: &lease.payment,
            created_at: lease.created_at,
            pay_until: lease.pay_until,
            epochs: Some((lease.window, lease.price)),
            owed: None,
            stray: None,
        })
        .await
    }

    /// Writes where a payment stands over where it stood before. `false` if it
    /// no longer stands there.
    pub(super) async fn move_payment(
        &mut self,
        memo: &Memo,
        before: PaymentStatus,
        after: PaymentStatus,
        receipt: Option<Receipt>,
    ) -> Result<bool, StoreError> {
        let column = columns(TABLE);
        let slot = receipt.map(|receipt| column("slot").to_stored(receipt.slot));
        let slot = slot.transpose()?;
        let surplus = receipt.map(|receipt| column("surplus").to_stored_lamports(receipt.surplus));
        let surplus = surplus.transpose()?;
        let moved = on!(tx &mut self.0, connection =>
            sqlx::query(
                "UPDATE payment SET status = $3, signature = $4, slot = $5, payer = $6,
                                    surplus = $7, settled_at = $8
                 WHERE memo = $1 AND status = $2",
            )
            .bind(memo.as_str())
            .bind(before.as_str())
            .bind(after.as_str())
            .bind(receipt.as_ref().map(|receipt| receipt.signature.as_bytes().as_slice()))
            .bind(slot)
            .bind(receipt.as_ref().map(|receipt| receipt.payer.as_bytes().as_slice()))
            .bind(surplus)
            .bind(receipt.map(|receipt| receipt.at.as_microsecond()))
            .execute(connection)
            .await
            .map(|done| done.rows_affected())
        )
        .map_err(in_table(TABLE))?;
        Ok(moved == 1)
    }

    /// What was paid for the epochs of a lease, in their order.
    pub async fn purchases(&mut self, lease: Ulid) -> Result<Vec<Purchase>, StoreError> {
        let settled = PaymentStatus::Settled;
        let rows: Vec<StoredPurchase> = on!(tx &mut self.0, connection =>
            sqlx::query_as(AssertSqlSafe(format!(
                "SELECT p.lease_id, p.epoch_start, p.epoch_end, p.price, {COLUMNS}
                 FROM payment AS p
                 WHERE p.lease_id = $1 AND p.kind IN ('booking', 'extension')
                   AND p.status = '{settled}'
                 ORDER BY p.epoch_start",
            )))
            .bind(lease.to_string())
            .fetch_all(connection)
            .await
        )
        .map_err(in_table(TABLE))?;
        rows.into_iter().map(StoredPurchase::decode).collect()
    }
}

row! {
    struct StoredPurchase {
        lease_id: String,
        epoch_start: i64,
        epoch_end: i64,
        price: i64,
        ..payment: StoredPayment,
    }
}

impl StoredPurchase {
    fn decode(self) -> Result<Purchase, StoreError> {
        let column = columns(TABLE);
        let receipt = self.payment.receipt()?;
        let receipt = receipt.ok_or_else(|| column("signature").corrupt())?;
        Ok(Purchase {
            lease: column("lease_id").id(&self.lease_id)?,
            window: window(self.epoch_start, self.epoch_end)?,
            price: column("price").lamports(self.price)?,
            payment: self.payment.payment()?,
            payer: receipt.payer,
        })
    }
}

/// The epochs that a payment is for.
pub(super) fn window(start: i64, end: i64) -> Result<EpochWindow, StoreError> {
    let window = EpochWindow::new(start, end.saturating_sub(start));
    window.map_err(|_| columns(TABLE)("epoch_start").corrupt())
}

impl LedgerStore {
    /// Fills in the references of payments that an earlier version kept without,
    /// some at a time. Returns how many there were.
    pub async fn fill_references(&self, limit: u16) -> Result<usize, StoreError> {
        let memos: Vec<String> = on!(reader self.db(), pool =>
            sqlx::query_scalar("SELECT memo FROM payment WHERE reference IS NULL LIMIT $1")
                .bind(i64::from(limit))
                .fetch_all(pool)
                .await
        )
        .map_err(in_table(TABLE))?;
        let mut tx = self.begin().await?;
        for text in &memos {
            let memo: Memo = columns(TABLE)("memo").word(text)?;
            on!(tx &mut tx.0, connection =>
                sqlx::query("UPDATE payment SET reference = $2 WHERE memo = $1")
                    .bind(text)
                    .bind(memo.reference().as_bytes().as_slice())
                    .execute(connection)
                    .await
                    .map(drop)
            )
            .map_err(in_table(TABLE))?;
        }
        tx.commit().await?;
        Ok(memos.len())
    }

    /// The payment of a memo.
    pub async fn payment_of(&self, memo: &Memo) -> Result<Option<NamedPayment>, StoreError> {
        let row: Option<StoredName> = on!(reader self.db(), pool =>
            sqlx::query_as(AssertSqlSafe(select("p.memo = $1")))
                .bind(memo.as_str())
                .fetch_optional(pool)
                .await
        )
        .map_err(in_table(TABLE))?;
        row.map(StoredName::decode).transpose()
    }

    /// The payments that have one of these memos, or one of these references,
    /// in the order of their memos.
    pub async fn payments_named(
        &self,
        memos: &[Memo],
        references: &[PublicKey],
        limit: u16,
    ) -> Result<Vec<NamedPayment>, StoreError> {
        let rows: Vec<StoredName> = on!(reader self.db(), pool => {
            let mut select = QueryBuilder::new(select("(p.memo IN (''"));
            for memo in memos {
                select.push(", ").push_bind(memo.as_str());
            }
            select.push(")");
            for (number, reference) in references.iter().enumerate() {
                select.push(if number == 0 { " OR p.reference IN (" } else { ", " });
                select.push_bind(reference.as_bytes().as_slice());
            }
            if !references.is_empty() {
                select.push(")");
            }
            select.push(") ORDER BY p.memo LIMIT ").push_bind(i64::from(limit));
            select.build_query_as().fetch_all(pool).await
        })
        .map_err(in_table(TABLE))?;
        rows.into_iter().map(StoredName::decode).collect()
    }

    /// Payments of bookings and extensions that are not open any more and
    /// expired after a time, in the order of expiry; after a memo and its expiry.
    pub async fn payments_once_open(
        &self,
        expired_after: Timestamp,
        after: Option<(Timestamp, &str)>,
        limit: u16,
    ) -> Result<Vec<NamedPayment>, StoreError> {
        let (open, refund) = (PaymentStatus::Open, PaymentKind::Refund);
        let condition = format!(
            "p.status <> '{open}' AND p.kind <> '{refund}' AND p.expires_at > $1
             AND (p.expires_at, p.memo) > ($2, $3) ORDER BY p.expires_at, p.memo LIMIT $4"
        );
        self.payments_from(&condition, expired_after, after, limit)
            .await
    }

    /// Payments that are open, from the one that expires first; after a memo and
    /// its expiry, or those that expired until a time.
    pub async fn payments_open(
        &self,
        expired_until: Timestamp,
        after: Option<(Timestamp, &str)>,
        limit: u16,
    ) -> Result<Vec<NamedPayment>, StoreError> {
        // A word of the text, not a value: there is an index of these alone.
        let open = PaymentStatus::Open;
        let condition = format!(
            "p.status = '{open}' AND p.expires_at <= $1 AND (p.expires_at, p.memo) > ($2, $3)
             ORDER BY p.expires_at, p.memo LIMIT $4"
        );
        self.payments_from(&condition, expired_until, after, limit)
            .await
    }

    async fn payments_from(
        &self,
        condition: &str,
        time: Timestamp,
        after: Option<(Timestamp, &str)>,
        limit: u16,
    ) -> Result<Vec<NamedPayment>, StoreError> {
        let (after, memo) = after.unwrap_or((Timestamp::MIN, ""));
        let rows: Vec<StoredName> = on!(reader self.db(), pool =>
            sqlx::query_as(AssertSqlSafe(select(condition)))
                .bind(time.as_microsecond())
                .bind(after.as_microsecond())
                .bind(memo)
                .bind(i64::from(limit))
                .fetch_all(pool)
                .await
        )
        .map_err(in_table(TABLE))?;
        rows.into_iter().map(StoredName::decode).collect()
    }

    /// Whether a transaction was taken for a payment, recorded as stray, or waits
    /// to be shown.
    pub async fn is_transaction_known(&self, signature: Signature) -> Result<bool, StoreError> {
        let known: i64 = on!(reader self.db(), pool =>
            sqlx::query_scalar(
                "SELECT (SELECT COUNT(*) FROM payment WHERE signature = $1)
                      + (SELECT COUNT(*) FROM stray WHERE signature = $1)
                      + (SELECT COUNT(*) FROM parked_transaction WHERE signature = $1)",
            )
            .bind(signature.as_bytes().as_slice())
            .fetch_one(pool)
            .await
        )
        .map_err(in_table(TABLE))?;
        Ok(known > 0)
    }
}
