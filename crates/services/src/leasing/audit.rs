//! The audit log: what something was done to, and ids of rows.

use primitives::{Timestamp, Ulid};
use std::sync::{Mutex, PoisonError};

/// What something was done to.
pub(super) struct Subject {
    pub(super) kind: &'static str,
    pub(super) id: String,
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
    pub(super) fn next(&self, now: Timestamp, random: [u8; 10]) -> Ulid {
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
