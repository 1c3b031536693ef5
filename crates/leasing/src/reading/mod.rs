//! What a finalised transaction paid.
//!
//! Only the memo and what became of balances count. Wallets put instructions of
//! their own around ours (guards, compute budgets), so that the list of
//! instructions says nothing.

use crate::{Memo, Payment};
use primitives::{Lamports, PublicKey, Signature, Timestamp};

/// A finalised transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Landed {
    /// Its name.
    pub signature: Signature,
    /// Where it landed.
    pub slot: u64,
    /// When, if the node knows.
    pub time: Option<Timestamp>,
    /// Whether it failed: then it paid nothing but the chain's fee.
    pub failed: bool,
    /// Who paid the chain's fee.
    pub payer: PublicKey,
    /// The texts of its own memo instructions; not of those that programs make.
    pub memos: Vec<String>,
    /// The balances of its accounts.
    pub balances: Vec<BalanceChange>,
}

/// What became of one account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BalanceChange {
    /// One of those that the transaction names, changed or not.
    pub account: PublicKey,
    /// What it held before.
    pub before: Lamports,
    /// What it held afterwards.
    pub after: Lamports,
}

/// What a transaction is to a payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It pays it, to the lamport.
    Paid,
    /// It pays it, and more than was asked.
    Surplus {
        /// What the payout wallet got beyond its share.
        payout: Lamports,
        /// What the platform got beyond its fee.
        platform: Lamports,
    },
    /// A wallet got less than its part.
    Short {
        /// What the payout wallet got; `None` if it lost.
        payout: Option<Lamports>,
        /// What the platform got; `None` if it lost.
        platform: Option<Lamports>,
    },
    /// It does not name this payment, or not this one alone.
    WrongMemo,
    /// It failed on the chain.
    Failed,
    /// Its payer is a wallet that should have been paid.
    PayerIsWallet,
}

impl Landed {
    /// What a wallet gained, nothing if it has no part in the transaction;
    /// `None` if it lost.
    pub fn gained(&self, wallet: PublicKey) -> Option<Lamports> {
        self.balances
            .iter()
            .find(|balance| balance.account == wallet)
            .map_or(Some(Lamports::ZERO), |balance| {
                balance.after.checked_sub(balance.before)
            })
    }

    /// Whether, and how far, this pays `payment`.
    pub fn verdict(&self, payment: &Payment) -> Verdict {
        if self.failed {
            return Verdict::Failed;
        }
        if self.memo().as_ref() != Some(payment.memo()) {
            return Verdict::WrongMemo;
        }
        if [payment.payout().wallet, payment.platform().wallet].contains(&self.payer) {
            return Verdict::PayerIsWallet;
        }
        let payout = self.gained(payment.payout().wallet);
        let platform = self.gained(payment.platform().wallet);
        let beyond = |gained: Option<Lamports>, asked| gained?.checked_sub(asked);
        match (
            beyond(payout, payment.payout().amount),
            beyond(platform, payment.platform().amount),
        ) {
            (Some(Lamports::ZERO), Some(Lamports::ZERO)) => Verdict::Paid,
            (Some(payout), Some(platform)) => Verdict::Surplus { payout, platform },
            _ => Verdict::Short { payout, platform },
        }
    }

    /// Whether one of its memos is this one.
    pub fn mentions(&self, memo: &Memo) -> bool {
        self.memos.iter().any(|text| text == memo.as_str())
    }

    /// The memo of the payment. Where several texts could be one, none is: or
    /// one transfer would pay for two leases.
    pub fn memo(&self) -> Option<Memo> {
        let mut memos = self.memos.iter().filter_map(|text| text.parse().ok());
        let memo: Memo = memos.next()?;
        memos.all(|other| other == memo).then_some(memo)
    }
}

#[cfg(test)]
mod tests;
