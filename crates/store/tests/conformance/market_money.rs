//! Which cluster a ledger is of, and money that was not taken.

use crate::market_rows::{at, book, id, key, lease, moved, settle_in, window};
use leasing::{Leg, Mode, Receipt, Stage, Stray, StrayReason};
use primitives::{Lamports, Signature, SolanaHash};
use rstest::rstest;
use store::{
    StoreError,
    leasing::{Parked, ParkedRow, StrayLegRow, StrayPlace},
};
use world::{
    Engine::{self, Postgres, Sqlite},
    TestDatabase,
};

fn genesis(byte: u8) -> SolanaHash {
    SolanaHash::from_bytes([byte; 32])
}

fn signature(byte: u8) -> Signature {
    Signature::from_bytes([byte; 64])
}

fn bytes(engine: Engine, byte: u8, count: usize) -> String {
    let hex = format!("{byte:02x}").repeat(count);
    match engine {
        Sqlite => format!("X'{hex}'"),
        Postgres => format!("'\\x{hex}'::bytea"),
    }
}

#[rstest]
#[tokio::test]
async fn a_ledger_stays_with_its_cluster(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    assert_eq!(ledger.cluster().await.unwrap(), None);
    ledger.bind_cluster(genesis(1)).await.unwrap();
    ledger.bind_cluster(genesis(1)).await.unwrap();
    let refused = ledger.bind_cluster(genesis(2)).await.unwrap_err();
    assert!(
        matches!(refused, StoreError::OtherCluster { stored, given }
            if stored == genesis(1) && given == genesis(2)),
        "{refused:?}"
    );
    assert!(refused.to_string().contains("--data"), "{refused}");
    assert_eq!(ledger.cluster().await.unwrap(), Some(genesis(1)));
}

#[rstest]
#[tokio::test]
async fn a_ledger_of_an_earlier_version_keeps_its_cluster_and_its_strays(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = database.open().await;
    database.migrate_to("ledger", 4).await;
    let hash = |byte| bytes(engine, byte, 32);
    let (taken, payer) = (bytes(engine, 4, 64), hash(5));
    let (user, validator) = (id(1), id(10));
    for row in [
        format!("chain_cursor VALUES ({}, {}, {taken}, 7)", hash(9), hash(3)),
        format!("lease_user (id, trader, validator, staff, created_at) VALUES ('{user}', 1, 1, 0, 0)"),
        format!(
            "validator (id, owner_id, identity, payout_wallet, price, tier, region, status, stake,
                        stake_epoch, delinquent, created_at)
             VALUES ('{validator}', '{user}', {}, {}, 1, 'standard', 'eu', 'listed', 0, 0, 0, 0)",
            hash(10),
            hash(200)
        ),
        format!(
            "lease (id, validator_id, trader_id, mode, state, epoch_start, epoch_end, price, total,
                    created_at)
             VALUES ('{}', '{validator}', '{user}', 'exclusive', 'pending_payment', 1, 2, 300, 300, 0)",
            id(20)
        ),
        format!(
            "payment (memo, lease_id, kind, status, share, fee, payout_wallet, platform_wallet,
                      created_at, expires_at)
             VALUES ('MEMO-20', '{}', 'booking', 'open', 290, 10, {}, {}, 0, 9)",
            id(20),
            hash(200),
            hash(202)
        ),
        format!("stray_payment VALUES ({taken}, 'MEMO-20', 'short', 7, {payer}, 3, 1, 0)"),
    ] {
        let sql = format!("INSERT INTO {row}");
        database.execute("ledger", &sql).await.unwrap();
    }
    store.migrate().await.unwrap();
    let ledger = store.ledger();
    assert_eq!(ledger.cluster().await.unwrap(), Some(genesis(3)));
    let strays = ledger.strays_of(&"MEMO-20".parse().unwrap()).await.unwrap();
    let gains = strays
        .iter()
        .map(|stray| (stray.payout_gain.get(), stray.platform_gain.get()));
    assert_eq!(gains.collect::<Vec<_>>(), [(3, 1)]);
    // The reference of an old payment is filled in, and then it is found by it.
    let memo = "MEMO-20".parse::<leasing::Memo>().unwrap();
    let by_reference = async || {
        ledger
            .payments_named(&[], &[memo.reference()], 9)
            .await
            .unwrap()
    };
    assert_eq!(by_reference().await, []);
    assert_eq!(ledger.fill_references(9).await.unwrap(), 1);
    assert_eq!(ledger.fill_references(9).await.unwrap(), 0);
    let found = by_reference().await.pop();
    assert_eq!(found.map(|named| named.lease), Some(id(20)));
}

#[rstest]
#[tokio::test]
async fn a_payment_is_found_by_its_memo_and_by_its_reference(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    settle_in(ledger).await;
    let first = lease(20, window(5, 2), Mode::Exclusive);
    let second = lease(21, window(8, 2), Mode::Exclusive);
    book(ledger, &first).await;
    book(ledger, &second).await;
    let memo = |lease: &leasing::Lease| lease.payment.memo().clone();
    let (a, b) = (memo(&first), memo(&second));
    let named = async |memos: &[leasing::Memo], references: &[_]| {
        let named = ledger.payments_named(memos, references, 9).await.unwrap();
        named.iter().map(|named| named.lease).collect::<Vec<_>>()
    };
    let own = std::slice::from_ref(&a);
    let both = named(own, &[key(9), b.reference()]).await;
    assert_eq!(both, [first.id, second.id]);
    assert_eq!(named(own, &[a.reference()]).await, [first.id]);
    let strange = "MEMO-9".parse().unwrap();
    assert_eq!(named(&[strange], &[key(9)]).await, []);
    assert_eq!(named(&[], &[]).await, []);
    // Those whose time is over are found for a while.
    let lapsed = moved(
        &first,
        Stage::Lapsed {
            at: at(950),
            late: None,
        },
    );
    let mut tx = ledger.begin().await.unwrap();
    assert!(tx.update_lease(&first, &lapsed).await.unwrap());
    tx.commit().await.unwrap();
    let past = async |since| {
        let past = ledger.payments_once_open(since, None, 9).await.unwrap();
        past.iter().map(|named| named.lease).collect::<Vec<_>>()
    };
    assert_eq!(past(at(900)).await, [lapsed.id]);
    assert_eq!(past(at(921)).await, []);
}

fn stray(lease: &leasing::Lease, byte: u8, payout: u64, platform: u64) -> Stray {
    Stray {
        signature: signature(byte),
        memo: lease.payment.memo().clone(),
        reason: StrayReason::Unclear,
        slot: byte.into(),
        payer: key(5),
        payout_gain: Lamports::new(payout),
        platform_gain: Lamports::new(platform),
        seen_at: at(3),
    }
}

#[rstest]
#[tokio::test]
async fn what_wallets_gained_by_a_transaction_is_kept_once(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    settle_in(ledger).await;
    let (first, second) = (
        lease(20, window(5, 2), Mode::Exclusive),
        lease(21, window(8, 2), Mode::Exclusive),
    );
    book(ledger, &first).await;
    book(ledger, &second).await;
    let insert = async |stray: Stray, lease: &leasing::Lease| {
        let mut tx = ledger.begin().await.unwrap();
        let added = tx.insert_stray(&stray, &lease.payment).await.unwrap();
        tx.commit().await.unwrap();
        added
    };
    // One transaction that names both, whose wallets are the same.
    assert!(insert(stray(&first, 4, 290, 10), &first).await);
    assert!(!insert(stray(&first, 4, 290, 10), &first).await);
    assert!(insert(stray(&second, 4, 290, 10), &second).await);
    assert!(
        !insert(stray(&first, 6, 0, 0), &first).await,
        "nothing came"
    );
    assert!(insert(stray(&second, 7, 0, 1), &second).await);
    let shown = ledger.strays_of(first.payment.memo()).await.unwrap();
    assert_eq!(shown, [stray(&first, 4, 290, 10)]);
    let of_lease = ledger.strays_of_lease(second.id).await.unwrap();
    assert_eq!(of_lease.len(), 2);
    let all = ledger.stray_transactions(None, None, 9).await.unwrap();
    let leg = |byte, amount| StrayLegRow {
        leg: Leg {
            wallet: key(byte),
            amount: Lamports::new(amount),
        },
        refund: None,
    };
    let [newer, older] = <[_; 2]>::try_from(all).unwrap();
    assert_eq!(newer.place.slot, 7);
    assert_eq!(newer.legs, [leg(202, 1)]);
    assert_eq!(older.legs, [leg(200, 290), leg(202, 10)]);
    let named: Vec<_> = older.named.iter().map(|(_, lease, _)| *lease).collect();
    assert_eq!(named, [first.id, second.id]);
    let after = Some(StrayPlace {
        slot: 7,
        signature: signature(7),
    });
    let rest = ledger.stray_transactions(None, after, 9).await.unwrap();
    assert_eq!(rest, [older]);
    let short = Some(StrayReason::Short);
    assert_eq!(ledger.stray_transactions(short, None, 9).await.unwrap(), []);
    assert!(ledger.is_transaction_known(signature(4)).await.unwrap());
    assert!(!ledger.is_transaction_known(signature(6)).await.unwrap());
}

#[rstest]
#[tokio::test]
async fn what_a_wallet_got_for_nothing_is_asked_back_once(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    settle_in(ledger).await;
    let (first, second) = (
        lease(20, window(5, 2), Mode::Exclusive),
        lease(21, window(8, 2), Mode::Exclusive),
    );
    book(ledger, &first).await;
    book(ledger, &second).await;
    let mut tx = ledger.begin().await.unwrap();
    for (lease, byte) in [(&first, 4), (&second, 4), (&first, 6)] {
        let stray = stray(lease, byte, 290, 10);
        assert!(tx.insert_stray(&stray, &lease.payment).await.unwrap());
    }
    tx.commit().await.unwrap();
    // Both payments have the same wallets, which got the money once.
    let mut tx = ledger.begin().await.unwrap();
    assert_eq!(tx.stray_legs_kept(signature(9)).await.unwrap(), []);
    let kept = tx.stray_legs_kept(signature(4)).await.unwrap();
    let amounts: Vec<_> = kept.iter().map(|leg| leg.leg.amount.get()).collect();
    assert_eq!(amounts, [290, 10]);
    let mut number = 50;
    let mut new_id = || {
        number += 1;
        id(number)
    };
    let mut refunds = Vec::new();
    for leg in &kept {
        let refund = leg.refund(at(9), &mut new_id).unwrap().unwrap();
        assert!(tx.owe_stray(leg, &refund).await.unwrap());
        refunds.push(refund);
    }
    tx.commit().await.unwrap();
    assert_eq!(
        ledger.refunds_of_stray(signature(4)).await.unwrap(),
        refunds
    );
    assert_eq!(ledger.refunds_of_stray(signature(6)).await.unwrap(), []);
    let mut tx = ledger.begin().await.unwrap();
    assert_eq!(tx.stray_legs_kept(signature(4)).await.unwrap(), []);
    let again = kept[0].refund(at(9), &mut new_id).unwrap().unwrap();
    assert!(!tx.owe_stray(&kept[0], &again).await.unwrap());
    tx.rollback().await.unwrap();
    // Another transaction for the same payment is another debt.
    let mut tx = ledger.begin().await.unwrap();
    for leg in tx.stray_legs_kept(signature(6)).await.unwrap() {
        let refund = leg.refund(at(9), &mut new_id).unwrap().unwrap();
        assert!(tx.owe_stray(&leg, &refund).await.unwrap());
    }
    tx.commit().await.unwrap();
    let shown = ledger.stray_transactions(None, None, 9).await.unwrap();
    let legs = shown.iter().flat_map(|stray| &stray.legs);
    assert!(legs.clone().all(|leg| leg.refund.is_some()));
    assert_eq!(legs.count(), 4);
    let of_lease = ledger.refunds_of(first.id).await.unwrap();
    assert_eq!(of_lease.len(), 4);
    assert!(of_lease.iter().all(|refund| refund.stray.is_some()));
}

#[rstest]
#[tokio::test]
async fn what_paid_for_a_lease_is_not_stray_as_well(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    settle_in(ledger).await;
    let (paid, other) = (
        lease(20, window(5, 2), Mode::Exclusive),
        lease(21, window(8, 2), Mode::Exclusive),
    );
    book(ledger, &paid).await;
    book(ledger, &other).await;
    let receipt = Receipt {
        signature: signature(4),
        payer: key(5),
        slot: 4,
        surplus: Lamports::ZERO,
        at: at(50),
    };
    let active = moved(&paid, Stage::Active { receipt });
    let mut tx = ledger.begin().await.unwrap();
    assert!(tx.update_lease(&paid, &active).await.unwrap());
    let left = stray(&other, 4, 290, 10);
    assert!(!tx.insert_stray(&left, &other.payment).await.unwrap());
    tx.commit().await.unwrap();
    assert_eq!(ledger.stray_transactions(None, None, 9).await.unwrap(), []);
}

#[rstest]
#[tokio::test]
async fn transactions_wait_until_they_are_shown(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    assert_eq!(ledger.parked().await.unwrap(), Parked::default());
    let row = |byte, retry_at| ParkedRow {
        signature: signature(byte),
        since: at(byte.into()),
        tries: 1,
        retry_at: at(retry_at),
    };
    let mut tx = ledger.begin().await.unwrap();
    tx.park(&row(1, 10)).await.unwrap();
    tx.park(&row(2, 5)).await.unwrap();
    tx.commit().await.unwrap();
    let waiting = Parked {
        count: 2,
        oldest: Some(at(1)),
    };
    assert_eq!(ledger.parked().await.unwrap(), waiting);
    assert!(ledger.is_transaction_known(signature(1)).await.unwrap());
    assert_eq!(ledger.parked_until(at(4), 9).await.unwrap(), []);
    let due = ledger.parked_until(at(10), 9).await.unwrap();
    assert_eq!(due, [row(2, 5), row(1, 10)]);
    let mut tx = ledger.begin().await.unwrap();
    let later = ParkedRow {
        tries: 2,
        since: at(90),
        ..row(2, 20)
    };
    tx.park(&later).await.unwrap();
    assert!(tx.unpark(signature(1)).await.unwrap());
    assert!(!tx.unpark(signature(1)).await.unwrap());
    tx.commit().await.unwrap();
    // It waits since when it began to.
    let expected = ParkedRow {
        since: at(2),
        ..later
    };
    assert_eq!(ledger.parked_until(at(20), 9).await.unwrap(), [expected]);
}

#[rstest]
#[tokio::test]
async fn unpaid_bookings_are_counted_for_a_trader(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    settle_in(ledger).await;
    book(ledger, &lease(20, window(5, 2), Mode::Exclusive)).await;
    book(ledger, &lease(21, window(8, 2), Mode::Exclusive)).await;
    let mut tx = ledger.begin().await.unwrap();
    assert_eq!(tx.count_unpaid(id(2)).await.unwrap(), 2);
    assert_eq!(tx.count_unpaid(id(1)).await.unwrap(), 0);
}
