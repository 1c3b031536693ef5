//! Service tokens and the use of leases.

use crate::market_rows::{at, book, id, lease, settle_in, window};
use leasing::{LeaseState, Mode, Usage, UsageReport};
use primitives::Ulid;
use rstest::rstest;
use std::collections::{BTreeMap, BTreeSet};
use store::{
    LedgerStore,
    leasing::{ServiceTokenRow, TokenRow, UsageDay, UsedLease},
};
use world::{
    Engine::{self, Postgres, Sqlite},
    TestDatabase,
};

fn usage(signs: u64) -> Usage {
    Usage { signs, failed: 1 }
}

fn report(number: u8) -> UsageReport {
    UsageReport {
        id: id(number),
        lease: id(20),
        from: at(0),
        to: at(60),
        usage: usage(5),
    }
}

async fn insert(ledger: &LedgerStore, validator: u8, numbers: &[u8]) -> BTreeSet<Ulid> {
    let reports: Vec<_> = numbers.iter().map(|number| report(*number)).collect();
    let mut tx = ledger.begin().await.unwrap();
    let new = tx
        .insert_reports(id(validator), reports.iter(), at(70))
        .await;
    tx.commit().await.unwrap();
    new.unwrap()
}

#[rstest]
#[tokio::test]
async fn a_report_is_new_once_for_a_validator(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    settle_in(ledger).await;
    book(ledger, &lease(20, window(5, 2), Mode::Exclusive)).await;
    let found = ledger.used_leases(&[id(20), id(99)].into()).await.unwrap();
    let known = UsedLease {
        id: id(20),
        validator: id(10),
        state: LeaseState::PendingPayment,
    };
    assert_eq!(found, [known]);
    assert_eq!(insert(ledger, 10, &[]).await, [].into());
    assert_eq!(insert(ledger, 10, &[1, 2]).await, [id(1), id(2)].into());
    assert_eq!(insert(ledger, 10, &[2, 3]).await, [id(3)].into());
}

#[rstest]
#[tokio::test]
async fn sums_are_added_up_to_what_a_column_holds(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    settle_in(ledger).await;
    book(ledger, &lease(20, window(5, 2), Mode::Exclusive)).await;
    book(ledger, &lease(21, window(8, 2), Mode::Exclusive)).await;
    assert_eq!(ledger.usage_of(id(20)).await.unwrap(), Usage::default());
    let add = async |sums: &[(u8, Usage)]| {
        let sums: BTreeMap<_, _> = sums.iter().map(|(lease, it)| (id(*lease), *it)).collect();
        let mut tx = ledger.begin().await.unwrap();
        let added = tx.add_usage(&sums).await.unwrap();
        if added {
            let days = sums.iter().map(|(lease, it)| ((*lease, 20_000), *it));
            tx.add_usage_days(&days.collect()).await.unwrap();
            tx.commit().await.unwrap();
        } else {
            tx.rollback().await.unwrap();
        }
        added
    };
    let most = u64::try_from(i64::MAX).unwrap();
    assert!(add(&[]).await);
    assert!(add(&[(20, usage(7)), (21, usage(1))]).await);
    assert!(add(&[(20, usage(3))]).await);
    assert!(!add(&[(20, usage(most - 9)), (21, usage(1))]).await);
    assert_eq!(ledger.usage_of(id(21)).await.unwrap(), usage(1));
    let failed = Usage {
        signs: 0,
        failed: most,
    };
    assert!(!add(&[(21, failed)]).await);
    assert!(add(&[(20, usage(most - 10))]).await);
    let total = Usage {
        signs: most,
        failed: 3,
    };
    assert_eq!(ledger.usage_of(id(20)).await.unwrap(), total);
    let day = UsageDay {
        day: 20_000,
        usage: total,
    };
    assert_eq!(ledger.usage_days(id(20), 9).await.unwrap(), [day]);
    assert_eq!(ledger.usage_days(id(20), 0).await.unwrap(), []);
}

#[rstest]
#[tokio::test]
async fn a_service_token_is_found_while_its_maker_owns_the_validator(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    settle_in(ledger).await;
    let token = TokenRow {
        id: "abcdefgh".to_owned(),
        user: id(1),
        name: "gateway".to_owned(),
        digest: [3; 32],
        created_at: at(1),
        expires_at: Some(at(9)),
        revoked_at: None,
    };
    assert!(token.is_living(at(8)) && !token.is_living(at(9)));
    let validator = id(10);
    let mut row = ServiceTokenRow { validator, token };
    let mut tx = ledger.begin().await.unwrap();
    tx.insert_service_token(&row).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(
        ledger.service_token("abcdefgh").await.unwrap(),
        Some(row.clone())
    );
    let mut tx = ledger.begin().await.unwrap();
    let revoke = tx.revoke_service_token(id(11), "abcdefgh", at(2)).await;
    assert!(!revoke.unwrap(), "another validator's");
    assert!(
        tx.revoke_service_token(id(10), "abcdefgh", at(2))
            .await
            .unwrap()
    );
    assert!(
        !tx.revoke_service_token(id(10), "abcdefgh", at(3))
            .await
            .unwrap()
    );
    tx.commit().await.unwrap();
    row.token.revoked_at = Some(at(2));
    assert!(!row.token.is_living(at(8)));
    let listed = ledger.service_tokens_of(id(10), id(1)).await.unwrap();
    assert_eq!(listed, [row]);
    let mut tx = ledger.begin().await.unwrap();
    tx.set_owner(id(10), id(2)).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(ledger.service_token("abcdefgh").await.unwrap(), None);
    assert_eq!(ledger.service_tokens_of(id(10), id(2)).await.unwrap(), []);
}

#[rstest]
#[tokio::test]
async fn reports_are_forgotten_some_at_a_time_the_oldest_first(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    settle_in(ledger).await;
    book(ledger, &lease(20, window(5, 2), Mode::Exclusive)).await;
    insert(ledger, 10, &[1, 2, 3]).await;
    for (before, limit, forgotten) in [(70, 9, 0), (71, 2, 2), (71, 2, 1), (99, 9, 0)] {
        let mut tx = ledger.begin().await.unwrap();
        let gone = tx.forget_reports(at(before), limit).await.unwrap();
        assert_eq!(gone, forgotten);
        tx.commit().await.unwrap();
    }
    assert_eq!(insert(ledger, 10, &[1]).await, [id(1)].into());
}
