//! What is sent, by nonces, attempts and purposes.

use crate::market_rows::at;
use primitives::{Address, Felt};
use rstest::rstest;
use store::{LedgerStore, PaidFees, SendReceipt, SendRow, SendState, SendingAccount, StoreError};
use world::{
    Engine::{self, Postgres, Sqlite},
    TestDatabase,
};

const CHAIN: Felt = Felt::ONE;

fn account() -> SendingAccount {
    SendingAccount {
        chain_id: CHAIN,
        address: Address::new(Felt::TWO),
    }
}

fn row(nonce: u64, attempt: u32, purpose: Option<&str>) -> SendRow {
    SendRow {
        account: account(),
        nonce,
        attempt,
        purpose: purpose.map(str::to_owned),
        superseded: false,
        head: 1_000 + u64::from(attempt),
        hash: Felt::from(nonce * 100 + u64::from(attempt)),
        broadcast: vec![1, 2, 3],
        max_fee: u128::MAX - 1,
        paid: (attempt == 0).then_some(77),
        created_at: at(i64::from(attempt)),
        state: SendState::Open,
    }
}

fn lost() -> SendState {
    SendState::Lost {
        at: at(50),
        reason: "another one landed".to_owned(),
    }
}

fn landed() -> SendState {
    SendState::Landed(SendReceipt {
        at: at(50),
        block_number: 1_010,
        fee: 5,
    })
}

async fn insert(ledger: &LedgerStore, row: &SendRow) -> Result<(), StoreError> {
    let mut tx = ledger.begin().await.unwrap();
    tx.lock_sender(account()).await.unwrap();
    let inserted = tx.insert_send(row).await;
    match inserted {
        Ok(()) => tx.commit().await.unwrap(),
        Err(_) => tx.rollback().await.unwrap(),
    }
    inserted
}

async fn supersede(ledger: &LedgerStore, old: &SendRow, new: &SendRow) -> Result<bool, StoreError> {
    let mut tx = ledger.begin().await.unwrap();
    tx.lock_sender(account()).await.unwrap();
    let superseded = tx.supersede_send(old, new).await;
    match superseded {
        Ok(_) => tx.commit().await.unwrap(),
        Err(_) => tx.rollback().await.unwrap(),
    }
    superseded
}

async fn settle(ledger: &LedgerStore, states: &[(&SendRow, SendState)]) -> Vec<bool> {
    let mut tx = ledger.begin().await.unwrap();
    let mut settled = Vec::new();
    for (row, state) in states {
        settled.push(tx.settle_send(row, state).await.unwrap());
    }
    tx.commit().await.unwrap();
    settled
}

#[rstest]
#[tokio::test]
async fn a_purpose_and_a_nonce_are_given_out_once(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    let first = row(5, 0, Some("gift"));
    insert(ledger, &first).await.unwrap();
    for taken in [row(5, 0, Some("other")), row(6, 0, Some("gift"))] {
        let refused = insert(ledger, &taken).await;
        assert!(matches!(refused, Err(StoreError::Exists { .. })));
    }
    let found = ledger.find_send(CHAIN, "gift").await.unwrap();
    assert_eq!(found.as_ref(), Some(&first));
    let found = ledger.find_send_by_hash(CHAIN, first.hash).await.unwrap();
    assert_eq!(found.as_ref(), Some(&first));
    assert_eq!(ledger.find_send(Felt::TWO, "gift").await.unwrap(), None);
    // What never will land may be sent anew.
    assert_eq!(settle(ledger, &[(&first, lost())]).await, [true]);
    assert_eq!(settle(ledger, &[(&first, landed())]).await, [false]);
    assert_eq!(ledger.find_send(CHAIN, "gift").await.unwrap(), None);
    insert(ledger, &row(6, 0, Some("gift"))).await.unwrap();
    assert_eq!(ledger.attempts(CHAIN, "gift").await.unwrap().len(), 2);
    assert_eq!(ledger.open_sends(account()).await.unwrap().len(), 1);
}

#[rstest]
#[tokio::test]
async fn one_attempt_at_a_time_speaks_for_a_purpose(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    let (first, second) = (row(5, 0, Some("gift")), row(5, 1, Some("gift")));
    insert(ledger, &first).await.unwrap();
    assert!(supersede(ledger, &first, &second).await.unwrap());
    // It is done once, whoever else wants to.
    assert!(
        !supersede(ledger, &first, &row(5, 2, Some("gift")))
            .await
            .unwrap()
    );
    let found = ledger.find_send(CHAIN, "gift").await.unwrap();
    assert_eq!(found.as_ref(), Some(&second));
    let refused = insert(ledger, &row(6, 0, Some("gift"))).await;
    assert!(matches!(refused, Err(StoreError::Exists { .. })));
    let superseded = SendRow {
        superseded: true,
        ..first.clone()
    };
    let attempts = ledger.attempts(CHAIN, "gift").await.unwrap();
    assert_eq!(attempts, [second.clone(), superseded.clone()]);
    let mut tx = ledger.begin().await.unwrap();
    let rivals = tx.rivals(account(), 5).await.unwrap();
    tx.rollback().await.unwrap();
    assert_eq!(rivals, [superseded, second.clone()]);
    // The older one landed: it speaks for its purpose, which is not done again.
    let settled = settle(ledger, &[(&second, lost()), (&first, landed())]).await;
    assert_eq!(settled, [true, true]);
    let found = ledger.find_send(CHAIN, "gift").await.unwrap().unwrap();
    assert_eq!((found.hash, found.state), (first.hash, landed()));
    let refused = insert(ledger, &row(6, 0, Some("gift"))).await;
    assert!(matches!(refused, Err(StoreError::Exists { .. })));
    assert!(
        !supersede(ledger, &first, &row(5, 3, Some("gift")))
            .await
            .unwrap()
    );
    assert_eq!(ledger.open_sends(account()).await.unwrap(), []);
}

#[rstest]
#[tokio::test]
async fn what_users_paid_is_summed_by_chain(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    let sums = async |chain| ledger.paid_fees(chain).await.unwrap();
    assert_eq!(sums(CHAIN).await, PaidFees::default());
    let fees = |paid, cost| PaidFees { paid, cost };
    for (chain, more) in [
        (CHAIN, fees(u128::MAX - 9, 3)),
        (Felt::TWO, fees(1, 1)),
        (CHAIN, fees(5, 4)),
    ] {
        let mut tx = ledger.begin().await.unwrap();
        tx.add_paid_fees(chain, more).await.unwrap();
        tx.commit().await.unwrap();
    }
    assert_eq!(sums(CHAIN).await, fees(u128::MAX - 4, 7));
    assert_eq!(sums(Felt::TWO).await, fees(1, 1));
}
