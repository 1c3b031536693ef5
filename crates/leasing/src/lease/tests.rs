//! Every stage and every transition, allowed or refused.

use super::{samples::*, *};
use crate::{
    BalanceChange, CancelError, CompleteError, Landed, LapseError, LatePayment, Orphaned, Roles,
    Settling, StrayReason,
};
use primitives::SignedDuration;
use std::collections::BTreeSet;

const GRACE: SignedDuration = SignedDuration::from_secs(120);

/// A transaction that brings the wallets so much.
fn landed(signature: u8, payout: u64, platform: u64) -> Landed {
    let change = |byte, gain| BalanceChange {
        account: key(byte),
        before: Lamports::new(5),
        after: Lamports::new(5 + gain),
    };
    Landed {
        signature: Signature::from_bytes([signature; 64]),
        slot: 9,
        time: None,
        failed: false,
        payer: key(40),
        memos: vec!["LEASE-1".to_owned()],
        balances: vec![change(20, payout), change(30, platform)],
    }
}

/// What a transaction does, in a word: a state, or why it is given back.
fn settled(lease: &Lease, landed: &Landed) -> String {
    match lease.settle(landed, at(2_000)) {
        Settling::Ignored => "-".to_owned(),
        Settling::Paid(paid) => paid.state().to_string(),
        Settling::Late(late) => {
            let orphaned = late.orphaned.lease.stage.payment_status();
            format!("{} or {orphaned}", late.revived.state())
        }
        Settling::Orphaned(orphaned) => {
            assert_eq!(orphaned.stray.reason, StrayReason::Orphaned);
            orphaned.lease.stage.payment_status().to_string()
        }
        Settling::Stray(stray) => format!("stray: {}", stray.reason),
    }
}

/// What can become of a lease that has ended, once it is `paid`.
fn ended_row(paid: &'static str) -> [&'static str; 7] {
    [paid, "stray: short", "-", "-", "-", "-", "-"]
}

fn ended<E>(ended: Result<Lease, E>) -> String {
    ended.map_or("-".to_owned(), |lease| lease.state().to_string())
}

#[test]
fn these_transitions_and_no_others_are_allowed() {
    let trader = party(TRADER, Roles::default());
    let owner = party(OWNER, Roles::default());
    let table = [
        // stage, and then: paid, paid too little, unpaid in time, given up, epochs over,
        // the same while an extension waits for its payment, revoked
        (
            "pending",
            [
                "active",
                "stray: short",
                "expired",
                "expired",
                "-",
                "-",
                "revoked",
            ],
        ),
        (
            "active",
            [
                "stray: doubled",
                "stray: short",
                "-",
                "-",
                "completed",
                "-",
                "revoked",
            ],
        ),
        ("completed", ended_row("stray: doubled")),
        ("revoked", ended_row("stray: doubled")),
        ("revoked unpaid", ended_row("stray: orphaned")),
        ("lapsed", ended_row("active or orphaned")),
        ("lapsed, paid late", ended_row("stray: doubled")),
        ("cancelled", ended_row("orphaned")),
        ("cancelled, paid late", ended_row("stray: doubled")),
    ];
    for ((name, stage), (row, expected)) in stages().into_iter().zip(table) {
        assert_eq!(name, row);
        let lease = lease(stage);
        let found = [
            settled(&lease, &landed(8, 100, 10)),
            settled(&lease, &landed(8, 99, 10)),
            ended(lease.lapse(GRACE, at(2_000))),
            ended(lease.cancel(trader, at(2_000))),
            ended(lease.complete(8, false, at(2_000))),
            ended(lease.complete(8, true, at(2_000))),
            ended(lease.revoke(owner, 5, at(2_000))),
        ];
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn the_states_of_the_contract_are_reached_as_it_says() {
    let pending = lease(Stage::PendingPayment);
    let Settling::Paid(active) = pending.settle(&landed(8, 100, 10), at(50)) else {
        panic!("not paid");
    };
    let receipt = active.stage.settled_by().unwrap();
    assert_eq!((receipt.payer, receipt.at), (key(40), at(50)));
    assert_eq!((pending.due(), active.due()), (Some(&payment()), None));
    let completed = active.complete(8, false, at(70)).unwrap();
    assert_eq!(completed.stage.settled_by(), Some(receipt));
    assert_eq!(completed.stage.end(), Some((EndReason::Completed, at(70))));
    let lapsed = pending.lapse(GRACE, at(1_020)).unwrap();
    assert_eq!(lapsed.stage.end(), Some((EndReason::Unpaid, at(1_020))));
    let Settling::Late(late) = lapsed.settle(&landed(8, 101, 12), at(2_000)) else {
        panic!("not late");
    };
    let LatePayment {
        revived,
        orphaned: Orphaned {
            lease: orphaned,
            stray,
        },
    } = *late;
    assert_eq!(revived.stage.end(), None);
    assert_eq!(orphaned.stage.end(), lapsed.stage.end());
    assert_eq!(orphaned.stage.settled_by(), None);
    let receipt = orphaned.stage.receipt().unwrap();
    assert_eq!(receipt.surplus, Lamports::new(3));
    assert_eq!(stray.reason, StrayReason::Orphaned);
    let gains = (stray.payout_gain.get(), stray.platform_gain.get());
    assert_eq!(gains, (101, 12));
}

#[test]
fn only_the_leases_that_hold_epochs_keep_others_from_them() {
    let holding = LeaseState::ALL
        .into_iter()
        .filter(|state| state.holds_epochs());
    let expected = ["pending_payment", "active", "completed"];
    assert_eq!(
        holding.map(LeaseState::as_str).collect::<BTreeSet<_>>(),
        BTreeSet::from(expected)
    );
}

#[test]
fn a_transaction_is_taken_once_and_one_that_brought_nothing_never() {
    for (name, stage) in stages() {
        let lease = lease(stage);
        assert_eq!(settled(&lease, &landed(8, 0, 0)), "-", "{name}");
        let failed = Landed {
            failed: true,
            ..landed(8, 100, 10)
        };
        assert_eq!(settled(&lease, &failed), "-", "{name}");
        let of_the_wallet = Landed {
            payer: key(20),
            ..landed(8, 100, 10)
        };
        assert_eq!(settled(&lease, &of_the_wallet), "stray: unclear", "{name}");
        for memos in [vec![], vec!["LEASE-2".to_owned()]] {
            let unnamed = Landed {
                memos,
                ..landed(8, 100, 10)
            };
            assert_eq!(settled(&lease, &unnamed), "stray: unnamed", "{name}");
        }
        let of_two = Landed {
            memos: vec!["LEASE-1".to_owned(), "LEASE-2".to_owned()],
            ..landed(8, 100, 10)
        };
        assert_eq!(settled(&lease, &of_two), "stray: unclear", "{name}");
        if stage.receipt().is_some() {
            assert!(
                lease.was_taken(Signature::from_bytes([TAKEN; 64])),
                "{name}"
            );
            assert_eq!(settled(&lease, &landed(TAKEN, 100, 10)), "-", "{name}");
        }
    }
}

#[test]
fn each_refusal_says_why() {
    let pending = lease(Stage::PendingPayment);
    let active = lease(Stage::Active { receipt: receipt() });
    assert_eq!(pending.lapse(GRACE, at(1_019)), Err(LapseError::NotDue));
    assert_eq!(
        active.lapse(GRACE, at(2_000)),
        Err(LapseError::NotPending(LeaseState::Active))
    );
    assert_eq!(
        active.complete(7, false, at(9)),
        Err(CompleteError::NotOver)
    );
    assert_eq!(
        active.complete(8, true, at(9)),
        Err(CompleteError::ExtensionOpen)
    );
    assert_eq!(
        pending.complete(8, false, at(9)),
        Err(CompleteError::NotActive(LeaseState::PendingPayment))
    );
    let staff = Roles {
        staff: true,
        ..Roles::default()
    };
    for (user, refusal) in [
        (party(STRANGER, Roles::default()), CancelError::NotFound),
        (party(STRANGER, staff), CancelError::Forbidden),
        (party(OWNER, Roles::default()), CancelError::Forbidden),
    ] {
        assert_eq!(pending.cancel(user, at(9)), Err(refusal));
        // Whose it is, is looked at before its state.
        assert_eq!(active.cancel(user, at(9)), Err(refusal));
    }
    let trader = party(TRADER, Roles::default());
    assert_eq!(
        active.cancel(trader, at(9)),
        Err(CancelError::NotPending(LeaseState::Active))
    );
}

#[test]
fn a_payment_can_be_asked_for_until_its_time_is_over() {
    let pending = lease(Stage::PendingPayment);
    assert_eq!(pending.payable(at(899)), Some(&payment()));
    assert_eq!(pending.payable(at(900)), None);
    let paid = lease(Stage::Active { receipt: receipt() });
    assert_eq!(paid.payable(at(0)), None);
}

#[test]
fn a_stage_is_restored_from_its_parts_and_from_no_others() {
    for (name, stage) in stages() {
        for state in LeaseState::ALL {
            for status in PaymentStatus::ALL {
                // Only a revoked lease has kept something, and it must say what.
                let other = stage.kept_until().is_none().then_some(3);
                for kept in [stage.kept_until(), other] {
                    let restored =
                        Stage::restore(state, status, stage.receipt(), stage.end(), kept);
                    let own = (state, status, kept)
                        == (stage.state(), stage.payment_status(), stage.kept_until());
                    assert_eq!(restored, own.then_some(stage), "{name}: {state} {status}");
                }
            }
        }
    }
    let end = Some((EndReason::Completed, at(1)));
    let unpaid = Stage::restore(
        LeaseState::Completed,
        PaymentStatus::Settled,
        None,
        end,
        None,
    );
    assert_eq!(unpaid, None);
}
