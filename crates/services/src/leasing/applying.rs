//! What a finalised transaction does: what it pays for is settled, and what it
//! brought otherwise is recorded, each exactly once.
//!
//! A transaction names a payment by its memo or by its reference key. Only one
//! that is named by the memo, and alone, can be paid; whatever else was brought
//! is somebody's to get back.

use super::{audit::Subject, context::Context, leases::claim};
use crate::fault::Fault;
use leasing::{Landed, Lease, Memo, Orphaned, Settling, Stray};
use primitives::PublicKey;
use serde_json::json;
use store::leasing::{Actor, LedgerTx, ValidatorRow};

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
    /// Payments that were recorded for a refund.
    pub strays: u32,
}

/// What became of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Applied {
    Activated,
    Stray,
    Nothing,
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
        let mut named = ledger.leases_named(&memos, &accounts, MAX_NAMED).await?;
        // What it pays for comes first: the rest is what is left.
        let paid = landed.memo();
        named.sort_by_key(|lease| paid.as_ref() != Some(lease.payment.memo()));
        for lease in &named {
            match self.apply_to(lease, landed).await? {
                Applied::Activated => settled.activated = settled.activated.saturating_add(1),
                Applied::Stray => settled.strays = settled.strays.saturating_add(1),
                Applied::Nothing => {}
            }
        }
        Ok(())
    }

    /// Applies a transaction to a lease, in one transaction of ours.
    async fn apply_to(&self, lease: &Lease, landed: &Landed) -> Result<Applied, Fault> {
        let mut tx = self.store.ledger().begin().await?;
        let validator = tx.lock_validator(lease.validator).await?;
        // As they are now: nobody else changes them before we are done.
        let lease = tx.lease(lease.id).await?;
        let (Some(validator), Some(lease)) = (validator, lease) else {
            return Ok(Applied::Nothing);
        };
        match lease.settle(landed, self.now()) {
            Settling::Ignored => Ok(Applied::Nothing),
            Settling::Stray(stray) => self.record(tx, &lease, &stray).await,
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
        if claim(&mut tx, lease, validator).await?.is_err() {
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
        self.record(tx, before, &orphaned.stray).await
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
        let detail = active.stage.receipt().map(|receipt| {
            json!({
                "signature": receipt.signature,
                "payer": receipt.payer,
                "slot": receipt.slot,
                "surplus_lamports": receipt.surplus,
            })
        });
        let what = Subject::new("lease", &active.id);
        self.audit(&mut tx, Actor::System, action, what, &json!(detail))
            .await?;
        tx.commit().await?;
        self.pages.forget();
        Ok(Applied::Activated)
    }

    /// Records money for a refund, once.
    async fn record(
        &self,
        mut tx: LedgerTx,
        lease: &Lease,
        stray: &Stray,
    ) -> Result<Applied, Fault> {
        if !tx.insert_stray(stray, &lease.payment).await? {
            return Ok(Applied::Nothing);
        }
        let detail = json!({
            "signature": stray.signature,
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
