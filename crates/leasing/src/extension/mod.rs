//! Extensions: further epochs of a lease, right after its last, with a payment
//! of their own.
//!
//! An extension that waits for its payment holds its epochs; a lease has at most
//! one of these. Once it is paid the lease has the epochs, and the extension
//! stays as what was paid for them.

use crate::{
    bill::Bill,
    booking::{Offer, Platform},
    lease::{Lease, LeaseState, PaymentStatus, Receipt, Stage},
    memo::Memo,
    payment::{Leg, Payment, PaymentError},
    reading::Landed,
    registration::ListingStatus,
    roles::Party,
    settling::{Brought, Stray, StrayReason},
    window::EpochWindow,
};
use primitives::{Lamports, Signature, SignedDuration, Timestamp, Ulid};

/// Further epochs of a lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extension {
    /// The public id.
    pub id: Ulid,
    /// The lease that has the epochs once they are paid.
    pub lease: Ulid,
    /// The epochs.
    pub window: EpochWindow,
    /// The price of one of them when it was asked for.
    pub price: Lamports,
    /// When it was asked for.
    pub created_at: Timestamp,
    /// What is asked for.
    pub payment: Payment,
    /// Until when that can be asked for.
    pub pay_until: Timestamp,
    /// Where it stands.
    pub stage: ExtensionStage,
}

/// Where an extension stands, with what it has there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExtensionStage {
    /// It waits for its payment, and holds its epochs.
    Open,
    /// Paid: its lease has the epochs.
    Settled {
        /// The transaction that was taken for its payment.
        receipt: Receipt,
    },
    /// Nobody paid in time.
    Lapsed,
    /// Its lease ended before it was paid.
    Void,
    /// It was paid when its epochs could no longer be had.
    Orphaned {
        /// The transaction that paid too late, and is to be given back.
        receipt: Receipt,
    },
}

/// What somebody asks for, and what they get depends on.
#[derive(Debug, Clone, Copy)]
pub struct Extending<'a> {
    /// Who asks.
    pub user: Party,
    /// How many epochs.
    pub count: i32,
    /// The validator as it is now.
    pub offer: Offer<'a>,
    /// What the platform wants.
    pub platform: Platform,
    /// The current epoch, if it is known.
    pub epoch: Option<u64>,
    /// Whether an extension of the lease waits for its payment.
    pub is_pending: bool,
}

/// Why a lease was not extended, in the order of the checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExtendError {
    /// There is no such lease that the user may see.
    NotFound,
    /// The user did not book it.
    Forbidden,
    /// Only active leases are extended; this one is in this state.
    NotActive(LeaseState),
    /// Its epochs are over.
    Over,
    /// It would have too many epochs.
    ExceedsCap,
    /// There are no such epochs.
    Range,
    /// The validator is not listed.
    NotListed,
    /// It has no seats any more.
    SharedNotOffered,
    /// The price times the epochs is too large.
    TotalOverflow,
    /// What the validator or the operator has set cannot be paid.
    Unpayable(PaymentError),
    /// Another extension waits for its payment.
    AlreadyPending,
    /// Another extension was asked for at the same time, and came first.
    Race,
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

/// Why an extension did not lapse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExtensionLapseError {
    /// It does not wait for its payment.
    NotOpen,
    /// It can still be paid, or a payment may still become final.
    NotDue,
}

/// What a transaction does to an extension and its lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExtensionSettling {
    /// Nothing: it paid nothing, or was taken for this extension before.
    Ignored,
    /// It pays the extension, which holds its epochs.
    Paid(Box<Extended>),
    /// It pays one that lapsed, whose epochs may still be had.
    Late(Box<LateExtension>),
    /// It pays one whose epochs cannot be had any more.
    Orphaned(Box<OrphanedExtension>),
    /// It changes nothing, and is to be given back.
    Stray(Stray),
}

/// An extension that is paid, and its lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extended {
    /// The lease with the epochs.
    pub lease: Lease,
    /// What was paid for, settled from now on.
    pub extension: Extension,
}

/// What a payment does to an extension that cannot be had any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrphanedExtension {
    /// The extension, which notes the payment.
    pub extension: Extension,
    /// What is to be given back.
    pub stray: Stray,
}

/// What a payment does to an extension that lapsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LateExtension {
    /// What becomes of it if its epochs can be had.
    pub extended: Extended,
    /// What becomes of it if they cannot.
    pub orphaned: OrphanedExtension,
}

impl ExtensionStage {
    /// The stage that these parts are of; `None` if they contradict each other.
    pub fn restore(status: PaymentStatus, receipt: Option<Receipt>) -> Option<Self> {
        Some(match (status, receipt) {
            (PaymentStatus::Open, None) => Self::Open,
            (PaymentStatus::Settled, Some(receipt)) => Self::Settled { receipt },
            (PaymentStatus::Expired, None) => Self::Lapsed,
            (PaymentStatus::Void, None) => Self::Void,
            (PaymentStatus::Orphaned, Some(receipt)) => Self::Orphaned { receipt },
            _ => return None,
        })
    }

    /// Where the payment stands.
    pub const fn payment_status(&self) -> PaymentStatus {
        match self {
            Self::Open => PaymentStatus::Open,
            Self::Settled { .. } => PaymentStatus::Settled,
            Self::Lapsed => PaymentStatus::Expired,
            Self::Void => PaymentStatus::Void,
            Self::Orphaned { .. } => PaymentStatus::Orphaned,
        }
    }

    /// The transaction that was taken for the payment, whatever came of it.
    pub const fn receipt(&self) -> Option<Receipt> {
        match *self {
            Self::Open | Self::Lapsed | Self::Void => None,
            Self::Settled { receipt } | Self::Orphaned { receipt } => Some(receipt),
        }
    }
}

impl Lease {
    /// The extension that somebody asks for, which waits for its payment. Whether
    /// its epochs are free is for whoever keeps the calendar to find out.
    pub fn extend(
        &self,
        asked: &Extending<'_>,
        id: Ulid,
        memo: Memo,
        now: Timestamp,
    ) -> Result<Extension, ExtendError> {
        self.may_be_extended(asked)?;
        let (start, count) = (i64::from(self.window.end()), i64::from(asked.count));
        if self.window.count().saturating_add(asked.count) > EpochWindow::MAX_COUNT {
            return Err(ExtendError::ExceedsCap);
        }
        let window = EpochWindow::new(start, count).map_err(|_| ExtendError::Range)?;
        let offer = &asked.offer;
        if offer.status != ListingStatus::Listed {
            return Err(ExtendError::NotListed);
        }
        let price = offer.terms.price_of(self.mode);
        let price = price.ok_or(ExtendError::SharedNotOffered)?;
        let bill = Bill::new(price, asked.count, asked.platform.fee)
            .map_err(|_| ExtendError::TotalOverflow)?;
        // What all of it costs is a number of the ledger too.
        let total = self.total.checked_add(bill.total);
        if total.is_none_or(|total| i64::try_from(total.get()).is_err()) {
            return Err(ExtendError::TotalOverflow);
        }
        let leg = |wallet, amount| Leg { wallet, amount };
        let (payout, fee) = (
            leg(offer.payout_wallet, bill.share),
            leg(asked.platform.wallet, bill.fee),
        );
        let payment = Payment::new(memo, payout, fee).map_err(ExtendError::Unpayable)?;
        if asked.is_pending {
            return Err(ExtendError::AlreadyPending);
        }
        let pay_until = now.checked_add(asked.platform.payment_window);
        Ok(Extension {
            id,
            lease: self.id,
            window,
            price,
            created_at: now,
            payment,
            pay_until: pay_until.unwrap_or(Timestamp::MAX),
            stage: ExtensionStage::Open,
        })
    }

    fn may_be_extended(&self, asked: &Extending<'_>) -> Result<(), ExtendError> {
        if !self.is_visible_to(asked.user) {
            return Err(ExtendError::NotFound);
        }
        if self.trader != asked.user.user {
            return Err(ExtendError::Forbidden);
        }
        match self.state() {
            LeaseState::Active if asked.epoch.is_some_and(|epoch| self.window.is_over(epoch)) => {
                Err(ExtendError::Over)
            }
            LeaseState::Active => Ok(()),
            LeaseState::Completed => Err(ExtendError::Over),
            other => Err(ExtendError::NotActive(other)),
        }
    }

    /// The lease with the epochs of an extension, if they follow its own.
    fn extended_by(&self, extension: &Extension) -> Option<Self> {
        let Stage::Active { .. } = self.stage else {
            return None;
        };
        if extension.window.start() != self.window.end() {
            return None;
        }
        let count = self.window.count().checked_add(extension.window.count())?;
        Some(Self {
            window: EpochWindow::new(self.window.start().into(), count.into()).ok()?,
            total: self.total.checked_add(extension.payment.total())?,
            ..self.clone()
        })
    }
}

impl Extension {
    /// What is to be paid, while it can be asked for.
    pub fn payable(&self, now: Timestamp) -> Option<&Payment> {
        let is_open = matches!(self.stage, ExtensionStage::Open);
        (is_open && now < self.pay_until).then_some(&self.payment)
    }

    /// Ends one that nobody paid in time, or in the `grace` after it.
    pub fn lapse(
        &self,
        grace: SignedDuration,
        now: Timestamp,
    ) -> Result<Self, ExtensionLapseError> {
        if self.stage != ExtensionStage::Open {
            return Err(ExtensionLapseError::NotOpen);
        }
        match self.pay_until.checked_add(grace) {
            Ok(until) if until <= now => Ok(self.moved_to(ExtensionStage::Lapsed)),
            _ => Err(ExtensionLapseError::NotDue),
        }
    }

    /// Ends one whose lease has ended; `None` if it does not wait for its
    /// payment.
    pub fn void(&self) -> Option<Self> {
        let is_open = matches!(self.stage, ExtensionStage::Open);
        is_open.then(|| self.moved_to(ExtensionStage::Void))
    }

    /// What a transaction that names this extension's payment does to it and to
    /// its lease. `other_open` is whether another extension of the lease waits
    /// for its payment, and so has the epochs after its last.
    pub fn settle(
        &self,
        lease: &Lease,
        other_open: bool,
        landed: &Landed,
        now: Timestamp,
    ) -> ExtensionSettling {
        let stray = |reason| match Stray::new(&self.payment, landed, reason, now) {
            Some(stray) => ExtensionSettling::Stray(stray),
            None => ExtensionSettling::Ignored,
        };
        let (receipt, orphan) = match landed.brought(&self.payment, now) {
            Brought::Nothing => return ExtensionSettling::Ignored,
            Brought::Stray(reason) => return stray(reason),
            Brought::Paid { receipt, orphan } => (receipt, orphan),
        };
        let orphaned = OrphanedExtension {
            extension: self.moved_to(ExtensionStage::Orphaned { receipt }),
            stray: *orphan,
        };
        let extended = lease.extended_by(self).map(|lease| Extended {
            lease,
            extension: self.moved_to(ExtensionStage::Settled { receipt }),
        });
        match (self.stage, extended) {
            _ if self.was_taken(landed.signature) => ExtensionSettling::Ignored,
            (ExtensionStage::Open, Some(extended)) => ExtensionSettling::Paid(Box::new(extended)),
            (ExtensionStage::Lapsed, Some(extended)) if !other_open => {
                ExtensionSettling::Late(Box::new(LateExtension { extended, orphaned }))
            }
            (ExtensionStage::Open | ExtensionStage::Lapsed | ExtensionStage::Void, _) => {
                ExtensionSettling::Orphaned(Box::new(orphaned))
            }
            (ExtensionStage::Settled { .. } | ExtensionStage::Orphaned { .. }, _) => {
                stray(StrayReason::Doubled)
            }
        }
    }

    fn was_taken(&self, signature: Signature) -> bool {
        let receipt = self.stage.receipt();
        receipt.is_some_and(|receipt| receipt.signature == signature)
    }

    fn moved_to(&self, stage: ExtensionStage) -> Self {
        Self {
            stage,
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests;
