//! Whom external issuers know.

use crate::market_rows::{settle_in, user};
use rstest::rstest;
use store::{StoreError, leasing::ExternalIdentity};
use world::{
    Engine::{self, Postgres, Sqlite},
    TestDatabase,
};

#[rstest]
#[tokio::test]
async fn whom_an_issuer_knows_is_one_user(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    settle_in(ledger).await;
    let identity = |issuer: &str, subject: &str| ExternalIdentity {
        issuer: issuer.to_owned(),
        subject: subject.to_owned(),
    };
    let ada = identity("https://id.example", "ada");
    let mut tx = ledger.begin().await.unwrap();
    tx.insert_identity(&ada, &user(1)).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(ledger.user_of_identity(&ada).await.unwrap(), Some(user(1)));
    for other in [
        identity("https://id.example", "Ada"),
        identity("https://id.example/", "ada"),
        identity("ada", "https://id.example"),
    ] {
        assert_eq!(ledger.user_of_identity(&other).await.unwrap(), None);
    }
    let mut tx = ledger.begin().await.unwrap();
    let twice = tx.insert_identity(&ada, &user(2)).await;
    let table = "external_identity";
    assert!(
        matches!(twice, Err(StoreError::Exists { table: t }) if t == table),
        "{twice:?}"
    );
    drop(tx);
    let mut tx = ledger.begin().await.unwrap();
    let nobody = tx.insert_identity(&identity("a", "b"), &user(9)).await;
    assert!(nobody.is_err(), "a user who is not there");
}
