//! Reclaiming a validator: whoever holds its identity's key can take it from
//! whoever registered it.

use super::{
    audit::Subject,
    registering::{PayoutError, Proven},
    validator_view::ValidatorView,
    validators::Validators,
};
use crate::refused::Refused;
use leasing::{PayoutChange, PayoutDraft, Reclaim};
use serde_json::json;
use store::leasing::{Actor, User};

/// Why a validator was not given to whoever wants it, in the order of the
/// checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReclaimError {
    /// The user is no validator.
    Forbidden,
    /// What a change of the wallet is refused for, but for whose it is.
    Proof(PayoutError),
}

impl Validators {
    /// Gives a validator to a user whom its identity names, with the wallet that
    /// it names: whoever registered it before had no right to, or has it no more.
    pub async fn reclaim(
        &self,
        user: &User,
        draft: &PayoutDraft,
    ) -> Result<ValidatorView, Refused<ReclaimError>> {
        let context = &*self.0;
        let reject = |error| Err(Refused::Rejected(error));
        if !user.roles.validator {
            return reject(ReclaimError::Forbidden);
        }
        let refuse = |error| reject(ReclaimError::Proof(error));
        let change = draft.check(context.options.platform_wallet);
        let reclaim = match change {
            Ok(change) => Reclaim(change),
            Err(error) => return refuse(PayoutError::Field(error)),
        };
        let text = reclaim.challenge(&context.options.domain, user.id);
        let PayoutChange {
            identity,
            payout_wallet,
            proof,
        } = &reclaim.0;
        match self.check_proof(*identity, proof, &text).await? {
            Proven::Yes => {}
            Proven::Skewed => return refuse(PayoutError::TimestampSkew),
            Proven::Not => return refuse(PayoutError::Signature),
            Proven::Replayed => return refuse(PayoutError::NonceReplay),
        }
        let Some(found) = context.store.ledger().validator_of(*identity).await? else {
            return refuse(PayoutError::NotFound);
        };
        let mut tx = context.store.ledger().begin().await?;
        if !self.use_nonce(&mut tx, *identity, proof).await? {
            return refuse(PayoutError::NonceReplay);
        }
        let Some(mut row) = tx.lock_validator(found.id).await? else {
            return refuse(PayoutError::NotFound);
        };
        let detail = json!({
            "from_owner": row.owner,
            "from_wallet": row.payout_wallet,
            "to_wallet": payout_wallet,
        });
        (row.owner, row.payout_wallet) = (user.id, *payout_wallet);
        tx.set_owner(row.id, row.owner).await?;
        tx.update_validator(&row).await?;
        let what = Subject::new("validator", &row.id);
        let actor = Actor::User(user.id);
        context
            .audit(&mut tx, actor, "validator.reclaimed", what, &detail)
            .await?;
        tx.commit().await?;
        context.pages.forget();
        // It is done; a node that is silent costs a warning alone.
        let warnings = self.warnings(&row).await.unwrap_or_default();
        let mut view = self.detailed(row).await?;
        view.warnings = warnings;
        Ok(view)
    }
}
