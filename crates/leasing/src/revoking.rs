//! Revoking: a validator or staff ends a lease before its time.

use crate::{
    lease::{Lease, LeaseState, Stage},
    roles::Party,
};
use primitives::Timestamp;

/// Why a lease was not revoked, in the order of the checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RevokeError {
    /// There is no such validator.
    ValidatorNotFound,
    /// There is no such lease of it that the user may see.
    NotFound,
    /// The user neither registered the validator nor is staff.
    Forbidden,
    /// It was revoked before, and stays as it is.
    AlreadyRevoked,
    /// It has ended otherwise.
    NotActive(LeaseState),
}

impl Lease {
    /// Ends a lease in an epoch, which counts as used if it is paid.
    pub fn revoke(&self, user: Party, epoch: i32, now: Timestamp) -> Result<Self, RevokeError> {
        if !self.is_visible_to(user) {
            return Err(RevokeError::NotFound);
        }
        if self.owner != user.user && !user.roles.staff {
            return Err(RevokeError::Forbidden);
        }
        let (start, end) = (self.window.start(), self.window.end());
        let (receipt, kept_until) = match self.stage {
            Stage::PendingPayment => (None, start),
            Stage::Active { receipt } => (Some(receipt), epoch.saturating_add(1).clamp(start, end)),
            Stage::Revoked { .. } => return Err(RevokeError::AlreadyRevoked),
            _ => return Err(RevokeError::NotActive(self.state())),
        };
        Ok(self.moved_to(Stage::Revoked {
            receipt,
            at: now,
            kept_until,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Roles,
        lease::samples::{OWNER, STRANGER, TRADER, at, lease, party, receipt, stages},
    };

    const STAFF: Roles = Roles {
        trader: false,
        validator: false,
        staff: true,
    };

    #[test]
    fn owner_and_staff_end_what_is_not_ended() {
        for (name, stage) in stages() {
            let lease = lease(stage);
            for user in [party(OWNER, Roles::default()), party(STRANGER, STAFF)] {
                let revoked = lease.revoke(user, 6, at(200));
                match name {
                    "pending" | "active" => {
                        assert_eq!(revoked.unwrap().state(), LeaseState::Revoked, "{name}");
                    }
                    "revoked" | "revoked unpaid" => {
                        assert_eq!(revoked, Err(RevokeError::AlreadyRevoked), "{name}");
                    }
                    _ => {
                        let expected = Err(RevokeError::NotActive(lease.state()));
                        assert_eq!(revoked, expected, "{name}");
                    }
                }
            }
            let trader = lease.revoke(party(TRADER, Roles::default()), 6, at(200));
            assert_eq!(trader, Err(RevokeError::Forbidden), "{name}");
            let stranger = lease.revoke(party(STRANGER, Roles::default()), 6, at(200));
            assert_eq!(stranger, Err(RevokeError::NotFound), "{name}");
        }
    }

    #[test]
    fn the_running_epoch_and_those_before_stay_sold() {
        let owner = party(OWNER, Roles::default());
        let active = lease(Stage::Active { receipt: receipt() });
        for (epoch, kept_until, freed) in [
            (0, 5, Some((5, 8))),
            (4, 5, Some((5, 8))),
            (5, 6, Some((6, 8))),
            (7, 8, None),
            (i32::MAX, 8, None),
        ] {
            let revoked = active.revoke(owner, epoch, at(200)).unwrap();
            assert_eq!(revoked.stage.kept_until(), Some(kept_until), "{epoch}");
            let gone = revoked.freed();
            let gone = gone.map(|window| (window.start(), window.end()));
            assert_eq!(gone, freed, "{epoch}");
        }
        let pending = lease(Stage::PendingPayment);
        let revoked = pending.revoke(owner, 6, at(200)).unwrap();
        assert_eq!(revoked.freed(), Some(pending.window), "nothing was sold");
        assert_eq!(revoked.stage.receipt(), None);
    }
}
