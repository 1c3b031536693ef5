//! Many at once: as many win as there is room for.

use crate::leases::people;
use leasing::{BookError, Booking, Mode};
use rstest::rstest;
use services::{
    Refused,
    leasing::{Leasing, User},
};
use std::sync::Arc;
use tokio::{sync::Barrier, task::JoinSet};
use world::{
    Engine::{self, Postgres, Sqlite},
    Market, TestDatabase,
};

const RIVALS: usize = 200;

/// As many traders as there are bookings.
async fn traders(market: &Market) -> Vec<User> {
    let mut traders = Vec::new();
    for number in 0..RIVALS {
        traders.push(market.user(&format!("trader {number}")).await);
    }
    traders
}

/// How many of the bookings won. Every other one was refused by `is_lost`.
async fn winners(
    market: &Arc<Market>,
    replicas: &[Leasing],
    traders: Vec<User>,
    booking: impl Fn(usize) -> Booking,
    is_lost: fn(&BookError) -> bool,
) -> usize {
    let together = Arc::new(Barrier::new(traders.len()));
    let mut tasks = JoinSet::new();
    for (number, trader) in traders.into_iter().enumerate() {
        let (market, together) = (Arc::clone(market), Arc::clone(&together));
        let leasing = replicas[number % replicas.len()].clone();
        let booking = booking(number);
        tasks.spawn(async move {
            together.wait().await;
            market.book_with(&leasing, &trader, &booking).await
        });
    }
    let mut won = 0;
    for outcome in tasks.join_all().await {
        match outcome {
            Ok(_) => won += 1,
            Err(Refused::Rejected(error)) => assert!(is_lost(&error), "{error:?}"),
            Err(Refused::Fault(fault)) => panic!("{}", fault.chain_text()),
        }
    }
    assert_eq!(market.leasing.leases.check_calendar().await.unwrap(), []);
    won
}

/// A market with as many replicas as the engine allows, each with connections
/// of its own.
async fn market(engine: Engine, seed: u64) -> (TestDatabase, Arc<Market>, Vec<Leasing>) {
    let database = TestDatabase::new(engine).await;
    let market = Market::at(seed, &database.location).await;
    let mut replicas = vec![market.leasing.clone()];
    if engine == Postgres {
        replicas.push(market.replica(&database.location).await);
    }
    (database, Arc::new(market), replicas)
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_hundred_bookings_of_one_slot_exactly_one_wins(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let (_database, market, replicas) = market(engine, 1).await;
    let (_, validator, _) = people(&market, 0).await;
    let traders = traders(&market).await;
    // Windows of different length that all have one epoch in common.
    let windows: Vec<_> = (0..5)
        .map(|ahead| market.booking(validator, ahead, 5 - ahead, Mode::Exclusive))
        .collect();
    let won = winners(
        &market,
        &replicas,
        traders,
        |number| windows[number % windows.len()],
        |error| matches!(error, BookError::SlotTaken { .. }),
    );
    assert_eq!(won.await, 1);
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_hundred_bookings_of_seven_seats_exactly_seven_win(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let (_database, market, replicas) = market(engine, 2).await;
    let (_, validator, _) = people(&market, 7).await;
    let traders = traders(&market).await;
    let booking = market.booking(validator, 1, 3, Mode::Shared);
    let won = winners(
        &market,
        &replicas,
        traders,
        |_| booking,
        |error| matches!(error, BookError::SharedFull { .. }),
    );
    assert_eq!(won.await, 7);
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replicas_that_settle_and_sweep_at_once_agree(#[values(Sqlite, Postgres)] engine: Engine) {
    let (_database, market, replicas) = market(engine, 3).await;
    let (_, validator, trader) = people(&market, 0).await;
    let mut memos = Vec::new();
    for ahead in 0..6 {
        let booking = market.booking(validator, ahead, 1, Mode::Exclusive);
        let booked = market.book(&trader, &booking).await.unwrap();
        market
            .pay(booked.lease.payment.memo().as_str(), &market.wallet(2))
            .await;
        market.renew_blockhash();
        memos.push(booked);
    }
    market.finalise();
    // Settlement and sweeper both want the same bookings.
    market.advance(20 * 60);
    let mut tasks = JoinSet::new();
    for leasing in replicas.iter().cycle().take(4) {
        let mut settlement = leasing.settlement();
        tasks.spawn(async move { settlement.round().await.map(drop) });
        let mut sweeper = leasing.sweeper();
        tasks.spawn(async move { sweeper.round().await.map(drop) });
    }
    for done in tasks.join_all().await {
        done.unwrap();
    }
    for booked in &memos {
        let lease = market.store.ledger().lease(booked.lease.id).await;
        assert_eq!(lease.unwrap().unwrap().state(), leasing::LeaseState::Active);
        let strays = market
            .store
            .ledger()
            .strays_of(booked.lease.payment.memo())
            .await;
        assert_eq!(strays.unwrap(), []);
    }
    assert_eq!(market.leasing.leases.check_calendar().await.unwrap(), []);
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_trader_who_books_everywhere_at_once_gets_as_many_as_one_may_have(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    const RIVALS: usize = 60;
    let (_database, market, replicas) = market(engine, 9).await;
    let owner = market.user("owner").await;
    let mut validators = Vec::new();
    for number in 0..4 {
        validators.push(market.validator(&owner, number, 0).await.id);
    }
    let trader = market.user("trader").await;
    let most = usize::try_from(market.leasing.options().max_unpaid).unwrap();
    // Every booking is of epochs that nobody else wants.
    let booking = |number: usize| {
        let ahead = i64::try_from(number).unwrap() * 2;
        market.booking(validators[number % 4], ahead, 2, Mode::Exclusive)
    };
    let won = winners(&market, &replicas, vec![trader; RIVALS], booking, |error| {
        matches!(error, BookError::TooManyUnpaid { limit: 50 })
    });
    assert_eq!((won.await, most), (50, 50));
}
