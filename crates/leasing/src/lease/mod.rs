//! A lease: what was booked, and where it stands.
//!
//! A [`Lease`] is what was agreed, which stays but for its end, and a
//! [`Stage`], which has the data of its state and nothing else. Files beside
//! this one say how a lease comes to be (`booking`), is paid (`settling`), grows
//! (`extension`) and ends (`ending`, `revoking`): each of these functions takes
//! a lease as it was loaded and gives the one to be written, or why there is
//! none.

use crate::{
    payment::Payment,
    roles::{Asker, Party},
    window::EpochWindow,
    words::words,
};
use primitives::{Lamports, PublicKey, Signature, Timestamp, Ulid};

words! {
    /// How a validator's capacity is leased.
    Mode {
        /// All of it, to one trader.
        Exclusive = "exclusive",
        /// One of its seats.
        Shared = "shared",
    }
}

words! {
    /// The name of where a lease stands.
    LeaseState {
        /// Booked; it waits for the payment.
        PendingPayment = "pending_payment",
        /// Paid.
        Active = "active",
        /// Ended by the validator or by staff.
        Revoked = "revoked",
        /// Paid, and its epochs are over.
        Completed = "completed",
        /// Never paid: the window passed, or the trader gave up.
        Expired = "expired",
    }
}

words! {
    /// What somebody gets for a payment, or back by it.
    PaymentKind {
        /// The epochs of a booking.
        Booking = "booking",
        /// Further epochs of a lease.
        Extension = "extension",
        /// Epochs that were paid and cannot be had.
        Refund = "refund",
    }
}

words! {
    /// Where a payment stands.
    PaymentStatus {
        /// It can be paid.
        Open = "open",
        /// It is paid, and what it is for was given.
        Settled = "settled",
        /// Nobody paid in time.
        Expired = "expired",
        /// What it was for ended before it was paid.
        Void = "void",
        /// It was paid when what it was for could no longer be given.
        Orphaned = "orphaned",
    }
}

words! {
    /// Why a lease ended.
    EndReason {
        /// Nobody paid in time.
        Unpaid = "unpaid",
        /// The trader gave it up before paying.
        Cancelled = "cancelled",
        /// Its epochs are over.
        Completed = "completed",
        /// The validator or staff ended it.
        Revoked = "revoked",
    }
}

impl LeaseState {
    /// Whether a lease in this state has all its epochs: nobody else can book
    /// them. Epochs that were leased stay so; of a revoked lease, those that
    /// were used.
    pub const fn holds_epochs(self) -> bool {
        match self {
            Self::PendingPayment | Self::Active | Self::Completed => true,
            Self::Revoked | Self::Expired => false,
        }
    }
}

/// Consecutive epochs of a validator's capacity that somebody booked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// The public id.
    pub id: Ulid,
    /// Of whom.
    pub validator: Ulid,
    /// Who registered that validator.
    pub owner: Ulid,
    /// Who booked it.
    pub trader: Ulid,
    /// How.
    pub mode: Mode,
    /// When: the epochs of the booking and of every extension that is paid.
    pub window: EpochWindow,
    /// The price of one epoch when it was booked.
    pub price: Lamports,
    /// What all of them cost, each at the price of its time.
    pub total: Lamports,
    /// When it was booked.
    pub created_at: Timestamp,
    /// What was asked for when it was booked.
    pub payment: Payment,
    /// Until when that can be asked for.
    pub pay_until: Timestamp,
    /// Where it stands.
    pub stage: Stage,
}

/// Where a lease stands, with what it has there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Booked; it waits for its payment.
    PendingPayment,
    /// Paid.
    Active {
        /// The transaction that was taken for its payment.
        receipt: Receipt,
    },
    /// Paid, and its epochs are over.
    Completed {
        /// What paid for it.
        receipt: Receipt,
        /// When it ended.
        at: Timestamp,
    },
    /// Ended by the validator or by staff.
    Revoked {
        /// What paid for it, if it was paid.
        receipt: Option<Receipt>,
        /// When it ended.
        at: Timestamp,
        /// The first epoch that it gave back; those before were used, and stay
        /// sold.
        kept_until: i32,
    },
    /// Nobody paid in time.
    Lapsed {
        /// When it ended.
        at: Timestamp,
        /// A payment that came when its epochs were no longer free.
        late: Option<Receipt>,
    },
    /// The trader gave it up before paying.
    Cancelled {
        /// When it ended.
        at: Timestamp,
        /// A payment that came all the same.
        late: Option<Receipt>,
    },
}

/// The transaction that was taken for a payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Receipt {
    /// Its name.
    pub signature: Signature,
    /// Who paid.
    pub payer: PublicKey,
    /// Where it landed.
    pub slot: u64,
    /// What the wallets got beyond their parts.
    pub surplus: Lamports,
    /// When it was taken.
    pub at: Timestamp,
}

impl Stage {
    /// The stage that these parts are of; `None` if they contradict each other.
    pub fn restore(
        state: LeaseState,
        status: PaymentStatus,
        receipt: Option<Receipt>,
        end: Option<(EndReason, Timestamp)>,
        kept_until: Option<i32>,
    ) -> Option<Self> {
        let restored = match (end, receipt) {
            (None, None) => Self::PendingPayment,
            (None, Some(receipt)) => Self::Active { receipt },
            (Some((EndReason::Completed, at)), Some(receipt)) => Self::Completed { receipt, at },
            (Some((EndReason::Completed, _)), None) => return None,
            (Some((EndReason::Revoked, at)), receipt) => Self::Revoked {
                receipt,
                at,
                kept_until: kept_until?,
            },
            (Some((EndReason::Unpaid, at)), late) => Self::Lapsed { at, late },
            (Some((EndReason::Cancelled, at)), late) => Self::Cancelled { at, late },
        };
        let same = restored.state() == state
            && restored.payment_status() == status
            && restored.kept_until() == kept_until;
        same.then_some(restored)
    }

    /// Its name.
    pub const fn state(&self) -> LeaseState {
        match self {
            Self::PendingPayment => LeaseState::PendingPayment,
            Self::Active { .. } => LeaseState::Active,
            Self::Completed { .. } => LeaseState::Completed,
            Self::Revoked { .. } => LeaseState::Revoked,
            Self::Lapsed { .. } | Self::Cancelled { .. } => LeaseState::Expired,
        }
    }

    /// Where the payment of the booking stands.
    pub const fn payment_status(&self) -> PaymentStatus {
        match self {
            Self::PendingPayment => PaymentStatus::Open,
            Self::Active { .. }
            | Self::Completed { .. }
            | Self::Revoked {
                receipt: Some(_), ..
            } => PaymentStatus::Settled,
            Self::Revoked { receipt: None, .. } => PaymentStatus::Void,
            Self::Lapsed { late: None, .. } | Self::Cancelled { late: None, .. } => {
                PaymentStatus::Expired
            }
            Self::Lapsed { late: Some(_), .. } | Self::Cancelled { late: Some(_), .. } => {
                PaymentStatus::Orphaned
            }
        }
    }

    /// The transaction that was taken for the payment, whatever came of it.
    pub const fn receipt(&self) -> Option<Receipt> {
        match *self {
            Self::PendingPayment => None,
            Self::Active { receipt } | Self::Completed { receipt, .. } => Some(receipt),
            Self::Revoked { receipt, .. }
            | Self::Lapsed { late: receipt, .. }
            | Self::Cancelled { late: receipt, .. } => receipt,
        }
    }

    /// The transaction that paid for the lease.
    pub fn settled_by(&self) -> Option<Receipt> {
        let settled = self.payment_status() == PaymentStatus::Settled;
        self.receipt().filter(|_| settled)
    }

    /// The first epoch that a revoked lease gave back.
    pub const fn kept_until(&self) -> Option<i32> {
        match *self {
            Self::Revoked { kept_until, .. } => Some(kept_until),
            _ => None,
        }
    }

    /// Why and when it ended.
    pub const fn end(&self) -> Option<(EndReason, Timestamp)> {
        match *self {
            Self::PendingPayment | Self::Active { .. } => None,
            Self::Completed { at, .. } => Some((EndReason::Completed, at)),
            Self::Revoked { at, .. } => Some((EndReason::Revoked, at)),
            Self::Lapsed { at, .. } => Some((EndReason::Unpaid, at)),
            Self::Cancelled { at, .. } => Some((EndReason::Cancelled, at)),
        }
    }
}

impl Lease {
    /// The name of where it stands.
    pub const fn state(&self) -> LeaseState {
        self.stage.state()
    }

    /// What is still to be paid.
    pub fn due(&self) -> Option<&Payment> {
        matches!(self.stage, Stage::PendingPayment).then_some(&self.payment)
    }

    /// The same, while it can be asked for.
    pub fn payable(&self, now: Timestamp) -> Option<&Payment> {
        self.due().filter(|_| now < self.pay_until)
    }

    /// Whether somebody may look at it: its trader, the validator's owner, staff.
    pub fn is_visible_to(&self, viewer: Party) -> bool {
        viewer.user == self.trader || viewer.user == self.owner || viewer.roles.staff
    }

    /// Whether somebody may look at it: whoever may as a user, and its own key.
    pub fn is_shown_to(&self, asker: Asker) -> bool {
        match asker {
            Asker::User(party) => self.is_visible_to(party),
            Asker::Key(lease) => lease == self.id,
        }
    }

    /// The same lease in another stage.
    pub(crate) fn moved_to(&self, stage: Stage) -> Self {
        Self {
            stage,
            ..self.clone()
        }
    }
}

#[cfg(test)]
pub(crate) mod samples;

#[cfg(test)]
mod tests;
