//! Money that came and paid for nothing, for those who give it back.

use super::{audit::Subject, context::Context, page::Page};
use crate::{fault::Fault, refused::Refused};
use leasing::{Refund, StrayReason};
use primitives::Signature;
use serde_json::json;
use std::sync::Arc;
use store::leasing::{Actor, StrayPlace, StrayTransaction, User};

/// Money that came and paid for nothing. Clones share everything.
#[derive(Debug, Clone)]
pub struct Strays(pub(super) Arc<Context>);

/// Only staff may look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotStaff;

/// Why nothing was asked back, in the order of the checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StrayRefundError {
    /// Only staff may.
    NotStaff,
    /// No transaction of this name brought anything that a wallet of a payment
    /// has.
    NotFound,
}

impl Strays {
    /// Asks back what a transaction brought, of each wallet that has some of it:
    /// for staff. What was asked back before is told again.
    pub async fn refund(
        &self,
        user: &User,
        signature: Signature,
    ) -> Result<Vec<Refund>, Refused<StrayRefundError>> {
        if !user.roles.staff {
            return Err(Refused::Rejected(StrayRefundError::NotStaff));
        }
        self.ask_back(user, signature).await?;
        let owed = self.0.store.ledger().refunds_of_stray(signature).await?;
        if owed.is_empty() {
            return Err(Refused::Rejected(StrayRefundError::NotFound));
        }
        Ok(owed)
    }

    async fn ask_back(&self, user: &User, signature: Signature) -> Result<(), Fault> {
        let mut tx = self.0.store.ledger().begin().await?;
        for leg in tx.stray_legs_kept(signature).await? {
            let refund = leg.refund(self.0.now(), || self.0.new_id());
            let Some(refund) = refund.map_err(Fault::from)? else {
                continue;
            };
            if !tx.owe_stray(&leg, &refund).await? {
                // Somebody else did the same at once.
                return Ok(tx.rollback().await?);
            }
            let detail = json!({
                "refund": refund.id,
                "debtor": refund.debtor.as_str(),
                "amount_lamports": refund.amount(),
                "signature": signature,
            });
            let (actor, what) = (Actor::User(user.id), Subject::new("lease", &refund.lease));
            self.0
                .audit(&mut tx, actor, "payment.stray_asked_back", what, &detail)
                .await?;
        }
        Ok(tx.commit().await?)
    }

    /// The transactions that brought it, each once with what each wallet gained,
    /// the newest first: for staff.
    pub async fn list(
        &self,
        user: &User,
        reason: Option<StrayReason>,
        after: Option<StrayPlace>,
        limit: u16,
    ) -> Result<Page<StrayTransaction, StrayPlace>, Refused<NotStaff>> {
        if !user.roles.staff {
            return Err(Refused::Rejected(NotStaff));
        }
        let ledger = self.0.store.ledger();
        let more = limit.saturating_add(1);
        let rows = ledger.stray_transactions(reason, after, more).await;
        let rows = rows.map_err(Fault::from)?;
        Ok(Page::new(rows, usize::from(limit), |row| row.place))
    }
}
