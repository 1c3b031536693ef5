//! Rows of a lease market to begin with.

use leasing::{
    EpochWindow, Lease, Leg, ListingStatus, Mode, Payment, RatingSum, Roles, Shared, Stage, Tier,
    ValidatorTerms,
};
use primitives::{Lamports, PublicKey, Timestamp, Ulid};
use store::{
    LedgerStore,
    leasing::{Performance, StakeRow, User, ValidatorRow},
};

pub(crate) fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + second).unwrap()
}

pub(crate) fn id(number: u8) -> Ulid {
    Ulid::new(at(number.into()), [number; 10])
}

pub(crate) fn key(byte: u8) -> PublicKey {
    PublicKey::from_bytes([byte; 32])
}

pub(crate) fn user(number: u8) -> User {
    User {
        id: id(number),
        address: Some(key(number)),
        display_name: Some(format!("user {number}")),
        email: None,
        roles: Roles {
            trader: true,
            validator: false,
            staff: true,
        },
        created_at: at(0),
    }
}

pub(crate) fn validator(number: u8, owner: u8) -> ValidatorRow {
    ValidatorRow {
        id: id(number),
        owner: id(owner),
        identity: key(number),
        payout_wallet: key(200),
        name: Some(format!("validator {number}")),
        endpoint: None,
        terms: ValidatorTerms {
            price: Lamports::new(100 + u64::from(number)),
            shared: Some(Shared {
                price: Lamports::new(5),
                seats: 2,
            }),
            tier: Tier::Standard,
            region: "eu-central-1".parse().unwrap(),
        },
        status: ListingStatus::Listed,
        stake: StakeRow {
            vote_account: Some(key(201)),
            stake: Lamports::new(7),
            epoch: 20,
            delinquent: false,
        },
        rating: RatingSum::default(),
        performance: Performance::default(),
        created_at: at(0),
    }
}

pub(crate) fn window(start: i64, count: i64) -> EpochWindow {
    EpochWindow::new(start, count).unwrap()
}

/// A lease of validator 10 by user 2, which waits for its payment.
pub(crate) fn lease(number: u8, epochs: EpochWindow, mode: Mode) -> Lease {
    let leg = |wallet, amount| Leg {
        wallet: key(wallet),
        amount: Lamports::new(amount),
    };
    let memo = format!("MEMO-{number}").parse().unwrap();
    Lease {
        id: id(number),
        validator: id(10),
        owner: id(1),
        trader: id(2),
        mode,
        window: epochs,
        price: Lamports::new(100),
        total: Lamports::new(300),
        created_at: at(1),
        payment: Payment::new(memo, leg(200, 290), leg(202, 10)).unwrap(),
        pay_until: at(900 + i64::from(number)),
        stage: Stage::PendingPayment,
    }
}

/// The same lease in another stage.
pub(crate) fn moved(lease: &Lease, stage: Stage) -> Lease {
    Lease {
        stage,
        ..lease.clone()
    }
}

/// Users 1 and 2, and validator 10 of user 1.
pub(crate) async fn settle_in(ledger: &LedgerStore) {
    let mut tx = ledger.begin().await.unwrap();
    tx.insert_user(&user(1)).await.unwrap();
    tx.insert_user(&user(2)).await.unwrap();
    tx.insert_validator(&validator(10, 1)).await.unwrap();
    tx.commit().await.unwrap();
}

/// Books a lease. The first epoch that was not free is told, and nothing stays.
pub(crate) async fn book(ledger: &LedgerStore, lease: &Lease) -> Option<i32> {
    let mut tx = ledger.begin().await.unwrap();
    let validator = tx.lock_validator(lease.validator).await.unwrap().unwrap();
    tx.insert_lease(lease).await.unwrap();
    let missing = match lease.mode {
        Mode::Exclusive => {
            tx.claim_exclusive(lease.validator, lease.window, lease.id)
                .await
        }
        Mode::Shared => {
            let seats = validator.terms.shared.unwrap().seats;
            tx.claim_seat(lease.validator, lease.window, seats).await
        }
    }
    .unwrap();
    if missing.is_none() {
        tx.commit().await.unwrap();
    }
    missing
}
