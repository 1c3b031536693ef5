//! What became of the chain since a block.

use crate::{
    blocks::{block, empty, fork},
    corruption::assert_corrupt,
    figures::page,
    pools::change,
};
use market::{BlockEffects, figures::KeptFigures};
use primitives::BlockRef;
use rstest::rstest;
use store::Store;
use world::{
    Engine::{self, Postgres, Sqlite},
    TestDatabase,
};

/// Blocks on top of `parent` in which everything happens.
fn eventful(parent: BlockRef, number: u64, count: usize) -> Vec<BlockEffects> {
    let mut blocks = fork(parent, number, count);
    for (effects, nth) in blocks.iter_mut().zip(0..) {
        if nth % 3 != 0 {
            effects.readings.clear();
        }
        if nth % 2 == 0 {
            effects.pools = vec![change(nth), change(nth + 1_000)];
            effects.figures = vec![1, 2, u8::try_from(nth % 251).unwrap()];
        }
        if nth % 4 == 1 {
            effects.checkpoint = Some(vec![7]);
            effects.pages = Some(KeptFigures {
                state: vec![8],
                pages: vec![page(1, 0, 0, b"page")],
            });
        }
    }
    blocks
}

/// What is told of blocks: all but checkpoints and pages.
fn told(blocks: &[BlockEffects]) -> Vec<BlockEffects> {
    let told = blocks.iter().cloned().map(|effects| BlockEffects {
        checkpoint: None,
        pages: None,
        ..effects
    });
    told.collect()
}

async fn since(store: &Store, tip: BlockRef) -> Option<Vec<BlockEffects>> {
    store.chain().since(tip).await.unwrap()
}

#[rstest]
#[tokio::test]
async fn blocks_after_a_stored_one_are_told_as_they_were_appended(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let blocks = eventful(block(4, 0), 0, 12);
    let (first, second) = blocks.split_at(5);
    store.chain().append(None, first).await.unwrap();
    assert_eq!(since(&store, block(5, 0)).await.unwrap(), told(&first[1..]));
    let tip = first.last().unwrap().block;
    assert_eq!(since(&store, tip).await.unwrap(), []);
    store.chain().append(Some(tip), second).await.unwrap();
    assert_eq!(since(&store, tip).await.unwrap(), told(second));
    assert_eq!(
        since(&store, block(5, 0)).await.unwrap(),
        told(&blocks[1..])
    );
}

#[rstest]
#[tokio::test]
async fn after_a_block_that_is_not_stored_nothing_is_told(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    assert_eq!(since(&store, block(5, 0)).await, None);
    let blocks = eventful(block(4, 0), 0, 4);
    store.chain().append(None, &blocks).await.unwrap();
    for unknown in [block(4, 0), block(6, 1), block(9, 0)] {
        assert_eq!(since(&store, unknown).await, None);
    }
}

#[rstest]
#[tokio::test]
async fn a_rollback_is_told_from_blocks_that_were_added(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let chain = store.chain();
    chain.append(None, &fork(block(4, 0), 0, 4)).await.unwrap();
    let (tip, ancestor) = (block(8, 0), block(6, 0));
    chain.rollback(tip, Some(ancestor), None).await.unwrap();
    assert_eq!(since(&store, tip).await, None);
    assert_eq!(since(&store, ancestor).await.unwrap(), []);
    let branch = eventful(ancestor, 1, 3);
    chain.append(Some(ancestor), &branch).await.unwrap();
    assert_eq!(since(&store, tip).await, None);
    assert_eq!(since(&store, block(7, 0)).await, None);
    assert_eq!(since(&store, ancestor).await.unwrap(), told(&branch));
    assert_eq!(
        since(&store, block(7, 1)).await.unwrap(),
        told(&branch[1..])
    );
}

#[rstest]
#[tokio::test]
async fn many_blocks_are_told_in_portions(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let blocks = eventful(block(0, 0), 0, 1 + 1_024 + 1);
    store.chain().append(None, &blocks).await.unwrap();
    let first = since(&store, block(1, 0)).await.unwrap();
    assert_eq!(first, told(&blocks[1..=1_024]));
    let rest = since(&store, first.last().unwrap().block).await.unwrap();
    assert_eq!(rest, told(&blocks[1_025..]));
}

#[rstest]
#[tokio::test]
async fn blocks_that_do_not_decode_are_named_by_table_and_column(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let above_the_prime = match engine {
        Sqlite => format!("X'{}'", "ff".repeat(32)),
        Postgres => format!("'\\x{}'::bytea", "ff".repeat(32)),
    };
    for (table, column, value) in [
        ("block", "hash", &above_the_prime),
        ("block", "parent_hash", &above_the_prime),
        ("block", "time", &i64::MAX.to_string()),
        ("token_reading", "address", &above_the_prime),
    ] {
        let database = TestDatabase::new(engine).await;
        let store = database.store().await;
        let mut blocks = vec![empty(block(4, 0), 0)];
        blocks.extend(fork(block(5, 0), 0, 1));
        store.chain().append(None, &blocks).await.unwrap();
        let which = match table {
            "block" => "number = 6",
            _ => "outcome = 'readable'",
        };
        let sql = format!("UPDATE {table} SET {column} = {value} WHERE {which}");
        database.execute("chain", &sql).await.unwrap();
        assert_corrupt(store.chain().since(block(5, 0)).await, table, column);
    }
}
