//! Payments of bookings, and money that came otherwise.

use super::{LedgerTx, columns};
use crate::{
    LedgerStore,
    db::on,
    error::{StoreError, in_table},
};
use leasing::{Lease, Memo, Stray};
use sqlx::FromRow;

const TABLE: &str = "payment";
const STRAY: &str = "stray_payment";

#[derive(FromRow)]
struct StoredStray {
    signature: Vec<u8>,
    memo: String,
    reason: String,
    slot: i64,
    payer: Vec<u8>,
    payout_gain: i64,
    platform_gain: i64,
    seen_at: i64,
}

impl StoredStray {
    fn decode(self) -> Result<Stray, StoreError> {
        let column = columns(STRAY);
        Ok(Stray {
            signature: column("signature").signature(&self.signature)?,
            memo: column("memo").word(&self.memo)?,
            reason: column("reason").word(&self.reason)?,
            slot: column("slot").counter(self.slot)?,
            payer: column("payer").key(&self.payer)?,
            payout_gain: column("payout_gain").lamports(self.payout_gain)?,
            platform_gain: column("platform_gain").lamports(self.platform_gain)?,
            seen_at: column("seen_at").time(self.seen_at)?,
        })
    }
}

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
                  created_at, expires_at)
                 VALUES ($1, $2, 'booking', $3, $4, $5, $6, $7, $8, $9)",
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

    /// Records money to be given back. `false` if it was recorded before.
    pub async fn insert_stray(&mut self, stray: &Stray) -> Result<bool, StoreError> {
        let column = columns(STRAY);
        let slot = column("slot").to_stored(stray.slot)?;
        let payout = column("payout_gain").to_stored_lamports(stray.payout_gain)?;
        let platform = column("platform_gain").to_stored_lamports(stray.platform_gain)?;
        let added = on!(tx &mut self.0, connection =>
            sqlx::query(
                "INSERT INTO stray_payment
                 (signature, memo, reason, slot, payer, payout_gain, platform_gain, seen_at)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
                 ON CONFLICT (signature, memo) DO NOTHING",
            )
            .bind(stray.signature.as_bytes().as_slice())
            .bind(stray.memo.as_str())
            .bind(stray.reason.as_str())
            .bind(slot)
            .bind(stray.payer.as_bytes().as_slice())
            .bind(payout)
            .bind(platform)
            .bind(stray.seen_at.as_microsecond())
            .execute(connection)
            .await
            .map(|done| done.rows_affected())
        )
        .map_err(in_table(STRAY))?;
        Ok(added == 1)
    }
}

impl LedgerStore {
    /// Money that came for a payment and was not taken, in the order in which
    /// it landed.
    pub async fn strays_of(&self, memo: &Memo) -> Result<Vec<Stray>, StoreError> {
        let rows: Vec<StoredStray> = on!(reader self.db(), pool =>
            sqlx::query_as(
                "SELECT * FROM stray_payment WHERE memo = $1 ORDER BY slot, signature LIMIT 1000",
            )
            .bind(memo.as_str())
            .fetch_all(pool)
            .await
        )
        .map_err(in_table(STRAY))?;
        rows.into_iter().map(StoredStray::decode).collect()
    }
}
