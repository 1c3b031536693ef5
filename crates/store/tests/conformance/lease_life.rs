//! Extensions, refunds, what a revoked lease keeps, and the feed of revocations.

use crate::market_rows::{at, book, id, key, lease, moved, settle_in, window};
use leasing::{
    Debtor, Extension, ExtensionStage, Lease, Leg, Mode, Payment, PaymentKind, PaymentStatus,
    Receipt, Refund, RefundStage, Stage,
};
use primitives::{Lamports, Signature, Timestamp};
use rstest::rstest;
use store::{
    LedgerStore, StoreError,
    leasing::{RefundQuery, RevocationPlace},
};
use world::{
    Engine::{self, Postgres, Sqlite},
    TestDatabase,
};

fn receipt(byte: u8) -> Receipt {
    Receipt {
        signature: Signature::from_bytes([byte; 64]),
        payer: key(5),
        slot: 77,
        surplus: Lamports::new(3),
        at: at(50),
    }
}

fn payment(memo: &str, payout: u8, amount: u64, fee: u64) -> Payment {
    let leg = |wallet, amount| Leg {
        wallet: key(wallet),
        amount: Lamports::new(amount),
    };
    Payment::new(memo.parse().unwrap(), leg(payout, amount), leg(202, fee)).unwrap()
}

/// An extension of two epochs of a lease.
fn extension(number: u8, of: &Lease) -> Extension {
    Extension {
        id: id(number),
        lease: of.id,
        window: window(of.window.end().into(), 2),
        price: Lamports::new(50),
        created_at: at(10),
        payment: payment(&format!("EXT-{number}"), 200, 90, 10),
        pay_until: at(910),
        stage: ExtensionStage::Open,
    }
}

/// An active lease of epochs 5 and 6.
async fn active(ledger: &LedgerStore) -> Lease {
    settle_in(ledger).await;
    let pending = lease(20, window(5, 2), Mode::Exclusive);
    book(ledger, &pending).await;
    let active = moved(
        &pending,
        Stage::Active {
            receipt: receipt(4),
        },
    );
    let mut tx = ledger.begin().await.unwrap();
    assert!(tx.update_lease(&pending, &active).await.unwrap());
    tx.commit().await.unwrap();
    active
}

#[rstest]
#[tokio::test]
async fn an_extension_in_any_stage_is_what_was_written(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    let lease = active(ledger).await;
    let mut before = extension(30, &lease);
    let mut tx = ledger.begin().await.unwrap();
    tx.insert_extension(&before).await.unwrap();
    assert_eq!(
        tx.open_extension(lease.id).await.unwrap(),
        Some(before.clone())
    );
    tx.commit().await.unwrap();
    let memo = before.payment.memo().clone();
    let named = ledger.payment_of(&memo).await.unwrap().unwrap();
    assert_eq!(
        (named.kind, named.lease),
        (PaymentKind::Extension, lease.id)
    );
    // One at a time.
    let mut tx = ledger.begin().await.unwrap();
    let second = tx.insert_extension(&extension(31, &lease)).await;
    assert!(
        matches!(second, Err(StoreError::Exists { .. })),
        "{second:?}"
    );
    drop(tx);
    for stage in [
        ExtensionStage::Lapsed,
        ExtensionStage::Orphaned {
            receipt: receipt(6),
        },
        ExtensionStage::Void,
        ExtensionStage::Settled {
            receipt: receipt(7),
        },
    ] {
        let after = Extension {
            stage,
            ..before.clone()
        };
        let mut tx = ledger.begin().await.unwrap();
        assert!(tx.update_extension(&before, &after).await.unwrap());
        assert!(!tx.update_extension(&before, &after).await.unwrap());
        assert_eq!(tx.open_extension(lease.id).await.unwrap(), None);
        tx.commit().await.unwrap();
        assert_eq!(ledger.extension(&memo).await.unwrap(), Some(after.clone()));
        before = after;
    }
    assert_eq!(ledger.extensions_of(lease.id, 9).await.unwrap(), [before]);
    assert_eq!(ledger.count_extensions(lease.id).await.unwrap(), 1);
    // What was paid for is told with its own price and epochs.
    let mut tx = ledger.begin().await.unwrap();
    let bought = tx.purchases(lease.id).await.unwrap();
    let bought: Vec<_> = bought
        .iter()
        .map(|it| (it.window.start(), it.window.end(), it.price.get()))
        .collect();
    assert_eq!(bought, [(5, 7, 100), (7, 9, 50)]);
}

#[rstest]
#[tokio::test]
async fn the_calendar_has_what_extensions_hold_and_revoked_leases_keep(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    let lease = active(ledger).await;
    let open = extension(30, &lease);
    let drift = async || {
        let drift = ledger.calendar_drift(9).await.unwrap();
        drift.iter().map(|drift| drift.epoch).collect::<Vec<_>>()
    };
    let mut tx = ledger.begin().await.unwrap();
    tx.insert_extension(&open).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(drift().await, [7, 8], "held, and not claimed");
    let mut tx = ledger.begin().await.unwrap();
    let claimed = tx.claim_exclusive(lease.validator, open.window, lease.id);
    assert_eq!(claimed.await.unwrap(), None);
    tx.commit().await.unwrap();
    assert_eq!(drift().await, [0; 0]);
    assert_eq!(ledger.leases_over(7, 9).await.unwrap(), [], "it waits");
    let revoked = moved(
        &lease,
        Stage::Revoked {
            receipt: Some(receipt(4)),
            at: at(60),
            kept_until: 6,
        },
    );
    let void = Extension {
        stage: ExtensionStage::Void,
        ..open.clone()
    };
    let mut tx = ledger.begin().await.unwrap();
    assert!(tx.update_lease(&lease, &revoked).await.unwrap());
    assert!(tx.update_extension(&open, &void).await.unwrap());
    tx.commit().await.unwrap();
    assert_eq!(drift().await, [6, 7, 8], "epoch 5 was used");
    let mut tx = ledger.begin().await.unwrap();
    let holder = tx
        .holder_within(lease.validator, window(5, 4), id(99))
        .await;
    assert_eq!(holder.unwrap(), Some(lease.id));
    let none = tx
        .holder_within(lease.validator, window(6, 3), id(99))
        .await;
    assert_eq!(none.unwrap(), None);
}

#[rstest]
#[tokio::test]
async fn refunds_are_owed_once_and_listed_for_whoever_owes(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    let lease = active(ledger).await;
    let refund = |number: u8, debtor, wallet, amount| Refund {
        id: id(number),
        lease: lease.id,
        of: lease.payment.memo().clone(),
        stray: None,
        debtor,
        owing: key(wallet),
        payment: payment(&format!("REFUND-{number}"), 5, amount, 0),
        created_at: at(70),
        stage: RefundStage::Open,
    };
    let of_validator = refund(40, Debtor::Validator, 200, 145);
    let of_platform = refund(41, Debtor::Platform, 202, 5);
    let mut tx = ledger.begin().await.unwrap();
    tx.insert_refund(&of_validator).await.unwrap();
    tx.insert_refund(&of_platform).await.unwrap();
    tx.commit().await.unwrap();
    let mut tx = ledger.begin().await.unwrap();
    let twice = tx
        .insert_refund(&refund(42, Debtor::Platform, 202, 5))
        .await;
    assert!(matches!(twice, Err(StoreError::Exists { .. })), "{twice:?}");
    drop(tx);
    let all = ledger.refunds_of(lease.id).await.unwrap();
    assert_eq!(all, [of_validator.clone(), of_platform.clone()]);
    let owed = |owner: Option<u8>, status| RefundQuery {
        owner: owner.map(id),
        status,
        after: None,
        limit: 9,
    };
    let open = Some(PaymentStatus::Open);
    let found = ledger.refunds(&owed(Some(1), open)).await.unwrap();
    assert_eq!(found, std::slice::from_ref(&of_validator));
    assert_eq!(ledger.refunds(&owed(Some(2), None)).await.unwrap(), []);
    let paid = Refund {
        stage: RefundStage::Settled {
            receipt: receipt(8),
        },
        ..of_platform.clone()
    };
    let mut tx = ledger.begin().await.unwrap();
    assert!(tx.update_refund(&of_platform, &paid).await.unwrap());
    assert!(!tx.update_refund(&of_platform, &paid).await.unwrap());
    let memo = paid.payment.memo();
    assert_eq!(tx.refund(memo).await.unwrap(), Some(paid.clone()));
    tx.commit().await.unwrap();
    let settled = Some(PaymentStatus::Settled);
    assert_eq!(ledger.refunds(&owed(None, settled)).await.unwrap(), [paid]);
    // What is owed stays open, and is not among what was open once.
    let far = ledger.payments_open(Timestamp::MAX, None, 9).await.unwrap();
    assert_eq!(far.len(), 1);
    assert_eq!(far[0].kind, PaymentKind::Refund);
    let past = ledger.payments_once_open(at(0), None, 9).await.unwrap();
    let kinds: Vec<_> = past.iter().map(|named| named.kind).collect();
    assert_eq!(kinds, [PaymentKind::Booking]);
}

#[rstest]
#[tokio::test]
async fn revocations_are_told_from_a_time_on(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    let lease = active(ledger).await;
    assert_eq!(ledger.revocations(at(0), None, None, 9).await.unwrap(), []);
    let revoked = moved(
        &lease,
        Stage::Revoked {
            receipt: Some(receipt(4)),
            at: at(60),
            kept_until: 6,
        },
    );
    let mut tx = ledger.begin().await.unwrap();
    assert!(tx.update_lease(&lease, &revoked).await.unwrap());
    tx.commit().await.unwrap();
    let place = RevocationPlace {
        at: at(60),
        lease: lease.id,
    };
    for (since, identity, after, count) in [
        (at(60), None, None, 1),
        (at(61), None, None, 0),
        (at(0), Some(key(10)), None, 1),
        (at(0), Some(key(11)), None, 0),
        (at(0), None, Some(place), 0),
    ] {
        let told = ledger.revocations(since, identity, after, 9).await.unwrap();
        assert_eq!(told.len(), count);
        assert!(
            told.iter()
                .all(|row| row.place == place && row.identity == key(10))
        );
    }
}
