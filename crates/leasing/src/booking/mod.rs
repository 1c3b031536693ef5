//! Booking: from what a trader wants and a validator offers to a lease.

use crate::{
    bill::{Bill, FeeRate},
    lease::{Lease, Mode, Stage},
    memo::Memo,
    payment::{Leg, Payment, PaymentError},
    registration::ListingStatus,
    roles::Party,
    terms::ValidatorTerms,
    window::EpochWindow,
};
use primitives::{PublicKey, SignedDuration, Timestamp, Ulid};

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

/// Who books.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trader {
    /// The user.
    pub party: Party,
    /// How many bookings of theirs wait for their payment.
    pub unpaid: u64,
}

/// A validator as it is when it is booked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offer<'a> {
    /// Who registered it.
    pub owner: Ulid,
    /// Whether it can be booked.
    pub status: ListingStatus,
    /// What it offers.
    pub terms: &'a ValidatorTerms,
    /// Where its share goes.
    pub payout_wallet: PublicKey,
}

/// What the platform wants of every booking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Platform {
    /// Where its fee goes.
    pub wallet: PublicKey,
    /// Its part.
    pub fee: FeeRate,
    /// How long a booking waits for its payment.
    pub payment_window: SignedDuration,
    /// Bookings that a trader may have without having paid for them.
    pub max_unpaid: u32,
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
    /// What the validator or the operator has set cannot be paid.
    Unpayable(PaymentError),
    /// The trader has as many unpaid bookings as one may have.
    TooManyUnpaid {
        /// How many that is.
        limit: u32,
    },
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

impl Lease {
    /// The lease that a booking makes, which waits for its payment. Whether its
    /// epochs are free is for whoever keeps the calendar to find out.
    pub fn book(
        booking: &Booking,
        trader: Trader,
        offer: &Offer<'_>,
        platform: &Platform,
        id: Ulid,
        memo: Memo,
        now: Timestamp,
    ) -> Result<Self, BookError> {
        if offer.status != ListingStatus::Listed {
            return Err(BookError::ValidatorNotFound);
        }
        if !trader.party.roles.trader {
            return Err(BookError::Forbidden);
        }
        if offer.owner == trader.party.user {
            return Err(BookError::OwnValidator);
        }
        let price = offer.terms.price_of(booking.mode);
        let price = price.ok_or(BookError::SharedNotOffered)?;
        let bill = Bill::new(price, booking.window.count(), platform.fee)
            .map_err(|_| BookError::TotalOverflow)?;
        let payout = Leg {
            wallet: offer.payout_wallet,
            amount: bill.share,
        };
        let fee = Leg {
            wallet: platform.wallet,
            amount: bill.fee,
        };
        // What nobody could pay is not booked.
        let payment = Payment::new(memo, payout, fee).map_err(BookError::Unpayable)?;
        let limit = platform.max_unpaid;
        if trader.unpaid >= u64::from(limit) {
            return Err(BookError::TooManyUnpaid { limit });
        }
        let pay_until = now.checked_add(platform.payment_window);
        Ok(Self {
            id,
            validator: booking.validator,
            owner: offer.owner,
            trader: trader.party.user,
            mode: booking.mode,
            window: booking.window,
            price,
            total: bill.total,
            created_at: now,
            payment,
            pay_until: pay_until.unwrap_or(Timestamp::MAX),
            stage: Stage::PendingPayment,
        })
    }
}

#[cfg(test)]
mod tests;
