//! Migrations, and opening a store.

use crate::blocks::{block, fork};
use rstest::rstest;
use store::{ChainContents, FigureHistory, Location, PoolHistory, SchemaChange, Store, StoreError};
use world::{
    Engine::{self, Postgres, Sqlite},
    TestDatabase,
};

#[rstest]
#[tokio::test]
async fn migrating_twice_does_nothing_the_second_time(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.open().await;
    let older = store.require_migrated().await.unwrap_err();
    assert!(
        matches!(older, StoreError::SchemaOlder { found: 0, .. }),
        "{older:?}"
    );
    assert!(older.to_string().contains("`stoa migrate`"), "{older}");
    let first = store.migrate().await.unwrap();
    assert_eq!(first.chain, SchemaChange { from: 0, to: 14 });
    assert_eq!(first.ledger, SchemaChange { from: 0, to: 22 });
    let second = store.migrate().await.unwrap();
    assert_eq!(second.chain, SchemaChange { from: 14, to: 14 });
    store.require_migrated().await.unwrap();
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replicas_may_migrate_at_the_same_time(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let replicas = [
        database.open().await,
        database.open().await,
        database.open().await,
    ];
    let (a, b, c) = tokio::join!(
        replicas[0].migrate(),
        replicas[1].migrate(),
        replicas[2].migrate()
    );
    for report in [a, b, c] {
        assert_eq!(report.unwrap().ledger.to, 22);
    }
    replicas[0].require_migrated().await.unwrap();
}

#[rstest]
#[tokio::test]
async fn blocks_of_a_time_before_figures_make_room_for_the_same_ones_with_figures(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = database.open().await;
    database.migrate_to("ledger", 2).await;
    database.migrate_to("chain", 2).await;
    let felt = match engine {
        Sqlite => format!("X'{}'", "01".repeat(32)),
        Postgres => format!("'\\x{}'::bytea", "01".repeat(32)),
    };
    for row in [
        format!("venue_list (id, digest) VALUES (1, {felt})"),
        format!("block (number, hash, parent_hash, time) VALUES (5, {felt}, {felt}, 0)"),
        format!("token_reading (address, block_number, outcome) VALUES ({felt}, 5, 'malformed')"),
        format!("pool_checkpoint (block_number, pools) VALUES (5, {felt})"),
    ] {
        let sql = format!("INSERT INTO {row}");
        database.execute("chain", &sql).await.unwrap();
    }
    let report = store.migrate().await.unwrap();
    assert_eq!(report.chain, SchemaChange { from: 2, to: 14 });
    let nothing = ChainContents {
        recent: Vec::new(),
        readings: Vec::new(),
        pools: PoolHistory::default(),
        figures: FigureHistory::default(),
        followed: Vec::new(),
    };
    assert_eq!(store.chain().contents().await.unwrap(), nothing);
    assert!(store.chain().bind_venues(&[1; 32]).await.unwrap());
    let effects = fork(block(4, 0), 0, 2);
    store.chain().append(None, &effects).await.unwrap();
    assert_eq!(store.chain().tip().await.unwrap(), Some(block(6, 0)));
}

#[rstest]
#[case("chain")]
#[case("ledger")]
#[tokio::test]
async fn both_engines_have_the_same_tables_and_columns(#[case] schema: &str) {
    let (sqlite, postgres) = (
        TestDatabase::new(Sqlite).await,
        TestDatabase::new(Postgres).await,
    );
    sqlite.store().await;
    postgres.store().await;
    let columns = sqlite.columns(schema).await;
    assert!(columns.len() >= 5, "{columns:?}");
    assert_eq!(columns, postgres.columns(schema).await);
}

/// A step of a program that is yet to be written.
async fn add_step(database: &TestDatabase, half: &str) {
    let sql = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
         SELECT 1000, 'from the future', success, checksum, 0 FROM _sqlx_migrations WHERE version = 1";
    database.execute(half, sql).await.unwrap();
}

#[rstest]
#[tokio::test]
async fn a_store_that_a_newer_program_only_added_to_is_used(
    #[values(Sqlite, Postgres)] engine: Engine,
    #[values("chain", "ledger")] half: &str,
) {
    let database = TestDatabase::new(engine).await;
    let beside = database.store().await;
    add_step(&database, half).await;
    let sql = "ALTER TABLE identity ADD COLUMN later TEXT";
    database.execute(half, sql).await.unwrap();
    let store = Store::open(&database.location).await.unwrap();
    let report = store.migrate().await.unwrap();
    let change = if half == "chain" {
        report.chain
    } else {
        report.ledger
    };
    assert_eq!(
        change,
        SchemaChange {
            from: 1000,
            to: 1000
        }
    );
    store.require_migrated().await.unwrap();
    for store in [store, beside] {
        store.ledger().probe().await.unwrap();
        let tip = store.chain().tip().await.unwrap();
        let blocks = fork(tip.unwrap_or(block(4, 0)), 0, 2);
        store.chain().append(tip, &blocks).await.unwrap();
    }
}

#[rstest]
#[tokio::test]
async fn a_store_of_a_newer_program_is_refused(
    #[values(Sqlite, Postgres)] engine: Engine,
    #[values("chain", "ledger")] half: &str,
) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    add_step(&database, half).await;
    let sql = "UPDATE compatibility SET least = 1000";
    database.execute(half, sql).await.unwrap();
    for refused in [
        Store::open(&database.location).await.map(drop),
        store.migrate().await.map(drop),
    ] {
        match refused {
            Err(
                error @ StoreError::SchemaNewer {
                    schema,
                    found: 1000,
                    known,
                },
            ) => {
                assert_eq!(schema, half);
                assert!((1..1000).contains(&known), "{known}");
                assert!(error.to_string().contains("`stoa migrate`"), "{error}");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[rstest]
#[tokio::test]
async fn an_edited_migration_is_refused(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let other = match engine {
        Sqlite => "X'00'",
        Postgres => "'\\x00'",
    };
    let edit = format!("UPDATE _sqlx_migrations SET checksum = {other}");
    database.execute("chain", &edit).await.unwrap();
    // Twice: the first failure must not hold the migrations' lock.
    for _ in 0..2 {
        let refused = store.migrate().await;
        assert!(
            matches!(
                refused,
                Err(StoreError::Migration {
                    schema: "chain",
                    ..
                })
            ),
            "{refused:?}"
        );
    }
}

#[tokio::test]
async fn a_dead_server_is_reported_at_once() {
    // A listener that is gone leaves a port on which nobody answers.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let location: Location = format!("postgres://stoa:hunter2@127.0.0.1:{port}/stoa")
        .parse()
        .unwrap();
    let error = Store::open(&location).await.unwrap_err();
    assert!(matches!(error, StoreError::Unreachable(_)), "{error:?}");
    assert!(!format!("{error:?}").contains("hunter2"));
}

#[tokio::test]
async fn an_open_store_does_not_show_its_password() {
    let database = TestDatabase::new(Postgres).await;
    let Location::Postgres { url } = &database.location else {
        panic!("not PostgreSQL");
    };
    let mut url = url::Url::parse(url).unwrap();
    url.set_password(Some("hunter2")).unwrap();
    let location = Location::Postgres { url: url.into() };
    let shown = format!("{:?}", Store::open(&location).await.unwrap());
    assert!(!shown.contains("hunter2"), "{shown}");
}

#[tokio::test]
async fn a_folder_that_cannot_be_made_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let location = Location::Sqlite {
        dir: file.join("data"),
    };
    let error = Store::open(&location).await.unwrap_err();
    assert!(error.to_string().contains("file/data"), "{error}");
}
