//! Pools: what happened to them lives and goes with its block.

use crate::{
    blocks::{address, block, empty},
    corruption::assert_corrupt,
};
use amm::Side;
use amm::book::{Change, Created, Judgement, Maths, Shape, Spot};
use market::BlockEffects;
use primitives::{BlockRef, Felt};
use rstest::rstest;
use store::{PoolHistory, Store};
use world::{
    Engine::{self, Postgres, Sqlite},
    TestDatabase,
};

pub(crate) fn change(number: u64) -> Change {
    Change::Created {
        venue: address(1),
        pool: Created {
            tokens: [address(2), address(number)],
            spot: Spot::Contract(address(number + 1)),
            shape: Shape::Usual,
            price: None,
        },
    }
}

/// Blocks 1 to `count`: those of even height change pools, and those of a height
/// in `checkpoints` keep all of them.
fn blocks(count: u64, checkpoints: &[u64]) -> Vec<BlockEffects> {
    let mut parent = block(0, 0);
    (1..=count)
        .map(|number| {
            let mut effects = empty(parent, 0);
            if number.is_multiple_of(2) {
                effects.pools = vec![change(number), change(number + 1_000)];
            }
            if checkpoints.contains(&number) {
                effects.checkpoint = Some(number.to_be_bytes().to_vec());
            }
            parent = effects.block;
            effects
        })
        .collect()
}

async fn history(store: &Store) -> PoolHistory {
    store.chain().contents().await.unwrap().pools
}

fn checkpoint(number: u64) -> (u64, Vec<u8>) {
    (number, number.to_be_bytes().to_vec())
}

fn heights(history: &PoolHistory) -> Vec<u64> {
    history.changes.iter().map(|(number, _)| *number).collect()
}

#[rstest]
#[tokio::test]
async fn what_happened_since_the_newest_checkpoint_is_read_back(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    assert_eq!(history(&store).await, PoolHistory::default());
    let effects = blocks(9, &[3, 6]);
    store.chain().append(None, &effects).await.unwrap();
    let found = history(&store).await;
    assert_eq!(found.checkpoint, Some(checkpoint(6)));
    assert_eq!(found.changes, [(8, vec![change(8), change(1_008)])]);
}

#[rstest]
#[tokio::test]
async fn a_rollback_takes_changes_and_checkpoints_along(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let effects = blocks(9, &[3, 6]);
    store.chain().append(None, &effects).await.unwrap();
    let roll_back = async |from: u64, to: u64| {
        let to = Some(block(to, 0));
        store
            .chain()
            .rollback(block(from, 0), to, None)
            .await
            .unwrap();
    };
    roll_back(9, 5).await;
    let found = history(&store).await;
    assert_eq!(
        (found.checkpoint.clone(), heights(&found)),
        (Some(checkpoint(3)), vec![4])
    );
    roll_back(5, 2).await;
    let found = history(&store).await;
    assert_eq!((found.checkpoint.clone(), heights(&found)), (None, vec![2]));
}

#[rstest]
#[tokio::test]
async fn what_swaps_said_of_classes_comes_and_goes_with_its_block(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let judged = |judgement| Change::Judged {
        venue: address(1),
        class: Felt::from(77),
        maths: Maths::EkuboExact,
        judgement,
    };
    let mut effects = blocks(5, &[]);
    effects[0].pools = vec![judged(Judgement::Agrees(Side::Token1))];
    effects[4].pools = vec![judged(Judgement::Differs)];
    store.chain().append(None, &effects).await.unwrap();
    let found = history(&store).await;
    assert_eq!(found.changes.first(), Some(&(1, effects[0].pools.clone())));
    assert_eq!(found.changes.last(), Some(&(5, effects[4].pools.clone())));
    let back = Some(block(4, 0));
    let chain = store.chain();
    chain.rollback(block(5, 0), back, None).await.unwrap();
    assert_eq!(heights(&history(&store).await), [1, 2, 4]);
}

#[rstest]
#[tokio::test]
async fn only_the_newest_checkpoints_are_kept(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let all: Vec<u64> = (1..=30).collect();
    store.chain().append(None, &blocks(30, &all)).await.unwrap();
    let back = Some(block(15, 0));
    store
        .chain()
        .rollback(block(30, 0), back, None)
        .await
        .unwrap();
    assert_eq!(history(&store).await.checkpoint, Some(checkpoint(15)));
    let back = Some(block(14, 0));
    store
        .chain()
        .rollback(block(15, 0), back, None)
        .await
        .unwrap();
    let found = history(&store).await;
    assert_eq!(found.checkpoint, None);
    assert_eq!(heights(&found), [2, 4, 6, 8, 10, 12, 14]);
}

#[rstest]
#[tokio::test]
async fn other_venues_mean_another_chain_of_blocks(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let chain = store.chain();
    assert!(!chain.bind_venues(&[1; 32]).await.unwrap());
    chain.append(None, &blocks(3, &[])).await.unwrap();
    assert!(chain.bind_venues(&[1; 32]).await.unwrap());
    assert_eq!(chain.tip().await.unwrap(), Some(block(3, 0)));
    assert!(!chain.bind_venues(&[2; 32]).await.unwrap());
    assert_eq!(chain.tip().await.unwrap(), None::<BlockRef>);
    assert_eq!(history(&store).await, PoolHistory::default());
    assert!(chain.bind_venues(&[2; 32]).await.unwrap());
}

#[rstest]
#[tokio::test]
async fn changes_that_cannot_be_read_are_reported(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let genesis = BlockEffects {
        parent_hash: Felt::ZERO,
        ..empty(block(0, 0), 0)
    };
    store.chain().append(None, &[genesis]).await.unwrap();
    let next = empty(block(1, 0), 0);
    let tip = Some(block(1, 0));
    store.chain().append(tip, &[next]).await.unwrap();
    let bytes = match engine {
        Sqlite => "X'01ff'",
        Postgres => "'\\x01ff'::bytea",
    };
    let sql = format!("UPDATE block SET pools = {bytes}");
    database.execute("chain", &sql).await.unwrap();
    assert_corrupt(store.chain().contents().await, "block", "pools");
    assert_corrupt(store.chain().since(block(1, 0)).await, "block", "pools");
}
