//! Tokens that no route passes.

use crate::{
    blocks::{address, block, fork},
    support::{
        Engine::{self, Postgres, Sqlite},
        TestDatabase,
    },
};
use primitives::Address;
use rstest::rstest;
use std::collections::BTreeSet;

fn tokens(numbers: impl IntoIterator<Item = u64>) -> BTreeSet<Address> {
    numbers.into_iter().map(address).collect()
}

#[rstest]
#[tokio::test]
async fn shunned_tokens_are_those_of_the_last_time(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let chain = store.chain();
    assert_eq!(chain.shunned().await.unwrap(), BTreeSet::new());
    // In several portions, and fewer again.
    for set in [tokens(1..1_200), tokens([3, 7]), tokens([7, 9]), tokens([])] {
        chain.shun(&set).await.unwrap();
        assert_eq!(chain.shunned().await.unwrap(), set);
    }
}

#[rstest]
#[tokio::test]
async fn blocks_that_go_leave_shunned_tokens_alone(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let chain = store.chain();
    chain.append(None, &fork(block(4, 0), 0, 2)).await.unwrap();
    chain.shun(&tokens([1, 2])).await.unwrap();
    chain.rollback(block(6, 0), None, None).await.unwrap();
    assert!(!chain.bind_venues(&[1; 32]).await.unwrap());
    assert_eq!(chain.shunned().await.unwrap(), tokens([1, 2]));
}
