//! Trades, found by the times of their blocks.

use crate::{
    blocks::{block, empty},
    corruption::assert_corrupt,
    pools::change,
};
use market::{BlockEffects, KeptTrade, trades_to_bytes};
use primitives::{BlockRef, Felt, Timestamp};
use rstest::rstest;
use std::ops::Range;
use store::Store;
use world::{
    Engine::{self, Postgres, Sqlite},
    TestDatabase,
};

/// When block 0 would have been; each block comes a second after the one before.
const GENESIS: i64 = 1_700_000_000;

fn kept(number: u64) -> Vec<KeptTrade> {
    vec![KeptTrade {
        transaction: Some(Felt::from(number)),
        usd: u128::from(number) << 70,
    }]
}

/// Blocks 1 to `count` of a fork on top of `parent`: those of even height change
/// pools, and those of a height that four divides say what their trades were.
fn blocks(parent: BlockRef, fork: u64, count: u64) -> Vec<BlockEffects> {
    let mut parent = parent;
    (0..count)
        .map(|_| {
            let mut effects = empty(parent, fork);
            let number = effects.block.number;
            if number.is_multiple_of(2) {
                effects.pools = vec![change(number)];
            }
            if number.is_multiple_of(4) {
                effects.trades = trades_to_bytes(&kept(number));
            }
            parent = effects.block;
            effects
        })
        .collect()
}

fn span(heights: Range<i64>) -> Range<Timestamp> {
    let at = |height| Timestamp::from_second(GENESIS + height).unwrap();
    at(heights.start)..at(heights.end)
}

/// The heights that are found, or none.
async fn found(
    store: &Store,
    head: BlockRef,
    last: u64,
    spans: &[Range<Timestamp>],
    most: usize,
) -> Option<Vec<u64>> {
    let found = store.chain().traded_blocks(head, last, spans, most).await;
    let found = found.unwrap()?;
    Some(found.iter().map(|it| it.block.number).collect())
}

#[rstest]
#[tokio::test]
async fn the_blocks_of_some_times_come_newest_first(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let blocks = blocks(block(0, 0), 0, 40);
    store.chain().append(None, &blocks).await.unwrap();
    let head = block(40, 0);
    let all = [span(0..99)];
    let heights = found(&store, head, 99, &all, 99).await.unwrap();
    let expected: Vec<u64> = (1..=20).rev().map(|half| half * 2).collect();
    assert_eq!(heights, expected);
    let some = [span(30..34), span(10..13), span(3..5)];
    let heights = found(&store, head, 99, &some, 99).await.unwrap();
    assert_eq!(heights, [32, 30, 12, 10, 4]);
    assert_eq!(found(&store, head, 12, &some, 2).await.unwrap(), [12, 10]);
    let none = found(&store, head, 99, &[], 9).await.unwrap();
    assert!(none.is_empty());
    let told = store.chain().traded_blocks(head, 4, &all, 9).await.unwrap();
    let told = told.unwrap();
    assert_eq!(told[0].trades, Some(kept(4)));
    assert_eq!(told[0].changes, [change(4)]);
    assert_eq!(told[0].time, blocks[3].time);
    assert_eq!(told[1].trades, None, "of blocks that do not say it");
}

#[rstest]
#[tokio::test]
async fn what_was_taken_back_is_not_found(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let first = blocks(block(0, 0), 0, 10);
    store.chain().append(None, &first).await.unwrap();
    let chain = store.chain();
    let (old, kept) = (block(10, 0), block(5, 0));
    chain.rollback(old, Some(kept), None).await.unwrap();
    let all = [span(0..99)];
    assert_eq!(found(&store, old, 99, &all, 99).await, None);
    assert_eq!(found(&store, kept, 99, &all, 99).await.unwrap(), [4, 2]);
    let other = blocks(kept, 1, 3);
    chain.append(Some(kept), &other).await.unwrap();
    let head = block(8, 1);
    assert_eq!(
        found(&store, head, 99, &all, 99).await.unwrap(),
        [8, 6, 4, 2]
    );
    // As of an earlier block, later ones are not there yet.
    assert_eq!(found(&store, kept, 99, &all, 99).await.unwrap(), [4, 2]);
}

#[rstest]
#[tokio::test]
async fn bytes_that_nobody_wrote_are_corrupt(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let mut blocks = blocks(block(0, 0), 0, 2);
    blocks[1].trades = vec![9, 9, 9];
    store.chain().append(None, &blocks).await.unwrap();
    let (chain, spans) = (store.chain(), [span(0..9)]);
    let read = chain.traded_blocks(block(2, 0), 9, &spans, 9).await;
    assert_corrupt(read, "block", "trades");
}
