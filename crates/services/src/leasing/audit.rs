//! The audit log: every change has a row, written in its transaction; and the
//! check that the calendar is what the leases make it.

use super::{Inner, Leasing};
use crate::fault::Fault;
use primitives::{Timestamp, Ulid};
use serde_json::Value;
use std::sync::{Mutex, PoisonError};
use store::leasing::{Actor, AuditRow, Drift, LedgerTx};

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

/// Ids of rows, in the order in which things happened here: those of one
/// moment count on.
#[derive(Debug, Default)]
pub(super) struct AuditIds(Mutex<Option<(Timestamp, [u8; 10])>>);

impl AuditIds {
    fn next(&self, now: Timestamp, random: [u8; 10]) -> Ulid {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, bytes) = match *last {
            Some((at, bytes)) if now <= at => (at, counted_on(bytes)),
            _ => (now, random),
        };
        *last = Some((at, bytes));
        Ulid::new(at, bytes)
    }
}

/// The number that these bytes are, and one.
fn counted_on(mut bytes: [u8; 10]) -> [u8; 10] {
    for byte in bytes.iter_mut().rev() {
        *byte = byte.wrapping_add(1);
        if *byte != 0 {
            break;
        }
    }
    bytes
}

/// Epochs that a check tells at most.
const MAX_DRIFT: u16 = 100;

impl Inner {
    /// Writes down what happens in a transaction. `detail` is an object.
    pub(super) async fn audit(
        &self,
        tx: &mut LedgerTx,
        actor: Actor,
        action: &str,
        subject: Subject,
        detail: &Value,
    ) -> Result<(), Fault> {
        let row = AuditRow {
            id: self.audit_ids.next(self.now(), self.entropy.bytes()),
            at: self.now(),
            actor,
            action: action.to_owned(),
            subject_kind: subject.kind.to_owned(),
            subject: subject.id,
            detail: detail.to_string(),
        };
        Ok(tx.audit(&row).await?)
    }
}

impl Leasing {
    /// Computes the calendar anew from the leases and tells the epochs, at most
    /// 100, in which the kept one differs. There are none, or there is a bug.
    pub async fn check_calendar(&self) -> Result<Vec<Drift>, Fault> {
        Ok(self.0.store.ledger().calendar_drift(MAX_DRIFT).await?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_one_moment_keep_their_order() {
        let ids = AuditIds::default();
        let at = |second| Timestamp::from_second(second).unwrap();
        let made = [
            ids.next(at(10), [7; 10]),
            ids.next(at(10), [1; 10]),
            ids.next(at(9), [9; 10]),
            ids.next(at(11), [0; 10]),
        ];
        assert!(made.is_sorted_by(|a, b| a < b), "{made:?}");
        assert_eq!(counted_on([255; 10]), [0; 10]);
    }
}
