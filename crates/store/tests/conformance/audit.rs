//! The audit log and its links.

use crate::market_rows::{at, book, id, lease, settle_in, window};
use leasing::{AuditHash, Mode};
use rstest::rstest;
use store::{
    LedgerStore, StoreError,
    leasing::{Actor, AuditCounts, AuditLink, AuditQuery, AuditRow},
};
use world::{
    Engine::{self, Postgres, Sqlite},
    TestDatabase,
};

fn row(number: u8, actor: Actor, kind: &str, subject: u8) -> AuditRow {
    AuditRow {
        id: id(number),
        at: at(number.into()),
        actor,
        action: format!("{kind}.changed"),
        subject_kind: kind.to_owned(),
        subject: id(subject).to_string(),
        detail: "{}".to_owned(),
    }
}

/// Rows of users 1 and 2, of a lease of theirs and of a stranger's token.
async fn fill(ledger: &LedgerStore) {
    settle_in(ledger).await;
    book(ledger, &lease(20, window(5, 1), Mode::Exclusive)).await;
    let mut tx = ledger.begin().await.unwrap();
    for row in [
        row(101, Actor::User(id(1)), "token", 90),
        row(102, Actor::System, "lease", 20),
        row(103, Actor::Operator, "user", 2),
        row(104, Actor::System, "validator", 10),
        row(105, Actor::System, "token", 91),
    ] {
        tx.audit(&row).await.unwrap();
    }
    tx.commit().await.unwrap();
}

const ALL: AuditQuery<'_> = AuditQuery {
    of: None,
    action: None,
    subject: None,
    since: None,
    until: None,
    before: None,
    limit: 100,
};

async fn found(ledger: &LedgerStore, query: AuditQuery<'_>) -> Vec<u8> {
    let rows = ledger.audit_log(&query).await.unwrap();
    let number = |row: &AuditRow| (0..=255).find(|number| id(*number) == row.id).unwrap();
    rows.iter().map(number).collect()
}

#[rstest]
#[tokio::test]
async fn rows_are_found_by_what_is_asked_for(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    fill(ledger).await;
    assert_eq!(found(ledger, ALL).await, [105, 104, 103, 102, 101]);
    let owner = AuditQuery {
        of: Some(id(1)),
        ..ALL
    };
    assert_eq!(found(ledger, owner).await, [104, 102, 101]);
    let trader = AuditQuery {
        of: Some(id(2)),
        ..ALL
    };
    assert_eq!(found(ledger, trader).await, [103, 102]);
    let subject = id(90).to_string();
    for (query, expected) in [
        (
            AuditQuery {
                action: Some("token.changed"),
                ..ALL
            },
            &[105, 101][..],
        ),
        (
            AuditQuery {
                subject: Some(&subject),
                ..ALL
            },
            &[101],
        ),
        (
            AuditQuery {
                since: Some(at(102)),
                until: Some(at(104)),
                ..ALL
            },
            &[103, 102],
        ),
        (
            AuditQuery {
                before: Some(id(103)),
                limit: 1,
                ..ALL
            },
            &[102],
        ),
        (
            AuditQuery {
                action: Some("lease.changed"),
                ..owner
            },
            &[102],
        ),
    ] {
        assert_eq!(found(ledger, query).await, expected, "{query:?}");
    }
}

#[rstest]
#[tokio::test]
async fn a_row_waits_until_it_is_linked_once(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    fill(ledger).await;
    let waiting = ledger.unlinked_audit(2).await.unwrap();
    assert_eq!(
        waiting,
        [
            row(101, Actor::User(id(1)), "token", 90),
            row(102, Actor::System, "lease", 20)
        ]
    );
    let link = |position, row| AuditLink {
        position,
        row: id(row),
        hash: AuditHash::from_bytes([row; 32]),
    };
    let insert = async |links: &[AuditLink]| {
        let mut tx = ledger.begin().await.unwrap();
        let inserted = tx.insert_audit_links(links).await;
        if inserted.is_ok() {
            tx.commit().await.unwrap();
        }
        inserted
    };
    insert(&[link(1, 101), link(2, 102)]).await.unwrap();
    insert(&[]).await.unwrap();
    for taken in [link(2, 103), link(3, 102)] {
        let refused = insert(&[taken]).await;
        assert!(
            matches!(refused, Err(StoreError::Exists { .. })),
            "{refused:?}"
        );
    }
    let counts = AuditCounts {
        rows: 5,
        linked: 2,
        waiting: 3,
    };
    assert_eq!(ledger.audit_counts().await.unwrap(), counts);
    let mut tx = ledger.begin().await.unwrap();
    assert_eq!(tx.last_audit_link().await.unwrap(), Some(link(2, 102)));
    drop(tx);
    assert_eq!(ledger.audit_links(1, 9).await.unwrap(), [link(2, 102)]);
    let linked = ledger.linked_audit(0, 1).await.unwrap();
    assert_eq!(linked, [row(101, Actor::User(id(1)), "token", 90)]);
    assert_eq!(ledger.unlinked_audit(9).await.unwrap().len(), 3);
}

#[rstest]
#[tokio::test]
async fn links_are_never_changed(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    fill(ledger).await;
    let mut tx = ledger.begin().await.unwrap();
    let link = AuditLink {
        position: 1,
        row: id(101),
        hash: AuditHash::BEGINNING,
    };
    tx.insert_audit_links(&[link]).await.unwrap();
    tx.commit().await.unwrap();
    for change in [
        "UPDATE audit_link SET position = 2",
        "DELETE FROM audit_link",
    ] {
        let refused = database.execute("ledger", change).await;
        assert!(refused.is_err(), "{change}");
    }
}
