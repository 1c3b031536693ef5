//! Refunds, for those who owe them.

use super::{context::Context, page::Page};
use crate::fault::Fault;
use leasing::{PaymentStatus, Refund};
use primitives::Ulid;
use std::sync::Arc;
use store::leasing::{RefundQuery, User};

/// Refunds of a market. Clones share everything.
#[derive(Debug, Clone)]
pub struct Refunds(pub(super) Arc<Context>);

impl Refunds {
    /// The refunds that a user's validators owe, the newest first; for staff,
    /// those that anybody owes, the platform included.
    pub async fn owed_by(
        &self,
        user: &User,
        status: Option<PaymentStatus>,
        after: Option<Ulid>,
        limit: u16,
    ) -> Result<Page<Refund, Ulid>, Fault> {
        let query = RefundQuery {
            owner: (!user.roles.staff).then_some(user.id),
            status,
            after,
            limit: limit.saturating_add(1),
        };
        let rows = self.0.store.ledger().refunds(&query).await?;
        Ok(Page::new(rows, usize::from(limit), |refund| refund.id))
    }
}
