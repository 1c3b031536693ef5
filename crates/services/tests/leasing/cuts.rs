//! Work that is cut off at any step: either nothing of it stays or all.

use crate::leases::{actions, people, state};
use leasing::{LeaseState, Mode};
use rstest::rstest;
use services::leasing::{Claim, LeaseFilter};
use std::{
    future::{Future, poll_fn},
    pin::pin,
    task::Poll,
};
use world::{
    Engine::{self, Postgres, Sqlite},
    Market, TestDatabase,
    market::answer,
};

/// Work is not tried more often.
const MAX_TURNS: u32 = 2_000;

/// Lets work go ever further before it is cut off, until it ends; and from the
/// start again, until it was cut off often enough.
pub(crate) struct Knife {
    least_cuts: u32,
    cuts: u32,
    steps: u32,
    turn: u32,
    done: bool,
}

impl Knife {
    /// How often work waits depends on how quickly the database answers. SQLite
    /// often answers before anybody waits; there, `failures.rs` has the steps
    /// that this leaves out.
    pub(crate) fn new(engine: Engine) -> Self {
        Self {
            least_cuts: match engine {
                Sqlite => 1,
                Postgres => 8,
            },
            cuts: 0,
            steps: 0,
            turn: 0,
            done: false,
        }
    }

    /// The number of the next turn, unless there was enough.
    pub(crate) fn next_turn(&mut self) -> Option<u32> {
        assert!(self.turn < MAX_TURNS, "the work never ended");
        self.turn += 1;
        (!self.done).then_some(self.turn)
    }

    /// Works until it has been woken so many times, then drops the work, as when
    /// a process dies or a client goes. `None` says that it was cut off.
    pub(crate) async fn cut<F: Future>(&mut self, work: F) -> Option<F::Output> {
        self.steps += 1;
        let mut work = pin!(work);
        let mut left = self.steps;
        let whole = poll_fn(|context| {
            if left == 0 {
                return Poll::Ready(None);
            }
            left -= 1;
            work.as_mut().poll(context).map(Some)
        })
        .await;
        if whole.is_none() {
            self.cuts += 1;
        } else {
            self.steps = 0;
            self.done = self.cuts >= self.least_cuts;
        }
        whole
    }
}

#[rstest]
#[tokio::test]
async fn a_booking_that_is_cut_off_anywhere_can_be_repeated_and_books_once(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let market = Market::at(1, &database.location).await;
    let (_, validator, trader) = people(&market, 0).await;
    let mut knife = Knife::new(engine);
    while let Some(turn) = knife.next_turn() {
        market.advance(1);
        let booking = market.booking(validator, 1, 2, Mode::Exclusive);
        let key = market.key();
        let claim = async || {
            let claim = market
                .leasing
                .keys
                .claim(trader.id, "POST", "/v1/leases", key, [1; 32]);
            claim.await.unwrap()
        };
        let booked = async {
            let Claim::Fresh(guard) = claim().await else {
                panic!("a fresh key");
            };
            market
                .leasing
                .leases
                .book(&trader, &booking, guard, answer)
                .await
        };
        let whole = knife.cut(booked).await;
        let id = match claim().await {
            Claim::Fresh(guard) => {
                assert!(whole.is_none(), "an answer that was given is kept");
                let booked = market
                    .leasing
                    .leases
                    .book(&trader, &booking, guard, answer)
                    .await;
                booked.unwrap().1.body
            }
            Claim::Replay(kept) => kept.body,
            other => panic!("{other:?}"),
        };
        let id = String::from_utf8(id).unwrap().parse().unwrap();
        let pending = LeaseFilter {
            state: Some(LeaseState::PendingPayment),
            validator: None,
        };
        let pending = market
            .leasing
            .leases
            .by_trader(trader.id, pending, None, 10)
            .await
            .unwrap();
        let pending: Vec<_> = pending.items.iter().map(|lease| lease.id).collect();
        assert_eq!(pending, [id], "in turn {turn}");
        assert_eq!(market.leasing.leases.check_calendar().await.unwrap(), []);
        market.leasing.leases.cancel(&trader, id).await.unwrap();
    }
}

#[rstest]
#[tokio::test]
async fn a_settlement_that_is_cut_off_anywhere_and_repeated_settles_once(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let market = Market::at(2, &database.location).await;
    let (_, validator, trader) = people(&market, 0).await;
    let mut knife = Knife::new(engine);
    while let Some(turn) = knife.next_turn() {
        // Each in an epoch of its own.
        let booking = market.booking(validator, i64::from(turn), 1, Mode::Exclusive);
        let booked = market.book(&trader, &booking).await.unwrap();
        market
            .pay(booked.lease.payment.memo().as_str(), &market.wallet(2))
            .await;
        market.finalise();
        let mut settlement = market.leasing.settlement();
        let _ = knife.cut(settlement.round()).await;
        market.settle().await;
        market.settle().await;
        assert_eq!(state(&market, &booked).await, LeaseState::Active);
        assert_eq!(
            actions(&market, &booked).await,
            ["lease.booked", "lease.activated"]
        );
        let strays = market
            .store
            .ledger()
            .strays_of(booked.lease.payment.memo())
            .await;
        assert_eq!(strays.unwrap(), []);
        assert_eq!(market.leasing.leases.check_calendar().await.unwrap(), []);
    }
}

#[rstest]
#[tokio::test]
async fn a_sweep_that_is_cut_off_anywhere_and_repeated_frees_once(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let market = Market::at(3, &database.location).await;
    let (_, validator, trader) = people(&market, 1).await;
    let mut knife = Knife::new(engine);
    while knife.next_turn().is_some() {
        let booking = market.booking(validator, 2, 2, Mode::Shared);
        let booked = market.book(&trader, &booking).await.unwrap();
        market.advance(18 * 60);
        let mut sweeper = market.leasing.sweeper();
        let _ = knife.cut(sweeper.round()).await;
        market.sweep().await;
        assert_eq!(state(&market, &booked).await, LeaseState::Expired);
        assert_eq!(
            actions(&market, &booked).await,
            ["lease.booked", "lease.expired"]
        );
        assert_eq!(market.leasing.leases.check_calendar().await.unwrap(), []);
    }
}
