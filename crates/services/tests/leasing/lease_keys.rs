//! Keys of leases: shown once, replaced by one at a time, good for one lease.

use crate::leases::{actions, people, rejected};
use leasing::{Asker, KeyError, LeaseState, MintError, Mode};
use rstest::rstest;
use services::{
    Fault, Refused,
    leasing::{Booked, Caller, KeyCost, Leasing, ReplaceError, RevealError, User},
};
use std::sync::Arc;
use tokio::{sync::Barrier, task::JoinSet};
use world::{
    Engine::{self, Postgres, Sqlite},
    Market, TestDatabase,
};

const RIVALS: usize = 6;

/// A market with a paid lease of the current epoch and the next.
async fn leased(engine: Engine, seed: u64) -> (TestDatabase, Arc<Market>, User, Booked) {
    let database = TestDatabase::new(engine).await;
    let market = Market::at(seed, &database.location).await;
    let (_, validator, trader) = people(&market, 0).await;
    let booking = market.booking(validator, 0, 2, Mode::Exclusive);
    let booked = market.book(&trader, &booking).await.unwrap();
    let memo = booked.lease.payment.memo().as_str();
    market.pay(memo, &market.wallet(2)).await;
    market.finalise();
    assert_eq!(market.settle().await.activated, 1);
    (database, Arc::new(market), trader, booked)
}

/// The lease that a key is of, if it is good.
async fn opened(leasing: &Leasing, key: &str) -> Option<primitives::Ulid> {
    match leasing.accounts.recognise(key).await.unwrap() {
        Some(Caller::LeaseKey { lease, .. }) => Some(lease),
        None => None,
        Some(other) => panic!("{other:?}"),
    }
}

#[rstest]
#[tokio::test]
async fn a_key_opens_its_lease_until_it_is_replaced(#[values(Sqlite, Postgres)] engine: Engine) {
    let (database, market, trader, booked) = leased(engine, 1).await;
    let replica = market.replica(&database.location).await;
    let (keys, id) = (&market.leasing.lease_keys, booked.lease.id);
    let first = keys.reveal(&trader, id).await.unwrap();
    assert!(first.key.starts_with("lk_"), "{}", first.key);
    assert_eq!(first.version, 1);
    let again = keys.reveal(&trader, id).await;
    assert_eq!(rejected(again), RevealError::AlreadyShown);
    for leasing in [&market.leasing, &replica, &market.leasing] {
        assert_eq!(opened(leasing, &first.key).await, Some(id));
    }
    // One letter off, or another key's secret, opens nothing.
    let mut other = first.key.clone();
    let last = other.pop().unwrap();
    other.push(if last == 'A' { 'Q' } else { 'A' });
    assert_eq!(opened(&market.leasing, &other).await, None);
    let tokens = &market.leasing.lease_tokens;
    tokens.mint(Asker::Key(id), id).await.unwrap();
    let stale = keys.replace(&trader, id, Some(0)).await;
    assert_eq!(rejected(stale), ReplaceError::Concurrent);
    let second = keys.replace(&trader, id, Some(1)).await.unwrap();
    assert_eq!(second.version, 2);
    for leasing in [&market.leasing, &replica] {
        assert_eq!(opened(leasing, &first.key).await, None, "it was replaced");
        assert_eq!(opened(leasing, &second.key).await, Some(id));
    }
    let view = market.leasing.leases.find(id, Asker::Key(id)).await;
    assert_eq!(view.unwrap().unwrap().key_version, 2);
    let rows = actions(&market, &booked).await;
    for action in ["lease.key_shown", "lease.key_replaced"] {
        assert!(rows.iter().any(|row| row == action), "{rows:?}");
    }
}

#[rstest]
#[tokio::test]
async fn a_key_is_good_for_one_lease(#[values(Sqlite, Postgres)] engine: Engine) {
    let (_database, market, trader, booked) = leased(engine, 2).await;
    let other = market.booking(booked.lease.validator, 4, 1, Mode::Exclusive);
    let other = market.book(&trader, &other).await.unwrap();
    let key = Asker::Key(booked.lease.id);
    let view = market.leasing.leases.find(other.lease.id, key).await;
    assert_eq!(view.unwrap(), None);
    let refused = market.leasing.lease_tokens.mint(key, other.lease.id).await;
    assert_eq!(rejected(refused), MintError::NotFound);
    // A lease that is not paid has none.
    let keys = &market.leasing.lease_keys;
    let refused = keys.reveal(&trader, other.lease.id).await;
    let pending = KeyError::NotActive(LeaseState::PendingPayment);
    assert_eq!(rejected(refused), RevealError::Key(pending));
    let stranger = market.user("stranger").await;
    let refused = keys.reveal(&stranger, booked.lease.id).await;
    assert_eq!(rejected(refused), RevealError::Key(KeyError::NotFound));
    market.node.advance_epochs(2).unwrap();
    market.watch().await;
    let over = keys.replace(&trader, booked.lease.id, None).await;
    assert_eq!(rejected(over), ReplaceError::Key(KeyError::Over));
}

/// How many of the attempts that begin together win.
async fn winners<F, T>(attempts: Vec<F>) -> usize
where
    F: Future<Output = Option<T>> + Send + 'static,
    T: Send + 'static,
{
    let together = Arc::new(Barrier::new(attempts.len()));
    let mut tasks = JoinSet::new();
    for attempt in attempts {
        let together = Arc::clone(&together);
        tasks.spawn(async move {
            together.wait().await;
            attempt.await.is_some()
        });
    }
    tasks
        .join_all()
        .await
        .into_iter()
        .filter(|won| *won)
        .count()
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_those_who_ask_at_once_one_is_shown_the_key_and_one_replaces_it(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let (database, market, trader, booked) = leased(engine, 3).await;
    let replica = market.replica(&database.location).await;
    let id = booked.lease.id;
    let leasing = |number: usize| {
        let replicas = [&market.leasing, &replica];
        replicas[number % 2].lease_keys.clone()
    };
    let reveals = (0..RIVALS).map(|number| {
        let (keys, trader) = (leasing(number), trader.clone());
        async move {
            match keys.reveal(&trader, id).await {
                Ok(key) => Some(key),
                Err(Refused::Rejected(RevealError::AlreadyShown)) => None,
                Err(other) => panic!("{other:?}"),
            }
        }
    });
    assert_eq!(winners(reveals.collect()).await, 1);
    let replacements = (0..RIVALS).map(|number| {
        let (keys, trader) = (leasing(number), trader.clone());
        async move {
            match keys.replace(&trader, id, Some(1)).await {
                Ok(key) => Some(key),
                Err(Refused::Rejected(ReplaceError::Concurrent)) => None,
                Err(other) => panic!("{other:?}"),
            }
        }
    });
    assert_eq!(winners(replacements.collect()).await, 1);
}

#[tokio::test]
async fn a_hash_that_fails_leaves_no_key() {
    let (_database, market, trader, booked) = leased(Sqlite, 4).await;
    let mut options = market.leasing.options().clone();
    options.key_cost = KeyCost {
        memory_kib: 1,
        passes: 1,
    };
    let broken = Leasing::new(
        market.store.clone(),
        market.nodes.clone(),
        market.clock.clone(),
        market.entropy.clone(),
        options,
    );
    let refused = broken.lease_keys.reveal(&trader, booked.lease.id).await;
    assert!(
        matches!(refused, Err(Refused::Fault(Fault::Hashing(_)))),
        "{refused:?}"
    );
    // It can still be shown.
    let keys = &market.leasing.lease_keys;
    keys.reveal(&trader, booked.lease.id).await.unwrap();
}
