//! Blocks: append, read back, roll back, race.

use crate::blocks::{address, block, empty, fork, readable};
use market::{BlockEffects, TokenReading};
use primitives::{Address, BlockRef, Felt, Timestamp, short_string};
use proptest::prelude::*;
use rstest::rstest;
use std::{future::poll_fn, task::Poll};
use store::{MarkedBlock, Store, StoreError};
use world::{
    Engine::{self, Postgres, Sqlite},
    TestDatabase,
};

/// All that can be read of the chain half.
#[derive(Debug, PartialEq)]
struct Contents {
    first: Option<BlockRef>,
    tip: Option<BlockRef>,
    tip_time: Option<Timestamp>,
    hashes: Vec<Option<Felt>>,
    readings: Vec<(Address, u64, TokenReading)>,
}

async fn contents(store: &Store) -> Contents {
    let chain = store.chain();
    let mut hashes = Vec::new();
    for number in 0..30 {
        hashes.push(chain.block_hash(number).await.unwrap());
    }
    let numbers: Vec<u64> = (0..30).collect();
    let mut at_once = chain.blocks_at(&numbers).await.unwrap();
    at_once.sort_unstable_by_key(|block| block.number);
    let one_by_one = numbers.iter().zip(&hashes).filter_map(|(number, hash)| {
        let (number, hash) = (*number, (*hash)?);
        Some(BlockRef { number, hash })
    });
    assert_eq!(at_once, one_by_one.collect::<Vec<_>>());
    for marked in chain.marked_blocks_at(&numbers).await.unwrap() {
        assert!(at_once.contains(&marked.block));
    }
    let (tip, tip_time) = (chain.tip().await.unwrap(), chain.tip_time().await.unwrap());
    let at_one_moment = chain.contents().await.unwrap();
    assert_eq!(at_one_moment.tip(), tip.zip(tip_time));
    let recent = at_one_moment.recent.iter().map(|(block, _)| *block);
    assert_eq!(recent.collect::<Vec<_>>(), at_once);
    Contents {
        first: chain.first_block().await.unwrap(),
        tip,
        tip_time,
        hashes,
        readings: at_one_moment.readings,
    }
}

/// A store with blocks 5 to 8 of fork 0.
async fn four_blocks(database: &TestDatabase) -> Store {
    let store = database.store().await;
    let effects = fork(block(4, 0), 0, 4);
    store.chain().append(None, &effects).await.unwrap();
    store
}

#[rstest]
#[tokio::test]
async fn an_empty_store_has_nothing(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    store.ping().await.unwrap();
    let contents = contents(&store).await;
    assert_eq!(
        (contents.first, contents.tip, contents.tip_time),
        (None, None, None)
    );
    assert!(contents.readings.is_empty());
}

#[rstest]
#[tokio::test]
async fn what_is_appended_is_read_back(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = four_blocks(&database).await;
    let next = fork(block(8, 0), 0, 1);
    store
        .chain()
        .append(Some(block(8, 0)), &next)
        .await
        .unwrap();
    let contents = contents(&store).await;
    assert_eq!(contents.first, Some(block(5, 0)));
    assert_eq!(contents.tip, Some(block(9, 0)));
    assert_eq!(contents.tip_time, Some(next[0].time));
    assert_eq!(contents.hashes[4], None);
    assert_eq!(contents.hashes[7], Some(block(7, 0).hash));
    let mut expected: Vec<_> = fork(block(4, 0), 0, 5)
        .into_iter()
        .flat_map(|effect| {
            let number = effect.block.number;
            effect
                .readings
                .into_iter()
                .map(move |(address, reading)| (address, number, reading))
        })
        .collect();
    expected.sort_by_key(|(address, number, _)| (*address, *number));
    assert_eq!(contents.readings, expected);
}

#[rstest]
#[tokio::test]
async fn a_block_is_told_from_others_by_its_time_and_state(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let mut effects = fork(block(4, 0), 0, 2);
    effects[1].state_root = Some(Felt::from(77));
    store.chain().append(None, &effects).await.unwrap();
    let mut marked = store.chain().marked_blocks_at(&[5, 6, 7]).await.unwrap();
    marked.sort_unstable_by_key(|marked| marked.block.number);
    let expected = effects.iter().map(|effect| MarkedBlock {
        block: effect.block,
        time: effect.time,
        state_root: effect.state_root,
    });
    assert_eq!(marked, expected.collect::<Vec<_>>());
}

#[rstest]
#[tokio::test]
async fn a_batch_beyond_one_statement_is_stored_whole(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let effects = fork(block(0, 0), 0, 1_201);
    store.chain().append(None, &effects).await.unwrap();
    assert_eq!(store.chain().tip().await.unwrap(), Some(block(1_201, 0)));
    assert_eq!(
        store.chain().contents().await.unwrap().readings.len(),
        2 * 1_201
    );
}

#[rstest]
#[tokio::test]
async fn an_append_from_elsewhere_than_the_cursor_changes_nothing(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = four_blocks(&database).await;
    let before = contents(&store).await;
    for after in [
        None,
        Some(block(7, 0)),
        Some(block(8, 1)),
        Some(block(9, 0)),
    ] {
        let effects = fork(after.unwrap_or(block(8, 0)), 2, 2);
        match store.chain().append(after, &effects).await {
            Err(StoreError::CursorMoved { expected, found }) => {
                assert_eq!((expected, found), (after, Some(block(8, 0))));
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(contents(&store).await, before);
    }
}

#[rstest]
#[tokio::test]
async fn blocks_that_do_not_follow_each_other_change_nothing(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = four_blocks(&database).await;
    let before = contents(&store).await;
    let good = empty(block(8, 0), 0);
    let mut wrong_parent = good.clone();
    wrong_parent.parent_hash = block(8, 1).hash;
    let mut wrong_number = good.clone();
    wrong_number.block.number = 10;
    let mut repeated = good.clone();
    repeated.block.number = 8;
    let gap_inside = empty(block(10, 0), 0);
    for effects in [
        vec![wrong_parent],
        vec![wrong_number],
        vec![repeated],
        vec![good.clone(), gap_inside],
        vec![good.clone(), good.clone()],
    ] {
        let refused = store.chain().append(Some(block(8, 0)), &effects).await;
        assert!(
            matches!(refused, Err(StoreError::NotLinked { .. })),
            "{refused:?}"
        );
        assert_eq!(contents(&store).await, before);
    }
}

#[rstest]
#[tokio::test]
async fn a_failure_in_the_middle_leaves_nothing_of_the_batch(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = four_blocks(&database).await;
    let before = contents(&store).await;
    let mut effects = fork(block(8, 0), 0, 3);
    effects[2].readings = vec![(address(1), readable("a")), (address(1), readable("b"))];
    let refused = store.chain().append(Some(block(8, 0)), &effects).await;
    assert!(
        matches!(
            refused,
            Err(StoreError::Exists {
                table: "token_reading"
            })
        ),
        "{refused:?}"
    );
    assert_eq!(contents(&store).await, before);
    store
        .chain()
        .append(Some(block(8, 0)), &effects[..2])
        .await
        .unwrap();
}

#[rstest]
#[tokio::test]
async fn a_number_beyond_the_column_is_refused(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let last = BlockRef {
        number: u64::MAX,
        hash: Felt::ONE,
    };
    let effects = [BlockEffects::quiet(last, Felt::ZERO, Timestamp::UNIX_EPOCH)];
    let refused = store.chain().append(None, &effects).await;
    assert!(
        matches!(refused, Err(StoreError::OutOfRange { column: "number" })),
        "{refused:?}"
    );
    assert_eq!(store.chain().tip().await.unwrap(), None);
}

#[rstest]
#[tokio::test]
async fn a_rollback_takes_the_readings_of_its_blocks(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = four_blocks(&database).await;
    store
        .chain()
        .rollback(block(8, 0), Some(block(6, 0)), None)
        .await
        .unwrap();
    let contents = contents(&store).await;
    assert_eq!(contents.tip, Some(block(6, 0)));
    assert_eq!(contents.hashes[7], None);
    assert_eq!(contents.readings.len(), 4);
    assert!(contents.readings.iter().all(|(_, number, _)| *number <= 6));
}

#[rstest]
#[tokio::test]
async fn a_rollback_of_everything_leaves_an_empty_store(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let empty = contents(&store).await;
    let genesis = BlockEffects {
        readings: vec![(address(1), readable("a"))],
        ..BlockEffects::quiet(block(0, 1), Felt::ZERO, Timestamp::UNIX_EPOCH)
    };
    store.chain().append(None, &[genesis]).await.unwrap();
    store
        .chain()
        .rollback(block(0, 1), None, None)
        .await
        .unwrap();
    assert_eq!(contents(&store).await, empty);
}

#[rstest]
#[tokio::test]
async fn a_rollback_from_elsewhere_or_to_an_unknown_block_changes_nothing(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = four_blocks(&database).await;
    let before = contents(&store).await;
    let chain = store.chain();
    let moved = chain.rollback(block(8, 1), Some(block(6, 0)), None).await;
    assert!(
        matches!(moved, Err(StoreError::CursorMoved { .. })),
        "{moved:?}"
    );
    for unknown in [block(6, 1), block(4, 0), block(9, 0)] {
        match chain.rollback(block(8, 0), Some(unknown), None).await {
            Err(StoreError::NotStored { block }) => assert_eq!(block, unknown),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(contents(&store).await, before);
}

#[rstest]
#[tokio::test]
async fn a_reorg_equals_never_having_seen_the_orphaned_blocks(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let (seen, unseen) = (
        TestDatabase::new(engine).await,
        TestDatabase::new(engine).await,
    );
    let store = four_blocks(&seen).await;
    store
        .chain()
        .rollback(block(8, 0), Some(block(6, 0)), None)
        .await
        .unwrap();
    let branch = fork(block(6, 0), 1, 3);
    store
        .chain()
        .append(Some(block(6, 0)), &branch)
        .await
        .unwrap();

    let fresh = unseen.store().await;
    let mut straight = fork(block(4, 0), 0, 2);
    straight.extend(branch);
    fresh.chain().append(None, &straight).await.unwrap();
    assert_eq!(contents(&store).await, contents(&fresh).await);
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_writers_on_one_cursor_exactly_one_wins(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let left = four_blocks(&database).await;
    let right = database.open().await;
    let mut tip = block(8, 0);
    for round in 0..10 {
        let branches = [fork(tip, 2 * round, 1), fork(tip, 2 * round + 1, 2)];
        let (a, b) = tokio::join!(
            left.chain().append(Some(tip), &branches[0]),
            right.chain().append(Some(tip), &branches[1]),
        );
        let (winner, loser) = match (a, b) {
            (Ok(()), Err(error)) => (&branches[0], error),
            (Err(error), Ok(())) => (&branches[1], error),
            other => panic!("{other:?}"),
        };
        assert!(matches!(loser, StoreError::CursorMoved { .. }), "{loser:?}");
        tip = winner.last().unwrap().block;
        assert_eq!(left.chain().tip().await.unwrap(), Some(tip));
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_append_never_lands_on_a_block_that_is_being_rolled_back(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let left = four_blocks(&database).await;
    let right = database.open().await;
    for round in 1..10 {
        let tip = left.chain().tip().await.unwrap().unwrap();
        let parent = BlockRef {
            number: tip.number - 1,
            hash: left
                .chain()
                .block_hash(tip.number - 1)
                .await
                .unwrap()
                .unwrap(),
        };
        let next = fork(tip, round, 1);
        let (added, removed) = tokio::join!(
            left.chain().append(Some(tip), &next),
            right.chain().rollback(tip, Some(parent), None),
        );
        let expected = match (added, removed) {
            (Ok(()), Err(StoreError::CursorMoved { .. })) => next[0].block,
            (Err(StoreError::CursorMoved { .. }), Ok(())) => parent,
            other => panic!("{other:?}"),
        };
        assert_eq!(left.chain().tip().await.unwrap(), Some(expected));
        // Room for the next round.
        let more = fork(expected, 100 + round, 2);
        left.chain().append(Some(expected), &more).await.unwrap();
    }
}

#[rstest]
#[tokio::test]
async fn an_append_that_is_given_up_happens_whole_or_not_at_all(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = four_blocks(&database).await;
    let mut tip = block(8, 0);
    for polls in 1..40 {
        let next = fork(tip, polls, 2);
        let mut append = Box::pin(store.chain().append(Some(tip), &next));
        let mut left = polls;
        poll_fn(|context| {
            left -= 1;
            match append.as_mut().poll(context) {
                Poll::Pending if left > 0 => Poll::Pending,
                _ => Poll::Ready(()),
            }
        })
        .await;
        drop(append);
        // Another write waits for whatever the driver still does behind it.
        let nowhere = Some(block(0, 0));
        let found = match store.chain().append(nowhere, &[]).await {
            Err(StoreError::CursorMoved { found, .. }) => found.unwrap(),
            other => panic!("{other:?}"),
        };
        assert!([tip, next[1].block].contains(&found), "{found:?}");
        tip = found;
    }
    store
        .chain()
        .append(Some(tip), &fork(tip, 99, 1))
        .await
        .unwrap();
}

#[rstest]
#[tokio::test]
async fn a_store_that_others_hold_is_busy_and_unchanged(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = four_blocks(&database).await;
    let before = contents(&store).await;
    let next = fork(block(8, 0), 0, 1);
    let held = database.hold_writes("chain", "block").await;
    let refused = store.chain().append(Some(block(8, 0)), &next).await;
    assert!(matches!(refused, Err(StoreError::Busy(_))), "{refused:?}");
    assert_eq!(contents(&store).await, before);
    drop(held);
    store
        .chain()
        .append(Some(block(8, 0)), &next)
        .await
        .unwrap();
}

#[rstest]
#[tokio::test]
async fn a_reopened_store_has_everything(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = four_blocks(&database).await;
    let before = contents(&store).await;
    store.close().await;
    assert!(matches!(
        store.ping().await,
        Err(StoreError::Unreachable(_))
    ));
    assert_eq!(contents(&database.open().await).await, before);
}

#[rstest]
#[tokio::test]
async fn a_store_of_another_chain_is_refused(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let (ours, other) = (short_string("SN_STOA"), short_string("SN_MAIN"));
    let store = database.store().await;
    store.chain().bind_chain(ours).await.unwrap();
    store.chain().bind_chain(ours).await.unwrap();
    store.close().await;
    match database.open().await.chain().bind_chain(other).await {
        Err(StoreError::OtherChain { stored, given }) => {
            assert_eq!((stored, given), (ours, other));
        }
        result => panic!("{result:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_sequence_of_reorgs_equals_the_final_fork(
        reorgs in prop::collection::vec((0_usize..6, 1_usize..5), 1..8)
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (seen, unseen) = (TestDatabase::new(Sqlite).await, TestDatabase::new(Sqlite).await);
            let store = seen.store().await;
            // The model: the blocks of the current fork.
            let mut model = fork(block(0, 0), 0, 3);
            store.chain().append(None, &model).await.unwrap();
            for (round, (depth, count)) in (1..).zip(reorgs) {
                let tip = model.last().unwrap().block;
                model.truncate(model.len().saturating_sub(depth).max(1));
                let ancestor = model.last().unwrap().block;
                store.chain().rollback(tip, Some(ancestor), None).await.unwrap();
                let branch = fork(ancestor, round, count);
                store.chain().append(Some(ancestor), &branch).await.unwrap();
                model.extend(branch);
            }
            let fresh = unseen.store().await;
            fresh.chain().append(None, &model).await.unwrap();
            assert_eq!(contents(&store).await, contents(&fresh).await);
        });
    }
}
