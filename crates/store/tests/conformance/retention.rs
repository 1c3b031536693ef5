//! Details of old blocks are forgotten, some at a time.

use crate::blocks::{block, empty};
use market::{BlockEffects, figures::KeptFigures};
use primitives::Timestamp;
use rstest::rstest;
use store::ChainStore;
use world::{
    Engine::{self, Postgres, Sqlite},
    TestDatabase,
};

/// Blocks 5 to 24 with details; pools are whole at 15 and figures at 18.
fn blocks() -> Vec<BlockEffects> {
    let mut parent = block(4, 0);
    let mut all = Vec::new();
    for number in 5..25_u64 {
        let mut effects = empty(parent, 0);
        effects.figures = vec![u8::try_from(number).unwrap()];
        effects.trades = vec![1];
        effects.checkpoint = (number == 15).then(|| vec![1]);
        effects.pages = (number == 18).then(|| KeptFigures {
            state: vec![1],
            pages: Vec::new(),
        });
        parent = effects.block;
        all.push(effects);
    }
    all
}

async fn detailed(chain: &ChainStore) -> Vec<u64> {
    let blocks = chain.figures(0..=100).await.unwrap().into_iter();
    let detailed = blocks.filter_map(|(number, _, figures)| figures.map(|_| number));
    detailed.collect()
}

#[rstest]
#[tokio::test]
async fn details_go_in_order_and_never_those_that_are_needed(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let chain = store.chain();
    let all = blocks();
    chain.append(None, &all).await.unwrap();
    let time = |number: usize| all[number - 5].time;
    assert_eq!(chain.forget_details(None, time(5), 9).await.unwrap(), None);
    let forgotten = chain.forget_details(None, time(12), 4).await.unwrap();
    assert_eq!(forgotten, Some(8));
    assert_eq!(detailed(chain).await, (9..25).collect::<Vec<_>>());
    let forgotten = chain.forget_details(Some(8), time(12), 100).await.unwrap();
    assert_eq!(forgotten, Some(11));
    assert_eq!(
        chain.forget_details(Some(11), time(12), 9).await.unwrap(),
        None
    );
    let forgotten = chain.forget_details(Some(11), Timestamp::MAX, 100).await;
    assert_eq!(forgotten.unwrap(), Some(14));
    assert_eq!(detailed(chain).await, (15..25).collect::<Vec<_>>());
    assert_eq!(chain.oldest_checkpoint().await.unwrap(), Some(15));
    // The blocks themselves are all there.
    let numbers: Vec<u64> = (0..100).collect();
    assert_eq!(chain.blocks_at(&numbers).await.unwrap().len(), 20);
    let recorded = chain.recorded(14..=15).await.unwrap();
    assert!(recorded[0].trades.is_empty() && !recorded[1].trades.is_empty());
}

#[rstest]
#[tokio::test]
async fn nothing_goes_before_pools_and_figures_were_kept(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let chain = store.chain();
    let few: Vec<_> = blocks().into_iter().take(12).collect();
    chain.append(None, &few).await.unwrap();
    let forgotten = chain.forget_details(None, Timestamp::MAX, 100).await;
    assert_eq!(forgotten.unwrap(), None);
}
