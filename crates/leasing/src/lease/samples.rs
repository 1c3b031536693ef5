//! Leases for tests: one in every stage that there is.

use super::{Lease, Mode, Receipt, Stage};
use crate::{EpochWindow, Leg, Party, Payment, Roles};
use primitives::{Lamports, PublicKey, Signature, Timestamp, Ulid};

pub(crate) const TRADER: u8 = 1;
pub(crate) const OWNER: u8 = 2;
pub(crate) const STRANGER: u8 = 3;

/// The signature of the transaction that was taken for a lease.
pub(crate) const TAKEN: u8 = 7;

pub(crate) fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + second).unwrap()
}

pub(crate) fn id(number: u8) -> Ulid {
    Ulid::new(at(0), [number; 10])
}

pub(crate) fn key(byte: u8) -> PublicKey {
    PublicKey::from_bytes([byte; 32])
}

pub(crate) fn party(number: u8, roles: Roles) -> Party {
    Party {
        user: id(number),
        roles,
    }
}

pub(crate) fn payment() -> Payment {
    let leg = |byte, amount| Leg {
        wallet: key(byte),
        amount: Lamports::new(amount),
    };
    Payment::new("LEASE-1".parse().unwrap(), leg(20, 100), leg(30, 10)).unwrap()
}

pub(crate) fn receipt() -> Receipt {
    Receipt {
        signature: Signature::from_bytes([TAKEN; 64]),
        payer: key(40),
        slot: 9,
        surplus: Lamports::ZERO,
        at: at(60),
    }
}

/// A lease of epochs 5 to 7, which can be paid until second 900.
pub(crate) fn lease(stage: Stage) -> Lease {
    Lease {
        id: id(9),
        validator: id(8),
        owner: id(OWNER),
        trader: id(TRADER),
        mode: Mode::Exclusive,
        window: EpochWindow::new(5, 3).unwrap(),
        price: Lamports::new(40),
        total: Lamports::new(110),
        created_at: at(0),
        payment: payment(),
        pay_until: at(900),
        stage,
    }
}

/// Every stage, with and without what it may have.
pub(crate) fn stages() -> [(&'static str, Stage); 9] {
    let (receipt, at) = (receipt(), at(100));
    let late = Some(receipt);
    [
        ("pending", Stage::PendingPayment),
        ("active", Stage::Active { receipt }),
        ("completed", Stage::Completed { receipt, at }),
        (
            "revoked",
            Stage::Revoked {
                receipt: late,
                at,
                kept_until: 6,
            },
        ),
        (
            "revoked unpaid",
            Stage::Revoked {
                receipt: None,
                at,
                kept_until: 5,
            },
        ),
        ("lapsed", Stage::Lapsed { at, late: None }),
        ("lapsed, paid late", Stage::Lapsed { at, late }),
        ("cancelled", Stage::Cancelled { at, late: None }),
        ("cancelled, paid late", Stage::Cancelled { at, late }),
    ]
}
