//! Keys of API clients.

use primitives::Timestamp;
use rstest::rstest;
use store::{ApiKeyRow, StoreError};
use world::{
    Engine::{self, Postgres, Sqlite},
    TestDatabase,
};

fn key(id: &str, digest: u8) -> ApiKeyRow {
    ApiKeyRow {
        id: id.into(),
        name: format!("name of {id}"),
        digest: [digest; 32],
        created_at: Timestamp::from_microsecond(1_700_000_000_123_456 - i64::from(digest)).unwrap(),
        revoked_at: None,
    }
}

#[rstest]
#[tokio::test]
async fn a_key_is_found_by_its_digest(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    let (a, b) = (key("a", 1), key("b", 2));
    ledger.insert_key(&a).await.unwrap();
    ledger.insert_key(&b).await.unwrap();
    assert_eq!(ledger.find_key(&[1; 32]).await.unwrap(), Some(a.clone()));
    assert_eq!(ledger.find_key(&[3; 32]).await.unwrap(), None);
    assert_eq!(ledger.list_keys().await.unwrap(), [b, a], "oldest first");
}

#[rstest]
#[tokio::test]
async fn ids_and_digests_are_unique(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    ledger.insert_key(&key("a", 1)).await.unwrap();
    for twin in [key("a", 2), key("b", 1)] {
        let refused = ledger.insert_key(&twin).await;
        assert!(
            matches!(refused, Err(StoreError::Exists { table: "api_key" })),
            "{refused:?}"
        );
    }
    assert_eq!(ledger.list_keys().await.unwrap(), [key("a", 1)]);
}

#[rstest]
#[tokio::test]
async fn a_key_is_revoked_once_and_stays_on_record(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    ledger.insert_key(&key("a", 1)).await.unwrap();
    let (first, second) = (Timestamp::UNIX_EPOCH, Timestamp::from_second(9).unwrap());
    assert!(ledger.revoke_key("a", first).await.unwrap());
    assert!(!ledger.revoke_key("a", second).await.unwrap());
    assert!(!ledger.revoke_key("unknown", second).await.unwrap());
    let found = ledger.find_key(&[1; 32]).await.unwrap().unwrap();
    assert_eq!(found.revoked_at, Some(first));
}
