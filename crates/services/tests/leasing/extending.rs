//! Extensions: held, paid, lapsed, paid late, and many at once.

use crate::{
    leases::{actions, asker, people, rejected},
    paying::pay_anyhow,
};
use leasing::{
    Amendment, Asker, ExtendError, Extension, ExtensionStage, Lease, LeaseState, Mode,
    PaymentStatus, StrayReason,
};
use primitives::{Lamports, Ulid};
use rstest::rstest;
use services::{
    Refused,
    leasing::{ExtensionWish, Leasing, PayError, Settled, User},
};
use std::sync::Arc;
use tokio::{sync::Barrier, task::JoinSet};
use world::{
    Engine::{self, Postgres, Sqlite},
    Market, TestDatabase,
};

/// A market with a paid lease, and who booked it.
pub(crate) struct Leased {
    pub(crate) database: TestDatabase,
    pub(crate) market: Arc<Market>,
    pub(crate) owner: User,
    pub(crate) trader: User,
    pub(crate) lease: Lease,
}

impl Leased {
    /// A paid lease of so many epochs from the current one on.
    pub(crate) async fn new(engine: Engine, seed: u64, count: i64) -> Self {
        let database = TestDatabase::new(engine).await;
        let market = Market::at(seed, &database.location).await;
        // At the start of an epoch, which the payment will not leave.
        market.node.advance_epochs(1).unwrap();
        market.finalise();
        market.watch().await;
        let (owner, validator, trader) = people(&market, 0).await;
        let booking = market.booking(validator, 0, count, Mode::Exclusive);
        let booked = market.book(&trader, &booking).await.unwrap();
        market
            .pay(booked.lease.payment.memo().as_str(), &market.wallet(2))
            .await;
        market.finalise();
        assert_eq!(market.settle().await.activated, 1);
        Self {
            database,
            lease: market
                .store
                .ledger()
                .lease(booked.lease.id)
                .await
                .unwrap()
                .unwrap(),
            market: Arc::new(market),
            owner,
            trader,
        }
    }

    /// Lets epochs begin, and the market know of it.
    pub(crate) async fn next_epochs(&self, count: u64) {
        self.market.node.advance_epochs(count).unwrap();
        self.market.finalise();
        self.market.watch().await;
    }

    /// The lease as it is now.
    pub(crate) async fn now(&self) -> Lease {
        let lease = self.market.store.ledger().lease(self.lease.id).await;
        lease.unwrap().unwrap()
    }

    pub(crate) async fn extend(&self, count: i32) -> Result<Extension, Refused<ExtendError>> {
        self.market.extend(&self.trader, self.lease.id, count).await
    }

    /// The extension as it is now.
    pub(crate) async fn extension(&self, extension: &Extension) -> ExtensionStage {
        let memo = extension.payment.memo();
        let found = self.market.store.ledger().extension(memo).await;
        found.unwrap().unwrap().stage
    }

    /// Pays what a memo stands for, whether it can be asked for or not.
    pub(crate) async fn pay_late(&self, extension: &Extension) -> Settled {
        let memo = extension.payment.memo().as_str();
        pay_anyhow(&self.market, memo, &self.market.wallet(2), 0).await;
        self.market.finalise();
        self.market.settle().await
    }

    /// All replicas that the engine allows.
    pub(crate) async fn replicas(&self, engine: Engine) -> Vec<Leasing> {
        let mut replicas = vec![self.market.leasing.clone()];
        if engine == Postgres {
            let replica = self.market.replica(&self.database.location).await;
            replica.epoch_watch().round().await.unwrap();
            replicas.push(replica);
        }
        replicas
    }

    pub(crate) async fn check_calendar(&self) {
        let drift = self.market.leasing.leases.check_calendar().await;
        assert_eq!(drift.unwrap(), []);
    }
}

const EXTENDED: Settled = Settled {
    activated: 0,
    extended: 1,
    refunded: 0,
    strays: 0,
};

const STRAY: Settled = Settled {
    activated: 0,
    extended: 0,
    refunded: 0,
    strays: 1,
};

#[rstest]
#[tokio::test]
async fn a_paid_extension_moves_the_end(#[values(Sqlite, Postgres)] engine: Engine) {
    let leased = Leased::new(engine, 1, 2).await;
    let (market, lease) = (&leased.market, &leased.lease);
    // At the price of now.
    let dearer = Amendment {
        price_sol: Some("2".to_owned()),
        ..Amendment::default()
    };
    let validators = &market.leasing.validators;
    let patched = validators.patch(&leased.owner, lease.validator, &dearer);
    patched.await.unwrap();
    let extension = leased.extend(3).await.unwrap();
    assert_eq!(extension.window.start(), lease.window.end());
    assert_eq!(extension.payment.total(), Lamports::new(6_000_000_000));
    assert_eq!(leased.now().await, *lease, "not paid yet");
    leased.check_calendar().await;
    // Its epochs are held.
    let wanted = market.booking(lease.validator, 4, 1, Mode::Exclusive);
    let other = market.user("other").await;
    let refused = rejected(market.book(&other, &wanted).await);
    let holder = leasing::BookError::SlotTaken {
        lease: Some(lease.id),
    };
    assert_eq!(refused, holder);
    market
        .pay(extension.payment.memo().as_str(), &market.wallet(3))
        .await;
    market.finalise();
    assert_eq!(market.settle().await, EXTENDED);
    assert_eq!(market.settle().await, Settled::default());
    let now = leased.now().await;
    assert_eq!(now.window.end(), lease.window.end() + 3);
    assert_eq!(now.total, Lamports::new(9_000_000_000));
    assert_eq!(now.price, lease.price);
    assert_eq!(now.stage, lease.stage);
    leased.check_calendar().await;
    let detail = market.leasing.leases.find(lease.id, asker(&leased.trader));
    let detail = detail.await.unwrap().unwrap();
    assert_eq!(detail.extensions.len(), 1);
    assert!(matches!(
        detail.extensions[0].stage,
        ExtensionStage::Settled { .. }
    ));
    // Tokens are minted in the new epochs, and the lease ends after them.
    leased.next_epochs(3).await;
    let mint = market
        .leasing
        .lease_tokens
        .mint(Asker::Key(lease.id), lease.id);
    mint.await.unwrap();
    leased.next_epochs(2).await;
    assert_eq!(leased.now().await.state(), LeaseState::Completed);
    let again = rejected(leased.extend(1).await);
    assert_eq!(again, ExtendError::Over);
}

#[rstest]
#[tokio::test]
async fn an_unpaid_extension_lapses_and_frees_its_epochs(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let leased = Leased::new(engine, 2, 2).await;
    let market = &leased.market;
    let extension = leased.extend(2).await.unwrap();
    let memo = extension.payment.memo().as_str();
    let payer = market.wallet(2).public_key();
    let pay = market.leasing.payments.transaction(memo, payer);
    assert!(pay.await.unwrap().message.contains("epochs"));
    market.advance(15 * 60);
    let pay = market.leasing.payments.transaction(memo, payer).await;
    assert_eq!(rejected(pay), PayError::MemoNotFound);
    market.advance(119);
    assert_eq!(market.sweep().await, 0);
    market.advance(1);
    assert_eq!(market.sweep().await, 1);
    assert_eq!(market.sweep().await, 0);
    assert_eq!(leased.extension(&extension).await, ExtensionStage::Lapsed);
    assert_eq!(leased.now().await, leased.lease);
    leased.check_calendar().await;
    let wanted = market.booking(leased.lease.validator, 2, 1, Mode::Exclusive);
    let other = market.user("other").await;
    market.book(&other, &wanted).await.unwrap();
    // What is paid now is to be given back.
    assert_eq!(leased.pay_late(&extension).await, STRAY);
    assert_eq!(market.settle().await, Settled::default());
    let stage = leased.extension(&extension).await;
    assert_eq!(stage.payment_status(), PaymentStatus::Orphaned);
    let strays = market.store.ledger().strays_of_lease(leased.lease.id).await;
    let strays = strays.unwrap();
    assert_eq!(strays[0].reason, StrayReason::Orphaned);
    assert_eq!(strays[0].payout_gain, extension.payment.payout().amount);
    assert_eq!(leased.now().await, leased.lease);
    leased.check_calendar().await;
}

#[rstest]
#[tokio::test]
async fn a_late_payment_extends_if_the_epochs_are_free(#[values(Sqlite, Postgres)] engine: Engine) {
    let leased = Leased::new(engine, 3, 2).await;
    let market = &leased.market;
    let first = leased.extend(2).await.unwrap();
    market.advance(20 * 60);
    market.sweep().await;
    assert_eq!(leased.pay_late(&first).await, EXTENDED);
    assert_eq!(
        leased.now().await.window.end(),
        leased.lease.window.end() + 2
    );
    leased.check_calendar().await;
    // One that another extension came before is an orphan.
    let second = leased.extend(1).await.unwrap();
    market.advance(20 * 60);
    market.sweep().await;
    let third = leased.extend(1).await.unwrap();
    assert_eq!(leased.pay_late(&second).await, STRAY);
    assert_eq!(leased.pay_late(&third).await, EXTENDED);
    leased.check_calendar().await;
    assert_eq!(leased.now().await.window.count(), 5);
}

#[rstest]
#[tokio::test]
async fn a_lease_has_one_unpaid_extension_and_thirty_epochs(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let leased = Leased::new(engine, 4, 20).await;
    let market = &leased.market;
    assert_eq!(rejected(leased.extend(11).await), ExtendError::ExceedsCap);
    let extension = leased.extend(10).await.unwrap();
    assert_eq!(
        rejected(leased.extend(1).await),
        ExtendError::AlreadyPending
    );
    let payer = market.wallet(2);
    market.pay(extension.payment.memo().as_str(), &payer).await;
    market.finalise();
    assert_eq!(market.settle().await, EXTENDED);
    assert_eq!(rejected(leased.extend(1).await), ExtendError::ExceedsCap);
}

#[rstest]
#[tokio::test]
async fn a_lease_waits_for_an_extension_that_may_be_paid(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let leased = Leased::new(engine, 5, 1).await;
    let market = &leased.market;
    let extension = leased.extend(1).await.unwrap();
    leased.next_epochs(1).await;
    assert_eq!(leased.now().await.state(), LeaseState::Active, "it waits");
    // Its window is not paid: there is no token.
    let tokens = &market.leasing.lease_tokens;
    let mint = tokens
        .mint(Asker::Key(leased.lease.id), leased.lease.id)
        .await;
    assert!(matches!(
        rejected(mint),
        leasing::MintError::OutOfRange { .. }
    ));
    assert_eq!(leased.pay_late(&extension).await, EXTENDED);
    market.watch().await;
    assert_eq!(leased.now().await.state(), LeaseState::Active);
    // The next one is not paid: the lease ends when it lapses.
    leased.extend(1).await.unwrap();
    leased.next_epochs(1).await;
    assert_eq!(leased.now().await.state(), LeaseState::Active);
    market.advance(20 * 60);
    assert_eq!(market.sweep().await, 1);
    market.watch().await;
    assert_eq!(leased.now().await.state(), LeaseState::Completed);
    leased.check_calendar().await;
    let subject = leased.lease.id.to_string();
    let rows = market.store.ledger().audit_of("lease", &subject, 99).await;
    let told: Vec<_> = rows.unwrap().into_iter().map(|row| row.action).collect();
    assert_eq!(
        told,
        [
            "lease.booked",
            "lease.activated",
            "lease.extension_asked",
            "lease.ending",
            "lease.extended",
            "lease.ending",
            "lease.extension_asked",
            "lease.extension_lapsed",
            "lease.completed",
        ]
    );
}

#[tokio::test]
async fn a_seat_is_extended_while_there_are_seats() {
    let market = Market::new(6).await;
    let (_, validator, trader) = people(&market, 1).await;
    let booking = market.booking(validator, 0, 1, Mode::Shared);
    let booked = market.book(&trader, &booking).await.unwrap();
    let payer = market.wallet(2);
    market
        .pay(booked.lease.payment.memo().as_str(), &payer)
        .await;
    market.finalise();
    market.settle().await;
    let next = market.booking(validator, 2, 1, Mode::Shared);
    let other = market.user("other").await;
    market.book(&other, &next).await.unwrap();
    let refused = rejected(market.extend(&trader, booked.lease.id, 2).await);
    let first_full_epoch = next.window.start();
    assert_eq!(refused, ExtendError::SharedFull { first_full_epoch });
    let extension = market.extend(&trader, booked.lease.id, 1).await.unwrap();
    assert_eq!(extension.payment.total(), Lamports::new(250_000_000));
    assert_eq!(market.leasing.leases.check_calendar().await.unwrap(), []);
    assert_eq!(actions(&market, &booked).await.len(), 3);
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_extensions_at_once_exactly_one_is_made(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    const RIVALS: usize = 12;
    let leased = Leased::new(engine, 7, 2).await;
    let replicas = leased.replicas(engine).await;
    let together = Arc::new(Barrier::new(RIVALS));
    let mut tasks = JoinSet::new();
    for number in 0..RIVALS {
        let (market, together) = (Arc::clone(&leased.market), Arc::clone(&together));
        let leasing = replicas[number % replicas.len()].clone();
        let (trader, lease) = (leased.trader.clone(), leased.lease.id);
        tasks.spawn(async move {
            let made_before = leasing.leases.extensions_made(lease).await.unwrap();
            // All of them have looked before any of them asks.
            together.wait().await;
            let guard = market.guard(&leasing, &trader).await;
            let wish = ExtensionWish {
                lease,
                count: 1,
                made_before,
            };
            let render = |extension: &Extension| {
                Ok(services::leasing::StoredAnswer {
                    status: 201,
                    content_type: "application/json".to_owned(),
                    body: extension.id.to_string().into_bytes(),
                })
            };
            leasing.leases.extend(&trader, wish, guard, render).await
        });
    }
    let mut made = 0;
    for outcome in tasks.join_all().await {
        match outcome {
            Ok(_) => made += 1,
            Err(Refused::Rejected(error)) => assert_eq!(error, ExtendError::Race),
            Err(Refused::Fault(fault)) => panic!("{}", fault.chain_text()),
        }
    }
    assert_eq!(made, 1);
    // Whoever tries once more knows better.
    assert_eq!(
        rejected(leased.extend(1).await),
        ExtendError::AlreadyPending
    );
    leased.check_calendar().await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replicas_that_settle_sweep_and_complete_at_once_agree(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let leased = Leased::new(engine, 8, 1).await;
    let market = &leased.market;
    let replicas = leased.replicas(engine).await;
    let extension = leased.extend(1).await.unwrap();
    let memo = extension.payment.memo().as_str();
    market.pay(memo, &market.wallet(2)).await;
    market.finalise();
    market.node.advance_epochs(1).unwrap();
    // Whoever comes first: the payment came, the window is over, and so is the epoch.
    market.advance(20 * 60);
    let together = Arc::new(Barrier::new(6));
    let mut tasks = JoinSet::new();
    for number in 0..6 {
        let leasing = replicas[number % replicas.len()].clone();
        let together = Arc::clone(&together);
        tasks.spawn(async move {
            together.wait().await;
            match number % 3 {
                0 => leasing.settlement().round().await.map(drop),
                1 => leasing.sweeper().round().await.map(drop),
                _ => leasing.epoch_watch().round().await,
            }
        });
    }
    for done in tasks.join_all().await {
        done.unwrap();
    }
    leased.check_calendar().await;
    let now = leased.now().await;
    let stage = leased.extension(&extension).await;
    let strays = market.store.ledger().strays_of_lease(now.id).await.unwrap();
    // Paid, perhaps after it had lapsed; or the lease was completed between.
    let is_extended = (now.window.count(), strays.len()) == (2, 0)
        && stage.payment_status() == PaymentStatus::Settled;
    let is_orphaned = (now.window.count(), strays.len()) == (1, 1)
        && stage.payment_status() == PaymentStatus::Orphaned
        && now.state() == LeaseState::Completed;
    assert!(is_extended || is_orphaned, "{now:?} {stage:?} {strays:?}");
}

#[tokio::test]
async fn who_may_extend_is_looked_at_first() {
    let leased = Leased::new(Sqlite, 9, 2).await;
    let market = &leased.market;
    let stranger = market.user("stranger").await;
    let id = leased.lease.id;
    let refused = market.extend(&stranger, id, 1).await;
    assert_eq!(rejected(refused), ExtendError::NotFound);
    let refused = market.extend(&leased.owner, id, 1).await;
    assert_eq!(rejected(refused), ExtendError::Forbidden);
    let nothing: Ulid = market.key();
    let refused = market.extend(&leased.trader, nothing, 1).await;
    assert_eq!(rejected(refused), ExtendError::NotFound);
    let paused = Amendment {
        status: Some("paused".to_owned()),
        ..Amendment::default()
    };
    let validators = &market.leasing.validators;
    let patched = validators.patch(&leased.owner, leased.lease.validator, &paused);
    patched.await.unwrap();
    assert_eq!(rejected(leased.extend(1).await), ExtendError::NotListed);
}
