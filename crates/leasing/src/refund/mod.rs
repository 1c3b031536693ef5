//! Refunds: what of a payment is owed to whoever paid it, by whom, and the
//! transaction by which they pay it.
//!
//! The server holds no key that could pay. A refund is a request for a payment,
//! with a memo of its own, which whoever owes it signs, from any wallet; it is
//! recognised when it lands, by that memo and by what the wallet that is owed
//! has gained.

use crate::{
    lease::{PaymentStatus, Receipt},
    memo::{MEMO_PROGRAM, Memo},
    message::{Instruction, Message, SYSTEM_PROGRAM},
    payment::{Leg, PayerError, Payment, PaymentError, is_reserved},
    reading::Landed,
    settling::{Stray, StrayReason},
    window::EpochWindow,
    words::words,
};
use primitives::{Lamports, PublicKey, Signature, SolanaHash, Timestamp, Ulid};

words! {
    /// Who owes a refund.
    Debtor {
        /// The validator, of its share.
        Validator = "validator",
        /// The platform, of its fee.
        Platform = "platform",
    }
}

/// Epochs that were paid for: those of a booking or of an extension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Purchase {
    /// The lease that was booked, or extended.
    pub lease: Ulid,
    /// The epochs.
    pub window: EpochWindow,
    /// The price of each.
    pub price: Lamports,
    /// What was asked for.
    pub payment: Payment,
    /// Who paid.
    pub payer: PublicKey,
}

/// What of a purchase cannot be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unused {
    /// How many epochs.
    pub epochs: i32,
    /// What the validator owes for them.
    pub share: Lamports,
    /// What the platform owes for them.
    pub fee: Lamports,
}

/// What a wallet got by a transaction that paid for nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StrayLeg {
    /// The transaction.
    pub signature: Signature,
    /// Who paid.
    pub payer: PublicKey,
    /// The wallet, and what it got.
    pub leg: Leg,
    /// The lease of the payment that the transaction names.
    pub lease: Ulid,
    /// What the transaction names, and did not pay.
    pub payment: Payment,
}

/// What is owed to somebody who paid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refund {
    /// The public id.
    pub id: Ulid,
    /// The lease that it is about.
    pub lease: Ulid,
    /// The payment of which it gives something back.
    pub of: Memo,
    /// The transaction that brought it, if that paid for nothing.
    pub stray: Option<Signature>,
    /// Who owes it.
    pub debtor: Debtor,
    /// The wallet that got the money.
    pub owing: PublicKey,
    /// What is owed to whom, by the memo of the refund. Its other wallet gets
    /// nothing: it stands there for the refund to be found by.
    pub payment: Payment,
    /// Since when.
    pub created_at: Timestamp,
    /// Where it stands.
    pub stage: RefundStage,
}

/// Where a refund stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefundStage {
    /// It is owed.
    Open,
    /// It is paid.
    Settled {
        /// The transaction that paid it back.
        receipt: Receipt,
    },
}

/// What a transaction does to a refund.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefundSettling {
    /// Nothing: it paid nothing, or was taken for this refund before.
    Ignored,
    /// It pays it.
    Paid(Box<Refund>),
    /// It changes nothing: whoever got it was not owed it.
    Stray(Stray),
}

impl Purchase {
    /// What of it cannot be had if it ends in an epoch, which counts as used.
    /// The platform keeps its part of what was used, rounded down.
    pub fn unused(&self, epoch: i32) -> Unused {
        let unused = self.window.since(epoch.saturating_add(1));
        let unused = unused.map_or(0, EpochWindow::count);
        let count = u128::from(self.window.count().unsigned_abs()).max(1);
        let used = count.saturating_sub(unused.unsigned_abs().into());
        let (share, fee) = (self.payment.payout().amount, self.payment.platform().amount);
        let kept = u128::from(fee.get()) * used / count;
        let kept = u64::try_from(kept).unwrap_or(fee.get());
        let fee_back = fee.get().saturating_sub(kept);
        let back = self
            .price
            .get()
            .saturating_mul(unused.unsigned_abs().into());
        Unused {
            epochs: unused,
            share: share.min(Lamports::new(back.saturating_sub(fee_back))),
            fee: Lamports::new(fee_back),
        }
    }

    /// The refunds of what cannot be had, one for each who owes something.
    pub fn refunds(
        &self,
        unused: Unused,
        now: Timestamp,
        mut new_id: impl FnMut() -> Ulid,
    ) -> Result<Vec<Refund>, PaymentError> {
        let (payout, platform) = (self.payment.payout().wallet, self.payment.platform().wallet);
        let owed = [
            (Debtor::Validator, payout, unused.share),
            (Debtor::Platform, platform, unused.fee),
        ];
        let owed = owed.into_iter().filter(|owed| owed.2 > Lamports::ZERO);
        owed.map(|(debtor, owing, amount)| {
            let to = Leg {
                wallet: self.payer,
                amount,
            };
            let found_by = Leg {
                wallet: platform,
                amount: Lamports::ZERO,
            };
            Ok(Refund {
                id: new_id(),
                lease: self.lease,
                of: self.payment.memo().clone(),
                stray: None,
                debtor,
                owing,
                payment: Payment::new(Memo::from(new_id()), to, found_by)?,
                created_at: now,
                stage: RefundStage::Open,
            })
        })
        .collect()
    }
}

impl StrayLeg {
    /// The refund of all of it, owed by whoever has the wallet. `None` if it is
    /// no wallet of the payment, or the payer's own.
    pub fn refund(
        &self,
        now: Timestamp,
        mut new_id: impl FnMut() -> Ulid,
    ) -> Result<Option<Refund>, PaymentError> {
        let (payout, platform) = (self.payment.payout().wallet, self.payment.platform().wallet);
        let debtor = match self.leg.wallet {
            wallet if wallet == self.payer => return Ok(None),
            wallet if wallet == payout => Debtor::Validator,
            wallet if wallet == platform => Debtor::Platform,
            _ => return Ok(None),
        };
        let to = Leg {
            wallet: self.payer,
            amount: self.leg.amount,
        };
        let found_by = Leg {
            wallet: platform,
            amount: Lamports::ZERO,
        };
        Ok(Some(Refund {
            id: new_id(),
            lease: self.lease,
            of: self.payment.memo().clone(),
            stray: Some(self.signature),
            debtor,
            owing: self.leg.wallet,
            payment: Payment::new(Memo::from(new_id()), to, found_by)?,
            created_at: now,
            stage: RefundStage::Open,
        }))
    }
}

impl RefundStage {
    /// The stage that these parts are of; `None` if they contradict each other.
    pub fn restore(status: PaymentStatus, receipt: Option<Receipt>) -> Option<Self> {
        match (status, receipt) {
            (PaymentStatus::Open, None) => Some(Self::Open),
            (PaymentStatus::Settled, Some(receipt)) => Some(Self::Settled { receipt }),
            _ => None,
        }
    }

    /// Where the payment stands.
    pub const fn payment_status(&self) -> PaymentStatus {
        match self {
            Self::Open => PaymentStatus::Open,
            Self::Settled { .. } => PaymentStatus::Settled,
        }
    }

    /// The transaction that paid it.
    pub const fn receipt(&self) -> Option<Receipt> {
        match *self {
            Self::Open => None,
            Self::Settled { receipt } => Some(receipt),
        }
    }
}

impl Refund {
    /// What is owed.
    pub fn amount(&self) -> Lamports {
        self.payment.payout().amount
    }

    /// Who is owed it.
    pub fn creditor(&self) -> PublicKey {
        self.payment.payout().wallet
    }

    /// Whether `account` may pay: anybody but who is owed it, the wallets that
    /// lease payments go to included.
    pub fn check_payer(&self, account: PublicKey) -> Result<(), PayerError> {
        if account == self.creditor() {
            Err(PayerError::IsPayout)
        } else if is_reserved(account) || account == self.payment.memo().reference() {
            Err(PayerError::NoWallet)
        } else {
            Ok(())
        }
    }

    /// The transaction, for `payer` to sign: legacy form, no signature in it.
    pub fn transaction(
        &self,
        payer: PublicKey,
        blockhash: SolanaHash,
    ) -> Result<Vec<u8>, PayerError> {
        self.check_payer(payer)?;
        let [creditor, system, memo, reference, platform] = [1, 2, 3, 4, 5];
        let mut keys = vec![
            payer,
            self.creditor(),
            SYSTEM_PROGRAM,
            MEMO_PROGRAM,
            self.payment.memo().reference(),
        ];
        let mut readonly = 3;
        let mut beside = vec![reference];
        // Each key may stand there once; a payer is found by itself.
        if payer != self.payment.platform().wallet {
            keys.push(self.payment.platform().wallet);
            readonly = 4;
            beside.push(platform);
        }
        let message = Message {
            keys,
            readonly,
            blockhash,
            instructions: vec![
                Instruction::memo(memo, self.payment.memo().as_str()),
                Instruction::transfer(system, creditor, self.amount(), &beside),
            ],
        };
        Ok(message.unsigned_transaction())
    }

    /// What a transaction that names this refund does to it. Whoever paid, only
    /// what the creditor gained counts.
    pub fn settle(&self, landed: &Landed, now: Timestamp) -> RefundSettling {
        let taken = self.stage.receipt();
        let is_taken = taken.is_some_and(|receipt| receipt.signature == landed.signature);
        let gain = landed.gained(self.creditor()).unwrap_or(Lamports::ZERO);
        if landed.failed || is_taken || gain == Lamports::ZERO {
            return RefundSettling::Ignored;
        }
        let stray = |reason| {
            RefundSettling::Stray(Stray {
                signature: landed.signature,
                memo: self.payment.memo().clone(),
                reason,
                slot: landed.slot,
                payer: landed.payer,
                payout_gain: gain,
                platform_gain: Lamports::ZERO,
                seen_at: now,
            })
        };
        if landed.memo().as_ref() != Some(self.payment.memo()) {
            return stray(if landed.mentions(self.payment.memo()) {
                StrayReason::Unclear
            } else {
                StrayReason::Unnamed
            });
        }
        match (gain.checked_sub(self.amount()), self.stage) {
            (None, _) => stray(StrayReason::Short),
            (Some(_), RefundStage::Settled { .. }) => stray(StrayReason::Doubled),
            (Some(surplus), RefundStage::Open) => RefundSettling::Paid(Box::new(Self {
                stage: RefundStage::Settled {
                    receipt: landed.receipt(surplus, now),
                },
                ..self.clone()
            })),
        }
    }
}

#[cfg(test)]
mod tests;
