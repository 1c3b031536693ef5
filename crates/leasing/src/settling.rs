//! Settling: what a transaction that landed does to a lease.

use crate::{
    lease::{Lease, Receipt, Stage},
    memo::Memo,
    payment::Payment,
    reading::{Landed, Verdict},
    words::words,
};
use primitives::{Lamports, PublicKey, Signature, Timestamp};

words! {
    /// Why money that came was not taken for a lease.
    StrayReason {
        /// A wallet got less than its part.
        Short = "short",
        /// It came when its epochs were no longer free.
        Orphaned = "orphaned",
        /// The payment was settled by another transaction.
        Doubled = "doubled",
        /// It names several payments, its payer is one of the wallets, or it is
        /// more than can be counted.
        Unclear = "unclear",
        /// It has the payment's reference, and not its memo.
        Unnamed = "unnamed",
    }
}

/// Money that came and was not taken for a lease: somebody is to get it back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stray {
    /// The transaction.
    pub signature: Signature,
    /// The payment that it names.
    pub memo: Memo,
    /// Why it was not taken.
    pub reason: StrayReason,
    /// Where it landed.
    pub slot: u64,
    /// Who paid.
    pub payer: PublicKey,
    /// What the payout wallet gained.
    pub payout_gain: Lamports,
    /// What the platform's wallet gained.
    pub platform_gain: Lamports,
    /// When we saw it.
    pub seen_at: Timestamp,
}

/// What a transaction does to a lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settling {
    /// Nothing: it paid nothing, or was taken for this lease before.
    Ignored,
    /// It pays the lease, which holds its epochs.
    Paid(Box<Lease>),
    /// It pays a lease that lapsed unpaid.
    Late(Box<LatePayment>),
    /// It pays a lease that its trader had given up: that is final.
    Orphaned(Box<Orphaned>),
    /// It changes nothing, and is to be given back.
    Stray(Stray),
}

/// What a payment does to a lease that cannot be had any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Orphaned {
    /// The lease, which notes the payment.
    pub lease: Lease,
    /// What is to be given back.
    pub stray: Stray,
}

/// What a payment does to a lease that lapsed unpaid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LatePayment {
    /// The lease, if its epochs can be had again.
    pub revived: Lease,
    /// What becomes of it if they cannot.
    pub orphaned: Orphaned,
}

impl Lease {
    /// What a transaction that names this lease's payment does to it.
    pub fn settle(&self, landed: &Landed, now: Timestamp) -> Settling {
        let stray = |reason| match Stray::new(&self.payment, landed, reason, now) {
            Some(stray) => Settling::Stray(stray),
            None => Settling::Ignored,
        };
        let (receipt, orphan) = match landed.brought(&self.payment, now) {
            Brought::Nothing => return Settling::Ignored,
            Brought::Stray(reason) => return stray(reason),
            Brought::Paid { receipt, orphan } => (receipt, orphan),
        };
        let late = Some(receipt);
        let orphaned = |stage| Orphaned {
            lease: self.moved_to(stage),
            stray: *orphan,
        };
        match self.stage {
            _ if self.was_taken(landed.signature) => Settling::Ignored,
            Stage::PendingPayment => {
                Settling::Paid(Box::new(self.moved_to(Stage::Active { receipt })))
            }
            Stage::Lapsed { at, late: None } => Settling::Late(Box::new(LatePayment {
                revived: self.moved_to(Stage::Active { receipt }),
                orphaned: orphaned(Stage::Lapsed { at, late }),
            })),
            Stage::Cancelled { at, late: None } => {
                Settling::Orphaned(Box::new(orphaned(Stage::Cancelled { at, late })))
            }
            Stage::Revoked { receipt: None, .. } => stray(StrayReason::Orphaned),
            Stage::Active { .. }
            | Stage::Completed { .. }
            | Stage::Revoked { .. }
            | Stage::Lapsed { .. }
            | Stage::Cancelled { .. } => stray(StrayReason::Doubled),
        }
    }

    /// Whether this transaction was taken for the lease's payment.
    pub fn was_taken(&self, signature: Signature) -> bool {
        let receipt = self.stage.receipt();
        receipt.is_some_and(|receipt| receipt.signature == signature)
    }
}

/// What a transaction brought for a payment.
pub(crate) enum Brought {
    /// The transaction failed.
    Nothing,
    /// Something that does not pay it.
    Stray(StrayReason),
    /// All of it.
    Paid {
        /// What is noted with what it pays for.
        receipt: Receipt,
        /// What is to be given back if that cannot be had.
        orphan: Box<Stray>,
    },
}

impl Landed {
    /// What it brought for a payment.
    pub(crate) fn brought(&self, payment: &Payment, now: Timestamp) -> Brought {
        let surplus = match self.verdict(payment) {
            Verdict::Failed => return Brought::Nothing,
            Verdict::WrongMemo if self.mentions(payment.memo()) => {
                return Brought::Stray(StrayReason::Unclear);
            }
            Verdict::WrongMemo => return Brought::Stray(StrayReason::Unnamed),
            Verdict::PayerIsWallet => return Brought::Stray(StrayReason::Unclear),
            Verdict::Short { .. } => return Brought::Stray(StrayReason::Short),
            Verdict::Paid => Some(Lamports::ZERO),
            Verdict::Surplus { payout, platform } => payout.checked_add(platform),
        };
        let orphan = Stray::new(payment, self, StrayReason::Orphaned, now);
        match (surplus, orphan) {
            (Some(surplus), Some(orphan)) => Brought::Paid {
                receipt: self.receipt(surplus, now),
                orphan: Box::new(orphan),
            },
            _ => Brought::Stray(StrayReason::Unclear),
        }
    }

    /// What is noted of it with what it paid for.
    pub(crate) fn receipt(&self, surplus: Lamports, now: Timestamp) -> Receipt {
        Receipt {
            signature: self.signature,
            payer: self.payer,
            slot: self.slot,
            surplus,
            at: now,
        }
    }
}

impl Stray {
    /// What is to be given back of a transaction; `None` if it brought nothing.
    pub(crate) fn new(
        payment: &Payment,
        landed: &Landed,
        reason: StrayReason,
        now: Timestamp,
    ) -> Option<Self> {
        // A wallet that lost has gained nothing.
        let gained = |wallet| landed.gained(wallet).unwrap_or(Lamports::ZERO);
        let stray = Self {
            signature: landed.signature,
            memo: payment.memo().clone(),
            reason,
            slot: landed.slot,
            payer: landed.payer,
            payout_gain: gained(payment.payout().wallet),
            platform_gain: gained(payment.platform().wallet),
            seen_at: now,
        };
        let is_something =
            stray.payout_gain > Lamports::ZERO || stray.platform_gain > Lamports::ZERO;
        is_something.then_some(stray)
    }
}
