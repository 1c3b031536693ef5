//! Whatever people do in whatever order, the market agrees with a naive
//! calendar: a list of leases that is searched from end to end.

use crate::paying::pay_anyhow;
use leasing::{BookError, Booking, CancelError, EpochWindow, LeaseState, Mode, StrayReason};
use primitives::{Clock as _, SignedDuration, Timestamp, Ulid};
use proptest::{
    prelude::*,
    test_runner::{Config, TestRunner},
};
use rstest::rstest;
use services::{Refused, leasing::User};
use std::collections::BTreeMap;
use world::{
    Engine::{self, Postgres, Sqlite},
    Market, TestDatabase,
};

const SEATS: u32 = 2;
const VALIDATORS: usize = 2;
const TRADERS: usize = 3;
const CASES: u32 = 16;

#[derive(Debug, Clone)]
enum Command {
    Book {
        validator: usize,
        trader: usize,
        ahead: i64,
        count: i64,
        shared: bool,
    },
    Cancel(usize),
    /// Sends a payment, in time or not, of enough or one lamport less.
    Pay {
        lease: usize,
        short: bool,
    },
    Settle,
    Sweep,
    Wait(i64),
    NextEpoch,
}

fn command() -> impl Strategy<Value = Command> {
    let book = (
        0..VALIDATORS,
        0..TRADERS,
        -2_i64..6,
        1_i64..4,
        any::<bool>(),
    );
    prop_oneof![
        6 => book.prop_map(|(validator, trader, ahead, count, shared)| Command::Book {
            validator, trader, ahead, count, shared,
        }),
        2 => (0_usize..20).prop_map(Command::Cancel),
        6 => (0_usize..20, prop::bool::weighted(0.2))
            .prop_map(|(lease, short)| Command::Pay { lease, short }),
        4 => Just(Command::Settle),
        2 => Just(Command::Sweep),
        2 => prop_oneof![Just(60_i64), Just(900), Just(1_020)].prop_map(Command::Wait),
        1 => Just(Command::NextEpoch),
    ]
}

/// A lease as the model has it.
#[derive(Debug)]
struct NaiveCalendar {
    id: Ulid,
    memo: String,
    validator: usize,
    trader: usize,
    mode: Mode,
    window: EpochWindow,
    state: LeaseState,
    /// Whether its trader gave it up, which is final.
    given_up: bool,
    /// Whether a payment was taken for it, or came too late to be.
    paid: bool,
    expires_at: Timestamp,
    strays: Vec<StrayReason>,
}

impl NaiveCalendar {
    fn holds(&self, epoch: i32) -> bool {
        let holds = matches!(
            self.state,
            LeaseState::PendingPayment | LeaseState::Active | LeaseState::Completed
        );
        holds && self.window.epochs().contains(&epoch)
    }
}

struct Model {
    market: Market,
    _database: TestDatabase,
    validators: Vec<Ulid>,
    traders: Vec<User>,
    leases: Vec<NaiveCalendar>,
    /// Sent and not settled: which lease, and whether it is too little.
    sent: Vec<(usize, bool)>,
}

impl Model {
    async fn new(seed: u64, engine: Engine) -> Self {
        let database = TestDatabase::new(engine).await;
        let market = Market::at(seed, &database.location).await;
        let owner = market.user("owner").await;
        let mut validators = Vec::new();
        for number in 0..VALIDATORS {
            validators.push(market.validator(&owner, number, SEATS).await.id);
        }
        let mut traders = Vec::new();
        for number in 0..TRADERS {
            traders.push(market.user(&format!("trader {number}")).await);
        }
        Self {
            market,
            _database: database,
            validators,
            traders,
            leases: Vec::new(),
            sent: Vec::new(),
        }
    }

    /// What is booked of an epoch: exclusive leases, seats.
    fn booked(&self, validator: usize, epoch: i32) -> (usize, usize) {
        let held = |mode| {
            let held = self.leases.iter().filter(move |lease| {
                lease.validator == validator && lease.mode == mode && lease.holds(epoch)
            });
            held.count()
        };
        (held(Mode::Exclusive), held(Mode::Shared))
    }

    /// The first epoch in which there is no room.
    fn full(&self, validator: usize, window: EpochWindow, mode: Mode) -> Option<i32> {
        let seats = usize::try_from(SEATS).unwrap();
        let mut epochs = window.epochs();
        epochs.find(|epoch| match (mode, self.booked(validator, *epoch)) {
            (Mode::Exclusive, booked) => booked != (0, 0),
            (Mode::Shared, (exclusive, shared)) => exclusive > 0 || shared >= seats,
        })
    }

    async fn book(&mut self, validator: usize, trader: usize, ahead: i64, count: i64, mode: Mode) {
        let booking: Booking = self
            .market
            .booking(self.validators[validator], ahead, count, mode);
        let window = booking.window;
        let full = self.full(validator, window, mode);
        match (
            self.market.book(&self.traders[trader], &booking).await,
            full,
        ) {
            (Ok(booked), None) => self.leases.push(NaiveCalendar {
                id: booked.lease.id,
                memo: booked.lease.payment.memo().to_string(),
                validator,
                trader,
                mode,
                window,
                state: LeaseState::PendingPayment,
                given_up: false,
                paid: false,
                expires_at: booked.lease.pay_until,
                strays: Vec::new(),
            }),
            (Err(Refused::Rejected(BookError::SharedFull { first_full_epoch })), Some(full)) => {
                assert_eq!(first_full_epoch, full);
            }
            (Err(Refused::Rejected(BookError::SlotTaken { lease })), Some(_)) => {
                let holder = self.leases.iter().find(|known| Some(known.id) == lease);
                let holder = holder.expect("a lease that is known");
                assert!(
                    window.epochs().any(|epoch| holder.holds(epoch)),
                    "{holder:?}"
                );
            }
            (outcome, full) => panic!("{outcome:?}, and the model has {full:?}"),
        }
    }

    async fn cancel(&mut self, number: usize) {
        let Some(known) = self.leases.get_mut(number) else {
            return;
        };
        let trader = &self.traders[known.trader];
        match self.market.leasing.leases.cancel(trader, known.id).await {
            Ok(_) => {
                assert_eq!(known.state, LeaseState::PendingPayment);
                known.state = LeaseState::Expired;
                known.given_up = true;
            }
            Err(Refused::Rejected(CancelError::NotPending(state))) => {
                assert_eq!(known.state, state);
                assert_ne!(state, LeaseState::PendingPayment);
            }
            Err(other) => panic!("{other:?}"),
        }
    }

    async fn pay(&mut self, number: usize, short: bool) {
        let Some(known) = self.leases.get(number) else {
            return;
        };
        let payer = self.market.wallet(2 + number % 5);
        pay_anyhow(&self.market, &known.memo, &payer, u64::from(short)).await;
        self.sent.push((number, short));
    }

    async fn settle(&mut self) {
        self.market.finalise();
        let settled = self.market.settle().await;
        let (mut activated, mut strays) = (0, 0);
        for (number, short) in std::mem::take(&mut self.sent) {
            let known = &self.leases[number];
            let stray = if short {
                Some(StrayReason::Short)
            } else if known.paid {
                Some(StrayReason::Doubled)
            } else if known.given_up
                || known.state == LeaseState::Expired
                    && self
                        .full(known.validator, known.window, known.mode)
                        .is_some()
            {
                Some(StrayReason::Orphaned)
            } else {
                None
            };
            let known = &mut self.leases[number];
            known.paid |= !short;
            if let Some(reason) = stray {
                known.strays.push(reason);
                strays += 1;
            } else {
                known.state = LeaseState::Active;
                activated += 1;
            }
        }
        assert_eq!((settled.activated, settled.strays), (activated, strays));
    }

    async fn sweep(&mut self) {
        let now = self.market.clock.now();
        let grace = SignedDuration::from_secs(120);
        let mut lapsed = 0;
        for known in &mut self.leases {
            let due = known.expires_at + grace <= now;
            if known.state == LeaseState::PendingPayment && due {
                known.state = LeaseState::Expired;
                lapsed += 1;
            }
        }
        assert_eq!(self.market.sweep().await, lapsed);
    }

    /// Lets the market see the epoch, and compares everything.
    async fn compare(&mut self) {
        self.market.watch().await;
        let position = self.market.nodes.client().unwrap().epoch_position().await;
        let epoch = position.unwrap().epoch;
        for known in &mut self.leases {
            if known.state == LeaseState::Active && known.window.is_over(epoch) {
                known.state = LeaseState::Completed;
            }
        }
        let ledger = self.market.store.ledger();
        for known in &self.leases {
            let lease = ledger.lease(known.id).await.unwrap().unwrap();
            assert_eq!(lease.state(), known.state, "{known:?}");
            let strays = ledger.strays_of(lease.payment.memo()).await.unwrap();
            let mut reasons: Vec<_> = strays.iter().map(|stray| stray.reason.as_str()).collect();
            let mut expected: Vec<_> = known.strays.iter().map(|reason| reason.as_str()).collect();
            reasons.sort_unstable();
            expected.sort_unstable();
            assert_eq!(reasons, expected, "{known:?}");
        }
        assert_eq!(
            self.market.leasing.leases.check_calendar().await.unwrap(),
            []
        );
        for validator in 0..VALIDATORS {
            self.compare_calendar(validator).await;
        }
    }

    async fn compare_calendar(&self, validator: usize) {
        let now = i32::try_from(self.market.epoch()).unwrap();
        let id = self.validators[validator];
        let view = self
            .market
            .leasing
            .validators
            .find(id, None)
            .await
            .unwrap()
            .unwrap();
        let mut told = BTreeMap::new();
        for span in &view.availability {
            for epoch in span.from..span.to {
                told.insert(epoch, (span.mode, span.seats_left));
            }
        }
        let mut expected = BTreeMap::new();
        for epoch in now..now + 60 {
            match self.booked(validator, epoch) {
                (0, 0) => {
                    expected.insert(epoch, (Mode::Exclusive, SEATS));
                }
                (0, shared) => {
                    let left = SEATS - u32::try_from(shared).unwrap();
                    if left > 0 {
                        expected.insert(epoch, (Mode::Shared, left));
                    }
                }
                _ => {}
            }
        }
        assert_eq!(told, expected);
    }

    async fn obey(&mut self, command: Command) {
        match command {
            Command::Book {
                validator,
                trader,
                ahead,
                count,
                shared,
            } => {
                let mode = if shared {
                    Mode::Shared
                } else {
                    Mode::Exclusive
                };
                self.book(validator, trader, ahead, count, mode).await;
            }
            Command::Cancel(lease) => self.cancel(lease).await,
            Command::Pay { lease, short } => self.pay(lease, short).await,
            Command::Settle => self.settle().await,
            Command::Sweep => self.sweep().await,
            Command::Wait(seconds) => self.market.advance(seconds),
            Command::NextEpoch => self.market.node.advance_epochs(1).unwrap(),
        }
        self.compare().await;
    }
}

#[rstest]
fn the_market_agrees_with_a_naive_calendar(#[values(Sqlite, Postgres)] engine: Engine) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let mut runner = TestRunner::new(Config {
        cases: CASES,
        max_shrink_iters: 60,
        failure_persistence: None,
        ..Config::default()
    });
    let cases = (any::<u64>(), prop::collection::vec(command(), 20..50));
    let held = runner.run(&cases, |(seed, commands)| {
        runtime.block_on(async {
            let mut model = Model::new(seed, engine).await;
            for command in commands {
                model.obey(command).await;
            }
        });
        Ok(())
    });
    held.unwrap();
}
