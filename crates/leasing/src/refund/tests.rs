//! Who owes what, to the lamport, and what pays it.

use super::*;
use crate::{
    BalanceChange, Bill, FeeRate,
    lease::samples::{at, id, key, receipt},
};
use primitives::Signature;
use proptest::prelude::*;

fn purchase(price: u64, start: i64, count: i64, basis_points: u16) -> Option<Purchase> {
    let window = EpochWindow::new(start, count).unwrap();
    let rate = FeeRate::new(basis_points).unwrap();
    let bill = Bill::new(Lamports::new(price), window.count(), rate).ok()?;
    let leg = |byte, amount| Leg {
        wallet: key(byte),
        amount,
    };
    let payment = Payment::new(
        "LEASE-1".parse().unwrap(),
        leg(20, bill.share),
        leg(30, bill.fee),
    );
    Some(Purchase {
        lease: id(9),
        window,
        price: Lamports::new(price),
        payment: payment.unwrap(),
        payer: key(40),
    })
}

fn refunds(purchase: &Purchase, epoch: i32) -> Vec<Refund> {
    let mut number = 0;
    let new_id = || {
        number += 1;
        id(100 + number)
    };
    let refunds = purchase.refunds(purchase.unused(epoch), at(5), new_id);
    refunds.unwrap()
}

fn refund() -> Refund {
    refunds(&purchase(1_000, 5, 3, 250).unwrap(), 5).remove(0)
}

/// A transaction that brings the creditor so much.
fn landed(signature: u8, payer: u8, gain: u64, memos: &[&str]) -> Landed {
    Landed {
        signature: Signature::from_bytes([signature; 64]),
        slot: 9,
        time: None,
        failed: false,
        payer: key(payer),
        memos: memos.iter().map(|memo| (*memo).to_owned()).collect(),
        balances: vec![BalanceChange {
            account: key(40),
            before: Lamports::new(5),
            after: Lamports::new(5 + gain),
        }],
    }
}

#[test]
fn the_running_epoch_is_used_and_the_fee_of_used_epochs_is_kept_rounded_down() {
    // 3 epochs at 1,003: a fee of 75 (2.5 per cent of 3,009 are 75.225).
    let purchase = purchase(1_003, 5, 3, 250).unwrap();
    let unused = |epoch| {
        let unused = purchase.unused(epoch);
        (unused.epochs, unused.share.get(), unused.fee.get())
    };
    assert_eq!(unused(4), (3, 2_934, 75), "all of it");
    // One is used: 25 of 75 are kept.
    assert_eq!(unused(5), (2, 1_956, 50));
    assert_eq!(unused(6), (1, 978, 25));
    assert_eq!(unused(7), (0, 0, 0));
    assert_eq!(unused(i32::MAX), (0, 0, 0));
    let odd = self::purchase(100, 0, 3, 100).unwrap();
    // A fee of 3: one is kept for one epoch.
    assert_eq!(odd.unused(0).fee, Lamports::new(2));
    let odd = self::purchase(100, 0, 3, 70).unwrap();
    // A fee of 2: two thirds of one are kept, which is nothing.
    assert_eq!(odd.unused(0).fee, Lamports::new(2));
    assert_eq!(odd.unused(0).share, Lamports::new(198));
}

#[test]
fn each_who_owes_has_a_refund_of_their_own() {
    let made = refunds(&purchase(1_000, 5, 3, 250).unwrap(), 5);
    let told: Vec<_> = made
        .iter()
        .map(|refund| (refund.debtor, refund.owing, refund.amount().get()))
        .collect();
    assert_eq!(
        told,
        [
            (Debtor::Validator, key(20), 1_950),
            (Debtor::Platform, key(30), 50),
        ]
    );
    assert!(made.iter().all(|refund| refund.creditor() == key(40)));
    assert_ne!(made[0].payment.memo(), made[1].payment.memo());
    // Without a fee the platform owes nothing, and at the end nobody does.
    assert_eq!(refunds(&purchase(1_000, 5, 3, 0).unwrap(), 5).len(), 1);
    assert_eq!(refunds(&purchase(1_000, 5, 3, 250).unwrap(), 7).len(), 0);
}

#[test]
fn these_transitions_and_no_others_are_allowed() {
    let open = refund();
    let settled = Refund {
        stage: RefundStage::Settled { receipt: receipt() },
        ..open.clone()
    };
    let memo = open.payment.memo().as_str().to_owned();
    let own = [memo.as_str()];
    let both = [memo.as_str(), "OTHER-1"];
    for (refund, expected) in [
        (&open, ["settled", "settled", "short", "unclear", "unnamed"]),
        (
            &settled,
            ["doubled", "doubled", "short", "unclear", "unnamed"],
        ),
    ] {
        let word = |landed: &Landed| match refund.settle(landed, at(60)) {
            RefundSettling::Ignored => "-".to_owned(),
            RefundSettling::Paid(paid) => paid.stage.payment_status().to_string(),
            RefundSettling::Stray(stray) => stray.reason.to_string(),
        };
        let found = [
            word(&landed(8, 20, 1_950, &own)),
            word(&landed(8, 30, 1_951, &own)),
            word(&landed(8, 50, 1_949, &own)),
            word(&landed(8, 50, 1_950, &both)),
            word(&landed(8, 50, 1_950, &[])),
        ];
        assert_eq!(found, expected);
        assert_eq!(word(&landed(8, 50, 0, &own)), "-");
        let mut failed = landed(8, 50, 1_950, &own);
        failed.failed = true;
        assert_eq!(word(&failed), "-");
    }
    assert_eq!(
        settled.settle(&landed(7, 20, 1_950, &own), at(60)),
        RefundSettling::Ignored,
        "it is the one that was taken"
    );
    let RefundSettling::Paid(paid) = open.settle(&landed(8, 30, 1_953, &own), at(60)) else {
        panic!("not paid");
    };
    assert_eq!(paid.stage.receipt().unwrap().surplus, Lamports::new(3));
}

#[test]
fn anybody_but_the_creditor_may_pay() {
    let refund = refund();
    let blockhash = SolanaHash::from_bytes([9; 32]);
    for payer in [key(20), key(30), key(50)] {
        let bytes = refund.transaction(payer, blockhash).unwrap();
        assert_eq!(&bytes[69..101], payer.as_bytes());
        // Its keys: the platform's stands there once.
        assert_eq!(bytes[68], if payer == key(30) { 5 } else { 6 });
    }
    assert_eq!(refund.check_payer(key(40)), Err(PayerError::IsPayout));
    for reserved in [SYSTEM_PROGRAM, refund.payment.memo().reference()] {
        assert_eq!(refund.check_payer(reserved), Err(PayerError::NoWallet));
    }
}

#[test]
fn a_stage_is_restored_from_its_parts_and_from_no_others() {
    for status in PaymentStatus::ALL {
        let open = RefundStage::restore(status, None);
        assert_eq!(open.is_some(), status == PaymentStatus::Open);
        let settled = RefundStage::restore(status, Some(receipt()));
        assert_eq!(settled.is_some(), status == PaymentStatus::Settled);
    }
}

proptest! {
    #[test]
    fn what_is_kept_and_what_is_given_back_is_what_was_paid(
        price in 1..=i64::MAX.unsigned_abs(), start in 0_i64..100, count in 1_i64..=30,
        bps in 0_u16..10_000, epoch in 0_i32..140,
    ) {
        let Some(purchase) = purchase(price, start, count, bps) else {
            return Ok(());
        };
        let unused = purchase.unused(epoch);
        let used = u64::try_from(count).unwrap() - u64::from(unused.epochs.unsigned_abs());
        let (share, fee) = (purchase.payment.payout().amount, purchase.payment.platform().amount);
        let kept_share = share.get() - unused.share.get();
        let kept_fee = fee.get() - unused.fee.get();
        // Exactly the price of the used epochs is kept.
        prop_assert_eq!(kept_share + kept_fee, price * used);
        prop_assert_eq!(
            u128::from(kept_fee),
            u128::from(fee.get()) * u128::from(used) / u128::try_from(count).unwrap()
        );
    }
}

#[test]
fn what_a_wallet_got_for_nothing_is_owed_by_whoever_has_it() {
    let named = purchase(1_000, 5, 3, 250).unwrap();
    let owed = |wallet: u8, payer: u8, amount: u64| {
        let leg = StrayLeg {
            signature: Signature::from_bytes([7; 64]),
            payer: key(payer),
            leg: Leg {
                wallet: key(wallet),
                amount: Lamports::new(amount),
            },
            lease: named.lease,
            payment: named.payment.clone(),
        };
        let mut number = 0;
        leg.refund(at(5), || {
            number += 1;
            id(100 + number)
        })
        .unwrap()
    };
    for (wallet, debtor) in [(20, Debtor::Validator), (30, Debtor::Platform)] {
        let refund = owed(wallet, 40, 77).unwrap();
        assert_eq!((refund.debtor, refund.owing), (debtor, key(wallet)));
        assert_eq!(refund.creditor(), key(40));
        assert_eq!(refund.amount(), Lamports::new(77));
        assert_eq!(refund.of, *named.payment.memo());
        assert_eq!(refund.stray, Some(Signature::from_bytes([7; 64])));
        // It is recognised when it lands, as any other.
        let memo = refund.payment.memo().as_str();
        let paid = refund.settle(&landed(8, wallet, 77, &[memo]), at(6));
        assert!(matches!(paid, RefundSettling::Paid(_)), "{paid:?}");
    }
    assert_eq!(owed(20, 20, 77), None, "nobody owes themselves");
    assert_eq!(owed(50, 40, 77), None, "no wallet of the payment");
}
