//! How a lease ends: nobody paid, the trader gave up, its epochs are over.

use crate::{
    lease::{Lease, LeaseState, Stage},
    roles::Party,
    window::EpochWindow,
};
use primitives::{SignedDuration, Timestamp};

/// Why a booking did not lapse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LapseError {
    /// It does not wait for its payment.
    NotPending(LeaseState),
    /// It can still be paid, or a payment may still become final.
    NotDue,
}

/// Why a lease was not given up, in the order of the checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CancelError {
    /// There is no such lease that the user may see.
    NotFound,
    /// The user did not book it.
    Forbidden,
    /// It does not wait for its payment.
    NotPending(LeaseState),
}

/// Why a lease was not completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompleteError {
    /// Only active leases are completed; this one is in this state.
    NotActive(LeaseState),
    /// Some of its epochs are not over.
    NotOver,
    /// An extension may still be paid.
    ExtensionOpen,
}

impl Lease {
    /// Ends a booking that nobody paid in time, or in the `grace` after it.
    pub fn lapse(&self, grace: SignedDuration, now: Timestamp) -> Result<Self, LapseError> {
        if self.due().is_none() {
            return Err(LapseError::NotPending(self.state()));
        }
        match self.pay_until.checked_add(grace) {
            Ok(until) if until <= now => Ok(self.moved_to(Stage::Lapsed {
                at: now,
                late: None,
            })),
            _ => Err(LapseError::NotDue),
        }
    }

    /// Gives a booking up that is not paid.
    pub fn cancel(&self, user: Party, now: Timestamp) -> Result<Self, CancelError> {
        if !self.is_visible_to(user) {
            return Err(CancelError::NotFound);
        }
        if self.trader != user.user {
            return Err(CancelError::Forbidden);
        }
        if self.due().is_none() {
            return Err(CancelError::NotPending(self.state()));
        }
        Ok(self.moved_to(Stage::Cancelled {
            at: now,
            late: None,
        }))
    }

    /// Ends a paid lease all of whose epochs lie before the current one, unless
    /// an extension of it waits for its payment.
    pub fn complete(
        &self,
        epoch: u64,
        extension_open: bool,
        now: Timestamp,
    ) -> Result<Self, CompleteError> {
        let Stage::Active { receipt } = self.stage else {
            return Err(CompleteError::NotActive(self.state()));
        };
        if !self.window.is_over(epoch) {
            return Err(CompleteError::NotOver);
        }
        if extension_open {
            return Err(CompleteError::ExtensionOpen);
        }
        Ok(self.moved_to(Stage::Completed { receipt, at: now }))
    }

    /// The epochs that a lease has booked and does not have any more.
    pub fn freed(&self) -> Option<EpochWindow> {
        match self.stage {
            Stage::PendingPayment | Stage::Active { .. } | Stage::Completed { .. } => None,
            Stage::Lapsed { .. } | Stage::Cancelled { .. } => Some(self.window),
            Stage::Revoked { kept_until, .. } => self.window.since(kept_until),
        }
    }
}
