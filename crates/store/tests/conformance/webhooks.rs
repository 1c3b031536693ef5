//! Webhooks and what is sent to them.

use crate::market_rows::{at, book, id, lease, moved, settle_in, window};
use leasing::{
    DeliveryProblem, DeliveryStatus, DisabledReason, Mode, Receipt, Stage, WebhookEvent,
    WebhookSecret,
};
use primitives::{Lamports, PublicKey, Signature};
use rstest::rstest;
use store::{
    LedgerStore,
    leasing::{DeliveryQuery, DeliveryRow, LedgerTx, WebhookRow},
};
use world::{
    Engine::{self, Postgres, Sqlite},
    TestDatabase,
};

fn webhook(number: u8, user: u8) -> WebhookRow {
    WebhookRow {
        id: id(number),
        user: id(user),
        url: format!("https://hooks.example/{number}"),
        events: "lease.ending,payment.orphaned".parse().unwrap(),
        description: Some("pager".to_owned()),
        secret: WebhookSecret::from_bytes([number; 32]),
        previous: None,
        created_at: at(0),
        failing_since: None,
        disabled: None,
    }
}

fn delivery(number: u8, webhook: u8, due: i64) -> DeliveryRow {
    DeliveryRow {
        id: id(number),
        webhook: id(webhook),
        event_id: id(number),
        event: WebhookEvent::LeaseEnding,
        body: format!("{{\"number\":{number}}}"),
        created_at: at(0),
        status: DeliveryStatus::Pending,
        attempts: 0,
        due_at: Some(at(due)),
        tried_at: None,
        answer: None,
        problem: None,
        ended_at: None,
    }
}

async fn begin(ledger: &LedgerStore) -> LedgerTx {
    ledger.begin().await.unwrap()
}

/// Webhooks 30 and 31 of user 1, 32 of user 2.
async fn settle(ledger: &LedgerStore) {
    settle_in(ledger).await;
    let mut tx = begin(ledger).await;
    for (number, user) in [(30, 1), (31, 1), (32, 2)] {
        tx.insert_webhook(&webhook(number, user)).await.unwrap();
    }
    tx.commit().await.unwrap();
}

async fn queue(ledger: &LedgerStore, rows: &[DeliveryRow]) -> Vec<bool> {
    let mut tx = begin(ledger).await;
    let mut added = Vec::new();
    for row in rows {
        added.push(tx.insert_delivery(row).await.unwrap());
    }
    tx.commit().await.unwrap();
    added
}

async fn claim(ledger: &LedgerStore, webhook: u8, now: i64, until: i64) -> Option<DeliveryRow> {
    let mut tx = begin(ledger).await;
    let claimed = tx.claim_delivery(id(webhook), at(now), at(until)).await;
    tx.commit().await.unwrap();
    claimed.unwrap()
}

#[rstest]
#[tokio::test]
async fn a_webhook_is_read_as_it_was_written(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    settle(ledger).await;
    assert_eq!(ledger.webhook(id(30)).await.unwrap(), Some(webhook(30, 1)));
    assert_eq!(ledger.webhook(id(99)).await.unwrap(), None);
    let changed = WebhookRow {
        url: "https://other.example/".to_owned(),
        events: "lease.revoked".parse().unwrap(),
        description: None,
        secret: WebhookSecret::from_bytes([99; 32]),
        previous: Some((WebhookSecret::from_bytes([30; 32]), at(5))),
        failing_since: Some(at(2)),
        disabled: Some((DisabledReason::Failing, at(3))),
        ..webhook(30, 1)
    };
    let mut tx = begin(ledger).await;
    assert_eq!(tx.count_webhooks(id(1)).await.unwrap(), 2);
    assert_eq!(tx.lock_webhook(id(30)).await.unwrap(), Some(webhook(30, 1)));
    tx.update_webhook(&changed).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(
        ledger.webhooks_of(id(1)).await.unwrap(),
        [changed, webhook(31, 1)]
    );
    // Everybody here is of the staff.
    let told = async |users: [u8; 2], staff| {
        let rows = ledger.webhooks_told(users.map(id), staff).await.unwrap();
        rows.into_iter().map(|row| row.id).collect::<Vec<_>>()
    };
    assert_eq!(told([1, 1], false).await, [id(31)]);
    assert_eq!(told([1, 2], false).await, [id(31), id(32)]);
    assert_eq!(told([9, 9], false).await, []);
    assert_eq!(told([9, 9], true).await, [id(31), id(32)]);
}

#[rstest]
#[tokio::test]
async fn a_webhook_has_an_event_once_and_takes_its_deliveries_with_it(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    settle(ledger).await;
    let again = DeliveryRow {
        id: id(49),
        ..delivery(40, 30, 0)
    };
    let elsewhere = DeliveryRow {
        id: id(50),
        webhook: id(31),
        ..delivery(40, 30, 0)
    };
    let rows = [delivery(40, 30, 0), again, elsewhere.clone()];
    assert_eq!(queue(ledger, &rows).await, [true, false, true]);
    let mut tx = begin(ledger).await;
    tx.delete_webhook(id(30)).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(ledger.delivery(id(30), id(40)).await.unwrap(), None);
    assert_eq!(
        ledger.delivery(id(31), id(50)).await.unwrap(),
        Some(elsewhere)
    );
    assert_eq!(ledger.delivery(id(32), id(50)).await.unwrap(), None);
}

#[rstest]
#[tokio::test]
async fn a_delivery_is_claimed_by_one_until_the_claim_ends(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    settle(ledger).await;
    let rows = [
        delivery(40, 30, 9),
        delivery(41, 30, 5),
        delivery(42, 31, 7),
    ];
    queue(ledger, &rows).await;
    let due = async |now, limit| ledger.webhooks_due(at(now), limit).await.unwrap();
    assert_eq!(due(4, 9).await, (vec![], 3));
    assert_eq!(due(9, 9).await, (vec![id(30), id(31)], 3));
    assert_eq!(due(9, 1).await, (vec![id(30)], 3));
    assert_eq!(claim(ledger, 30, 4, 60).await, None);
    let claimed = claim(ledger, 30, 9, 60).await.unwrap();
    let expected = DeliveryRow {
        attempts: 1,
        due_at: Some(at(60)),
        tried_at: Some(at(9)),
        ..delivery(41, 30, 5)
    };
    assert_eq!(claimed, expected);
    assert_eq!(claim(ledger, 30, 9, 70).await.unwrap().id, id(40));
    assert_eq!(claim(ledger, 30, 59, 90).await, None);
    let again = claim(ledger, 30, 60, 90).await.unwrap();
    assert_eq!((again.id, again.attempts), (id(41), 2));
    // What an attempt says that is no longer the last one does not count.
    let done = DeliveryRow {
        status: DeliveryStatus::Delivered,
        due_at: None,
        answer: Some(204),
        ended_at: Some(at(61)),
        ..again.clone()
    };
    let mut tx = begin(ledger).await;
    assert!(!tx.update_delivery(&claimed, &done).await.unwrap());
    assert!(tx.update_delivery(&again, &done).await.unwrap());
    tx.commit().await.unwrap();
    assert_eq!(ledger.delivery(id(30), id(41)).await.unwrap(), Some(done));
}

#[rstest]
#[tokio::test]
async fn what_has_ended_is_listed_and_forgotten_in_time(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    settle(ledger).await;
    let rows = [40, 41, 42].map(|number| delivery(number, 30, 0));
    queue(ledger, &rows).await;
    queue(ledger, &[delivery(43, 31, 0)]).await;
    let mut tx = begin(ledger).await;
    assert_eq!(tx.count_pending(id(30), 2).await.unwrap(), 2);
    assert_eq!(tx.count_pending(id(30), 9).await.unwrap(), 3);
    assert_eq!(tx.fail_pending(id(30), at(7)).await.unwrap(), 3);
    assert_eq!(tx.fail_pending(id(30), at(8)).await.unwrap(), 0);
    tx.commit().await.unwrap();
    let list = async |status, before: Option<u8>, limit| {
        let query = DeliveryQuery {
            webhook: id(30),
            status,
            before: before.map(id),
            limit,
        };
        let rows = ledger.deliveries(&query).await.unwrap();
        rows.into_iter().map(|row| row.id).collect::<Vec<_>>()
    };
    assert_eq!(list(None, None, 2).await, [id(42), id(41)]);
    assert_eq!(list(None, Some(41), 2).await, [id(40)]);
    assert_eq!(list(Some(DeliveryStatus::Pending), None, 9).await, []);
    let failed = ledger.delivery(id(30), id(40)).await.unwrap().unwrap();
    assert_eq!(failed.problem, Some(DeliveryProblem::EndpointDisabled));
    assert_eq!(failed.ended_at, Some(at(7)));
    for (before, limit, forgotten) in [(7, 9, 0), (8, 2, 2), (8, 2, 1), (99, 9, 0)] {
        let mut tx = begin(ledger).await;
        let gone = tx.forget_deliveries(at(before), limit).await.unwrap();
        assert_eq!(gone, forgotten);
        tx.commit().await.unwrap();
    }
}

#[rstest]
#[tokio::test]
async fn the_cursor_moves_from_where_it_is(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    assert_eq!(ledger.webhook_cursor().await.unwrap(), 0);
    for (from, to, moves) in [(0, 5, true), (0, 6, false), (5, 9, true)] {
        let mut tx = begin(ledger).await;
        assert_eq!(tx.advance_webhooks(from, to).await.unwrap(), moves);
        tx.commit().await.unwrap();
    }
    assert_eq!(ledger.webhook_cursor().await.unwrap(), 9);
}

#[rstest]
#[tokio::test]
async fn the_end_of_a_lease_is_told_once(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    settle_in(ledger).await;
    let booked = lease(20, window(5, 2), Mode::Exclusive);
    book(ledger, &booked).await;
    let ending = async |epoch| {
        let rows = ledger.leases_ending(epoch, 9).await.unwrap();
        rows.into_iter().map(|row| row.id).collect::<Vec<_>>()
    };
    assert_eq!(ending(6).await, [], "it is not paid");
    let receipt = Receipt {
        signature: Signature::from_bytes([1; 64]),
        payer: PublicKey::from_bytes([2; 32]),
        slot: 1,
        surplus: Lamports::ZERO,
        at: at(2),
    };
    let active = moved(&booked, Stage::Active { receipt });
    let mut tx = begin(ledger).await;
    assert!(tx.update_lease(&booked, &active).await.unwrap());
    tx.commit().await.unwrap();
    assert_eq!(ending(5).await, []);
    assert_eq!(ending(6).await, [id(20)]);
    assert_eq!(ending(9).await, [id(20)]);
    let tell = async |lease| {
        let mut tx = begin(ledger).await;
        let told = tx.tell_ending(lease).await.unwrap();
        tx.commit().await.unwrap();
        told
    };
    assert!(tell(&active).await);
    assert!(!tell(&active).await);
    assert_eq!(ending(9).await, []);
    // Longer, it ends another time.
    let longer = leasing::Lease {
        window: window(5, 3),
        ..active.clone()
    };
    let mut tx = begin(ledger).await;
    assert!(tx.update_lease(&active, &longer).await.unwrap());
    tx.commit().await.unwrap();
    assert!(!tell(&active).await);
    assert_eq!(ending(6).await, []);
    assert_eq!(ending(7).await, [id(20)]);
    assert!(tell(&longer).await);
}
