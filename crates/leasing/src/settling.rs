//! Settling: what a transaction that landed does to a lease.

use crate::{
    lease::{Lease, Receipt, Stage},
    memo::Memo,
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
        let stray = |reason| match self.stray(landed, reason, now) {
            stray if stray.is_nothing() => Settling::Ignored,
            stray => Settling::Stray(stray),
        };
        let surplus = match landed.verdict(&self.payment) {
            Verdict::Failed => return Settling::Ignored,
            Verdict::WrongMemo if landed.mentions(self.payment.memo()) => {
                return stray(StrayReason::Unclear);
            }
            Verdict::WrongMemo => return stray(StrayReason::Unnamed),
            Verdict::PayerIsWallet => return stray(StrayReason::Unclear),
            Verdict::Short { .. } => return stray(StrayReason::Short),
            Verdict::Paid => Some(Lamports::ZERO),
            Verdict::Surplus { payout, platform } => payout.checked_add(platform),
        };
        let Some(surplus) = surplus else {
            return stray(StrayReason::Unclear);
        };
        let receipt = Receipt {
            signature: landed.signature,
            payer: landed.payer,
            slot: landed.slot,
            surplus,
            at: now,
        };
        let late = Some(receipt);
        let orphaned = |stage| Orphaned {
            lease: self.moved_to(stage),
            stray: self.stray(landed, StrayReason::Orphaned, now),
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

    /// What is to be given back of a transaction.
    fn stray(&self, landed: &Landed, reason: StrayReason, now: Timestamp) -> Stray {
        // A wallet that lost has gained nothing.
        let gained = |wallet| landed.gained(wallet).unwrap_or(Lamports::ZERO);
        Stray {
            signature: landed.signature,
            memo: self.payment.memo().clone(),
            reason,
            slot: landed.slot,
            payer: landed.payer,
            payout_gain: gained(self.payment.payout().wallet),
            platform_gain: gained(self.payment.platform().wallet),
            seen_at: now,
        }
    }
}

impl Stray {
    fn is_nothing(&self) -> bool {
        self.payout_gain == Lamports::ZERO && self.platform_gain == Lamports::ZERO
    }
}
