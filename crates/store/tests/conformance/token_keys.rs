//! Keys of lease tokens.

use crate::market_rows::at;
use leasing::TokenSecret;
use rstest::rstest;
use store::{Store, StoreError, leasing::TokenKeyRow};
use world::{
    Engine::{self, Postgres, Sqlite},
    TestDatabase,
};

fn row(byte: u8, signs_from: i64) -> TokenKeyRow {
    let secret = TokenSecret::from_bytes(&[byte; 32]).unwrap();
    TokenKeyRow {
        key: secret.public().unwrap(),
        secret: Some(secret),
        created_at: at(0),
        signs_from: at(signs_from),
        published_until: None,
    }
}

/// Names of the published keys at a time, and whether the ledger has the secret.
async fn published(store: &Store, second: i64) -> Vec<(String, bool)> {
    let rows = store.ledger().token_keys(at(second)).await.unwrap();
    let shown = rows.iter().map(|row| (row.key.kid(), row.secret.is_some()));
    shown.collect()
}

#[rstest]
#[tokio::test]
async fn a_key_is_published_until_after_it_was_replaced(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    let (first, second) = (row(1, 0), row(2, 600));
    let (a, b) = (first.key.kid(), second.key.kid());
    let mut tx = ledger.begin().await.unwrap();
    tx.insert_newest_token_key(&first).await.unwrap();
    tx.commit().await.unwrap();
    // There is one newest.
    let mut tx = ledger.begin().await.unwrap();
    let twice = tx.insert_newest_token_key(&second).await;
    assert!(matches!(twice, Err(StoreError::Exists { .. })), "{twice:?}");
    drop(tx);
    let mut tx = ledger.begin().await.unwrap();
    assert!(tx.retire_token_key(&a, at(4_200)).await.unwrap());
    assert!(!tx.retire_token_key(&a, at(4_200)).await.unwrap());
    tx.insert_newest_token_key(&second).await.unwrap();
    tx.commit().await.unwrap();
    let both = [(a.clone(), true), (b.clone(), true)];
    assert_eq!(published(&store, 4_199).await, both);
    assert_eq!(published(&store, 4_200).await, [(b.clone(), true)]);
    let kept = ledger.token_keys(at(0)).await.unwrap();
    let restored = kept.first().unwrap();
    assert_eq!(restored.key, first.key);
    let signature = restored.secret.as_ref().unwrap().sign(b"text");
    assert!(first.key.has_signed(b"text", &signature));
    let mut tx = ledger.begin().await.unwrap();
    assert_eq!(tx.forget_expired(at(4_200)).await.unwrap(), 1);
    tx.commit().await.unwrap();
    assert_eq!(published(&store, 0).await, [(b, true)]);
}

#[rstest]
#[tokio::test]
async fn a_key_that_is_kept_elsewhere_is_published_while_it_is_used(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let key = row(3, 0).key;
    for (now, until) in [(0, 100), (50, 150)] {
        let mut tx = store.ledger().begin().await.unwrap();
        tx.publish_token_key(&key, at(now), at(until))
            .await
            .unwrap();
        tx.commit().await.unwrap();
    }
    assert_eq!(published(&store, 149).await, [(key.kid(), false)]);
    assert_eq!(published(&store, 150).await, []);
}
