//! The two halves of a store belong together, and are nobody else's to read.

use primitives::Timestamp;
use rstest::rstest;
use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};
use store::{ApiKeyRow, Location, ServerUse, Store, StoreError};
use world::{
    Engine::{self, Postgres, Sqlite},
    TestDatabase,
};

fn key(id: &str) -> ApiKeyRow {
    ApiKeyRow {
        id: id.to_owned(),
        name: "a key".to_owned(),
        digest: [7; 32],
        created_at: Timestamp::UNIX_EPOCH,
        revoked_at: None,
    }
}

fn folder(location: &Location) -> &Path {
    match location {
        Location::Sqlite { dir } => dir,
        Location::Postgres { .. } => panic!("no folder"),
    }
}

/// Takes the ledger away, as a wrong restore does.
async fn lose_ledger(database: &TestDatabase, engine: Engine) {
    match engine {
        Sqlite => fs::remove_file(folder(&database.location).join("ledger.db")).unwrap(),
        Postgres => {
            let sql = "DROP SCHEMA ledger CASCADE";
            database.execute("ledger", sql).await.unwrap();
        }
    }
}

/// What starting the program does.
async fn start(location: &Location) -> Result<Store, StoreError> {
    let store = Store::open(location).await?;
    match store.migrate().await {
        Ok(_) => Ok(store),
        Err(error) => {
            store.close().await;
            Err(error)
        }
    }
}

#[rstest]
#[tokio::test]
async fn a_lost_ledger_is_replaced_only_on_request(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = start(&database.location).await.unwrap();
    store.ledger().insert_key(&key("kept")).await.unwrap();
    store.close().await;
    lose_ledger(&database, engine).await;
    for _ in 0..2 {
        let refused = start(&database.location).await.unwrap_err();
        assert!(matches!(refused, StoreError::LedgerMissing), "{refused:?}");
        assert!(refused.to_string().contains("--new-ledger"), "{refused}");
    }
    let store = Store::open_with_new_ledger(&database.location, ServerUse::default()).await;
    let store = store.unwrap();
    store.migrate().await.unwrap();
    assert_eq!(store.ledger().list_keys().await.unwrap(), []);
    store.close().await;
    start(&database.location).await.unwrap().close().await;
}

#[tokio::test]
async fn an_empty_file_in_place_of_the_ledger_is_a_lost_one() {
    let database = TestDatabase::new(Sqlite).await;
    database.store().await.close().await;
    fs::write(folder(&database.location).join("ledger.db"), "").unwrap();
    let refused = start(&database.location).await.unwrap_err();
    assert!(matches!(refused, StoreError::LedgerMissing), "{refused:?}");
}

#[tokio::test]
async fn the_ledger_of_another_store_is_refused_and_a_new_chain_is_not() {
    let (here, there) = (
        TestDatabase::new(Sqlite).await,
        TestDatabase::new(Sqlite).await,
    );
    for database in [&here, &there] {
        database.store().await.close().await;
    }
    let [ours, theirs] = [&here, &there].map(|database| folder(&database.location));
    fs::copy(theirs.join("ledger.db"), ours.join("ledger.db")).unwrap();
    let refused = start(&here.location).await.unwrap_err();
    assert!(matches!(refused, StoreError::OtherLedger), "{refused:?}");
    fs::remove_file(ours.join("chain.db")).unwrap();
    start(&here.location).await.unwrap().close().await;
}

#[tokio::test]
async fn a_ledger_that_is_there_survives_the_request_for_a_new_one() {
    let database = TestDatabase::new(Sqlite).await;
    let store = database.store().await;
    store.ledger().insert_key(&key("kept")).await.unwrap();
    store.close().await;
    let store = Store::open_with_new_ledger(&database.location, ServerUse::default()).await;
    let store = store.unwrap();
    store.migrate().await.unwrap();
    assert_eq!(store.ledger().list_keys().await.unwrap(), [key("kept")]);
}

#[tokio::test]
async fn nobody_else_can_read_the_files() {
    let database = TestDatabase::new(Sqlite).await;
    let store = database.store().await;
    let dir = folder(&database.location);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(dir), 0o700);
    let files: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|file| file.unwrap())
        .collect();
    assert!(files.len() >= 4, "{files:?}");
    for file in files {
        assert_eq!(mode(&file.path()), 0o600, "{file:?}");
    }
    store.close().await;
}

#[tokio::test]
async fn damage_inside_a_file_is_found_and_the_file_is_named() {
    let database = TestDatabase::new(Sqlite).await;
    database.store().await.close().await;
    for (name, advice) in [
        ("ledger.db", "must not be deleted"),
        ("chain.db", "may be deleted"),
    ] {
        let file = folder(&database.location).join(name);
        let sound = fs::read(&file).unwrap();
        let mut damaged = sound.clone();
        // Beyond the first page, whose damage would show at once.
        damaged[4_096..].fill(0xee);
        fs::write(&file, damaged).unwrap();
        let store = Store::open(&database.location).await;
        let found = match store {
            Ok(store) => store.examine().await,
            Err(error) => Err(error),
        };
        let shown = found.unwrap_err().to_string();
        assert!(shown.contains(name) && shown.contains(advice), "{shown}");
        fs::write(&file, sound).unwrap();
    }
}
