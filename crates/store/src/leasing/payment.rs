//! Payments that were asked for, and money that came otherwise.

use super::{
    LedgerTx, columns,
    words::{PaymentKind, PaymentStatus, StrayReason},
};
use crate::{
    LedgerStore,
    db::on,
    error::{StoreError, in_table},
};
use leasing::Memo;
use primitives::{Lamports, PublicKey, Signature, Timestamp, Ulid};
use sqlx::FromRow;

const TABLE: &str = "payment";
const STRAY: &str = "stray_payment";

/// A payment that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaymentRow {
    /// By which it is named on the chain.
    pub memo: Memo,
    /// What for.
    pub kind: PaymentKind,
    /// Where it stands.
    pub status: PaymentStatus,
    /// The validator's part.
    pub share: Lamports,
    /// The platform's part.
    pub fee: Lamports,
    /// Where the share goes.
    pub payout_wallet: PublicKey,
    /// Where the fee goes.
    pub platform_wallet: PublicKey,
    /// Until when it can be asked for.
    pub expires_at: Timestamp,
    /// What was taken for it.
    pub paying: Option<Paying>,
}

/// The transaction that was taken for a payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Paying {
    /// Its name.
    pub signature: Signature,
    /// Who paid.
    pub payer: PublicKey,
    /// Where it landed.
    pub slot: u64,
    /// What both wallets got beyond their parts.
    pub surplus: Lamports,
    /// When it was taken.
    pub at: Timestamp,
}

/// Money that came and was not taken for a lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StrayRow {
    /// The transaction.
    pub signature: Signature,
    /// The payment that it names.
    pub memo: Memo,
    /// Why it was not taken.
    pub reason: StrayReason,
    /// Where it landed.
    pub slot: u64,
    /// Who paid.
    pub payer: PublicKey,
    /// What the payout wallet gained.
    pub payout_gain: Lamports,
    /// What the platform's wallet gained.
    pub platform_gain: Lamports,
    /// When it was seen.
    pub seen_at: Timestamp,
}

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
    fn decode(self) -> Result<StrayRow, StoreError> {
        let column = columns(STRAY);
        Ok(StrayRow {
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
    /// Adds a payment of a lease.
    pub async fn insert_payment(
        &mut self,
        lease: Ulid,
        payment: &PaymentRow,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let column = columns(TABLE);
        let share = column("share").to_stored_lamports(payment.share)?;
        let fee = column("fee").to_stored_lamports(payment.fee)?;
        on!(tx &mut self.0, connection =>
            sqlx::query(
                "INSERT INTO payment
                 (memo, lease_id, kind, status, share, fee, payout_wallet, platform_wallet,
                  created_at, expires_at)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
            )
            .bind(payment.memo.as_str())
            .bind(lease.to_string())
            .bind(payment.kind.as_str())
            .bind(payment.status.as_str())
            .bind(share)
            .bind(fee)
            .bind(payment.payout_wallet.as_bytes().as_slice())
            .bind(payment.platform_wallet.as_bytes().as_slice())
            .bind(now.as_microsecond())
            .bind(payment.expires_at.as_microsecond())
            .execute(connection)
            .await
            .map(drop)
        )
        .map_err(in_table(TABLE))
    }

    /// Brings a payment from one status to another, perhaps with what was
    /// taken for it. `false` if it is not in the first one. A transaction that
    /// was taken for another payment is [`StoreError::Exists`].
    pub async fn move_payment(
        &mut self,
        memo: &Memo,
        from: PaymentStatus,
        to: PaymentStatus,
        paying: Option<&Paying>,
    ) -> Result<bool, StoreError> {
        let column = columns(TABLE);
        let slot = paying.map(|paying| column("slot").to_stored(paying.slot));
        let slot = slot.transpose()?;
        let surplus = paying.map(|paying| column("surplus").to_stored_lamports(paying.surplus));
        let surplus = surplus.transpose()?;
        let moved = on!(tx &mut self.0, connection =>
            sqlx::query(
                "UPDATE payment SET status = $3, signature = $4, slot = $5, payer = $6,
                                    surplus = $7, settled_at = $8
                 WHERE memo = $1 AND status = $2",
            )
            .bind(memo.as_str())
            .bind(from.as_str())
            .bind(to.as_str())
            .bind(paying.map(|paying| paying.signature.as_bytes().as_slice()))
            .bind(slot)
            .bind(paying.map(|paying| paying.payer.as_bytes().as_slice()))
            .bind(surplus)
            .bind(paying.map(|paying| paying.at.as_microsecond()))
            .execute(connection)
            .await
            .map(|done| done.rows_affected())
        )
        .map_err(in_table(TABLE))?;
        Ok(moved == 1)
    }

    /// Records money to be given back. `false` if it was recorded before.
    pub async fn insert_stray(&mut self, stray: &StrayRow) -> Result<bool, StoreError> {
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
    pub async fn strays_of(&self, memo: &Memo) -> Result<Vec<StrayRow>, StoreError> {
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
