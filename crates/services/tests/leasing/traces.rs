//! No money without a trace: what was paid otherwise than asked, and what a node
//! could not show.

use crate::{
    leases::{asker, people, rejected, state},
    paying::with_memo,
};
use leasing::{LeaseState, Mode, Roles, StrayReason};
use primitives::{Clock as _, Lamports, SignedDuration};
use rstest::rstest;
use services::{
    Health, HealthLimits, LedgerProbe, Progress, Snapshots,
    leasing::{Booked, NotStaff, Settled, User},
};
use simnet::FaultKind;
use world::{
    Engine::{self, Postgres, Sqlite},
    Market, TestDatabase,
    market::sign,
};

/// A market with a booking of two epochs, and who booked.
async fn booked(engine: Engine, seed: u64) -> (TestDatabase, Market, User, Booked) {
    let database = TestDatabase::new(engine).await;
    let market = Market::at(seed, &database.location).await;
    let (_, validator, trader) = people(&market, 0).await;
    let booking = market.booking(validator, 3, 2, Mode::Exclusive);
    let booked = market.book(&trader, &booking).await.unwrap();
    (database, market, trader, booked)
}

/// Sends the transaction of a booking with another memo, or with none.
async fn pay_as(market: &Market, booked: &Booked, memo: Option<&str>) {
    let payer = market.wallet(2);
    let asked = booked.lease.payment.memo().as_str();
    let unsigned = market
        .leasing
        .payments
        .transaction(asked, payer.public_key());
    let transaction = with_memo(unsigned.await.unwrap().transaction, memo);
    market.send(&sign(transaction, &payer)).await;
    market.finalise();
}

#[rstest]
#[tokio::test]
async fn a_payment_without_its_memo_is_found_by_its_reference(
    #[values(Sqlite, Postgres)] engine: Engine,
    #[values(None, Some("something else"), Some("01ARZ3NDEKTSV4RRFFQ69G5FAV"))] memo: Option<&str>,
) {
    let (_database, market, trader, booked) = booked(engine, 1).await;
    pay_as(&market, &booked, memo).await;
    let found = Settled {
        strays: 1,
        ..Settled::default()
    };
    assert_eq!(market.settle().await, found);
    assert_eq!(market.settle().await, Settled::default());
    assert_eq!(state(&market, &booked).await, LeaseState::PendingPayment);
    // Its trader sees it, and so does staff.
    let lease = market
        .leasing
        .leases
        .find(booked.lease.id, asker(&trader))
        .await;
    let strays = lease.unwrap().unwrap().strays;
    assert_eq!(strays.len(), 1);
    assert_eq!(strays[0].reason, StrayReason::Unnamed);
    let payment = &booked.lease.payment;
    assert_eq!(strays[0].payout_gain, payment.payout().amount);
    assert_eq!(strays[0].platform_gain, payment.platform().amount);
    let staff = Roles {
        staff: true,
        ..Roles::default()
    };
    let staff = market.user_with("staff", staff).await;
    let list = async |user: &User| market.leasing.strays.list(user, None, None, 9).await;
    let page = list(&staff).await.unwrap();
    assert_eq!(page.items[0].named[0].1, booked.lease.id);
    let legs = page.items[0].legs.iter().map(|row| row.leg.amount.get());
    assert_eq!(legs.sum::<u64>(), payment.total().get());
    assert_eq!(rejected(list(&trader).await), NotStaff);
}

#[rstest]
#[tokio::test]
async fn a_payment_that_leaves_the_platform_out_is_found_after_its_time(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let (_database, market, _, booked) = booked(engine, 2).await;
    let asked = &booked.lease.payment;
    // As if the fee went to somebody else: the platform's history has nothing.
    let elsewhere = leasing::Leg {
        wallet: market.wallet(6).public_key(),
        amount: asked.platform().amount,
    };
    let payment = leasing::Payment::new(asked.memo().clone(), asked.payout(), elsewhere).unwrap();
    let payer = market.wallet(2);
    market.advance(3_600);
    market.sweep().await;
    let unsigned = payment.transaction(payer.public_key(), market.blockhash().await);
    market.send(&sign(unsigned.unwrap(), &payer)).await;
    market.finalise();
    assert_eq!(market.settle().await.strays, 1);
    let strays = market.store.ledger().strays_of(asked.memo()).await.unwrap();
    assert_eq!(strays[0].reason, StrayReason::Short);
    assert_eq!(strays[0].payout_gain, asked.payout().amount);
    assert_eq!(strays[0].platform_gain, Lamports::ZERO);
}

fn health(market: &Market, probe: &LedgerProbe) -> Health {
    let limits = HealthLimits {
        max_lag_blocks: 5,
        max_silence: SignedDuration::from_secs(30),
        max_head_age: SignedDuration::from_secs(60),
    };
    let clock = market.clock.clone();
    let health = Health::new(
        "indexer",
        Snapshots::default(),
        Progress::default(),
        clock,
        limits,
    );
    let leasing = &market.leasing;
    health.with_market(
        leasing.epochs.clone(),
        leasing.settling.clone(),
        probe.clone(),
    )
}

#[rstest]
#[tokio::test]
async fn a_transaction_that_a_node_cannot_show_holds_nothing_up(
    #[values(Sqlite, Postgres)] engine: Engine,
    #[values(FaultKind::MissingTransaction, FaultKind::Malformed)] kind: FaultKind,
) {
    let (_database, market, trader, hidden) = booked(engine, 3).await;
    market.settle().await;
    let later = market.booking(hidden.lease.validator, 8, 1, Mode::Exclusive);
    let later = market.book(&trader, &later).await.unwrap();
    market
        .pay(hidden.lease.payment.memo().as_str(), &market.wallet(2))
        .await;
    market.finalise();
    // Every attempt at it fails.
    market.node.fault("getTransaction", kind, 99).unwrap();
    assert_eq!(market.settle().await, Settled::default());
    market.node.clear_faults("*");
    // Those that came after it are seen.
    market
        .pay(later.lease.payment.memo().as_str(), &market.wallet(2))
        .await;
    market.finalise();
    let probe = LedgerProbe::new(market.store.clone());
    let settlement = async || {
        probe.ask().await;
        health(&market, &probe).report().leasing.unwrap().settlement
    };
    assert_eq!(settlement().await.parked, 1);
    assert!(settlement().await.ready, "not for long yet");
    assert_eq!(market.settle().await.activated, 1);
    assert_eq!(state(&market, &later).await, LeaseState::Active);
    // It is asked for again, and an alarm is raised meanwhile.
    market.advance(31);
    let alarm = settlement().await;
    assert!(!alarm.ready && alarm.problem.is_some(), "{alarm:?}");
    assert_eq!(alarm.parked_s, Some(31));
    assert_eq!(market.settle().await.activated, 1);
    assert_eq!(state(&market, &hidden).await, LeaseState::Active);
    let after = settlement().await;
    assert!(after.ready && after.parked == 0, "{after:?}");
}

#[tokio::test]
async fn rounds_that_fail_for_long_are_told_until_one_does_not() {
    let (_database, market, _, _) = booked(Sqlite, 5).await;
    let probe = LedgerProbe::new(market.store.clone());
    probe.ask().await;
    let settlement = || health(&market, &probe).report().leasing.unwrap().settlement;
    market.settle().await;
    let kind = FaultKind::Malformed;
    market
        .node
        .fault("getSignaturesForAddress", kind, 99)
        .unwrap();
    let fail = async || market.leasing.settlement().round().await.unwrap_err();
    fail().await;
    market.advance(30);
    fail().await;
    assert!(settlement().ready, "not for long yet");
    market.advance(1);
    let alarm = settlement();
    assert_eq!(alarm.problem, Some("payments cannot be looked for"));
    assert!(!alarm.ready);
    market.node.clear_faults("*");
    market.settle().await;
    assert!(settlement().ready);
}

#[rstest]
#[tokio::test]
async fn a_transaction_is_asked_for_ever_more_seldom(#[values(Sqlite, Postgres)] engine: Engine) {
    let (_database, market, _, hidden) = booked(engine, 4).await;
    market.settle().await;
    market
        .pay(hidden.lease.payment.memo().as_str(), &market.wallet(2))
        .await;
    market.finalise();
    let fault = || {
        let missing = FaultKind::MissingTransaction;
        market.node.fault("getTransaction", missing, 99).unwrap();
    };
    let ledger = market.store.ledger();
    let mut pauses = Vec::new();
    for _ in 0..14 {
        fault();
        market.settle().await;
        let row = ledger.parked_until(primitives::Timestamp::MAX, 1).await;
        let row = row.unwrap()[0];
        let pause = row.retry_at.duration_since(market.clock.now());
        pauses.push(pause.as_secs());
        market.clock.advance(pause);
    }
    assert!(pauses.is_sorted(), "{pauses:?}");
    assert_eq!((pauses[0], pauses[1], pauses[13]), (2, 4, 3_600));
}
