//! What executed cycles are measured against.

use crate::blocks::{address, block, fork};
use primitives::{Address, Felt, U256};
use rstest::rstest;
use store::{CycleBenchmark, Store};
use world::{
    Engine::{self, Postgres, Sqlite},
    TestDatabase,
};

/// Before all others.
const START: (u64, Address) = (0, Address::new(Felt::ZERO));

fn benchmark(block: u64, order: u64, bought: U256) -> CycleBenchmark {
    CycleBenchmark {
        block,
        order: address(order),
        bought,
    }
}

fn all() -> [CycleBenchmark; 4] {
    [
        benchmark(5, 9, U256::MAX),
        benchmark(6, 1, U256::ZERO),
        benchmark(6, 2, U256::ONE),
        benchmark(8, 1, U256::from(7_u64)),
    ]
}

async fn filled(database: &TestDatabase) -> Store {
    let store = database.store().await;
    let blocks = fork(block(4, 0), 0, 4);
    store.chain().append(None, &blocks).await.unwrap();
    let all = all();
    let kept = store.chain().keep_benchmarks(&all, block(8, 0));
    assert!(kept.await.unwrap());
    store
}

#[rstest]
#[tokio::test]
async fn benchmarks_are_read_back_page_by_page_and_kept_once(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = filled(&database).await;
    let chain = store.chain();
    let again = [benchmark(6, 2, U256::from(99_u64))];
    assert!(chain.keep_benchmarks(&again, block(8, 0)).await.unwrap());
    assert_eq!(chain.benchmarks(START, 9).await.unwrap(), all());
    let after = all()[1].place();
    assert_eq!(chain.benchmarks(after, 1).await.unwrap(), all()[2..3]);
}

#[rstest]
#[tokio::test]
async fn benchmarks_go_with_their_blocks_and_none_comes_for_a_block_that_is_gone(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = filled(&database).await;
    let chain = store.chain();
    let taken_back = chain.rollback(block(8, 0), Some(block(5, 0)), None);
    taken_back.await.unwrap();
    let other = fork(block(5, 0), 1, 3);
    chain.append(Some(block(5, 0)), &other).await.unwrap();
    assert_eq!(chain.benchmarks(START, 9).await.unwrap(), all()[..1]);
    let late = [all()[1]];
    let late = chain.keep_benchmarks(&late, block(8, 0));
    assert!(!late.await.unwrap());
    assert_eq!(chain.benchmarks(START, 9).await.unwrap(), all()[..1]);
}
