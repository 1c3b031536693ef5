//! Rows that this program never writes: refused by constraints where they can
//! be, reported where they cannot.

use crate::blocks::{block, fork};
use rstest::rstest;
use store::StoreError;
use world::{
    Engine::{self, Postgres, Sqlite},
    TestDatabase,
};

/// 32 bytes of the same value, as both engines write them.
fn bytes(engine: Engine, byte: &str) -> String {
    match engine {
        Sqlite => format!("X'{}'", byte.repeat(32)),
        Postgres => format!("'\\x{}'::bytea", byte.repeat(32)),
    }
}

#[rstest]
#[tokio::test]
async fn impossible_rows_are_refused_by_the_database(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    store
        .chain()
        .append(None, &fork(block(4, 0), 0, 1))
        .await
        .unwrap();
    let (felt, short) = (
        bytes(engine, "01"),
        bytes(engine, "01").replacen("01", "", 1),
    );
    let reading =
        "INSERT INTO token_reading (address, block_number, outcome, name, symbol, decimals) VALUES";
    let page = "INSERT INTO figure_page (series, resolution, page, bytes) VALUES";
    let good = format!("{reading} ({felt}, 5, 'readable', 'Ether', 'ETH', 18)");
    for bad in [
        format!("{reading} ({felt}, 5, 'readable', NULL, 'ETH', 18)"),
        format!("{reading} ({felt}, 5, 'readable', 'Ether', NULL, 18)"),
        format!("{reading} ({felt}, 5, 'readable', 'Ether', 'ETH', NULL)"),
        format!("{reading} ({felt}, 5, 'readable', 'Ether', 'ETH', 256)"),
        format!("{reading} ({felt}, 5, 'malformed', 'Ether', NULL, NULL)"),
        format!("{reading} ({felt}, 5, 'malformed', NULL, NULL, 18)"),
        format!("{reading} ({felt}, 5, 'odd', NULL, NULL, NULL)"),
        format!("{reading} ({felt}, 6, 'readable', 'Ether', 'ETH', 18)"),
        format!("{reading} ({short}, 5, 'readable', 'Ether', 'ETH', 18)"),
        format!(
            "INSERT INTO block (number, hash, parent_hash, time) VALUES (6, {short}, {felt}, 0)"
        ),
        format!(
            "INSERT INTO block (number, hash, parent_hash, time) VALUES (5, {felt}, {felt}, 0)"
        ),
        format!(
            "INSERT INTO block (number, hash, parent_hash, time) VALUES (-1, {felt}, {felt}, 0)"
        ),
        format!("INSERT INTO chain_identity (id, chain_id) VALUES (2, {felt})"),
        format!("UPDATE block SET figures = {}", bytes(engine, "")),
        format!("{page} (-1, 0, 0, {felt})"),
        format!("{page} (4294967296, 0, 0, {felt})"),
        format!("{page} (0, -1, 0, {felt})"),
        format!("{page} (0, 256, 0, {felt})"),
        format!("{page} (0, 0, -1, {felt})"),
        format!("{page} (0, 0, 4294967296, {felt})"),
        format!("{page} (0, 0, 0, NULL)"),
        format!("{page} (0, 0, 0, {felt}), (0, 0, 0, {felt})"),
        format!("INSERT INTO figure_state (id, block_number, bytes) VALUES (2, 5, {felt})"),
        format!("INSERT INTO figure_state (id, block_number, bytes) VALUES (1, 6, {felt})"),
    ] {
        let refused = database.execute("chain", &bad).await.unwrap_err();
        let kind = refused.as_database_error().unwrap().kind();
        assert_ne!(kind, sqlx::error::ErrorKind::Other, "{bad}: {refused}");
    }
    database.execute("chain", &good).await.unwrap();
}

#[rstest]
#[tokio::test]
async fn values_that_do_not_decode_are_named_by_table_and_column(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    store
        .chain()
        .append(None, &fork(block(4, 0), 0, 1))
        .await
        .unwrap();
    let chain = store.chain();
    let above_the_prime = bytes(engine, "ff");

    database
        .execute("chain", &format!("UPDATE block SET time = {}", i64::MAX))
        .await
        .unwrap();
    assert_corrupt(chain.tip_time().await, "block", "time");
    assert_corrupt(chain.figures(5..=5).await, "block", "time");
    database
        .execute(
            "chain",
            &format!("UPDATE block SET hash = {above_the_prime}"),
        )
        .await
        .unwrap();
    assert_corrupt(chain.tip().await, "block", "hash");
    assert_corrupt(chain.block_hash(5).await, "block", "hash");
    assert_corrupt(chain.append(Some(block(5, 0)), &[]).await, "block", "hash");
    let tokens =
        format!("UPDATE token_reading SET address = {above_the_prime} WHERE outcome = 'readable'");
    database.execute("chain", &tokens).await.unwrap();
    assert_corrupt(chain.contents().await, "token_reading", "address");
}

#[track_caller]
pub(crate) fn assert_corrupt<T: std::fmt::Debug>(
    result: Result<T, StoreError>,
    table: &str,
    column: &str,
) {
    match result {
        Err(StoreError::Corrupt {
            table: t,
            column: c,
        }) => assert_eq!((t, &*c), (table, column)),
        other => panic!("{other:?}"),
    }
}
