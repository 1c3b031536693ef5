//! What becomes of payments: those that were asked for, and all others.

use crate::{
    leases::{actions, people, state},
    paying::pay_anyhow,
};
use leasing::{LeaseState, Mode, PaymentStatus, Stray, StrayReason};
use primitives::{Lamports, Signature};
use services::{
    Fault,
    leasing::{Booked, Settled},
};
use simnet::FaultKind;
use store::leasing::ChainCursor;
use world::{Market, market::sign};

fn settled(activated: u32, strays: u32) -> Settled {
    Settled {
        activated,
        strays,
        ..Settled::default()
    }
}

async fn strays(market: &Market, booked: &Booked) -> Vec<Stray> {
    let strays = market
        .store
        .ledger()
        .strays_of(booked.lease.payment.memo())
        .await;
    strays.unwrap()
}

async fn status(market: &Market, booked: &Booked) -> PaymentStatus {
    let lease = market.store.ledger().lease(booked.lease.id).await;
    lease.unwrap().unwrap().stage.payment_status()
}

/// A market with a booking of two epochs.
async fn booked(seed: u64) -> (Market, Booked) {
    let market = Market::new(seed).await;
    let (_, validator, trader) = people(&market, 0).await;
    let booking = market.booking(validator, 3, 2, Mode::Exclusive);
    let booked = market.book(&trader, &booking).await.unwrap();
    (market, booked)
}

#[tokio::test]
async fn a_final_payment_activates_its_lease_once() {
    let (market, booked) = booked(1).await;
    let payer = market.wallet(2);
    let signature = market
        .pay(booked.lease.payment.memo().as_str(), &payer)
        .await;
    assert_eq!(market.settle().await, settled(0, 0), "not final yet");
    market.finalise();
    assert_eq!(market.settle().await, settled(1, 0));
    assert_eq!(market.settle().await, settled(0, 0));
    let lease = market
        .store
        .ledger()
        .lease(booked.lease.id)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(lease.state(), LeaseState::Active);
    let paying = lease.stage.settled_by().unwrap();
    assert_eq!(
        (paying.signature, paying.payer),
        (signature, payer.public_key())
    );
    assert_eq!(paying.surplus, Lamports::ZERO);
    assert_eq!(
        actions(&market, &booked).await,
        ["lease.booked", "lease.activated"]
    );
    // A lease that is paid does not lapse.
    market.advance(3_600);
    assert_eq!(market.sweep().await, 0);
}

#[tokio::test]
async fn a_payment_that_landed_in_the_last_moment_counts_within_the_grace() {
    let (market, booked) = booked(2).await;
    let memo = booked.lease.payment.memo().as_str();
    market.advance(15 * 60 - 1);
    market.pay(memo, &market.wallet(2)).await;
    market.advance(60);
    assert_eq!(market.sweep().await, 0);
    market.finalise();
    assert_eq!(market.settle().await, settled(1, 0));
}

#[tokio::test]
async fn a_late_payment_revives_a_lease_whose_epochs_are_free() {
    let (market, booked) = booked(3).await;
    market.advance(3_600);
    market.sweep().await;
    pay_anyhow(
        &market,
        booked.lease.payment.memo().as_str(),
        &market.wallet(2),
        0,
    )
    .await;
    market.finalise();
    assert_eq!(market.settle().await, settled(1, 0));
    assert_eq!(state(&market, &booked).await, LeaseState::Active);
    let last = actions(&market, &booked).await.pop();
    assert_eq!(last.as_deref(), Some("lease.late_payment_applied"));
    assert_eq!(market.leasing.leases.check_calendar().await.unwrap(), []);
}

#[tokio::test]
async fn a_late_payment_of_epochs_that_are_gone_is_recorded_for_a_refund() {
    let (market, booked) = booked(4).await;
    market.advance(1_200);
    market.sweep().await;
    let other = market.user("other").await;
    let window = leasing::Booking {
        validator: booked.lease.validator,
        window: booked.lease.window,
        mode: Mode::Exclusive,
    };
    let winner = market.book(&other, &window).await.unwrap();
    pay_anyhow(
        &market,
        booked.lease.payment.memo().as_str(),
        &market.wallet(2),
        0,
    )
    .await;
    market.finalise();
    assert_eq!(market.settle().await, settled(0, 1));
    assert_eq!(market.settle().await, settled(0, 0));
    assert_eq!(state(&market, &booked).await, LeaseState::Expired);
    assert_eq!(status(&market, &booked).await, PaymentStatus::Orphaned);
    let strays = strays(&market, &booked).await;
    assert_eq!(strays.len(), 1);
    assert_eq!(strays[0].reason, StrayReason::Orphaned);
    assert_eq!(strays[0].payout_gain, booked.lease.payment.payout().amount);
    assert_eq!(
        strays[0].platform_gain,
        booked.lease.payment.platform().amount
    );
    assert_eq!(strays[0].payer, market.wallet(2).public_key());
    assert_eq!(state(&market, &winner).await, LeaseState::PendingPayment);
    assert_eq!(market.leasing.leases.check_calendar().await.unwrap(), []);
}

#[tokio::test]
async fn a_booking_lapses_on_time_while_the_node_is_silent() {
    for rival in [false, true] {
        let (market, booked) = booked(11).await;
        market.advance(15 * 60 - 1);
        market
            .pay(booked.lease.payment.memo().as_str(), &market.wallet(2))
            .await;
        market.finalise();
        market.node.fault("*", FaultKind::Http5xx, 99).unwrap();
        let silent = market.leasing.settlement().round().await;
        assert!(matches!(silent, Err(Fault::Solana(_))), "{silent:?}");
        market.advance(120);
        assert_eq!(market.sweep().await, 0, "within the grace");
        market.advance(1);
        assert_eq!(market.sweep().await, 1);
        assert_eq!(state(&market, &booked).await, LeaseState::Expired);
        // Its epochs are free again, for those who book before the node is back.
        if rival {
            let booking = leasing::Booking {
                validator: booked.lease.validator,
                window: booked.lease.window,
                mode: Mode::Exclusive,
            };
            let other = market.user("other").await;
            market.book(&other, &booking).await.unwrap();
        }
        market.node.clear_faults("*");
        let late = if rival { settled(0, 1) } else { settled(1, 0) };
        assert_eq!(market.settle().await, late);
        assert_eq!(market.leasing.leases.check_calendar().await.unwrap(), []);
    }
}

#[tokio::test]
async fn too_little_is_recorded_and_leaves_the_booking_open() {
    let (market, booked) = booked(5).await;
    let memo = booked.lease.payment.memo().as_str();
    pay_anyhow(&market, memo, &market.wallet(2), 1).await;
    market.finalise();
    assert_eq!(market.settle().await, settled(0, 1));
    let strays = strays(&market, &booked).await;
    assert_eq!(strays[0].reason, StrayReason::Short);
    assert_eq!(status(&market, &booked).await, PaymentStatus::Open);
    market.pay(memo, &market.wallet(2)).await;
    market.finalise();
    assert_eq!(market.settle().await, settled(1, 0));
}

#[tokio::test]
async fn a_second_payment_is_recorded_as_doubled() {
    let (market, booked) = booked(6).await;
    let memo = booked.lease.payment.memo().as_str();
    market.pay(memo, &market.wallet(2)).await;
    market.renew_blockhash();
    pay_anyhow(&market, memo, &market.wallet(3), 0).await;
    market.finalise();
    assert_eq!(market.settle().await, settled(1, 1));
    let strays = strays(&market, &booked).await;
    assert_eq!(strays[0].reason, StrayReason::Doubled);
    assert_eq!(strays[0].payer, market.wallet(3).public_key());
    assert_eq!(state(&market, &booked).await, LeaseState::Active);
}

#[tokio::test]
async fn a_cancelled_lease_is_not_revived_by_a_transaction_that_was_fetched_before() {
    let (market, booked) = booked(12).await;
    let memo = booked.lease.payment.memo().as_str();
    let payer = market.wallet(2);
    let unsigned = market
        .leasing
        .payments
        .transaction(memo, payer.public_key());
    let fetched = unsigned.await.unwrap().transaction;
    let trader = market.store.ledger().user(booked.lease.trader).await;
    let trader = trader.unwrap().unwrap();
    let cancelled = market.leasing.leases.cancel(&trader, booked.lease.id).await;
    cancelled.unwrap();
    market.send(&sign(fetched, &payer)).await;
    market.finalise();
    assert_eq!(market.settle().await, settled(0, 1));
    assert_eq!(market.settle().await, settled(0, 0));
    assert_eq!(state(&market, &booked).await, LeaseState::Expired);
    assert_eq!(status(&market, &booked).await, PaymentStatus::Orphaned);
    assert_eq!(
        strays(&market, &booked).await[0].reason,
        StrayReason::Orphaned
    );
    assert_eq!(market.leasing.leases.check_calendar().await.unwrap(), []);
    // Its epochs are anybody's.
    let again = leasing::Booking {
        validator: booked.lease.validator,
        window: booked.lease.window,
        mode: Mode::Exclusive,
    };
    market.book(&trader, &again).await.unwrap();
}

#[tokio::test]
async fn a_transaction_that_names_two_payments_pays_for_neither() {
    let market = Market::new(7).await;
    let (_, validator, trader) = people(&market, 0).await;
    let book = async |ahead| {
        let booking = market.booking(validator, ahead, 1, Mode::Exclusive);
        market.book(&trader, &booking).await.unwrap()
    };
    let (first, second) = (book(3).await, book(4).await);
    let payer = market.wallet(2);
    let memo = first.lease.payment.memo().as_str();
    let unsigned = market
        .leasing
        .payments
        .transaction(memo, payer.public_key());
    let mut transaction = unsigned.await.unwrap().transaction;
    // A second memo instruction: one more, with the program of the first one.
    let keys = usize::from(transaction[68]);
    let instructions = 69 + keys * 32 + 32;
    transaction[instructions] += 1;
    let program = transaction[instructions + 1];
    let memo = second.lease.payment.memo().as_str().as_bytes();
    transaction.extend([program, 0, u8::try_from(memo.len()).unwrap()]);
    transaction.extend(memo);
    market.send(&sign(transaction, &payer)).await;
    market.finalise();
    assert_eq!(market.settle().await, settled(0, 2));
    for booked in [&first, &second] {
        assert_eq!(state(&market, booked).await, LeaseState::PendingPayment);
        assert_eq!(
            strays(&market, booked).await[0].reason,
            StrayReason::Unclear
        );
    }
    // What came is there once.
    let ledger = market.store.ledger();
    let came = ledger.stray_transactions(None, None, 9).await.unwrap();
    assert_eq!(came.len(), 1);
    let sum: u64 = came[0].legs.iter().map(|row| row.leg.amount.get()).sum();
    assert_eq!(sum, first.lease.payment.total().get());
}

#[tokio::test]
async fn a_failed_transaction_is_nothing() {
    let (market, booked) = booked(8).await;
    // A wallet that was never funded cannot even pay the chain's fee, so it is
    // given a little: enough for the fee, not for the lease.
    let payer = market.wallet(4);
    let all = Lamports::new(9_999 * 1_000_000_000);
    let memo = booked.lease.payment.memo().as_str();
    let spent = leasing::Payment::new(
        "SPENT".parse().unwrap(),
        leasing::Leg {
            wallet: market.wallet(5).public_key(),
            amount: all,
        },
        leasing::Leg {
            wallet: market.platform().public_key(),
            amount: Lamports::ZERO,
        },
    )
    .unwrap();
    let unsigned = spent.transaction(payer.public_key(), market.blockhash().await);
    market.send(&sign(unsigned.unwrap(), &payer)).await;
    market.finalise();
    let unsigned = market
        .leasing
        .payments
        .transaction(memo, payer.public_key());
    let transaction = sign(unsigned.await.unwrap().transaction, &payer);
    let params = serde_json::json!([
        base64_of(&transaction),
        {"encoding": "base64", "skipPreflight": true}
    ]);
    market.ask("sendTransaction", &params).await;
    market.finalise();
    assert_eq!(market.settle().await, settled(0, 0));
    assert_eq!(status(&market, &booked).await, PaymentStatus::Open);
}

fn base64_of(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::prelude::BASE64_STANDARD.encode(bytes)
}

#[tokio::test]
async fn a_payment_is_found_by_its_reference_where_the_wallets_history_has_a_gap() {
    let (market, booked) = booked(9).await;
    let signature = market
        .pay(booked.lease.payment.memo().as_str(), &market.wallet(2))
        .await;
    market.finalise();
    // As if the payment had been passed over.
    let genesis = market.nodes.client().unwrap().genesis();
    let cursor = ChainCursor {
        signature,
        slot: market.node.slot(),
    };
    let mut tx = market.store.ledger().begin().await.unwrap();
    let platform = market.platform().public_key();
    tx.advance_cursor(platform, genesis, cursor).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(market.settle().await, settled(1, 0));
    assert_eq!(state(&market, &booked).await, LeaseState::Active);
}

#[tokio::test]
async fn payments_are_seen_where_the_node_has_forgotten_what_was_looked_at_last() {
    let (market, first) = booked(11).await;
    let genesis = market.nodes.client().unwrap().genesis();
    let platform = market.platform().public_key();
    let forgotten = ChainCursor {
        signature: Signature::from_bytes([7; 64]),
        slot: market.node.slot(),
    };
    let mut tx = market.store.ledger().begin().await.unwrap();
    tx.advance_cursor(platform, genesis, forgotten)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    assert_eq!(market.settle().await, settled(0, 0));
    let memo = first.lease.payment.memo().as_str();
    let signature = market.pay(memo, &market.wallet(2)).await;
    market.finalise();
    assert_eq!(market.settle().await, settled(1, 0));
    assert_eq!(state(&market, &first).await, LeaseState::Active);
    // The wallet's history, and not the payment's reference, led to it.
    let cursor = market.store.ledger().cursor(platform, genesis).await;
    assert_eq!(cursor.unwrap().unwrap().signature, signature);
}

#[tokio::test]
async fn the_cursor_goes_on_where_it_was_and_never_back() {
    let (market, booked) = booked(10).await;
    market
        .pay(booked.lease.payment.memo().as_str(), &market.wallet(2))
        .await;
    market.finalise();
    market.settle().await;
    let genesis = market.nodes.client().unwrap().genesis();
    let platform = market.platform().public_key();
    let cursor = async || {
        let cursor = market.store.ledger().cursor(platform, genesis).await;
        cursor.unwrap().unwrap()
    };
    let kept = cursor().await;
    let mut tx = market.store.ledger().begin().await.unwrap();
    let older = ChainCursor {
        signature: Signature::from_bytes([1; 64]),
        slot: kept.slot - 1,
    };
    tx.advance_cursor(platform, genesis, older).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(cursor().await, kept);
}
