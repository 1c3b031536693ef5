//! Our payments, byte for byte, on the simulated node and on the network's own
//! machine.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a failed step is a failed test"
)]

use ed25519_dalek::{Signer as _, SigningKey};
use leasing::{Leg, Payment};
use primitives::{Lamports, PublicKey};
use svm::{Pair, Verdict};

const MINIMUM: u64 = 890_880;
const FEE: u64 = 5_000;
const SOL: u64 = 1_000_000_000;

fn key_of(pair: &SigningKey) -> PublicKey {
    PublicKey::from_bytes(pair.verifying_key().to_bytes())
}

/// One wallet's part of a payment: what it holds before, what it is to receive.
type Part = (u64, u64);

/// Pays with exactly `purse` in the payer's wallet, and says whether the money
/// arrived. What the rules for payments foresee has to come true.
fn pay(pair: &mut Pair, number: u64, purse: u64, payout: Part, platform: Part) -> bool {
    let payer = SigningKey::from_bytes(&[number.to_le_bytes(); 4].concat().try_into().unwrap());
    let fresh = |role: u8| {
        let mut bytes = [role; 32];
        bytes[..8].copy_from_slice(&number.to_le_bytes());
        PublicKey::from_bytes(bytes)
    };
    let leg = |role, (_, amount)| Leg {
        wallet: fresh(role),
        amount: Lamports::new(amount),
    };
    pair.fund(key_of(&payer), purse);
    for (role, (held, _)) in [(1, payout), (2, platform)] {
        if held > 0 {
            pair.fund(fresh(role), held);
        }
    }
    pair.renew();
    let memo = format!(
        "LEASE-{number}_{}",
        "x".repeat(usize::try_from(number % 50).unwrap())
    );
    let payment = Payment::new(memo.parse().unwrap(), leg(1, payout), leg(2, platform)).unwrap();
    let mut bytes = payment
        .transaction(key_of(&payer), pair.blockhash())
        .unwrap();
    let signature = payer.sign(&bytes[65..]);
    bytes[1..65].copy_from_slice(&signature.to_bytes());
    let verdict = pair.execute(&bytes).unwrap();

    let [held, platform_held] = [payout.0, platform.0].map(Lamports::new);
    let is_allowed = payment
        .check_rent(held, platform_held, Lamports::new(MINIMUM))
        .is_ok();
    let left = purse.checked_sub(payment.total().get() + FEE);
    let is_afforded = left.is_some_and(|left| left == 0 || left >= MINIMUM);
    let is_paid = verdict
        == Verdict::Landed {
            error: serde_json::Value::Null,
            fee: FEE,
        };
    assert_eq!(
        is_paid,
        is_allowed && is_afforded,
        "{payment:?}: {verdict:?}"
    );
    let expected = |(held, amount): Part| held + if is_paid { amount } else { 0 };
    assert_eq!(pair.lamports(fresh(1)), expected(payout));
    assert_eq!(pair.lamports(fresh(2)), expected(platform));
    is_paid
}

#[test]
fn a_payment_ends_with_the_same_balances_on_both() {
    let mut pair = Pair::new(1);
    let mut arrived = 0;
    let mut number = 0;
    for payout_held in [0, MINIMUM, SOL] {
        for platform_held in [0, MINIMUM, SOL] {
            for share in [1, MINIMUM - 1, MINIMUM, 1_500_000_000] {
                for fee in [0, 1, MINIMUM - 1, MINIMUM, 25_000_000] {
                    number += 1;
                    let parts = ((payout_held, share), (platform_held, fee));
                    arrived += u32::from(pay(&mut pair, number, 10 * SOL, parts.0, parts.1));
                }
            }
        }
    }
    // A funded wallet may receive any of it, a new one the minimum or more, or no
    // fee at all.
    assert_eq!((number, arrived), (180, (4 + 4 + 2) * (5 + 5 + 3)));
}

#[test]
fn a_payer_can_spend_everything_or_must_keep_the_minimum() {
    let mut pair = Pair::new(2);
    let (share, fee) = (2 * SOL, SOL);
    let all = share + fee + FEE;
    for (number, purse, is_paid) in [
        (1, all, true),
        (2, all - 1, false),
        (3, all + 1, false),
        (4, all + MINIMUM - 1, false),
        (5, all + MINIMUM, true),
        (6, share + FEE, false),
        (7, MINIMUM, false),
    ] {
        let arrived = pay(&mut pair, number, purse, (0, share), (SOL, fee));
        assert_eq!(arrived, is_paid, "{purse}");
    }
}
