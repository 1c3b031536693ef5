//! Revoking: what is used stays sold, the rest is owed, gateways are told, and
//! whoever owes pays.

use crate::{extending::Leased, leases::rejected};
use leasing::{
    BookError, Debtor, ExtensionStage, Gateway, Lease, LeaseState, ListingStatus, MintError, Mode,
    PaymentStatus, Refund, RefundStage, Revocations, RevokeError, Roles, TokenRefusal,
    verify_lease_token,
};
use primitives::{Clock as _, Lamports, Ulid};
use rstest::rstest;
use services::{
    Refused,
    leasing::{LiftError, PayError, Revoked, Settled, StopError, StrayRefundError, User},
};
use std::sync::Arc;
use store::leasing::RevocationRow;
use tokio::{sync::Barrier, task::JoinSet};
use world::{
    Engine::{self, Postgres, Sqlite},
    Market,
    market::sign,
};

const STAFF: Roles = Roles {
    trader: false,
    validator: false,
    staff: true,
};

const REFUNDED: Settled = Settled {
    activated: 0,
    extended: 0,
    refunded: 1,
    strays: 0,
};

fn owed(revoked: &Revoked) -> Vec<(Debtor, u64)> {
    let refunds = revoked.refunds.iter();
    refunds
        .map(|refund| (refund.debtor, refund.amount().get()))
        .collect()
}

async fn refunds(market: &Market, lease: Ulid) -> Vec<Refund> {
    market.store.ledger().refunds_of(lease).await.unwrap()
}

async fn feed(market: &Market) -> Vec<RevocationRow> {
    let page = market.leasing.revocations.since(None, None, None, 9).await;
    page.unwrap().items
}

#[rstest]
#[tokio::test]
async fn unused_epochs_are_owed_at_the_price_that_was_paid_for_each(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let leased = Leased::new(engine, 1, 3).await;
    let market = &leased.market;
    let dearer = leasing::Amendment {
        price_sol: Some("2".to_owned()),
        ..leasing::Amendment::default()
    };
    let validators = &market.leasing.validators;
    let patched = validators.patch(&leased.owner, leased.lease.validator, &dearer);
    patched.await.unwrap();
    let extension = leased.extend(2).await.unwrap();
    market
        .pay(extension.payment.memo().as_str(), &market.wallet(3))
        .await;
    market.finalise();
    assert_eq!(market.settle().await.extended, 1);
    // One more that nobody has paid.
    let open = leased.extend(1).await.unwrap();
    leased.next_epochs(1).await;
    let revoked = market.revoke(&leased.owner, &leased.lease).await.unwrap();
    assert_eq!(revoked.lease.state(), LeaseState::Revoked);
    // Two of the first three epochs are used; 2.5 per cent are the platform's.
    assert_eq!(revoked.unused_epochs, 3);
    assert_eq!(
        owed(&revoked),
        [
            (Debtor::Validator, 1_462_500_000),
            (Debtor::Platform, 37_500_000),
            (Debtor::Validator, 3_900_000_000),
            (Debtor::Platform, 100_000_000),
        ]
    );
    assert_eq!(revoked.refund_due, Lamports::new(5_500_000_000));
    // Each to whoever paid.
    let creditors: Vec<_> = revoked.refunds.iter().map(Refund::creditor).collect();
    let payers = [2, 2, 3, 3].map(|number| market.wallet(number).public_key());
    assert_eq!(creditors, payers);
    assert_eq!(refunds(market, leased.lease.id).await, revoked.refunds);
    assert_eq!(leased.extension(&open).await, ExtensionStage::Void);
    leased.check_calendar().await;
    // Used epochs stay sold, the others are free.
    let other = market.user("other").await;
    let used = market.booking(leased.lease.validator, -1, 1, Mode::Exclusive);
    let refused = rejected(market.book(&other, &used).await);
    let lease = Some(leased.lease.id);
    assert_eq!(refused, BookError::SlotTaken { lease });
    let running = market.booking(leased.lease.validator, 0, 1, Mode::Exclusive);
    assert!(market.book(&other, &running).await.is_err());
    let rest = market.booking(leased.lease.validator, 1, 4, Mode::Exclusive);
    market.book(&other, &rest).await.unwrap();
    leased.check_calendar().await;
    // What is paid for the extension now is to be given back.
    assert_eq!(leased.pay_late(&open).await.strays, 1);
    let stage = leased.extension(&open).await;
    assert_eq!(stage.payment_status(), PaymentStatus::Orphaned);
    let again = market.revoke(&leased.owner, &leased.lease).await;
    assert_eq!(rejected(again), RevokeError::AlreadyRevoked);
}

#[rstest]
#[tokio::test]
async fn whoever_owes_a_refund_pays_it_from_any_wallet(#[values(Sqlite, Postgres)] engine: Engine) {
    let leased = Leased::new(engine, 2, 2).await;
    let market = &leased.market;
    let staff = market.user_with("staff", STAFF).await;
    let revoked = market.revoke(&staff, &leased.lease).await.unwrap();
    let [of_validator, of_platform] = <[Refund; 2]>::try_from(revoked.refunds).unwrap();
    assert_eq!(of_validator.owing, market.wallet(1).public_key());
    assert_eq!(of_platform.owing, market.platform().public_key());
    let list = async |user: &User, status| {
        let refunds = &market.leasing.refunds;
        let page = refunds.owed_by(user, status, None, 9).await.unwrap();
        page.items
            .iter()
            .map(|refund| refund.id)
            .collect::<Vec<_>>()
    };
    let open = Some(PaymentStatus::Open);
    assert_eq!(list(&leased.owner, open).await, [of_validator.id]);
    assert_eq!(list(&staff, open).await.len(), 2);
    assert_eq!(list(&leased.trader, None).await, []);
    // Long after: what is owed does not lapse. Whoever is owed it cannot pay it.
    market.advance(2 * 3_600);
    market.sweep().await;
    let memo = of_validator.payment.memo().as_str();
    let creditor = market.wallet(2).public_key();
    let own = market.leasing.payments.transaction(memo, creditor).await;
    assert_eq!(rejected(own), PayError::PayerIsCreditor);
    let before = market
        .ask("getBalance", &serde_json::json!([creditor]))
        .await;
    // The payout wallet and the platform's pay, as they may not for a booking.
    market.pay(memo, &market.wallet(1)).await;
    market.finalise();
    assert_eq!(market.settle().await, REFUNDED);
    let memo = of_platform.payment.memo().as_str();
    market.pay(memo, &market.platform()).await;
    market.finalise();
    assert_eq!(market.settle().await, REFUNDED);
    assert_eq!(market.settle().await, Settled::default());
    let after = market
        .ask("getBalance", &serde_json::json!([creditor]))
        .await;
    let gained = after["value"].as_u64().unwrap() - before["value"].as_u64().unwrap();
    assert_eq!(gained, 1_500_000_000, "one epoch of two was not used");
    let settled = refunds(market, leased.lease.id).await;
    assert!(
        settled
            .iter()
            .all(|refund| refund.stage != RefundStage::Open)
    );
    assert_eq!(list(&staff, open).await, []);
    let pay = market
        .leasing
        .payments
        .transaction(memo, market.wallet(4).public_key());
    assert_eq!(rejected(pay.await), PayError::MemoNotFound);
    // Paid once more it is the creditor who got too much.
    let twice = of_validator.transaction(market.wallet(4).public_key(), market.blockhash().await);
    market.send(&sign(twice.unwrap(), &market.wallet(4))).await;
    market.finalise();
    assert_eq!(market.settle().await.strays, 1);
    let strays = market.store.ledger().strays_of_lease(leased.lease.id).await;
    let strays = strays.unwrap();
    assert_eq!(strays[0].payout_gain, of_validator.amount());
    assert_eq!(strays[0].platform_gain, Lamports::ZERO);
}

#[rstest]
#[tokio::test]
async fn gateways_are_told_of_revoked_leases(#[values(Sqlite, Postgres)] engine: Engine) {
    let leased = Leased::new(engine, 3, 2).await;
    let (market, lease) = (&leased.market, &leased.lease);
    let asker = crate::leases::asker(&leased.trader);
    let tokens = &market.leasing.lease_tokens;
    let minted = tokens.mint(asker, lease.id).await.unwrap();
    assert_eq!(feed(market).await, []);
    market.advance(1);
    market.revoke(&leased.owner, lease).await.unwrap();
    let told = feed(market).await;
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].place.lease, lease.id);
    assert_eq!(told[0].identity, minted.identity);
    assert_eq!(told[0].place.at, market.clock.now());
    // A gateway that reads the feed lets its token in no more.
    let keys = tokens.published().await.unwrap();
    let gateway = Gateway {
        identity: minted.identity,
        issuer: &market.leasing.options().uri,
        now: market.clock.now(),
        epoch: u64::try_from(market.epoch()).unwrap(),
    };
    let mut revoked = Revocations::default();
    let verify = |revoked: &Revocations| {
        verify_lease_token(&minted.token, &keys, &gateway, |id| revoked.has(id)).map(drop)
    };
    assert_eq!(verify(&revoked), Ok(()));
    let page = format!(r#"{{"data": [{{"lease_id": "{}"}}]}}"#, lease.id);
    revoked.add(page.as_bytes()).unwrap();
    assert_eq!(verify(&revoked), Err(TokenRefusal::Revoked));
    let mint = tokens.mint(asker, lease.id).await;
    assert_eq!(rejected(mint), MintError::NotActive(LeaseState::Revoked));
    // Of one validator, from a place on, from a time on.
    let since = async |since, identity, after| {
        let page = market.leasing.revocations.since(since, identity, after, 9);
        page.await.unwrap().items.len()
    };
    let at = told[0].place.at;
    assert_eq!(since(None, Some(minted.identity), None).await, 1);
    let other = market.wallet(5).public_key();
    assert_eq!(since(None, Some(other), None).await, 0);
    assert_eq!(since(Some(at), None, Some(told[0].place)).await, 0);
    market.advance(3_601);
    assert_eq!(feed(market).await, []);
    assert_eq!(since(Some(at), None, None).await, 1);
}

#[rstest]
#[tokio::test]
async fn an_unpaid_booking_is_revoked_without_a_refund(#[values(Sqlite, Postgres)] engine: Engine) {
    let leased = Leased::new(engine, 4, 1).await;
    let market = &leased.market;
    let booking = market.booking(leased.lease.validator, 3, 2, Mode::Exclusive);
    let booked = market.book(&leased.trader, &booking).await.unwrap();
    let revoked = market.revoke(&leased.owner, &booked.lease).await.unwrap();
    assert_eq!((revoked.unused_epochs, revoked.refunds.len()), (0, 0));
    leased.check_calendar().await;
    let memo = booked.lease.payment.memo().as_str();
    let payer = market.wallet(2).public_key();
    let pay = market.leasing.payments.transaction(memo, payer).await;
    assert_eq!(rejected(pay), PayError::MemoNotFound);
    // A wallet that had the transaction sends it all the same.
    crate::paying::pay_anyhow(market, memo, &market.wallet(2), 0).await;
    market.finalise();
    assert_eq!(market.settle().await.strays, 1);
    market.book(&leased.trader, &booking).await.unwrap();
    let stranger = market.user("stranger").await;
    let refused = market.revoke(&stranger, &leased.lease).await;
    assert_eq!(rejected(refused), RevokeError::NotFound);
    let refused = market.revoke(&leased.trader, &leased.lease).await;
    assert_eq!(rejected(refused), RevokeError::Forbidden);
    let elsewhere = Lease {
        validator: market.key(),
        ..leased.lease.clone()
    };
    let refused = market.revoke(&leased.owner, &elsewhere).await;
    assert_eq!(rejected(refused), RevokeError::ValidatorNotFound);
    leased.next_epochs(1).await;
    let over = market.revoke(&leased.owner, &leased.lease).await;
    let expected = RevokeError::NotActive(LeaseState::Completed);
    assert_eq!(rejected(over), expected);
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lease_is_revoked_once_whoever_pays_and_sweeps_meanwhile(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    const RIVALS: usize = 9;
    let leased = Leased::new(engine, 5, 2).await;
    let market = &leased.market;
    let replicas = leased.replicas(engine).await;
    let extension = leased.extend(2).await.unwrap();
    let memo = extension.payment.memo().as_str();
    market.pay(memo, &market.wallet(2)).await;
    market.finalise();
    market.advance(20 * 60);
    let together = Arc::new(Barrier::new(RIVALS));
    let mut tasks = JoinSet::new();
    for number in 0..RIVALS {
        let leasing = replicas[number % replicas.len()].clone();
        let (market, together) = (Arc::clone(market), Arc::clone(&together));
        let (owner, lease) = (leased.owner.clone(), leased.lease.clone());
        tasks.spawn(async move {
            together.wait().await;
            match number % 3 {
                0 => leasing.settlement().round().await.map(|_| false),
                1 => leasing.sweeper().round().await.map(|_| false),
                _ => match market.revoke_with(&leasing, &owner, &lease).await {
                    Ok(_) => Ok(true),
                    Err(Refused::Rejected(error)) => {
                        assert_eq!(error, RevokeError::AlreadyRevoked);
                        Ok(false)
                    }
                    Err(Refused::Fault(fault)) => Err(fault),
                },
            }
        });
    }
    let mut revoked = 0;
    for done in tasks.join_all().await {
        revoked += u32::from(done.unwrap());
    }
    assert_eq!(revoked, 1);
    leased.check_calendar().await;
    // The extension was paid before the end, and is owed; or it came too late.
    let stage = leased.extension(&extension).await.payment_status();
    let strays = market.store.ledger().strays_of_lease(leased.lease.id).await;
    let (strays, refunds) = (strays.unwrap(), refunds(market, leased.lease.id).await);
    match stage {
        PaymentStatus::Settled => assert_eq!((strays.len(), refunds.len()), (0, 4)),
        PaymentStatus::Orphaned => assert_eq!((strays.len(), refunds.len()), (1, 2)),
        other => panic!("{other}"),
    }
}

#[rstest]
#[tokio::test]
async fn a_stopped_validator_has_no_leases_and_gets_none(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let leased = Leased::new(engine, 6, 2).await;
    let market = &leased.market;
    let id = leased.lease.validator;
    let lapsing = market.booking(id, 8, 1, Mode::Exclusive);
    let lapsed = market.book(&leased.trader, &lapsing).await.unwrap();
    market.advance(20 * 60);
    market.sweep().await;
    let pending = market.booking(id, 5, 1, Mode::Exclusive);
    let pending = market.book(&leased.trader, &pending).await.unwrap();
    let stop = async |user: &User, id| market.leasing.validators.stop(user, id, "fire").await;
    let staff = market.user_with("staff", STAFF).await;
    assert_eq!(
        rejected(stop(&leased.owner, id).await),
        StopError::Forbidden
    );
    assert_eq!(
        rejected(stop(&staff, market.key()).await),
        StopError::NotFound
    );
    let stopped = stop(&staff, id).await.unwrap();
    assert_eq!((stopped.leases, stopped.refunds), (2, 2));
    let again = stop(&staff, id).await.unwrap();
    assert_eq!((again.leases, again.refunds), (0, 0));
    let row = market.store.ledger().validator(id).await.unwrap().unwrap();
    assert_eq!(row.status, ListingStatus::Stopped);
    for lease in [leased.lease.id, pending.lease.id] {
        let lease = market.store.ledger().lease(lease).await.unwrap().unwrap();
        assert_eq!(lease.state(), LeaseState::Revoked);
    }
    // A late payment does not bring a lease of it back.
    let memo = lapsed.lease.payment.memo().as_str();
    crate::paying::pay_anyhow(market, memo, &market.wallet(2), 0).await;
    market.finalise();
    assert_eq!(market.settle().await.strays, 1);
    leased.check_calendar().await;
    let refused = market.book(&leased.trader, &lapsing).await;
    assert_eq!(rejected(refused), BookError::ValidatorNotFound);
}

#[rstest]
#[tokio::test]
async fn a_stop_is_lifted_by_staff_and_leaves_a_pause(#[values(Sqlite, Postgres)] engine: Engine) {
    let leased = Leased::new(engine, 31, 3).await;
    let market = &leased.market;
    let id = leased.lease.validator;
    let validators = &market.leasing.validators;
    let lift = async |user: &User, id| validators.lift_stop(user, id, "it is out").await;
    let staff = market.user_with("staff", STAFF).await;
    let refused = rejected(lift(&staff, id).await);
    assert_eq!(refused, LiftError::NotStopped(ListingStatus::Listed));
    validators.stop(&staff, id, "fire").await.unwrap();
    assert_eq!(
        rejected(lift(&leased.owner, id).await),
        LiftError::Forbidden
    );
    let unknown = rejected(lift(&staff, market.key()).await);
    assert_eq!(unknown, LiftError::NotFound);
    assert_eq!(lift(&staff, id).await.unwrap(), ListingStatus::Paused);
    let refused = rejected(lift(&staff, id).await);
    assert_eq!(refused, LiftError::NotStopped(ListingStatus::Paused));
    let booking = market.booking(id, 5, 1, Mode::Exclusive);
    let refused = market.book(&leased.trader, &booking).await;
    assert_eq!(rejected(refused), BookError::ValidatorNotFound);
    assert_eq!(leased.now().await.state(), LeaseState::Revoked);
    let list = leasing::Amendment {
        status: Some("listed".to_owned()),
        ..leasing::Amendment::default()
    };
    validators.patch(&leased.owner, id, &list).await.unwrap();
    market.book(&leased.trader, &booking).await.unwrap();
    let rows = market
        .store
        .ledger()
        .audit_of("validator", &id.to_string(), 99)
        .await;
    let told: Vec<_> = rows.unwrap().into_iter().map(|row| row.action).collect();
    let expected = [
        "validator.stopped",
        "validator.stop_lifted",
        "validator.changed",
    ];
    assert_eq!(told[told.len() - 3..], expected);
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_paid_for_nothing_is_asked_back_once_and_recognised_when_it_lands(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    const RIVALS: usize = 4;
    let leased = Leased::new(engine, 32, 3).await;
    let market = &leased.market;
    let memo = leased.lease.payment.memo().as_str();
    let signature = crate::paying::pay_anyhow(market, memo, &market.wallet(2), 0).await;
    market.finalise();
    assert_eq!(market.settle().await.strays, 1);
    let staff = market.user_with("staff", STAFF).await;
    let strays = &market.leasing.strays;
    let refused = rejected(strays.refund(&leased.owner, signature).await);
    assert_eq!(refused, StrayRefundError::NotStaff);
    let taken = leased.lease.stage.receipt().unwrap().signature;
    let refused = rejected(strays.refund(&staff, taken).await);
    assert_eq!(refused, StrayRefundError::NotFound, "it paid for a lease");
    let barrier = Arc::new(Barrier::new(RIVALS));
    let mut rivals = JoinSet::new();
    for _ in 0..RIVALS {
        let leasing = market.replica(&leased.database.location).await;
        let (barrier, staff) = (Arc::clone(&barrier), staff.clone());
        rivals.spawn(async move {
            barrier.wait().await;
            leasing.strays.refund(&staff, signature).await.unwrap()
        });
    }
    let told = rivals.join_all().await;
    let owed = strays.refund(&staff, signature).await.unwrap();
    assert!(told.iter().all(|told| *told == owed), "{told:?}");
    let payment = &leased.lease.payment;
    let expected = [
        (Debtor::Validator, payment.payout()),
        (Debtor::Platform, payment.platform()),
    ];
    for (debtor, leg) in expected {
        let of_debtor = owed.iter().filter(|refund| refund.debtor == debtor);
        let of_debtor: Vec<_> = of_debtor.collect();
        assert_eq!(of_debtor.len(), 1);
        assert_eq!(
            (of_debtor[0].owing, of_debtor[0].amount()),
            (leg.wallet, leg.amount)
        );
        assert_eq!(of_debtor[0].creditor(), market.wallet(2).public_key());
    }
    for (number, refund) in owed.iter().enumerate() {
        let payer = market.wallet(usize::from(refund.debtor == Debtor::Validator));
        market.pay(refund.payment.memo().as_str(), &payer).await;
        market.finalise();
        assert_eq!(market.settle().await, REFUNDED, "{number}");
    }
    let paid = strays.refund(&staff, signature).await.unwrap();
    let is_paid = |refund: &Refund| refund.stage.payment_status() == PaymentStatus::Settled;
    assert!(paid.iter().all(is_paid));
    // Revoking the lease owes what it owes, whatever was stray.
    let revoked = market
        .revoke(&leased.owner, &leased.now().await)
        .await
        .unwrap();
    assert_eq!(revoked.refunds.len(), 2);
}
