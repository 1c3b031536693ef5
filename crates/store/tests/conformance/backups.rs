//! Copies of a store in use, and stores made of them.

use crate::blocks::{block, fork};
use primitives::Timestamp;
use rstest::rstest;
use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};
use store::{
    ApiKeyRow, Location, Store,
    backup::{BackupError, Halves, backup, restore},
};
use tempfile::TempDir;
use world::{
    Engine::{self, Postgres, Sqlite},
    TestDatabase,
};

fn key(number: u8) -> ApiKeyRow {
    ApiKeyRow {
        id: format!("key {number}"),
        name: "a key".to_owned(),
        digest: [number; 32],
        created_at: Timestamp::UNIX_EPOCH,
        revoked_at: None,
    }
}

/// A store with a key and three blocks, and a folder for its backups.
async fn filled(engine: Engine) -> (TestDatabase, Store, TempDir) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    store.ledger().insert_key(&key(1)).await.unwrap();
    let blocks = fork(block(0, 0), 0, 3);
    store.chain().append(None, &blocks).await.unwrap();
    (database, store, tempfile::tempdir().unwrap())
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
    let mut names: Vec<_> = entries.map(|entry| name(entry.unwrap())).collect();
    names.sort();
    names
}

async fn opened(location: &Location) -> Store {
    let store = Store::open(location).await.unwrap();
    store.migrate().await.unwrap();
    store
}

#[rstest]
#[tokio::test]
async fn a_restored_store_has_what_the_backup_had_and_nothing_later(
    #[values(Sqlite, Postgres)] engine: Engine,
    #[values(Halves::Both, Halves::Ledger)] halves: Halves,
) {
    let (database, store, folder) = filled(engine).await;
    let copy = folder.path().join("copy");
    let files = backup(&database.location, &copy, halves).await.unwrap();
    assert!(files.iter().all(|file| file.bytes > 0), "{files:?}");
    store.ledger().insert_key(&key(2)).await.unwrap();

    let elsewhere = TestDatabase::new(engine).await;
    restore(&elsewhere.location, &copy).await.unwrap();
    let restored = opened(&elsewhere.location).await;
    assert_eq!(restored.ledger().list_keys().await.unwrap(), [key(1)]);
    let tip = restored.chain().tip().await.unwrap();
    match halves {
        Halves::Both => assert_eq!(tip, store.chain().tip().await.unwrap()),
        Halves::Ledger => assert_eq!(tip, None),
    }
}

#[rstest]
#[tokio::test]
async fn nothing_is_written_over(#[values(Sqlite, Postgres)] engine: Engine) {
    let (database, store, folder) = filled(engine).await;
    let copy = folder.path().join("copy");
    backup(&database.location, &copy, Halves::Both)
        .await
        .unwrap();
    let again = backup(&database.location, &copy, Halves::Both).await;
    assert!(matches!(again, Err(BackupError::Exists(_))), "{again:?}");
    let over = restore(&database.location, &copy).await;
    assert!(matches!(over, Err(BackupError::Occupied(_))), "{over:?}");
    assert_eq!(store.ledger().list_keys().await.unwrap(), [key(1)]);

    let left = folder.path().join("other.partial");
    fs::create_dir(&left).unwrap();
    let beside = backup(
        &database.location,
        &folder.path().join("other"),
        Halves::Both,
    )
    .await;
    let Err(BackupError::Exists(path)) = beside else {
        panic!("{beside:?}");
    };
    assert_eq!(path, left);
}

#[rstest]
#[tokio::test]
async fn what_cannot_be_copied_leaves_nothing(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let folder = tempfile::tempdir().unwrap();
    let nothing = backup(
        &database.location,
        &folder.path().join("copy"),
        Halves::Both,
    )
    .await;
    assert!(
        matches!(nothing, Err(BackupError::NoStore(_))),
        "{nothing:?}"
    );
    assert!(names(folder.path()).is_empty());
    let none = restore(&database.location, folder.path()).await;
    assert!(
        matches!(none, Err(BackupError::NoBackup { .. })),
        "{none:?}"
    );
}

#[tokio::test]
async fn a_backup_is_its_owners_alone() {
    let (database, _store, folder) = filled(Sqlite).await;
    let copy = folder.path().join("copy");
    backup(&database.location, &copy, Halves::Both)
        .await
        .unwrap();
    assert_eq!(names(&copy), ["chain.db", "ledger.db"]);
    let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(copy.clone()), 0o700);
    assert_eq!(mode(copy.join("ledger.db")), 0o600);
}

#[tokio::test]
async fn a_damaged_backup_is_refused_and_leaves_nothing() {
    let (database, _store, folder) = filled(Sqlite).await;
    let copy = folder.path().join("copy");
    backup(&database.location, &copy, Halves::Both)
        .await
        .unwrap();
    let file = copy.join("chain.db");
    let mut bytes = fs::read(&file).unwrap();
    for page in bytes.chunks_mut(4_096).skip(1) {
        page.fill(0xa5);
    }
    fs::write(&file, bytes).unwrap();
    let elsewhere = folder.path().join("elsewhere");
    let location = Location::Sqlite {
        dir: elsewhere.clone(),
    };
    let refused = restore(&location, &copy).await.unwrap_err();
    assert!(refused.to_string().contains("chain.db"), "{refused}");
    assert!(names(&elsewhere).is_empty());
}
