//! Money that came and paid for nothing, for those who give it back.

use super::{context::Context, page::Page};
use crate::{fault::Fault, refused::Refused};
use leasing::StrayReason;
use std::sync::Arc;
use store::leasing::{StrayPlace, StrayTransaction, User};

/// Money that came and paid for nothing. Clones share everything.
#[derive(Debug, Clone)]
pub struct Strays(pub(super) Arc<Context>);

/// Only staff may look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotStaff;

impl Strays {
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
