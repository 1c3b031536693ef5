//! Booking, giving up, lapsing, completing.

use leasing::{
    Amendment, Asker, BookError, Booking, CancelError, EndReason, EpochWindow, LeaseState, Mode,
    Roles,
};
use primitives::Lamports;
use services::{
    Refused,
    leasing::{Booked, BookingWarning, LeaseFilter, PayError, User},
};
use world::Market;

pub(crate) fn rejected<T: std::fmt::Debug, E>(result: Result<T, Refused<E>>) -> E {
    match result {
        Err(Refused::Rejected(error)) => error,
        Err(Refused::Fault(fault)) => panic!("{}", fault.chain_text()),
        Ok(value) => panic!("{value:?}"),
    }
}

/// A user who asks about a lease.
pub(crate) fn asker(user: &User) -> Asker {
    Asker::User(user.party())
}

pub(crate) async fn state(market: &Market, booked: &Booked) -> LeaseState {
    let lease = market.store.ledger().lease(booked.lease.id).await;
    lease.unwrap().unwrap().state()
}

pub(crate) async fn actions(market: &Market, booked: &Booked) -> Vec<String> {
    let subject = booked.lease.id.to_string();
    let rows = market.store.ledger().audit_of("lease", &subject, 100).await;
    rows.unwrap().into_iter().map(|row| row.action).collect()
}

/// An owner with a validator of so many seats, and a trader.
pub(crate) async fn people(market: &Market, seats: u32) -> (User, primitives::Ulid, User) {
    let owner = market.user("owner").await;
    let validator = market.validator(&owner, 0, seats).await;
    (owner, validator.id, market.user("trader").await)
}

#[tokio::test]
async fn a_booking_holds_its_epochs_and_says_what_is_to_be_paid() {
    let market = Market::new(1).await;
    let (owner, validator, trader) = people(&market, 0).await;
    let booking = market.booking(validator, 2, 3, Mode::Exclusive);
    let booked = market.book(&trader, &booking).await.unwrap();
    assert_eq!(booked.lease.state(), LeaseState::PendingPayment);
    assert_eq!(booked.lease.total, Lamports::new(4_500_000_000));
    let payment = &booked.lease.payment;
    assert_eq!(payment.total(), booked.lease.total);
    // 250 basis points of it are the platform's.
    assert_eq!(payment.platform().amount, Lamports::new(112_500_000));
    assert_eq!(payment.platform().wallet, market.platform().public_key());
    assert_eq!(payment.payout().amount, Lamports::new(4_387_500_000));
    assert!(booked.warnings.is_empty());

    let view = market
        .leasing
        .leases
        .find(booked.lease.id, asker(&trader))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(view.lease, booked.lease);
    assert!(
        market
            .leasing
            .leases
            .find(booked.lease.id, asker(&owner))
            .await
            .unwrap()
            .is_some()
    );
    let stranger = market.user("stranger").await;
    assert_eq!(
        market
            .leasing
            .leases
            .find(booked.lease.id, asker(&stranger))
            .await
            .unwrap(),
        None
    );

    let now = i32::try_from(market.epoch()).unwrap();
    let found = market
        .leasing
        .validators
        .find(validator, None)
        .await
        .unwrap()
        .unwrap();
    let spans: Vec<_> = found
        .availability
        .iter()
        .map(|span| (span.from, span.to))
        .collect();
    assert_eq!(spans, [(now, now + 2), (now + 5, now + 60)]);
    assert_eq!(found.next_free_epoch, Some(now));
    assert_eq!(market.leasing.leases.check_calendar().await.unwrap(), []);
    assert_eq!(actions(&market, &booked).await, ["lease.booked"]);
}

#[tokio::test]
async fn overlapping_bookings_are_refused_and_told_whom_they_meet() {
    let market = Market::new(2).await;
    let (_, validator, trader) = people(&market, 2).await;
    let book = async |ahead, count, mode| {
        let booking = market.booking(validator, ahead, count, mode);
        market.book(&trader, &booking).await
    };
    let first = book(2, 3, Mode::Exclusive).await.unwrap();
    let taken = BookError::SlotTaken {
        lease: Some(first.lease.id),
    };
    for (ahead, count) in [(2, 3), (1, 2), (4, 1), (0, 30)] {
        assert_eq!(rejected(book(ahead, count, Mode::Exclusive).await), taken);
    }
    let epoch = i32::try_from(market.epoch()).unwrap();
    let full = |ahead| BookError::SharedFull {
        first_full_epoch: epoch + ahead,
    };
    assert_eq!(rejected(book(1, 5, Mode::Shared).await), full(2));
    // Beside it there is room.
    book(0, 2, Mode::Exclusive).await.unwrap();
    let seat = book(5, 2, Mode::Shared).await.unwrap();
    book(6, 2, Mode::Shared).await.unwrap();
    assert_eq!(rejected(book(5, 3, Mode::Shared).await), full(6));
    let taken = BookError::SlotTaken {
        lease: Some(seat.lease.id),
    };
    assert_eq!(
        rejected(book(4, 2, Mode::Exclusive).await),
        BookError::SlotTaken {
            lease: Some(first.lease.id),
        }
    );
    assert_eq!(rejected(book(5, 1, Mode::Exclusive).await), taken);
    assert_eq!(market.leasing.leases.check_calendar().await.unwrap(), []);
}

#[tokio::test]
async fn what_cannot_be_booked_is_refused_with_its_reason() {
    let market = Market::new(3).await;
    let (owner, validator, trader) = people(&market, 0).await;
    let booking = |mode| market.booking(validator, 1, 2, mode);
    let exclusive = booking(Mode::Exclusive);
    let refused = market.book(&owner, &exclusive).await;
    assert_eq!(rejected(refused), BookError::OwnValidator);
    let refused = market.book(&trader, &booking(Mode::Shared)).await;
    assert_eq!(rejected(refused), BookError::SharedNotOffered);
    let unknown = Booking {
        validator: market.key(),
        ..exclusive
    };
    let refused = market.book(&trader, &unknown).await;
    assert_eq!(rejected(refused), BookError::ValidatorNotFound);
    let visitor = market.user_with("visitor", Roles::default()).await;
    let refused = market.book(&visitor, &exclusive).await;
    assert_eq!(rejected(refused), BookError::Forbidden);

    let patch = |amendment: Amendment| {
        let (leasing, owner) = (market.leasing.clone(), owner.clone());
        async move {
            leasing
                .validators
                .patch(&owner, validator, &amendment)
                .await
                .unwrap()
        }
    };
    patch(Amendment {
        price_sol: Some("9000000000".to_owned()),
        ..Amendment::default()
    })
    .await;
    let refused = market.book(&trader, &exclusive).await;
    assert_eq!(rejected(refused), BookError::TotalOverflow);
    patch(Amendment {
        status: Some("paused".to_owned()),
        ..Amendment::default()
    })
    .await;
    let refused = market.book(&trader, &exclusive).await;
    assert_eq!(rejected(refused), BookError::ValidatorNotFound);
    let page = market
        .leasing
        .leases
        .by_trader(trader.id, LeaseFilter::default(), None, 10)
        .await;
    assert!(page.unwrap().items.is_empty(), "nothing was booked");
}

#[tokio::test]
async fn an_unpaid_booking_frees_its_slot_after_fifteen_minutes_and_a_grace() {
    let market = Market::new(4).await;
    let (_, validator, trader) = people(&market, 0).await;
    let booking = market.booking(validator, 5, 1, Mode::Exclusive);
    let booked = market.book(&trader, &booking).await.unwrap();
    let memo = booked.lease.payment.memo().as_str();
    let payer = market.wallet(2).public_key();

    market.advance(15 * 60 - 1);
    assert!(
        market
            .leasing
            .payments
            .transaction(memo, payer)
            .await
            .is_ok()
    );
    market.advance(1);
    let refused = market.leasing.payments.transaction(memo, payer).await;
    assert_eq!(rejected(refused), PayError::MemoNotFound);
    market.advance(119);
    assert_eq!(market.sweep().await, 0);
    assert_eq!(state(&market, &booked).await, LeaseState::PendingPayment);
    market.advance(1);
    assert_eq!(market.sweep().await, 1);
    assert_eq!(market.sweep().await, 0);
    let view = market
        .leasing
        .leases
        .find(booked.lease.id, asker(&trader))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(view.lease.state(), LeaseState::Expired);
    let reason = view.lease.stage.end().map(|(reason, _)| reason);
    assert_eq!(reason, Some(EndReason::Unpaid));
    assert_eq!(view.lease.due(), None);
    assert_eq!(
        actions(&market, &booked).await,
        ["lease.booked", "lease.expired"]
    );
    market.book(&trader, &booking).await.unwrap();
    assert_eq!(market.leasing.leases.check_calendar().await.unwrap(), []);
}

#[tokio::test]
async fn a_trader_gives_up_a_pending_booking_and_no_other() {
    let market = Market::new(5).await;
    let (owner, validator, trader) = people(&market, 1).await;
    let booking = market.booking(validator, 1, 2, Mode::Shared);
    let booked = market.book(&trader, &booking).await.unwrap();
    let id = booked.lease.id;
    let stranger = market.user("stranger").await;
    let cancel = async |user: &User| market.leasing.leases.cancel(user, id).await;
    assert_eq!(rejected(cancel(&stranger).await), CancelError::NotFound);
    assert_eq!(rejected(cancel(&owner).await), CancelError::Forbidden);
    let view = cancel(&trader).await.unwrap();
    assert_eq!(view.state(), LeaseState::Expired);
    let reason = view.stage.end().map(|(reason, _)| reason);
    assert_eq!(reason, Some(EndReason::Cancelled));
    let again = CancelError::NotPending(LeaseState::Expired);
    assert_eq!(rejected(cancel(&trader).await), again);
    market.book(&trader, &booking).await.unwrap();
    assert_eq!(market.leasing.leases.check_calendar().await.unwrap(), []);
}

#[tokio::test]
async fn a_lease_of_the_past_is_completed_once_it_is_paid() {
    let market = Market::new(6).await;
    let (_, validator, trader) = people(&market, 0).await;
    let window = EpochWindow::new(market.epoch() - 3, 2).unwrap();
    let booking = Booking {
        validator,
        window,
        mode: Mode::Exclusive,
    };
    let booked = market.book(&trader, &booking).await.unwrap();
    assert_eq!(booked.warnings, [BookingWarning::Over]);
    market
        .pay(booked.lease.payment.memo().as_str(), &market.wallet(2))
        .await;
    market.finalise();
    market.watch().await;
    assert_eq!(state(&market, &booked).await, LeaseState::PendingPayment);
    assert_eq!(market.settle().await.activated, 1);
    market.watch().await;
    assert_eq!(state(&market, &booked).await, LeaseState::Completed);
    // What was leased cannot be leased again, not even afterwards.
    let refused = market.book(&trader, &booking).await;
    assert!(matches!(rejected(refused), BookError::SlotTaken { .. }));
    assert_eq!(market.leasing.leases.check_calendar().await.unwrap(), []);
}

#[tokio::test]
async fn an_active_lease_is_completed_when_its_last_epoch_is_over() {
    let market = Market::new(7).await;
    let (_, validator, trader) = people(&market, 0).await;
    let booking = market.booking(validator, 0, 2, Mode::Exclusive);
    let booked = market.book(&trader, &booking).await.unwrap();
    assert_eq!(booked.warnings, [BookingWarning::Begun]);
    market
        .pay(booked.lease.payment.memo().as_str(), &market.wallet(2))
        .await;
    market.finalise();
    market.settle().await;
    market.node.advance_epochs(1).unwrap();
    market.watch().await;
    assert_eq!(state(&market, &booked).await, LeaseState::Active);
    market.node.advance_epochs(1).unwrap();
    market.watch().await;
    assert_eq!(state(&market, &booked).await, LeaseState::Completed);
    let expected = [
        "lease.booked",
        "lease.activated",
        "lease.ending",
        "lease.completed",
    ];
    assert_eq!(actions(&market, &booked).await, expected);
}

#[tokio::test]
async fn lists_go_from_the_newest_to_the_oldest_page_by_page() {
    let market = Market::new(8).await;
    let (owner, validator, trader) = people(&market, 0).await;
    let mut ids = Vec::new();
    for ahead in 1..=5 {
        market.advance(1);
        let booking = market.booking(validator, ahead, 1, Mode::Exclusive);
        ids.push(market.book(&trader, &booking).await.unwrap().lease.id);
    }
    ids.reverse();
    market.leasing.leases.cancel(&trader, ids[0]).await.unwrap();
    let filter = LeaseFilter::default();
    let first = market
        .leasing
        .leases
        .by_trader(trader.id, filter, None, 3)
        .await
        .unwrap();
    let rest = market
        .leasing
        .leases
        .by_trader(trader.id, filter, first.next, 3)
        .await
        .unwrap();
    assert_eq!(
        (first.items.len(), rest.items.len(), rest.next),
        (3, 2, None)
    );
    let seen: Vec<_> = first
        .items
        .iter()
        .chain(&rest.items)
        .map(|lease| lease.id)
        .collect();
    assert_eq!(seen, ids);
    let pending = LeaseFilter {
        state: Some(LeaseState::PendingPayment),
        validator: Some(validator),
    };
    let pending = market
        .leasing
        .leases
        .by_trader(trader.id, pending, None, 9)
        .await
        .unwrap();
    assert_eq!(pending.items.len(), 4);
    let theirs = market
        .leasing
        .leases
        .of_validator(&owner, validator, None, None, 9)
        .await;
    assert_eq!(theirs.unwrap().items.len(), 5);
    assert!(
        market
            .leasing
            .leases
            .of_validator(&trader, validator, None, None, 9)
            .await
            .is_err()
    );
}
