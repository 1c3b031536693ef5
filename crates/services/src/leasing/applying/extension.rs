//! Payments of extensions.

use super::{Applied, Locked, told};
use crate::{
    fault::Fault,
    leasing::{audit::Subject, context::Context, leases::claim},
};
use leasing::{
    Extended, Extension, ExtensionSettling, Landed, Lease, ListingStatus, Memo, OrphanedExtension,
};
use serde_json::json;
use store::leasing::{Actor, LedgerTx};

impl Context {
    pub(super) async fn apply_to_extension(
        &self,
        locked: Locked,
        memo: &Memo,
        landed: &Landed,
    ) -> Result<Applied, Fault> {
        let Locked {
            mut tx,
            validator,
            lease,
        } = locked;
        let Some(extension) = tx.extension(memo).await? else {
            return Ok(Applied::Nothing);
        };
        let open = tx.open_extension(lease.id).await?;
        let other_open = open.is_some_and(|open| open.id != extension.id);
        match extension.settle(&lease, other_open, landed, self.now()) {
            ExtensionSettling::Ignored => Ok(Applied::Nothing),
            ExtensionSettling::Stray(stray) => {
                self.record(tx, &lease, &extension.payment, &stray).await
            }
            ExtensionSettling::Paid(paid) => {
                self.lengthen(tx, &lease, &extension, &paid, "lease.extended")
                    .await
            }
            ExtensionSettling::Orphaned(orphaned) => {
                self.orphan_extension(tx, &lease, &extension, &orphaned)
                    .await
            }
            ExtensionSettling::Late(late) => {
                let is_stopped = validator.status == ListingStatus::Stopped;
                let taken = claim(&mut tx, &lease, extension.window, &validator).await?;
                if !is_stopped && taken.is_ok() {
                    let action = "lease.late_extension_applied";
                    let extended = &late.extended;
                    return self
                        .lengthen(tx, &lease, &extension, extended, action)
                        .await;
                }
                // What was claimed of the epochs goes with the transaction.
                tx.rollback().await?;
                let mut tx = self.store.ledger().begin().await?;
                tx.lock_validator(lease.validator).await?;
                self.orphan_extension(tx, &lease, &extension, &late.orphaned)
                    .await
            }
        }
    }

    /// Writes down that an extension is paid, and its lease has the epochs.
    async fn lengthen(
        &self,
        mut tx: LedgerTx,
        lease: &Lease,
        extension: &Extension,
        extended: &Extended,
        action: &str,
    ) -> Result<Applied, Fault> {
        let is_moved = tx.update_extension(extension, &extended.extension).await?
            && tx.update_lease(lease, &extended.lease).await?;
        if !is_moved {
            return Ok(Applied::Nothing);
        }
        let detail = json!({
            "extension": extension.id,
            "epoch_end": extended.lease.window.end(),
            "payment": extended.extension.stage.receipt().map(told),
        });
        let what = Subject::new("lease", &lease.id);
        self.audit(&mut tx, Actor::System, action, what, &detail)
            .await?;
        tx.commit().await?;
        self.pages.forget();
        Ok(Applied::Extended)
    }

    /// Notes a payment with an extension that cannot be had any more.
    async fn orphan_extension(
        &self,
        mut tx: LedgerTx,
        lease: &Lease,
        before: &Extension,
        orphaned: &OrphanedExtension,
    ) -> Result<Applied, Fault> {
        if !tx.update_extension(before, &orphaned.extension).await? {
            return Ok(Applied::Nothing);
        }
        self.record(tx, lease, &before.payment, &orphaned.stray)
            .await
    }
}
