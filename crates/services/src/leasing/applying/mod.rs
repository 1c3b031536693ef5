//! What a finalised transaction does: what it pays for is settled, and what it
//! brought otherwise is recorded, each exactly once.
//!
//! A transaction names a payment by its memo or by its reference key. Only one
//! that is named by the memo, and alone, can be paid; whatever else was brought
//! is somebody's to get back. What a payment is for decides what becomes of it:
//! bookings are here, extensions and refunds have files of their own.

mod extension;
mod refund;

use super::{audit::Subject, context::Context, leases::claim};
use crate::fault::Fault;
use leasing::{
    Landed, Lease, ListingStatus, Memo, Orphaned, Payment, PaymentKind, Receipt, Settling, Stray,
};
use primitives::{PublicKey, Ulid};
use serde_json::{Value, json};
use store::leasing::{Actor, LedgerTx, NamedPayment, ValidatorRow};

/// Memos and accounts of one transaction that are looked up, and payments that
/// are found by them.
const MAX_MEMOS: usize = 16;
const MAX_ACCOUNTS: usize = 64;
const MAX_NAMED: u16 = 16;

/// What a round did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Settled {
    /// Leases that became active.
    pub activated: u32,
    /// Extensions that were paid.
    pub extended: u32,
    /// Refunds that were paid.
    pub refunded: u32,
    /// Payments that were recorded for a refund.
    pub strays: u32,
}

/// What became of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Applied {
    Activated,
    Extended,
    Refunded,
    Stray,
    Nothing,
}

impl Settled {
    fn count(&mut self, applied: Applied) {
        let counter = match applied {
            Applied::Activated => &mut self.activated,
            Applied::Extended => &mut self.extended,
            Applied::Refunded => &mut self.refunded,
            Applied::Stray => &mut self.strays,
            Applied::Nothing => return,
        };
        *counter = counter.saturating_add(1);
    }
}

/// A lease and its validator, which nobody else changes before the transaction
/// ends.
struct Locked {
    tx: LedgerTx,
    validator: ValidatorRow,
    lease: Lease,
}

impl Context {
    /// Applies a transaction to all payments that it names.
    pub(super) async fn apply(&self, landed: &Landed, settled: &mut Settled) -> Result<(), Fault> {
        if landed.failed {
            return Ok(());
        }
        let memos = landed.memos.iter().filter_map(|text| text.parse().ok());
        let memos: Vec<Memo> = memos.take(MAX_MEMOS).collect();
        let accounts = landed.balances.iter().map(|balance| balance.account);
        let accounts: Vec<PublicKey> = accounts.take(MAX_ACCOUNTS).collect();
        let ledger = self.store.ledger();
        let mut named = ledger.payments_named(&memos, &accounts, MAX_NAMED).await?;
        // What it pays for comes first: the rest is what is left.
        let paid = landed.memo();
        named.sort_by_key(|named| paid.as_ref() != Some(named.payment.memo()));
        for named in &named {
            settled.count(self.apply_to(named, landed).await?);
        }
        Ok(())
    }

    /// Applies a transaction to a payment, in one transaction of ours.
    async fn apply_to(&self, named: &NamedPayment, landed: &Landed) -> Result<Applied, Fault> {
        let Some(locked) = self.lock(named.validator, named.lease).await? else {
            return Ok(Applied::Nothing);
        };
        let memo = named.payment.memo();
        match named.kind {
            PaymentKind::Booking => self.apply_to_booking(locked, landed).await,
            PaymentKind::Extension => self.apply_to_extension(locked, memo, landed).await,
            PaymentKind::Refund => self.apply_to_refund(locked, memo, landed).await,
        }
    }

    async fn lock(&self, validator: Ulid, lease: Ulid) -> Result<Option<Locked>, Fault> {
        let mut tx = self.store.ledger().begin().await?;
        let validator = tx.lock_validator(validator).await?;
        // As they are now: nobody else changes them before we are done.
        let lease = tx.lease(lease).await?;
        Ok(match (validator, lease) {
            (Some(validator), Some(lease)) => Some(Locked {
                tx,
                validator,
                lease,
            }),
            _ => None,
        })
    }

    async fn apply_to_booking(&self, locked: Locked, landed: &Landed) -> Result<Applied, Fault> {
        let Locked {
            tx,
            validator,
            lease,
        } = locked;
        match lease.settle(landed, self.now()) {
            Settling::Ignored => Ok(Applied::Nothing),
            Settling::Stray(stray) => self.record(tx, &lease, &lease.payment, &stray).await,
            Settling::Paid(paid) => self.activate(tx, &lease, &paid, "lease.activated").await,
            Settling::Orphaned(orphaned) => self.orphan(tx, &lease, &orphaned).await,
            Settling::Late(late) => {
                let revived = self.revive(tx, &lease, &late.revived, &validator).await?;
                if let Some(applied) = revived {
                    return Ok(applied);
                }
                let mut tx = self.store.ledger().begin().await?;
                tx.lock_validator(lease.validator).await?;
                self.orphan(tx, &lease, &late.orphaned).await
            }
        }
    }

    /// Activates a lease that lapsed, if its epochs can be had again. What was
    /// claimed of them otherwise goes with the transaction.
    async fn revive(
        &self,
        mut tx: LedgerTx,
        lease: &Lease,
        revived: &Lease,
        validator: &ValidatorRow,
    ) -> Result<Option<Applied>, Fault> {
        let is_stopped = validator.status == ListingStatus::Stopped;
        if is_stopped
            || claim(&mut tx, lease, lease.window, validator)
                .await?
                .is_err()
        {
            return Ok(None);
        }
        let action = "lease.late_payment_applied";
        self.activate(tx, lease, revived, action).await.map(Some)
    }

    /// Notes a payment with a lease that cannot be had any more.
    async fn orphan(
        &self,
        mut tx: LedgerTx,
        before: &Lease,
        orphaned: &Orphaned,
    ) -> Result<Applied, Fault> {
        if !tx.update_lease(before, &orphaned.lease).await? {
            return Ok(Applied::Nothing);
        }
        self.record(tx, before, &before.payment, &orphaned.stray)
            .await
    }

    /// Writes down that a lease is paid, and its epochs are held.
    async fn activate(
        &self,
        mut tx: LedgerTx,
        before: &Lease,
        active: &Lease,
        action: &str,
    ) -> Result<Applied, Fault> {
        if !tx.update_lease(before, active).await? {
            return Ok(Applied::Nothing);
        }
        let detail = json!(active.stage.receipt().map(told));
        let what = Subject::new("lease", &active.id);
        self.audit(&mut tx, Actor::System, action, what, &detail)
            .await?;
        tx.commit().await?;
        self.pages.forget();
        Ok(Applied::Activated)
    }

    /// Records money that came for a payment for a refund, once.
    async fn record(
        &self,
        mut tx: LedgerTx,
        lease: &Lease,
        payment: &Payment,
        stray: &Stray,
    ) -> Result<Applied, Fault> {
        if !tx.insert_stray(stray, payment).await? {
            return Ok(Applied::Nothing);
        }
        let detail = json!({
            "signature": stray.signature,
            "memo": stray.memo.as_str(),
            "reason": stray.reason.as_str(),
            "payer": stray.payer,
            "payout_lamports": stray.payout_gain,
            "platform_lamports": stray.platform_gain,
        });
        let what = Subject::new("lease", &lease.id);
        self.audit(&mut tx, Actor::System, "payment.stray", what, &detail)
            .await?;
        tx.commit().await?;
        Ok(Applied::Stray)
    }
}

/// What the audit log tells of a transaction that was taken.
fn told(receipt: Receipt) -> Value {
    json!({
        "signature": receipt.signature,
        "payer": receipt.payer,
        "slot": receipt.slot,
        "surplus_lamports": receipt.surplus,
    })
}
