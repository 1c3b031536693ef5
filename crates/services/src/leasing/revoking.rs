//! Revoking leases: what is not used is free again, and owed to whoever paid.

use super::{
    audit::Subject,
    idempotency::{KeyGuard, StoredAnswer},
    leases::Leases,
    validators::is_visible,
};
use crate::{fault::Fault, refused::Refused};
use leasing::{Lease, LeaseState, Refund, RevokeError};
use primitives::{Impossible, Lamports, OrImpossible as _, Ulid};
use serde_json::json;
use store::leasing::{Actor, LedgerTx, User};

/// A lease that was just revoked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revoked {
    /// As it is from now on.
    pub lease: Lease,
    /// Its epochs that were paid and cannot be had.
    pub unused_epochs: i32,
    /// What is owed for them, by whom.
    pub refunds: Vec<Refund>,
    /// All that is owed.
    pub refund_due: Lamports,
}

impl Leases {
    /// Ends a lease of a validator, for its owner and staff. What is owed and
    /// the answer that `render` makes are written together with it; on an error
    /// the key is free again.
    pub async fn revoke(
        &self,
        user: &User,
        (validator, lease): (Ulid, Ulid),
        reason: &str,
        mut guard: KeyGuard,
        render: impl FnOnce(&Revoked) -> Result<StoredAnswer, Impossible> + Send,
    ) -> Result<(Revoked, StoredAnswer), Refused<RevokeError>> {
        let tx = &mut guard.tx;
        let revoked = self.write_revocation(user, validator, lease, reason, tx);
        let revoked = revoked.await;
        let answered = guard.finish(revoked, render).await?;
        self.0.pages.forget();
        Ok(answered)
    }

    async fn write_revocation(
        &self,
        user: &User,
        validator: Ulid,
        lease: Ulid,
        reason: &str,
        tx: &mut LedgerTx,
    ) -> Result<Revoked, Refused<RevokeError>> {
        let row = tx.lock_validator(validator).await?;
        if !row.is_some_and(|row| is_visible(&row, Some(user))) {
            return Err(Refused::Rejected(RevokeError::ValidatorNotFound));
        }
        let lease = tx.lease(lease).await?;
        let lease = lease.filter(|lease| lease.validator == validator);
        let lease = lease.ok_or(Refused::Rejected(RevokeError::NotFound))?;
        self.revoke_locked(user, &lease, reason, tx).await
    }

    /// Ends a lease whose validator's lock is ours.
    pub(super) async fn revoke_locked(
        &self,
        user: &User,
        lease: &Lease,
        reason: &str,
        tx: &mut LedgerTx,
    ) -> Result<Revoked, Refused<RevokeError>> {
        let now = self.0.now();
        let known = self.0.epochs.number();
        // Whoever is refused whatever the epoch is need not wait for a node.
        let epoch = known.unwrap_or(lease.window.start());
        let after = lease.revoke(user.party(), epoch, now);
        let after = after.map_err(Refused::Rejected)?;
        if lease.state() == LeaseState::Active {
            known.ok_or(Fault::NoSolanaNode)?;
        }
        if !tx.update_lease(lease, &after).await? {
            return Err(Fault::LeaseChanged.into());
        }
        if let Some(freed) = after.freed() {
            tx.release(after.validator, freed, after.id, after.mode)
                .await?;
        }
        if let Some(open) = tx.open_extension(lease.id).await?
            && let Some(void) = open.void()
        {
            self.drop_extension(tx, lease, &open, &void).await?;
        }
        let (mut unused_epochs, mut refunds) = (0_i32, Vec::new());
        for purchase in tx.purchases(lease.id).await? {
            let unused = purchase.unused(epoch);
            unused_epochs = unused_epochs.saturating_add(unused.epochs);
            let owed = purchase.refunds(unused, now, || self.0.new_id());
            refunds.extend(owed.map_err(Fault::from)?);
        }
        let mut refund_due = Some(Lamports::ZERO);
        for refund in &refunds {
            tx.insert_refund(refund).await?;
            refund_due = refund_due.and_then(|due| due.checked_add(refund.amount()));
        }
        let refund_due = refund_due.or_impossible("no more is owed than was paid");
        let revoked = Revoked {
            lease: after,
            unused_epochs,
            refunds,
            refund_due: refund_due.map_err(Fault::from)?,
        };
        self.note_revocation(user, &revoked, reason, tx).await?;
        Ok(revoked)
    }

    async fn note_revocation(
        &self,
        user: &User,
        revoked: &Revoked,
        reason: &str,
        tx: &mut LedgerTx,
    ) -> Result<(), Fault> {
        let owed = revoked.refunds.iter().map(|refund| {
            json!({
                "refund": refund.id,
                "debtor": refund.debtor.as_str(),
                "amount_lamports": refund.amount(),
            })
        });
        let detail = json!({
            "reason": reason,
            "unused_epochs": revoked.unused_epochs,
            "refunds": owed.collect::<Vec<_>>(),
        });
        let (actor, what) = (
            Actor::User(user.id),
            Subject::new("lease", &revoked.lease.id),
        );
        self.0
            .audit(tx, actor, "lease.revoked", what, &detail)
            .await
    }
}
