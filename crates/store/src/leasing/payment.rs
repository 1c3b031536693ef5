//! Payments of bookings.

use super::{LedgerTx, columns};
use crate::{
    LedgerStore,
    db::on,
    error::{StoreError, in_table},
};
use leasing::{Lease, Memo};
use primitives::Signature;

const TABLE: &str = "payment";

impl LedgerTx {
    /// Adds the payment of a booking.
    pub(super) async fn insert_booking_payment(&mut self, lease: &Lease) -> Result<(), StoreError> {
        let column = columns(TABLE);
        let (payout, platform) = (lease.payment.payout(), lease.payment.platform());
        let share = column("share").to_stored_lamports(payout.amount)?;
        let fee = column("fee").to_stored_lamports(platform.amount)?;
        on!(tx &mut self.0, connection =>
            sqlx::query(
                "INSERT INTO payment
                 (memo, lease_id, kind, status, share, fee, payout_wallet, platform_wallet,
                  created_at, expires_at, reference)
                 VALUES ($1, $2, 'booking', $3, $4, $5, $6, $7, $8, $9, $10)",
            )
            .bind(lease.payment.memo().as_str())
            .bind(lease.id.to_string())
            .bind(lease.stage.payment_status().as_str())
            .bind(share)
            .bind(fee)
            .bind(payout.wallet.as_bytes().as_slice())
            .bind(platform.wallet.as_bytes().as_slice())
            .bind(lease.created_at.as_microsecond())
            .bind(lease.pay_until.as_microsecond())
            .bind(lease.payment.memo().reference().as_bytes().as_slice())
            .execute(connection)
            .await
            .map(drop)
        )
        .map_err(in_table(TABLE))
    }

    /// Writes where the payment of a booking stands over where it stood before.
    /// `false` if it no longer stands there.
    pub(super) async fn update_booking_payment(
        &mut self,
        before: &Lease,
        after: &Lease,
    ) -> Result<bool, StoreError> {
        let column = columns(TABLE);
        let receipt = after.stage.receipt();
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
            .bind(before.payment.memo().as_str())
            .bind(before.stage.payment_status().as_str())
            .bind(after.stage.payment_status().as_str())
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
