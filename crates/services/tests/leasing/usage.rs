//! The use of leases: however often and by however many a batch is sent, it
//! counts once; ratings and replies are had by one of all who try.

use crate::leases::{asker, people, rejected};
use leasing::{Mode, Remark, Stars, Usage, UsageReport};
use primitives::{Clock as _, SignedDuration, Timestamp, Ulid};
use rstest::rstest;
use services::{
    Refused,
    leasing::{Booked, Ingested, Leasing, RatingError, ReplyError, UsageError, User},
};
use std::sync::Arc;
use tokio::{sync::Barrier, task::JoinSet};
use world::{
    Engine::{self, Postgres, Sqlite},
    Market, TestDatabase,
};

const RIVALS: usize = 6;

/// A market with paid leases of two validators' current epoch and the next.
async fn leased(engine: Engine, seed: u64) -> (TestDatabase, Market, User, User, Booked) {
    let database = TestDatabase::new(engine).await;
    let market = Market::at(seed, &database.location).await;
    let (owner, validator, trader) = people(&market, 0).await;
    let booking = market.booking(validator, 0, 2, Mode::Exclusive);
    let booked = market.book(&trader, &booking).await.unwrap();
    let memo = booked.lease.payment.memo().as_str();
    market.pay(memo, &market.wallet(2)).await;
    market.finalise();
    assert_eq!(market.settle().await.activated, 1);
    (database, market, owner, trader, booked)
}

fn reports(now: Timestamp, lease: Ulid, numbers: std::ops::Range<u16>) -> Vec<UsageReport> {
    let report = |number: u16| {
        let mut random = [0; 10];
        random[8..].copy_from_slice(&number.to_be_bytes());
        UsageReport {
            id: Ulid::new(Timestamp::UNIX_EPOCH, random),
            lease,
            from: now - SignedDuration::from_mins(1),
            to: now,
            usage: Usage {
                signs: 100,
                failed: 1,
            },
        }
    };
    numbers.map(report).collect()
}

/// What each of several replicas gets who begin at the same moment.
async fn race<T: Send + 'static, F: Future<Output = T> + Send>(
    market: &Market,
    database: &TestDatabase,
    act: impl Fn(Leasing, usize) -> F + Clone + Send + 'static,
) -> Vec<T> {
    let barrier = Arc::new(Barrier::new(RIVALS));
    let mut rivals = JoinSet::new();
    for number in 0..RIVALS {
        let leasing = market.replica(&database.location).await;
        let (barrier, act) = (Arc::clone(&barrier), act.clone());
        rivals.spawn(async move {
            barrier.wait().await;
            act(leasing, number).await
        });
    }
    rivals.join_all().await
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn batches_that_overlap_count_once(#[values(Sqlite, Postgres)] engine: Engine) {
    let (database, market, _, trader, booked) = leased(engine, 11).await;
    let (validator, lease) = (booked.lease.validator, booked.lease.id);
    let now = market.clock.now();
    let taken: Vec<Ingested> = race(&market, &database, move |leasing, number| async move {
        // Each has half of the reports of the one before it.
        let first = u16::try_from(number * 50).unwrap();
        let reports = reports(now, lease, first..first + 100);
        leasing.usage.ingest(validator, reports).await.unwrap()
    })
    .await;
    let accepted: usize = taken.iter().map(|it| it.accepted).sum();
    let duplicates: usize = taken.iter().map(|it| it.duplicates).sum();
    let different = (RIVALS - 1) * 50 + 100;
    assert_eq!(
        (accepted, duplicates),
        (different, RIVALS * 100 - different)
    );
    let usage = market.leasing.usage.of_lease(lease, asker(&trader)).await;
    let usage = usage.unwrap().unwrap();
    assert_eq!(usage.total.signs, 100 * u64::try_from(different).unwrap());
    assert_eq!(usage.total.failed, u64::try_from(different).unwrap());
}

#[rstest]
#[tokio::test]
async fn a_report_is_forgotten_when_it_cannot_count_again(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let (_database, market, _, trader, booked) = leased(engine, 13).await;
    let (validator, lease) = (booked.lease.validator, booked.lease.id);
    let sent = reports(market.clock.now(), lease, 0..3);
    let ingest = async || market.leasing.usage.ingest(validator, sent.clone()).await;
    let kept = async || {
        market.sweep().await;
        let mut tx = market.store.ledger().begin().await.unwrap();
        let all = tx.forget_reports(Timestamp::MAX, 99).await.unwrap();
        tx.rollback().await.unwrap();
        all
    };
    assert_eq!(ingest().await.unwrap().accepted, 3);
    // While it could come again it is remembered.
    market
        .clock
        .advance(SignedDuration::from_hours(24 * 90 - 1));
    assert_eq!(kept().await, 3);
    assert_eq!(ingest().await.unwrap().duplicates, 3);
    market.clock.advance(SignedDuration::from_hours(24));
    assert_eq!(kept().await, 3);
    let late = rejected(ingest().await);
    assert!(matches!(late, UsageError::Batch(_)), "{late:?}");
    market.clock.advance(SignedDuration::from_hours(2));
    assert_eq!(kept().await, 0);
    let late = rejected(ingest().await);
    assert!(matches!(late, UsageError::Batch(_)), "{late:?}");
    let usage = market.leasing.usage.of_lease(lease, asker(&trader)).await;
    assert_eq!(usage.unwrap().unwrap().total.signs, 300);
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_of_all_who_rate_and_reply_at_once_does(#[values(Sqlite, Postgres)] engine: Engine) {
    let (database, market, owner, trader, booked) = leased(engine, 12).await;
    let (validator, lease) = (booked.lease.validator, booked.lease.id);
    let used = reports(market.clock.now(), lease, 0..100);
    market.leasing.usage.ingest(validator, used).await.unwrap();
    market.node.advance_epochs(2).unwrap();
    market.watch().await;
    let rated = race(&market, &database, move |leasing, _| {
        let trader = trader.clone();
        async move {
            let stars = Stars::new(4).unwrap();
            leasing.ratings.rate(&trader, lease, stars, None).await
        }
    })
    .await;
    let (mut good, bad): (Vec<_>, Vec<_>) = rated.into_iter().partition(Result::is_ok);
    assert_eq!((good.len(), bad.len()), (1, RIVALS - 1));
    for refused in bad {
        assert_eq!(rejected(refused), RatingError::AlreadyRated);
    }
    let rating = good.pop().unwrap().unwrap().id;
    let ledger = market.store.ledger();
    let sum = ledger.validator(validator).await.unwrap().unwrap().rating;
    assert_eq!((sum.stars, sum.count), (4, 1));
    let replied = race(&market, &database, move |leasing, _| {
        let owner = owner.clone();
        async move {
            let text = Remark::new("Thank you.").unwrap();
            leasing.ratings.reply(&owner, rating, &text).await
        }
    })
    .await;
    let refused = |error: &Refused<ReplyError>| {
        matches!(error, Refused::Rejected(ReplyError::AlreadyReplied))
    };
    let late = replied.iter().filter_map(|it| it.as_ref().err());
    assert_eq!(late.filter(|error| refused(error)).count(), RIVALS - 1);
}
