//! Looking into the audit log.

use super::{context::Context, page::Page};
use crate::fault::Fault;
use primitives::{Timestamp, Ulid};
use std::sync::Arc;
use store::leasing::{AuditQuery, AuditRow, User};

/// The audit log of a market. Clones share everything.
#[derive(Debug, Clone)]
pub struct AuditLog(pub(super) Arc<Context>);

/// Which rows are looked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// Rows with exactly this action, such as `lease.booked`; any without it.
    pub action: Option<String>,
    /// Of the thing with this id.
    pub subject: Option<String>,
    /// From this time on.
    pub since: Option<Timestamp>,
    /// Before this time.
    pub until: Option<Timestamp>,
}

impl AuditLog {
    /// What happened, the newest first: everything for staff; for others what
    /// they did, and what was done to them, to their leases, and to their
    /// validators with their leases.
    pub async fn list(
        &self,
        user: &User,
        filter: &AuditFilter,
        after: Option<Ulid>,
        limit: u16,
    ) -> Result<Page<AuditRow, Ulid>, Fault> {
        let query = AuditQuery {
            of: (!user.roles.staff).then_some(user.id),
            action: filter.action.as_deref(),
            subject: filter.subject.as_deref(),
            since: filter.since,
            until: filter.until,
            before: after,
            limit: limit.saturating_add(1),
        };
        self.page(query, limit).await
    }

    /// What happened to a lease, the newest first.
    pub async fn of_lease(
        &self,
        lease: Ulid,
        after: Option<Ulid>,
        limit: u16,
    ) -> Result<Page<AuditRow, Ulid>, Fault> {
        let lease = lease.to_string();
        let query = AuditQuery {
            of: None,
            action: None,
            subject: Some(&lease),
            since: None,
            until: None,
            before: after,
            limit: limit.saturating_add(1),
        };
        self.page(query, limit).await
    }

    async fn page(&self, query: AuditQuery<'_>, limit: u16) -> Result<Page<AuditRow, Ulid>, Fault> {
        let rows = self.0.store.ledger().audit_log(&query).await?;
        Ok(Page::new(rows, usize::from(limit), |row| row.id))
    }
}
