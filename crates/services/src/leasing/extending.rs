//! Extending leases: further epochs, with a payment of their own.

use super::{
    audit::Subject,
    idempotency::{KeyGuard, StoredAnswer},
    leases::{Leases, claim},
};
use crate::{fault::Fault, refused::Refused};
use leasing::{ExtendError, Extending, Extension, Lease, Memo};
use primitives::{Impossible, Ulid};
use serde_json::json;
use store::leasing::{Actor, LedgerTx, NamedPayment, User};

/// What somebody wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExtensionWish {
    /// The lease that is to have them.
    pub lease: Ulid,
    /// How many epochs.
    pub count: i32,
    /// How many extensions the lease had when they asked
    /// ([`Leases::extensions_made`]): one that came in between won a race.
    pub made_before: u64,
}

impl Leases {
    /// How many extensions of a lease were ever asked for.
    pub async fn extensions_made(&self, lease: Ulid) -> Result<u64, Fault> {
        Ok(self.0.store.ledger().count_extensions(lease).await?)
    }

    /// Holds further epochs for a lease until they are paid. The extension, its
    /// place in the calendar and the answer that `render` makes are written
    /// together; on an error the key is free again.
    pub async fn extend(
        &self,
        user: &User,
        wish: ExtensionWish,
        mut guard: KeyGuard,
        render: impl FnOnce(&Extension) -> Result<StoredAnswer, Impossible> + Send,
    ) -> Result<(Extension, StoredAnswer), Refused<ExtendError>> {
        let extension = self.write_extension(user, wish, &mut guard.tx).await;
        let answered = guard.finish(extension, render).await?;
        self.0.pages.forget();
        Ok(answered)
    }

    /// Writes an extension in the transaction of its request.
    async fn write_extension(
        &self,
        user: &User,
        wish: ExtensionWish,
        tx: &mut LedgerTx,
    ) -> Result<Extension, Refused<ExtendError>> {
        let not_found = || Refused::Rejected(ExtendError::NotFound);
        let lease = tx.lease(wish.lease).await?.ok_or_else(not_found)?;
        let validator = tx.lock_validator(lease.validator).await?;
        let validator = validator.ok_or_else(not_found)?;
        // As it is now: nobody else changes it before the transaction ends.
        let lease = tx.lease(wish.lease).await?.ok_or_else(not_found)?;
        let asked = Extending {
            user: user.party(),
            count: wish.count,
            offer: validator.offer(),
            platform: self.platform(),
            epoch: self.0.epochs.current().map(|now| now.position.epoch),
            is_pending: tx.open_extension(lease.id).await?.is_some(),
        };
        let (id, memo) = (self.0.new_id(), Memo::from(self.0.new_id()));
        let extension = match lease.extend(&asked, id, memo, self.0.now()) {
            Ok(extension) => extension,
            Err(ExtendError::AlreadyPending)
                if tx.count_extensions(lease.id).await? != wish.made_before =>
            {
                return Err(Refused::Rejected(ExtendError::Race));
            }
            Err(error) => return Err(Refused::Rejected(error)),
        };
        tx.insert_extension(&extension).await?;
        claim(tx, &lease, extension.window, &validator)
            .await?
            .map_err(|taken| Refused::Rejected(taken.into()))?;
        let detail = json!({
            "extension": extension.id,
            "epoch_from": extension.window.start(),
            "epoch_to": extension.window.end(),
            "total_lamports": extension.payment.total(),
            "memo": extension.payment.memo().as_str(),
        });
        let (actor, what) = (Actor::User(user.id), Subject::new("lease", &lease.id));
        self.0
            .audit(tx, actor, "lease.extension_asked", what, &detail)
            .await?;
        Ok(extension)
    }

    /// Ends an extension that nobody paid in time, and frees its epochs. `false`
    /// if it was paid meanwhile, or another replica ended it.
    pub(super) async fn lapse_extension(&self, named: &NamedPayment) -> Result<bool, Fault> {
        let mut tx = self.0.store.ledger().begin().await?;
        tx.lock_validator(named.validator).await?;
        let lease = tx.lease(named.lease).await?;
        let extension = tx.extension(named.payment.memo()).await?;
        let (Some(lease), Some(extension)) = (lease, extension) else {
            return Ok(false);
        };
        let grace = self.0.options.settlement_grace;
        let Ok(lapsed) = extension.lapse(grace, self.0.now()) else {
            return Ok(false);
        };
        self.drop_extension(&mut tx, &lease, &extension, &lapsed)
            .await?;
        let detail = json!({"extension": extension.id});
        let what = Subject::new("lease", &lease.id);
        let action = "lease.extension_lapsed";
        self.0
            .audit(&mut tx, Actor::System, action, what, &detail)
            .await?;
        tx.commit().await?;
        self.0.pages.forget();
        Ok(true)
    }

    /// Writes that an extension is over unpaid, and frees its epochs.
    pub(super) async fn drop_extension(
        &self,
        tx: &mut LedgerTx,
        lease: &Lease,
        before: &Extension,
        after: &Extension,
    ) -> Result<(), Fault> {
        if !tx.update_extension(before, after).await? {
            return Err(Fault::LeaseChanged);
        }
        let window = before.window;
        tx.release(lease.validator, window, lease.id, lease.mode)
            .await?;
        Ok(())
    }
}
