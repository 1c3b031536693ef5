//! Leases: booking, looking, giving up.

use super::{KeyGuard, Leasing, Page, StoredAnswer};
use crate::{fault::Fault, refused::Refused};
use leasing::{EpochWindow, LeaseState, Leg, Memo, Mode};
use primitives::{Lamports, PublicKey, Signature, Timestamp, Ulid};
use store::leasing::{EndReason, PaymentKind, PaymentStatus, User};

/// What a trader wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Booking {
    /// Of whom.
    pub validator: Ulid,
    /// When.
    pub window: EpochWindow,
    /// How.
    pub mode: Mode,
}

/// A lease that was just booked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Booked {
    /// The lease.
    pub lease: LeaseView,
    /// What is to be paid for it.
    pub payment: PaymentView,
    /// What its trader should know.
    pub warnings: Vec<BookingWarning>,
}

/// What a trader should know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BookingWarning {
    /// Some of its epochs are over, or have begun.
    Begun,
    /// All of its epochs are over: once paid, it is completed at once.
    Over,
}

/// A lease as its parties see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseView {
    /// Its public id.
    pub id: Ulid,
    /// Of whom.
    pub validator: Ulid,
    /// Who booked it.
    pub trader: Ulid,
    /// How.
    pub mode: Mode,
    /// Where it stands.
    pub state: LeaseState,
    /// When.
    pub window: EpochWindow,
    /// The price of one epoch when it was booked.
    pub price: Lamports,
    /// What was to be paid for all of them.
    pub total: Lamports,
    /// What is still to be paid; `None` unless the payment is pending.
    pub payment: Option<PaymentView>,
    /// The transaction that paid for it.
    pub settled_signature: Option<Signature>,
    /// Who paid.
    pub payer: Option<PublicKey>,
    /// When it was booked.
    pub created_at: Timestamp,
    /// When its payment settled.
    pub activated_at: Option<Timestamp>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// Why it ended.
    pub end_reason: Option<EndReason>,
}

/// A payment as its payer sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaymentView {
    /// By which it is asked for.
    pub memo: Memo,
    /// What for.
    pub kind: PaymentKind,
    /// Where it stands.
    pub status: PaymentStatus,
    /// All of it.
    pub total: Lamports,
    /// The validator's share.
    pub payout: Leg,
    /// The platform's fee.
    pub platform: Leg,
    /// Until when it can be asked for.
    pub expires_at: Timestamp,
}

/// Why nothing was booked, in the order of the checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BookError {
    /// There is no such validator, or it is not listed.
    ValidatorNotFound,
    /// The user is no trader.
    Forbidden,
    /// The trader registered it.
    OwnValidator,
    /// It has no seats.
    SharedNotOffered,
    /// The price times the epochs is too large.
    TotalOverflow,
    /// Somebody has some of the epochs.
    SlotTaken {
        /// Whose lease it is, if that can be told.
        lease: Option<Ulid>,
    },
    /// In some epoch no seat is free.
    SharedFull {
        /// The first such epoch.
        first_full_epoch: i32,
    },
}

/// Why a lease was not given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CancelError {
    /// There is no such lease that the user may see.
    NotFound,
    /// The user did not book it.
    Forbidden,
    /// It does not wait for its payment.
    NotPending(LeaseState),
}

/// Which leases are looked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LeaseFilter {
    /// In this state.
    pub state: Option<LeaseState>,
    /// Of this validator.
    pub validator: Option<Ulid>,
}

impl Leasing {
    /// Books epochs of a validator. The lease, its payment, its place in the
    /// calendar and the answer that `render` makes are written together; on an
    /// error the key is free again.
    pub async fn book(
        &self,
        user: &User,
        booking: &Booking,
        guard: KeyGuard,
        render: impl FnOnce(&Booked) -> StoredAnswer + Send,
    ) -> Result<(Booked, StoredAnswer), Refused<BookError>> {
        let _ = (self, user, booking, guard, render);
        Err(Fault::NoSolanaNode.into())
    }

    /// A lease, for its trader, the validator's owner and staff.
    pub async fn lease(&self, id: Ulid, viewer: &User) -> Result<Option<LeaseView>, Fault> {
        let _ = (self, id, viewer);
        Err(Fault::NoSolanaNode)
    }

    /// The leases of a trader, the newest first.
    pub async fn leases(
        &self,
        trader: Ulid,
        filter: LeaseFilter,
        after: Option<Ulid>,
        limit: u16,
    ) -> Result<Page<LeaseView, Ulid>, Fault> {
        let _ = (self, trader, filter, after, limit);
        Err(Fault::NoSolanaNode)
    }

    /// Gives a lease up that is not paid. Its epochs are free at once.
    pub async fn cancel(&self, user: &User, id: Ulid) -> Result<LeaseView, Refused<CancelError>> {
        let _ = (self, user, id);
        Err(Fault::NoSolanaNode.into())
    }
}
