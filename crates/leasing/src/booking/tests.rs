//! What can be booked, and in which order refusals come.

use super::*;
use crate::{
    Roles, Shared, Tier,
    lease::samples::{OWNER, TRADER, at, id, key, party},
};
use primitives::Lamports;

const ROLES: Roles = Roles {
    trader: true,
    validator: false,
    staff: false,
};

fn terms(price: u64, shared: Option<Shared>) -> ValidatorTerms {
    ValidatorTerms {
        price: Lamports::new(price),
        shared,
        tier: Tier::Standard,
        region: "eu-central-1".parse().unwrap(),
    }
}

/// Two epochs for 3,333 lamports each, or seats for 7.
fn usual() -> ValidatorTerms {
    let shared = Shared {
        price: Lamports::new(7),
        seats: 2,
    };
    terms(3_333, Some(shared))
}

fn offer(terms: &ValidatorTerms) -> Offer<'_> {
    Offer {
        owner: id(OWNER),
        status: ListingStatus::Listed,
        terms,
        payout_wallet: key(20),
    }
}

fn book(mode: Mode, trader: Party, offer: &Offer<'_>) -> Result<Lease, BookError> {
    book_beside(0, mode, trader, offer)
}

/// The same, beside bookings that are not paid; three may be.
fn book_beside(
    unpaid: u64,
    mode: Mode,
    party: Party,
    offer: &Offer<'_>,
) -> Result<Lease, BookError> {
    let trader = Trader { party, unpaid };
    let booking = Booking {
        validator: id(8),
        window: EpochWindow::new(5, 2).unwrap(),
        mode,
    };
    let platform = Platform {
        wallet: key(30),
        fee: FeeRate::new(250).unwrap(),
        payment_window: SignedDuration::from_mins(15),
        max_unpaid: 3,
    };
    let memo = "LEASE-1".parse().unwrap();
    Lease::book(&booking, trader, offer, &platform, id(9), memo, at(0))
}

#[test]
fn a_lease_has_the_price_and_the_wallets_of_its_booking() {
    let terms = usual();
    let trader = party(TRADER, ROLES);
    let lease = book(Mode::Exclusive, trader, &offer(&terms)).unwrap();
    assert_eq!((lease.price.get(), lease.total.get()), (3_333, 6_666));
    assert_eq!(lease.payment.total(), lease.total);
    let (payout, platform) = (lease.payment.payout(), lease.payment.platform());
    assert_eq!((payout.wallet, payout.amount.get()), (key(20), 6_500));
    assert_eq!((platform.wallet, platform.amount.get()), (key(30), 166));
    assert_eq!((lease.trader, lease.owner), (id(TRADER), id(OWNER)));
    assert_eq!((lease.created_at, lease.pay_until), (at(0), at(900)));
    assert_eq!(lease.stage, Stage::PendingPayment);
    let seat = book(Mode::Shared, trader, &offer(&terms)).unwrap();
    assert_eq!((seat.mode, seat.total.get()), (Mode::Shared, 14));
}

#[test]
fn refusals_come_in_their_order() {
    let stopped = ValidatorTerms {
        price: Lamports::new(u64::MAX),
        ..terms(1, None)
    };
    let mut offer = Offer {
        status: ListingStatus::Paused,
        ..offer(&stopped)
    };
    let nobody = party(OWNER, Roles::default());
    let refused = book(Mode::Shared, nobody, &offer);
    assert_eq!(refused, Err(BookError::ValidatorNotFound));
    offer.status = ListingStatus::Listed;
    let refused = book(Mode::Shared, nobody, &offer);
    assert_eq!(refused, Err(BookError::Forbidden));
    let refused = book(Mode::Shared, party(OWNER, ROLES), &offer);
    assert_eq!(refused, Err(BookError::OwnValidator));
    let trader = party(TRADER, ROLES);
    let refused = book(Mode::Shared, trader, &offer);
    assert_eq!(refused, Err(BookError::SharedNotOffered));
    let refused = book(Mode::Exclusive, trader, &offer);
    assert_eq!(refused, Err(BookError::TotalOverflow));
    let terms = usual();
    offer.terms = &terms;
    offer.payout_wallet = key(30);
    let refused = book(Mode::Exclusive, trader, &offer);
    assert_eq!(refused, Err(BookError::Unpayable(PaymentError::SameWallet)));
    offer.payout_wallet = key(20);
    assert!(book_beside(2, Mode::Exclusive, trader, &offer).is_ok());
    let refused = book_beside(3, Mode::Exclusive, trader, &offer);
    assert_eq!(refused, Err(BookError::TooManyUnpaid { limit: 3 }));
}
