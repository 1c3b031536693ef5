//! What one process does at a time.

use crate::{
    blocks::{block, fork},
    market_rows::at,
};
use primitives::{Address, Felt};
use rstest::rstest;
use store::{Fence, SendingAccount, Store, StoreError};
use world::{
    Engine::{self, Postgres, Sqlite},
    TestDatabase,
};

/// Two processes on one store, each with the same duty.
async fn two(database: &TestDatabase, half: &str) -> [(Store, Fence); 2] {
    let stores = [database.store().await, database.open().await];
    stores.map(|store| {
        if half == "chain" {
            let fence = store.chain().fence("indexer");
            (store.with_fenced_chain(&fence), fence)
        } else {
            let fence = store.ledger().fence("keeper");
            (store.with_fenced_ledger(&fence), fence)
        }
    })
}

/// Writes once, in whichever half is fenced.
async fn write(store: &Store, half: &str) -> Result<(), StoreError> {
    if half == "chain" {
        let tip = store.chain().tip().await?;
        let blocks = fork(tip.unwrap_or(block(4, 0)), 0, 1);
        store.chain().append(tip, &blocks).await
    } else {
        let account = SendingAccount {
            chain_id: Felt::ONE,
            address: Address::new(Felt::TWO),
        };
        let mut tx = store.ledger().begin().await?;
        tx.lock_sender(account).await?;
        tx.commit().await
    }
}

fn assert_refused(written: &Result<(), StoreError>) {
    assert!(
        matches!(written, Err(StoreError::NotOnDuty { .. })),
        "{written:?}"
    );
}

#[rstest]
#[tokio::test]
async fn one_of_two_has_a_duty_until_its_time_is_over(
    #[values(Sqlite, Postgres)] engine: Engine,
    #[values("chain", "ledger")] half: &str,
) {
    let database = TestDatabase::new(engine).await;
    let [(one_store, one), (other_store, other)] = two(&database, half).await;
    assert_refused(&write(&one_store, half).await);
    assert!(one.take("one", at(0), at(10)).await.unwrap());
    assert!(!other.take("other", at(9), at(19)).await.unwrap());
    write(&one_store, half).await.unwrap();
    assert_refused(&write(&other_store, half).await);
    // Renewed, it is held for longer.
    assert!(one.renew(at(20)).await.unwrap());
    assert!(!other.take("other", at(19), at(29)).await.unwrap());
    assert!(other.take("other", at(20), at(30)).await.unwrap());
    assert_eq!(
        (one.number(), other.number()),
        (Some(1), Some(2)),
        "the first one does not know yet"
    );
    write(&other_store, half).await.unwrap();
}

#[rstest]
#[tokio::test]
async fn whoever_was_replaced_writes_nothing_and_can_take_it_again(
    #[values(Sqlite, Postgres)] engine: Engine,
    #[values("chain", "ledger")] half: &str,
) {
    let database = TestDatabase::new(engine).await;
    let [(one_store, one), (other_store, other)] = two(&database, half).await;
    assert!(one.take("one", at(0), at(10)).await.unwrap());
    assert!(other.take("other", at(10), at(20)).await.unwrap());
    let tip = one_store.chain().tip().await.unwrap();
    // It believes to have it still: the transaction says no.
    assert_eq!(one.number(), Some(1));
    assert_refused(&write(&one_store, half).await);
    assert_eq!(one_store.chain().tip().await.unwrap(), tip);
    assert_eq!(one.number(), None);
    assert!(!one.renew(at(40)).await.unwrap());
    write(&other_store, half).await.unwrap();
    // Given back, it can be had at once, under a number that nobody had.
    other.give_back().await.unwrap();
    assert_refused(&write(&other_store, half).await);
    assert!(one.take("one", at(11), at(21)).await.unwrap());
    assert_eq!(one.number(), Some(3));
    write(&one_store, half).await.unwrap();
}

#[rstest]
#[tokio::test]
async fn duties_of_other_names_are_held_by_others(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let (keeper, relayers) = (
        store.ledger().fence("keeper"),
        store.ledger().fence("relayers"),
    );
    assert!(keeper.take("one", at(0), at(10)).await.unwrap());
    assert!(relayers.take("other", at(0), at(10)).await.unwrap());
    // Who never had it renews nothing.
    let late = store.ledger().fence("keeper");
    assert!(!late.renew(at(99)).await.unwrap());
    late.give_back().await.unwrap();
    assert!(!late.take("late", at(9), at(19)).await.unwrap());
}

#[rstest]
#[tokio::test]
async fn duties_of_those_who_are_gone_can_be_ended(
    #[values(Sqlite, Postgres)] engine: Engine,
    #[values("chain", "ledger")] half: &str,
) {
    let database = TestDatabase::new(engine).await;
    let [(one_store, one), (_, other)] = two(&database, half).await;
    assert!(one.take("one", at(0), at(10)).await.unwrap());
    one_store.end_duties().await.unwrap();
    assert!(other.take("other", at(1), at(11)).await.unwrap());
    assert_refused(&write(&one_store, half).await);
}

/// As when a process is stopped between two statements of a write.
#[tokio::test]
async fn who_is_paused_in_a_transaction_keeps_nobody_waiting_and_commits_nothing() {
    let database = TestDatabase::new(Postgres).await;
    let [(one_store, one), (other_store, other)] = two(&database, "ledger").await;
    let account = SendingAccount {
        chain_id: Felt::ONE,
        address: Address::new(Felt::TWO),
    };
    assert!(one.take("one", at(0), at(10)).await.unwrap());
    let mut paused = one_store.ledger().begin().await.unwrap();
    paused.lock_sender(account).await.unwrap();
    // Waits for the server to end the transaction that holds the duty's row.
    assert!(other.take("other", at(10), at(20)).await.unwrap());
    let committed = paused.commit().await;
    assert!(
        matches!(committed, Err(StoreError::Unreachable(_))),
        "{committed:?}"
    );
    write(&other_store, "ledger").await.unwrap();
    assert_refused(&write(&one_store, "ledger").await);
}
