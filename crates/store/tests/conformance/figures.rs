//! Market figures: what a block did to them lives and goes with it; pages are
//! kept now and then, and never tell of blocks that are gone.

use crate::{
    blocks::{block, empty},
    corruption::assert_corrupt,
};
use market::{
    BlockEffects,
    figures::{CutFigures, KeptFigures, KeptPage},
};
use primitives::{BlockRef, Timestamp};
use rstest::rstest;
use std::{ops::RangeInclusive, slice};
use store::{FigureHistory, Store, StoreError};
use world::{
    Engine::{self, Postgres, Sqlite},
    TestDatabase,
};

pub(crate) fn page(series: u32, resolution: u8, page: u32, bytes: &[u8]) -> KeptPage {
    KeptPage {
        series,
        resolution,
        page,
        bytes: bytes.to_vec(),
    }
}

pub(crate) fn kept(state: &[u8], pages: &[KeptPage]) -> KeptFigures {
    KeptFigures {
        state: state.to_vec(),
        pages: pages.to_vec(),
    }
}

/// What a block of odd height does; the others do nothing.
fn delta(number: u64) -> Vec<u8> {
    match number % 2 {
        0 => Vec::new(),
        _ => vec![u8::try_from(number % 251).unwrap(); 3],
    }
}

/// Blocks 1 to `count`, of which some keep pages.
fn blocks(count: u64, keeping: &[(u64, KeptFigures)]) -> Vec<BlockEffects> {
    blocks_on(block(0, 0), 0, count, keeping)
}

pub(crate) fn blocks_on(
    parent: BlockRef,
    fork: u64,
    count: u64,
    keeping: &[(u64, KeptFigures)],
) -> Vec<BlockEffects> {
    let mut parent = parent;
    let one_more = |_| {
        let mut effects = empty(parent, fork);
        let number = effects.block.number;
        effects.figures = delta(number);
        effects.pages = keeping
            .iter()
            .find(|(at, _)| *at == number)
            .map(|(_, kept)| kept.clone());
        parent = effects.block;
        effects
    };
    (0..count).map(one_more).collect()
}

fn time(number: u64) -> Timestamp {
    empty(block(number - 1, 0), 0).time
}

/// The deltas of the blocks of a range that did anything.
fn deltas(numbers: RangeInclusive<u64>) -> Vec<(u64, Timestamp, Vec<u8>)> {
    numbers
        .filter(|number| number % 2 == 1)
        .map(|number| (number, time(number), delta(number)))
        .collect()
}

pub(crate) async fn history(store: &Store) -> FigureHistory {
    store.chain().contents().await.unwrap().figures
}

/// A store of blocks 1 to 9 whose pages were kept at 3 and again at 6, and what
/// it has of figures.
async fn nine_blocks(database: &TestDatabase) -> (Store, FigureHistory) {
    let store = database.store().await;
    let early = kept(b"three", &[page(2, 1, 5, b"a"), page(1, 6, 5, b"b")]);
    let late = kept(b"six", &[page(1, 6, 5, b"B!"), page(1, 0, 300, b"c")]);
    let effects = blocks(9, &[(3, early), (6, late)]);
    store.chain().append(None, &effects).await.unwrap();
    let pages = [
        page(1, 0, 300, b"c"),
        page(1, 6, 5, b"B!"),
        page(2, 1, 5, b"a"),
    ];
    let history = FigureHistory {
        kept: Some((6, kept(b"six", &pages))),
        deltas: deltas(7..=9),
    };
    (store, history)
}

#[rstest]
#[tokio::test]
async fn what_blocks_did_to_figures_is_read_back(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    assert_eq!(history(&store).await, FigureHistory::default());
    store.chain().append(None, &blocks(9, &[])).await.unwrap();
    let found = history(&store).await;
    assert_eq!(found.kept, None);
    assert_eq!(found.deltas, deltas(1..=9));
    for (asked, stored) in [
        (3..=6, 3..=6),
        (0..=1, 1..=1),
        (8..=20, 8..=9),
        (9..=9, 9..=9),
    ] {
        let expected: Vec<_> = stored
            .map(|number| {
                let delta = delta(number);
                (number, time(number), (!delta.is_empty()).then_some(delta))
            })
            .collect();
        assert_eq!(store.chain().figures(asked).await.unwrap(), expected);
    }
    assert_eq!(store.chain().figures(10..=12).await.unwrap(), []);
    #[expect(clippy::reversed_empty_ranges, reason = "the range under test")]
    let nothing = store.chain().figures(6..=3).await;
    assert_eq!(nothing.unwrap(), []);
}

#[rstest]
#[tokio::test]
async fn new_pages_stand_beside_older_ones_and_changed_ones_in_their_place(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let (store, mut expected) = nine_blocks(&database).await;
    assert_eq!(history(&store).await, expected);
    // The same from another batch, as the largest of their kind.
    let newest = page(u32::MAX, u8::MAX, u32::MAX, b"");
    let tenth = blocks_on(
        block(9, 0),
        0,
        2,
        &[(10, kept(b"", slice::from_ref(&newest)))],
    );
    store
        .chain()
        .append(Some(block(9, 0)), &tenth)
        .await
        .unwrap();
    let (number, figures) = expected.kept.as_mut().unwrap();
    *number = 10;
    figures.state.clear();
    figures.pages.push(newest);
    expected.deltas = deltas(11..=11);
    assert_eq!(history(&store).await, expected);
}

#[rstest]
#[tokio::test]
async fn pages_beyond_one_statement_are_kept_whole(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let large = |series: u32| page(series, 0, 0, &[u8::try_from(series % 251).unwrap(); 8_000]);
    let mut pages: Vec<KeptPage> = (0..1_201).map(large).collect();
    pages.push(page(5_000, 0, 0, &vec![1; 5 << 20]));
    pages.push(page(5_001, 0, 0, b"small"));
    let whole = kept(&vec![7; 6 << 20], &pages);
    let mut effects = blocks(1, &[(1, whole.clone())]);
    effects[0].figures = vec![9; 5 << 20];
    store.chain().append(None, &effects).await.unwrap();
    assert_eq!(history(&store).await.kept, Some((1, whole)));
    let delta = store.chain().figures(1..=1).await.unwrap();
    assert_eq!(delta[0].2.as_deref(), Some(&*effects[0].figures));
}

#[rstest]
#[tokio::test]
async fn a_failure_after_the_pages_leaves_none_of_them(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let (store, before) = nine_blocks(&database).await;
    let rename = async |from: &str, to: &str| {
        let sql = format!("ALTER TABLE {from} RENAME TO {to}");
        database.execute("chain", &sql).await.unwrap();
    };
    // The state is written after the pages.
    rename("figure_state", "hidden").await;
    let pages = kept(b"ten", &[page(1, 6, 5, b"new")]);
    let effects = blocks_on(block(9, 0), 0, 1, &[(10, pages)]);
    let refused = store.chain().append(Some(block(9, 0)), &effects).await;
    assert!(
        matches!(refused, Err(StoreError::Refused(_))),
        "{refused:?}"
    );
    rename("hidden", "figure_state").await;
    assert_eq!(history(&store).await, before);
}

#[rstest]
#[tokio::test]
async fn a_rollback_that_pages_do_not_notice_leaves_them(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let (store, mut expected) = nine_blocks(&database).await;
    for (from, to) in [(9, 7), (7, 6)] {
        let back = Some(block(to, 0));
        store
            .chain()
            .rollback(block(from, 0), back, None)
            .await
            .unwrap();
        expected.deltas = deltas(7..=to);
        assert_eq!(history(&store).await, expected);
    }
}

#[rstest]
#[tokio::test]
async fn a_rollback_below_the_pages_must_say_what_becomes_of_them(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let (store, before) = nine_blocks(&database).await;
    let to = block(5, 0);
    match store.chain().rollback(block(9, 0), Some(to), None).await {
        Err(error @ StoreError::FiguresAbove { kept: 6, .. }) => assert_eq!(
            error.to_string(),
            "the figures kept at block 6 stand above block 5 (0x1388)"
        ),
        other => panic!("{other:?}"),
    }
    assert_eq!(history(&store).await, before);
    assert_eq!(store.chain().tip().await.unwrap(), Some(block(9, 0)));
}

#[rstest]
#[tokio::test]
async fn a_cut_takes_series_and_pages_and_puts_others_in_their_place(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let pages: Vec<KeptPage> = [0_u32, 1, 7, 8]
        .into_iter()
        .flat_map(|series| {
            [(0, 9), (0, 10), (0, 11), (1, 2), (1, 3)]
                .map(|(resolution, number)| page(series, resolution, number, b"old"))
        })
        .collect();
    let effects = blocks(9, &[(6, kept(b"six", &pages))]);
    store.chain().append(None, &effects).await.unwrap();
    let cut = CutFigures {
        series: 7,
        pages_from: vec![(0, 10), (1, 3), (2, 0)],
        kept: kept(b"four", &[page(0, 0, 10, b"new"), page(1, 1, 2, b"other")]),
    };
    let to = Some(block(4, 0));
    store
        .chain()
        .rollback(block(9, 0), to, Some(&cut))
        .await
        .unwrap();
    let left = [
        page(0, 0, 9, b"old"),
        page(0, 0, 10, b"new"),
        page(0, 1, 2, b"old"),
        page(1, 0, 9, b"old"),
        page(1, 1, 2, b"other"),
    ];
    let found = history(&store).await;
    assert_eq!(found.kept, Some((4, kept(b"four", &left))));
    assert_eq!(found.deltas, []);
    let branch = blocks_on(block(4, 0), 1, 3, &[]);
    store.chain().append(to, &branch).await.unwrap();
    assert_eq!(history(&store).await.deltas, deltas(5..=7));
}

#[rstest]
#[tokio::test]
async fn a_cut_of_a_refused_rollback_changes_nothing(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let (store, before) = nine_blocks(&database).await;
    let cut = CutFigures {
        series: 0,
        pages_from: Vec::new(),
        kept: kept(b"", &[]),
    };
    for (from, to) in [(block(8, 0), block(5, 0)), (block(9, 0), block(5, 1))] {
        let refused = store.chain().rollback(from, Some(to), Some(&cut)).await;
        refused.unwrap_err();
        assert_eq!(history(&store).await, before);
    }
}

#[rstest]
#[tokio::test]
async fn a_rollback_of_everything_leaves_no_figures(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let (store, _) = nine_blocks(&database).await;
    store
        .chain()
        .rollback(block(9, 0), None, None)
        .await
        .unwrap();
    assert_eq!(history(&store).await, FigureHistory::default());
    // Pages without a state would not be read: new ones must stand alone.
    let alone = kept(b"new", &[page(9, 0, 0, b"new")]);
    let effects = blocks(1, &[(1, alone.clone())]);
    store.chain().append(None, &effects).await.unwrap();
    assert_eq!(history(&store).await.kept, Some((1, alone)));
}

#[rstest]
#[tokio::test]
async fn other_venues_mean_other_figures(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let chain = store.chain();
    assert!(!chain.bind_venues(&[1; 32]).await.unwrap());
    let (store, before) = nine_blocks(&database).await;
    assert!(chain.bind_venues(&[1; 32]).await.unwrap());
    assert_eq!(history(&store).await, before);
    assert!(!chain.bind_venues(&[2; 32]).await.unwrap());
    assert_eq!(history(&store).await, FigureHistory::default());
    let alone = kept(b"new", &[page(9, 0, 0, b"new")]);
    let effects = blocks(1, &[(1, alone.clone())]);
    chain.append(None, &effects).await.unwrap();
    assert_eq!(history(&store).await.kept, Some((1, alone)));
}

#[rstest]
#[tokio::test]
async fn pages_that_do_not_decode_are_named_by_table_and_column(
    #[values(Sqlite, Postgres)] engine: Engine,
    #[values(("series", "-1"), ("resolution", "256"), ("page", "4294967296"))] broken: (&str, &str),
) {
    let database = TestDatabase::new(engine).await;
    let (store, _) = nine_blocks(&database).await;
    let (column, value) = broken;
    let unguarded = match engine {
        Sqlite => "PRAGMA ignore_check_constraints = ON".to_owned(),
        Postgres => {
            format!("ALTER TABLE figure_page DROP CONSTRAINT figure_page_{column}_check")
        }
    };
    let update = format!("UPDATE figure_page SET {column} = {value} WHERE series = 2");
    database
        .execute("chain", &format!("{unguarded}; {update}"))
        .await
        .unwrap();
    assert_corrupt(store.chain().contents().await, "figure_page", column);
}
