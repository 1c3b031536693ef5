//! What the wider market says, from a block on.

use crate::{
    blocks::{block, fork},
    market_rows::at,
};
use primitives::BlockRef;
use rstest::rstest;
use store::{ChainStore, Saying, StoreError};
use world::{
    Engine::{self, Postgres, Sqlite},
    TestDatabase,
};

async fn append(chain: &ChainStore, after: Option<BlockRef>, count: usize) -> BlockRef {
    let blocks = fork(after.unwrap_or(block(9, 0)), 0, count);
    chain.append(after, &blocks).await.unwrap();
    blocks.last().unwrap().block
}

async fn from_blocks(chain: &ChainStore) -> Vec<u64> {
    let sayings = chain.sayings().await.unwrap();
    sayings.iter().map(|saying| saying.from_block).collect()
}

#[rstest]
#[tokio::test]
async fn what_is_new_counts_from_the_next_block_on(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let chain = store.chain();
    chain
        .say(b"nothing is indexed", at(5), at(0))
        .await
        .unwrap();
    assert_eq!(from_blocks(chain).await, [0]);
    let tip = append(chain, None, 1).await;
    // What counts still stays until the next block.
    chain.say(b"soon", at(15), at(5)).await.unwrap();
    chain.say(b"sooner", at(20), at(5)).await.unwrap();
    assert_eq!(from_blocks(chain).await, [11, 0]);
    let saying = Saying {
        from_block: 11,
        known_until: at(20),
    };
    assert_eq!(chain.sayings().await.unwrap()[0], saying);
    assert_eq!(chain.said(saying).await.unwrap().unwrap(), b"sooner");
    let replaced = Saying {
        known_until: at(15),
        ..saying
    };
    assert_eq!(chain.said(replaced).await.unwrap(), None);
    // What does not count any more makes room at once, on a chain that stands still.
    chain.say(b"now", at(30), at(6)).await.unwrap();
    assert_eq!(from_blocks(chain).await, [10, 0]);
    append(chain, Some(tip), 3).await;
    chain.say(b"later", at(40), at(25)).await.unwrap();
    assert_eq!(from_blocks(chain).await, [14, 10, 0]);
    // Blocks that are gone take nothing along; what is said next replaces theirs.
    let newest = chain.tip().await.unwrap().unwrap();
    chain.rollback(newest, Some(tip), None).await.unwrap();
    chain.say(b"again", at(50), at(26)).await.unwrap();
    assert_eq!(from_blocks(chain).await, [11, 10, 0]);
}

#[rstest]
#[tokio::test]
async fn what_is_of_long_ago_goes_and_strangers_say_nothing(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let chain = store.chain();
    let mut tip = append(chain, None, 1).await;
    for second in 0..4 {
        chain.say(b"words", at(90), at(second)).await.unwrap();
        tip = append(chain, Some(tip), 100).await;
    }
    assert_eq!(from_blocks(chain).await, [311, 211, 111]);
    let fence = chain.fence("global");
    let fenced = store.with_fenced_chain(&fence);
    let refused = fenced.chain().say(b"words", at(90), at(9)).await;
    assert!(matches!(refused, Err(StoreError::NotOnDuty { .. })));
}
