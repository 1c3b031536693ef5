//! Tokens that no route passes.

use crate::blocks::{address, block, fork};
use primitives::Address;
use rstest::rstest;
use std::collections::BTreeSet;
use world::{
    Engine::{self, Postgres, Sqlite},
    TestDatabase,
};

fn tokens(numbers: impl IntoIterator<Item = u64>) -> BTreeSet<Address> {
    numbers.into_iter().map(address).collect()
}

#[rstest]
#[tokio::test]
async fn tokens_are_shunned_until_they_are_taken_back(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let chain = store.chain();
    let steps: [(&[u64], &[u64], &[u64]); 5] = [
        (&[], &[], &[]),
        (&[3, 1], &[], &[1, 3]),
        // Somebody else may have learned the same.
        (&[3, 7], &[], &[1, 3, 7]),
        (&[9], &[3, 8], &[1, 7, 9]),
        (&[], &[1, 7, 9], &[]),
    ];
    for (shunned, back, expected) in steps {
        let [shunned, back] = [shunned, back].map(|it| it.iter().copied().map(address));
        let (shunned, back): (Vec<_>, Vec<_>) = (shunned.collect(), back.collect());
        chain.shun(&shunned, &back).await.unwrap();
        let expected = tokens(expected.iter().copied());
        assert_eq!(chain.shunned().await.unwrap(), expected);
    }
}

#[rstest]
#[tokio::test]
async fn blocks_that_go_leave_shunned_tokens_alone(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let chain = store.chain();
    chain.append(None, &fork(block(4, 0), 0, 2)).await.unwrap();
    chain.shun(&[address(1), address(2)], &[]).await.unwrap();
    chain.rollback(block(6, 0), None, None).await.unwrap();
    assert!(!chain.bind_venues(&[1; 32]).await.unwrap());
    assert_eq!(chain.shunned().await.unwrap(), tokens([1, 2]));
}
