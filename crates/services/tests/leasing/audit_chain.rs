//! The chain of the audit log: closed after the fact by anyone, broken by any
//! change.

use crate::leases::{people, rejected};
use leasing::AuditHash;
use rstest::rstest;
use services::leasing::{AuditBreak, Leasing};
use std::sync::Arc;
use tokio::{sync::Barrier, task::JoinSet};
use world::{
    Engine::{self, Postgres, Sqlite},
    Market, TestDatabase,
};

async fn link(leasing: &Leasing) -> usize {
    leasing.audit_chain().round().await.unwrap()
}

#[rstest]
#[tokio::test]
async fn rows_are_linked_after_they_were_written(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let market = Market::at(1, &database.location).await;
    people(&market, 0).await;
    let chain = market.leasing.audit_chain();
    let before = chain.verify(None).await.unwrap();
    assert_eq!(before.last, None);
    assert!(before.waiting > 0);
    let linked = link(&market.leasing).await;
    let first = chain.verify(None).await.unwrap();
    let (closed, _) = first.last.unwrap();
    assert_eq!(first.waiting, 0);
    assert_eq!(u64::try_from(linked).unwrap(), before.waiting);
    assert_eq!(closed.position, before.waiting);
    market.user("Ada").await;
    assert_eq!(chain.verify(None).await.unwrap().waiting, 1);
    assert_eq!(link(&market.leasing).await, 1);
    assert_eq!(link(&market.leasing).await, 0);
    // What was told once stays so.
    let expected = Some((closed.position, closed.hash));
    let (last, _) = chain.verify(expected).await.unwrap().last.unwrap();
    assert_eq!(last.position, closed.position + 1);
    for wrong in [
        (closed.position, AuditHash::BEGINNING),
        (last.position + 1, last.hash),
    ] {
        let broken = rejected(chain.verify(Some(wrong)).await);
        assert_eq!(broken, AuditBreak::Unexpected(wrong.0));
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replicas_close_one_chain(#[values(Sqlite, Postgres)] engine: Engine) {
    const RIVALS: usize = 4;
    let database = TestDatabase::new(engine).await;
    let market = Market::at(2, &database.location).await;
    for number in 0..40 {
        market.user(&format!("user {number}")).await;
    }
    let barrier = Arc::new(Barrier::new(RIVALS));
    let mut rivals = JoinSet::new();
    for _ in 0..RIVALS {
        let (leasing, barrier) = (
            market.replica(&database.location).await,
            Arc::clone(&barrier),
        );
        rivals.spawn(async move {
            barrier.wait().await;
            leasing.audit_chain().round().await.unwrap()
        });
    }
    let linked: usize = rivals.join_all().await.into_iter().sum();
    let linked = linked + link(&market.leasing).await;
    let standing = market.leasing.audit_chain().verify(None).await.unwrap();
    let (last, _) = standing.last.unwrap();
    assert_eq!(standing.waiting, 0);
    assert_eq!(u64::try_from(linked).unwrap(), last.position);
}

#[rstest]
#[tokio::test]
async fn whatever_is_changed_breaks_the_chain(#[values(Sqlite, Postgres)] engine: Engine) {
    let unguard = |table: &str, trigger: &str| match engine {
        Sqlite => format!("DROP TRIGGER {trigger}"),
        Postgres => format!("ALTER TABLE {table} DISABLE TRIGGER USER"),
    };
    let third = "(SELECT row_id FROM audit_link WHERE position = 3)";
    for (number, (guard, change)) in [
        (
            ("audit_log", "audit_log_is_not_changed"),
            format!("UPDATE audit_log SET detail = '{{\"a\": 1}}' WHERE id = {third}"),
        ),
        (
            ("audit_log", "audit_log_is_not_changed"),
            format!("UPDATE audit_log SET actor_kind = 'operator', actor_id = NULL, at = at + 1 WHERE id = {third}"),
        ),
        (
            ("audit_link", "audit_link_is_not_shortened"),
            "DELETE FROM audit_link WHERE position = 3".to_owned(),
        ),
        (
            ("audit_unlinked", ""),
            "DELETE FROM audit_unlinked".to_owned(),
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let database = TestDatabase::new(engine).await;
        let market = Market::at(3, &database.location).await;
        people(&market, 0).await;
        market.user("Bo").await;
        link(&market.leasing).await;
        market.user("Ada").await;
        if !guard.1.is_empty() {
            let unguard = unguard(guard.0, guard.1);
            database.execute("ledger", &unguard).await.unwrap();
        }
        database.execute("ledger", &change).await.unwrap();
        let broken = rejected(market.leasing.audit_chain().verify(None).await);
        let as_expected = match number {
            0 | 1 => matches!(broken, AuditBreak::Changed(link) if link.position == 3),
            2 => broken == AuditBreak::NoLink(3),
            _ => broken == AuditBreak::Unlinked(1),
        };
        assert!(as_expected, "{change}: {broken:?}");
    }
}
