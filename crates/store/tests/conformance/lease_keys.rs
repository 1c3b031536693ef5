//! Keys of leases.

use crate::market_rows::{at, book, id, lease, settle_in, window};
use leasing::Mode;
use rstest::rstest;
use store::leasing::LeaseKeyRow;
use world::{
    Engine::{self, Postgres, Sqlite},
    TestDatabase,
};

fn row(name: &str, version: u64) -> LeaseKeyRow {
    LeaseKeyRow {
        lease: id(20),
        id: name.to_owned(),
        salt: [1; 16],
        digest: [2; 32],
        memory_kib: 19_456,
        passes: 2,
        version,
        created_at: at(3),
    }
}

#[rstest]
#[tokio::test]
async fn a_lease_has_one_key_which_the_next_version_replaces(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    settle_in(ledger).await;
    book(ledger, &lease(20, window(5, 2), Mode::Exclusive)).await;
    assert_eq!(ledger.lease_key_version(id(20)).await.unwrap(), 0);
    let put = async |row: LeaseKeyRow| {
        let mut tx = ledger.begin().await.unwrap();
        let put = tx.put_lease_key(&row).await.unwrap();
        tx.commit().await.unwrap();
        put
    };
    assert!(!put(row("second", 2)).await, "there is no first");
    assert!(put(row("first", 1)).await);
    assert!(!put(row("other", 1)).await);
    assert!(put(row("second", 2)).await);
    assert!(!put(row("other", 2)).await);
    assert_eq!(ledger.lease_key_version(id(20)).await.unwrap(), 2);
    assert_eq!(ledger.lease_key("first").await.unwrap(), None);
    let found = ledger.lease_key("second").await.unwrap();
    assert_eq!(found, Some(row("second", 2)));
}
