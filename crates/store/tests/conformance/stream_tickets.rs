//! Tickets of streams, and what happens to leases.

use crate::market_rows::{at, book, id, lease, settle_in, window};
use leasing::{AuditHash, Mode};
use rstest::rstest;
use store::{
    LedgerStore,
    leasing::{Actor, AuditLink, AuditRow, LeaseNewsQuery, StreamTicketRow},
};
use world::{
    Engine::{self, Postgres, Sqlite},
    TestDatabase,
};

fn ticket(number: u8) -> StreamTicketRow {
    StreamTicketRow {
        digest: [number; 32],
        user: id(1),
        expires_at: at(i64::from(number)),
    }
}

async fn take(ledger: &LedgerStore, number: u8) -> Option<StreamTicketRow> {
    let mut tx = ledger.begin().await.unwrap();
    let taken = tx.take_stream_ticket(&[number; 32]).await.unwrap();
    tx.commit().await.unwrap();
    taken
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_ticket_is_taken_once_and_forgotten_in_time(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    settle_in(ledger).await;
    let mut tx = ledger.begin().await.unwrap();
    for number in [10, 20, 30] {
        tx.insert_stream_ticket(&ticket(number)).await.unwrap();
    }
    tx.commit().await.unwrap();
    let (a, b, c) = tokio::join!(take(ledger, 10), take(ledger, 10), take(ledger, 10));
    let taken: Vec<_> = [a, b, c].into_iter().flatten().collect();
    assert_eq!(taken, [ticket(10)]);
    let mut tx = ledger.begin().await.unwrap();
    tx.forget_expired(at(20)).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(take(ledger, 20).await, None);
    assert_eq!(take(ledger, 30).await, Some(ticket(30)));
    assert_eq!(take(ledger, 40).await, None);
}

#[rstest]
#[tokio::test]
async fn news_are_of_leases_in_the_order_of_the_chain(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    settle_in(ledger).await;
    assert_eq!(ledger.audit_head().await.unwrap(), 0);
    book(ledger, &lease(20, window(5, 1), Mode::Exclusive)).await;
    let trader = lease(20, window(5, 1), Mode::Exclusive).trader;
    let mut tx = ledger.begin().await.unwrap();
    // The chain has its own order.
    let rows = [(103, "lease", 20), (101, "user", 1), (102, "lease", 20)];
    let mut links = Vec::new();
    for ((number, kind, subject), position) in rows.into_iter().zip(1..) {
        tx.audit(&AuditRow {
            id: id(number),
            at: at(number.into()),
            actor: Actor::System,
            action: format!("{kind}.changed"),
            subject_kind: kind.to_owned(),
            subject: id(subject).to_string(),
            detail: "{}".to_owned(),
        })
        .await
        .unwrap();
        links.push(AuditLink {
            position,
            row: id(number),
            hash: AuditHash::from_bytes([number; 32]),
        });
    }
    tx.insert_audit_links(&links).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(ledger.audit_head().await.unwrap(), 3);
    let found = async |of, after, to, limit| {
        let query = LeaseNewsQuery {
            of,
            after,
            to,
            limit,
        };
        let rows = ledger.lease_news(&query).await.unwrap();
        assert!(rows.iter().all(|row| row.lease == id(20)));
        rows.iter().map(|row| row.position).collect::<Vec<_>>()
    };
    let owner = id(1);
    for of in [None, Some(trader), Some(owner)] {
        assert_eq!(found(of, 0, 3, 10).await, [1, 3]);
        assert_eq!(found(of, 1, 3, 10).await, [3]);
        assert_eq!(found(of, 0, 2, 10).await, [1]);
        assert_eq!(found(of, 0, 3, 1).await, [1]);
    }
    assert_eq!(found(Some(id(77)), 0, 3, 10).await, [0; 0]);
}
