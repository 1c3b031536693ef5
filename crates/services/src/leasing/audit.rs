//! The audit log: every change has a row, written in its transaction; and the
//! check that the calendar is what the leases make it.

use super::{Inner, Leasing};
use crate::fault::Fault;
use primitives::Ulid;
use serde_json::Value;
use std::sync::{Mutex, PoisonError};
use store::leasing::{Actor, AuditRow, Drift};

/// What something was done to.
pub(super) struct Subject {
    kind: &'static str,
    id: String,
}

impl Subject {
    pub(super) fn new(kind: &'static str, id: &(impl ToString + ?Sized)) -> Self {
        Self {
            kind,
            id: id.to_string(),
        }
    }
}

/// Ids of rows, in the order in which things happened here.
#[derive(Debug, Default)]
pub(super) struct AuditIds(Mutex<Option<Ulid>>);

impl AuditIds {
    fn next(&self, fresh: Ulid) -> Ulid {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let next = last.map_or(fresh, |last| fresh.after(last));
        *last = Some(next);
        next
    }
}

/// Epochs that a check tells at most.
const MAX_DRIFT: u16 = 100;

impl Inner {
    /// A row for something that happens now. `detail` is an object.
    pub(super) fn audit_row(
        &self,
        actor: Actor,
        action: &str,
        subject: Subject,
        detail: &Value,
    ) -> AuditRow {
        AuditRow {
            id: self.audit_ids.next(self.new_id()),
            at: self.now(),
            actor,
            action: action.to_owned(),
            subject_kind: subject.kind.to_owned(),
            subject: subject.id,
            detail: detail.to_string(),
        }
    }
}

impl Leasing {
    /// Computes the calendar anew from the leases and tells the epochs, at most
    /// 100, in which the kept one differs. There are none, or there is a bug.
    pub async fn check_calendar(&self) -> Result<Vec<Drift>, Fault> {
        Ok(self.0.store.ledger().calendar_drift(MAX_DRIFT).await?)
    }
}
