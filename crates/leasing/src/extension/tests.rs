//! Every stage of an extension and every transition, allowed or refused.

use super::*;
use crate::{
    BalanceChange, FeeRate, Mode, Roles, Shared, Tier, ValidatorTerms,
    lease::samples::{OWNER, STRANGER, TRADER, at, id, key, lease, party, receipt, stages},
};

const GRACE: SignedDuration = SignedDuration::from_secs(120);

fn terms(shared: Option<Shared>) -> ValidatorTerms {
    ValidatorTerms {
        price: Lamports::new(1_000),
        shared,
        tier: Tier::Standard,
        region: "eu-central-1".parse().unwrap(),
    }
}

fn platform() -> Platform {
    Platform {
        wallet: key(30),
        fee: FeeRate::new(250).unwrap(),
        payment_window: SignedDuration::from_mins(15),
        max_unpaid: 1,
    }
}

fn asked(terms: &ValidatorTerms, count: i32) -> Extending<'_> {
    Extending {
        user: party(TRADER, Roles::default()),
        count,
        offer: Offer {
            owner: id(OWNER),
            status: ListingStatus::Listed,
            terms,
            payout_wallet: key(21),
        },
        platform: platform(),
        epoch: Some(6),
        is_pending: false,
    }
}

fn active() -> Lease {
    lease(Stage::Active { receipt: receipt() })
}

fn extend(lease: &Lease, asked: &Extending<'_>) -> Result<Extension, ExtendError> {
    lease.extend(asked, id(50), "EXT-1".parse().unwrap(), at(100))
}

/// An extension of epochs 8 and 9 in a stage.
fn extension(stage: ExtensionStage) -> Extension {
    let terms = terms(None);
    let open = extend(&active(), &asked(&terms, 2)).unwrap();
    Extension { stage, ..open }
}

fn every_stage() -> [ExtensionStage; 5] {
    let receipt = receipt();
    [
        ExtensionStage::Open,
        ExtensionStage::Settled { receipt },
        ExtensionStage::Lapsed,
        ExtensionStage::Void,
        ExtensionStage::Orphaned { receipt },
    ]
}

/// A transaction that brings the wallets so much.
fn landed(payout: u64, fee: u64) -> Landed {
    let change = |byte, gain| BalanceChange {
        account: key(byte),
        before: Lamports::new(5),
        after: Lamports::new(5 + gain),
    };
    Landed {
        signature: Signature::from_bytes([8; 64]),
        slot: 9,
        time: None,
        failed: false,
        payer: key(40),
        memos: vec!["EXT-1".to_owned()],
        balances: vec![change(21, payout), change(30, fee)],
    }
}

fn word(settling: &ExtensionSettling) -> String {
    match settling {
        ExtensionSettling::Ignored => "-".to_owned(),
        ExtensionSettling::Paid(extended) => format!("until {}", extended.lease.window.end()),
        ExtensionSettling::Late(late) => {
            let status = late.orphaned.extension.stage.payment_status();
            format!("until {} or {status}", late.extended.lease.window.end())
        }
        ExtensionSettling::Orphaned(orphaned) => {
            assert_eq!(orphaned.stray.reason, StrayReason::Orphaned);
            orphaned.extension.stage.payment_status().to_string()
        }
        ExtensionSettling::Stray(stray) => format!("stray: {}", stray.reason),
    }
}

#[test]
fn these_transitions_and_no_others_are_allowed() {
    let table = [
        // paid, the same while another is open, paid too little, unpaid in time, lease ended
        ["until 10", "until 10", "stray: short", "expired", "void"],
        ["stray: doubled", "stray: doubled", "stray: short", "-", "-"],
        ["until 10 or orphaned", "orphaned", "stray: short", "-", "-"],
        ["orphaned", "orphaned", "stray: short", "-", "-"],
        ["stray: doubled", "stray: doubled", "stray: short", "-", "-"],
    ];
    for (stage, expected) in every_stage().into_iter().zip(table) {
        let extension = extension(stage);
        let settled = |other_open, landed: &Landed| {
            word(&extension.settle(&active(), other_open, landed, at(2_000)))
        };
        let status = |moved: Option<Extension>| {
            moved.map_or("-".to_owned(), |moved| {
                moved.stage.payment_status().to_string()
            })
        };
        let found = [
            settled(false, &landed(1_950, 50)),
            settled(true, &landed(1_950, 50)),
            settled(false, &landed(1_949, 50)),
            status(extension.lapse(GRACE, at(2_000)).ok()),
            status(extension.void()),
        ];
        assert_eq!(found, expected, "{stage:?}");
    }
}

#[test]
fn only_an_active_lease_whose_end_is_the_start_gets_the_epochs() {
    let paid = landed(1_950, 50);
    for (name, stage) in stages() {
        for open in [ExtensionStage::Open, ExtensionStage::Lapsed] {
            let found = word(&extension(open).settle(&lease(stage), false, &paid, at(2_000)));
            assert_eq!(found.starts_with("until"), name == "active", "{name}");
        }
    }
    // Another extension was paid meanwhile.
    let mut moved = active();
    moved.window = EpochWindow::new(5, 4).unwrap();
    let lapsed = extension(ExtensionStage::Lapsed);
    assert_eq!(
        word(&lapsed.settle(&moved, false, &paid, at(2_000))),
        "orphaned"
    );
}

#[test]
fn a_paid_extension_moves_the_end_and_adds_to_the_total() {
    let open = extension(ExtensionStage::Open);
    assert_eq!((open.window.start(), open.window.end()), (8, 10));
    assert_eq!(open.payment.total(), Lamports::new(2_000));
    assert_eq!(open.pay_until, at(1_000));
    let ExtensionSettling::Paid(paid) =
        open.settle(&active(), false, &landed(1_951, 50), at(2_000))
    else {
        panic!("not paid");
    };
    assert_eq!(
        (paid.lease.window.start(), paid.lease.window.end()),
        (5, 10)
    );
    assert_eq!(paid.lease.total, Lamports::new(2_110));
    assert_eq!(paid.lease.price, active().price, "that of the booking");
    let receipt = paid.extension.stage.receipt().unwrap();
    assert_eq!(receipt.surplus, Lamports::new(1));
    // The same transaction once more does nothing.
    let again = paid
        .extension
        .settle(&paid.lease, false, &landed(1_951, 50), at(2_001));
    assert_eq!(again, ExtensionSettling::Ignored);
}

#[test]
fn it_can_be_asked_for_until_its_time_is_over_and_lapses_after_the_grace() {
    let open = extension(ExtensionStage::Open);
    assert!(open.payable(at(999)).is_some());
    assert!(open.payable(at(1_000)).is_none());
    assert_eq!(
        open.lapse(GRACE, at(1_119)),
        Err(ExtensionLapseError::NotDue)
    );
    assert!(open.lapse(GRACE, at(1_120)).is_ok());
    for stage in every_stage().into_iter().skip(1) {
        assert!(extension(stage).payable(at(200)).is_none(), "{stage:?}");
        assert_eq!(
            extension(stage).lapse(GRACE, at(2_000)),
            Err(ExtensionLapseError::NotOpen)
        );
    }
}

#[test]
fn a_stage_is_restored_from_its_parts_and_from_no_others() {
    for stage in every_stage() {
        for status in PaymentStatus::ALL {
            let restored = ExtensionStage::restore(status, stage.receipt());
            let same = status == stage.payment_status();
            assert_eq!(restored == Some(stage), same, "{stage:?} {status}");
        }
    }
    assert_eq!(ExtensionStage::restore(PaymentStatus::Settled, None), None);
}

#[test]
fn each_refusal_comes_in_its_order() {
    let terms = terms(None);
    let good = asked(&terms, 2);
    let staff = Roles {
        staff: true,
        ..Roles::default()
    };
    let pending = lease(Stage::PendingPayment);
    let as_user = |user| Extending {
        user,
        count: 99,
        is_pending: true,
        ..good
    };
    for (user, refusal) in [
        (party(STRANGER, Roles::default()), ExtendError::NotFound),
        (party(OWNER, Roles::default()), ExtendError::Forbidden),
        (party(STRANGER, staff), ExtendError::Forbidden),
        (
            party(TRADER, Roles::default()),
            ExtendError::NotActive(LeaseState::PendingPayment),
        ),
    ] {
        assert_eq!(extend(&pending, &as_user(user)), Err(refusal));
    }
    let active = active();
    let refused = |asked: &Extending<'_>| extend(&active, asked).unwrap_err();
    // Each next case has one fault less than the one before.
    let mut case = Extending {
        epoch: Some(8),
        count: 28,
        is_pending: true,
        ..good
    };
    case.offer.status = ListingStatus::Paused;
    assert_eq!(refused(&case), ExtendError::Over);
    case.epoch = None;
    assert_eq!(refused(&case), ExtendError::ExceedsCap);
    case.count = 27;
    assert_eq!(refused(&case), ExtendError::NotListed);
    case.offer.status = ListingStatus::Listed;
    assert_eq!(refused(&case), ExtendError::AlreadyPending);
    case.is_pending = false;
    assert_eq!(extend(&active, &case).unwrap().window.count(), 27);
}

#[test]
fn what_cannot_be_sold_is_refused() {
    let plain = terms(None);
    let mut shared = active();
    shared.mode = Mode::Shared;
    let refused = extend(&shared, &asked(&plain, 1)).unwrap_err();
    assert_eq!(refused, ExtendError::SharedNotOffered);
    let seats = terms(Some(Shared {
        price: Lamports::new(7),
        seats: 2,
    }));
    let seat = extend(&shared, &asked(&seats, 2)).unwrap();
    assert_eq!(seat.payment.total(), Lamports::new(14), "a seat's price");
    let mut last = active();
    last.window = EpochWindow::new(i64::from(i32::MAX) - 2, 2).unwrap();
    let beyond = extend(&last, &asked(&plain, 1)).unwrap_err();
    assert_eq!(beyond, ExtendError::Range);
    let dear = ValidatorTerms {
        price: Lamports::new(u64::MAX / 4),
        ..plain.clone()
    };
    let too_much = extend(&active(), &asked(&dear, 3)).unwrap_err();
    assert_eq!(too_much, ExtendError::TotalOverflow);
    // Together with what was paid before.
    let mut full = active();
    full.total = Lamports::new(i64::MAX.unsigned_abs() - 999);
    let too_much = extend(&full, &asked(&plain, 1)).unwrap_err();
    assert_eq!(too_much, ExtendError::TotalOverflow);
    let mut own = asked(&plain, 1);
    own.offer.payout_wallet = key(30);
    assert_eq!(
        extend(&active(), &own),
        Err(ExtendError::Unpayable(PaymentError::SameWallet))
    );
}

#[test]
fn ended_leases_are_over_or_not_active() {
    let terms = terms(None);
    for (name, stage) in stages() {
        let lease = lease(stage);
        let expected = match name {
            "active" => None,
            "completed" => Some(ExtendError::Over),
            _ => Some(ExtendError::NotActive(lease.state())),
        };
        assert_eq!(extend(&lease, &asked(&terms, 1)).err(), expected, "{name}");
    }
}
