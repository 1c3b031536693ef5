//! What transactions are to a payment.

use super::*;
use crate::Leg;
use proptest::prelude::*;

const PAYER: u8 = 1;
const PAYOUT: u8 = 2;
const PLATFORM: u8 = 3;

fn key(byte: u8) -> PublicKey {
    PublicKey::from_bytes([byte; 32])
}

fn payment(share: u64, fee: u64) -> Payment {
    let leg = |byte, amount| Leg {
        wallet: key(byte),
        amount: Lamports::new(amount),
    };
    let memo = "LEASE-1".parse().unwrap();
    Payment::new(memo, leg(PAYOUT, share), leg(PLATFORM, fee)).unwrap()
}

fn change(byte: u8, before: u64, after: u64) -> BalanceChange {
    BalanceChange {
        account: key(byte),
        before: Lamports::new(before),
        after: Lamports::new(after),
    }
}

/// A transaction that moves lamports from the payer to both wallets.
fn landed(payout: u64, platform: u64) -> Landed {
    Landed {
        signature: Signature::from_bytes([9; 64]),
        slot: 7,
        time: None,
        failed: false,
        payer: key(PAYER),
        memos: vec!["LEASE-1".to_owned()],
        balances: vec![
            change(PAYER, 1_000_000, 1_000_000 - 5_000 - payout - platform),
            change(PAYOUT, 40, 40 + payout),
            change(PLATFORM, 0, platform),
        ],
    }
}

#[test]
fn each_leg_is_weighed_by_itself() {
    let asked = payment(100, 10);
    let lamports = Lamports::new;
    for (payout, platform, verdict) in [
        (100, 10, Verdict::Paid),
        (
            101,
            10,
            Verdict::Surplus {
                payout: lamports(1),
                platform: lamports(0),
            },
        ),
        (
            100,
            15,
            Verdict::Surplus {
                payout: lamports(0),
                platform: lamports(5),
            },
        ),
        (
            99,
            1_000,
            Verdict::Short {
                payout: Some(lamports(99)),
                platform: Some(lamports(1_000)),
            },
        ),
        (
            110,
            0,
            Verdict::Short {
                payout: Some(lamports(110)),
                platform: Some(lamports(0)),
            },
        ),
    ] {
        assert_eq!(landed(payout, platform).verdict(&asked), verdict);
    }
}

#[test]
fn a_failed_transaction_pays_nothing_whatever_it_says() {
    let mut failed = landed(100, 10);
    failed.failed = true;
    assert_eq!(failed.verdict(&payment(100, 10)), Verdict::Failed);
}

#[test]
fn only_the_memo_itself_names_the_payment() {
    for (memos, verdict) in [
        (vec![], Verdict::WrongMemo),
        (vec!["LEASE-2"], Verdict::WrongMemo),
        (vec!["LEASE-1 "], Verdict::WrongMemo),
        (vec!["lease-1"], Verdict::WrongMemo),
        (vec!["LEASE-1", "LEASE-2"], Verdict::WrongMemo),
        (vec!["LEASE-2", "LEASE-1"], Verdict::WrongMemo),
        (vec!["LEASE-1", "LEASE-1"], Verdict::Paid),
        (vec!["sent with love", "LEASE-1", ""], Verdict::Paid),
    ] {
        let mut transaction = landed(100, 10);
        transaction.memos = memos.iter().map(|memo| (*memo).to_owned()).collect();
        assert_eq!(transaction.verdict(&payment(100, 10)), verdict, "{memos:?}");
    }
}

#[test]
fn a_wallet_cannot_pay_itself() {
    for wallet in [PAYOUT, PLATFORM] {
        let mut transaction = landed(100, 10);
        transaction.payer = key(wallet);
        assert_eq!(
            transaction.verdict(&payment(100, 10)),
            Verdict::PayerIsWallet
        );
    }
}

#[test]
fn a_wallet_that_loses_is_not_paid_even_without_a_fee() {
    let mut transaction = landed(100, 0);
    assert_eq!(transaction.verdict(&payment(100, 0)), Verdict::Paid);
    transaction.balances[2] = change(PLATFORM, 1, 0);
    assert_eq!(
        transaction.verdict(&payment(100, 0)),
        Verdict::Short {
            payout: Some(Lamports::new(100)),
            platform: None,
        }
    );
}

#[test]
fn a_wallet_without_a_part_gained_nothing() {
    let mut transaction = landed(100, 10);
    transaction.balances.truncate(2);
    assert_eq!(transaction.gained(key(PLATFORM)), Some(Lamports::ZERO));
    assert!(matches!(
        transaction.verdict(&payment(100, 10)),
        Verdict::Short { .. }
    ));
    assert_eq!(transaction.verdict(&payment(100, 0)), Verdict::Paid);
}

proptest! {
    #[test]
    fn it_is_paid_exactly_when_both_wallets_got_their_parts(
        share in 1..200_u64, fee in 0..200_u64, payout in 0..200_u64, platform in 0..200_u64,
        strangers in prop::collection::vec((10_u8.., any::<u64>(), any::<u64>()), 0..8),
    ) {
        let mut transaction = landed(payout, platform);
        for (byte, before, after) in strangers {
            transaction.balances.insert(0, change(byte, before, after));
        }
        let verdict = transaction.verdict(&payment(share, fee));
        let paid = matches!(verdict, Verdict::Paid | Verdict::Surplus { .. });
        prop_assert_eq!(paid, payout >= share && platform >= fee);
        prop_assert_eq!(verdict == Verdict::Paid, payout == share && platform == fee);
    }
}
