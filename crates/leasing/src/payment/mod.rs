//! What is to be paid, and the transaction that pays it.
//!
//! One transaction, signed by the payer alone, carries the memo, pays the
//! validator's payout wallet its share and the platform its fee: all of it or
//! nothing. The platform's wallet stands in it even if there is no fee, so that
//! whoever follows that wallet sees every payment.

use crate::{
    memo::{MEMO_PROGRAM, Memo},
    message::{Instruction, Message, SYSTEM_PROGRAM},
};
use primitives::{Lamports, PublicKey, SolanaHash};
use thiserror::Error;

/// A wallet and what it is to receive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leg {
    /// Who receives it.
    pub wallet: PublicKey,
    /// How much.
    pub amount: Lamports,
}

/// A payment that can be asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payment {
    memo: Memo,
    reference: PublicKey,
    payout: Leg,
    platform: Leg,
    total: Lamports,
}

/// Why nobody can be asked for such a payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum PaymentError {
    /// The payout wallet would receive nothing.
    #[error("the payout wallet would receive nothing")]
    NothingToPay,
    /// The sum is beyond what lamports count.
    #[error("the sum of the payment is too large")]
    TooMuch,
    /// The payout wallet is the platform's.
    #[error("the payout wallet is the platform's")]
    SameWallet,
    /// A key that has another part in the transaction.
    #[error("{wallet} is not a wallet")]
    NoWallet {
        /// The key.
        wallet: PublicKey,
    },
}

/// Why somebody cannot be the payer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum PayerError {
    /// The payer is the payout wallet, which would gain nothing.
    #[error("the payer is the payout wallet")]
    IsPayout,
    /// The payer is the platform's wallet, which would gain nothing.
    #[error("the payer is the platform's wallet")]
    IsPlatform,
    /// A key that has another part in the transaction.
    #[error("the payer is not a wallet")]
    NoWallet,
}

/// A wallet that the chain would not let receive its part: it would hold less
/// than an account must.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{wallet} would hold {missing} lamports less than an account must")]
pub struct BelowRent {
    /// The wallet.
    pub wallet: PublicKey,
    /// How much it lacks before it can receive its part.
    pub missing: Lamports,
}

impl Payment {
    /// The payment that `memo` stands for.
    pub fn new(memo: Memo, payout: Leg, platform: Leg) -> Result<Self, PaymentError> {
        if payout.amount == Lamports::ZERO {
            return Err(PaymentError::NothingToPay);
        }
        if payout.wallet == platform.wallet {
            return Err(PaymentError::SameWallet);
        }
        let total = payout.amount.checked_add(platform.amount);
        let payment = Self {
            reference: memo.reference(),
            memo,
            payout,
            platform,
            total: total.ok_or(PaymentError::TooMuch)?,
        };
        match [payout.wallet, platform.wallet]
            .into_iter()
            .find(|wallet| payment.is_reserved(*wallet))
        {
            Some(wallet) => Err(PaymentError::NoWallet { wallet }),
            None => Ok(payment),
        }
    }

    /// The text that the transaction carries.
    pub fn memo(&self) -> &Memo {
        &self.memo
    }

    /// The validator's share.
    pub fn payout(&self) -> Leg {
        self.payout
    }

    /// The platform's fee, perhaps nothing.
    pub fn platform(&self) -> Leg {
        self.platform
    }

    /// What the payer pays, without the chain's fee.
    pub fn total(&self) -> Lamports {
        self.total
    }

    /// Whether `account` may pay.
    pub fn check_payer(&self, account: PublicKey) -> Result<(), PayerError> {
        if account == self.payout.wallet {
            Err(PayerError::IsPayout)
        } else if account == self.platform.wallet {
            Err(PayerError::IsPlatform)
        } else if self.is_reserved(account) {
            Err(PayerError::NoWallet)
        } else {
            Ok(())
        }
    }

    /// Whether the chain would let both wallets receive their parts, by what
    /// they hold and the least that an account without data must hold.
    ///
    /// A wallet that nobody ever funded holds nothing. The rule is for every
    /// wallet that receives something: none may end below the minimum.
    pub fn check_rent(
        &self,
        payout_holds: Lamports,
        platform_holds: Lamports,
        minimum: Lamports,
    ) -> Result<(), BelowRent> {
        for (leg, holds) in [(self.payout, payout_holds), (self.platform, platform_holds)] {
            if leg.amount == Lamports::ZERO {
                continue;
            }
            // More than there can be is enough.
            let Some(after) = holds.checked_add(leg.amount) else {
                continue;
            };
            if let Some(missing) = minimum.checked_sub(after)
                && missing > Lamports::ZERO
            {
                return Err(BelowRent {
                    wallet: leg.wallet,
                    missing,
                });
            }
        }
        Ok(())
    }

    /// The transaction, for `payer` to sign: legacy form, no signature in it.
    pub fn transaction(
        &self,
        payer: PublicKey,
        blockhash: SolanaHash,
    ) -> Result<Vec<u8>, PayerError> {
        self.check_payer(payer)?;
        let message = if self.platform.amount == Lamports::ZERO {
            self.without_fee(payer, blockhash)
        } else {
            self.with_fee(payer, blockhash)
        };
        Ok(message.unsigned_transaction())
    }

    fn with_fee(&self, payer: PublicKey, blockhash: SolanaHash) -> Message {
        let [payout, platform, system, memo, reference] = [1, 2, 3, 4, 5];
        Message {
            keys: vec![
                payer,
                self.payout.wallet,
                self.platform.wallet,
                SYSTEM_PROGRAM,
                MEMO_PROGRAM,
                self.reference,
            ],
            readonly: 3,
            blockhash,
            instructions: vec![
                Instruction::memo(memo, self.memo.as_str()),
                Instruction::transfer(system, payout, self.payout.amount, &[]),
                Instruction::transfer(system, platform, self.platform.amount, &[reference]),
            ],
        }
    }

    fn without_fee(&self, payer: PublicKey, blockhash: SolanaHash) -> Message {
        let [payout, system, memo, reference, platform] = [1, 2, 3, 4, 5];
        Message {
            keys: vec![
                payer,
                self.payout.wallet,
                SYSTEM_PROGRAM,
                MEMO_PROGRAM,
                self.reference,
                self.platform.wallet,
            ],
            readonly: 4,
            blockhash,
            instructions: vec![
                Instruction::memo(memo, self.memo.as_str()),
                Instruction::transfer(system, payout, self.payout.amount, &[reference, platform]),
            ],
        }
    }

    /// Whether a key has a part of its own in the transaction: a message may
    /// name each key once.
    fn is_reserved(&self, key: PublicKey) -> bool {
        is_reserved(key) || key == self.reference
    }
}

/// Whether a key has a part of its own in every payment: no wallet is one.
pub(crate) fn is_reserved(key: PublicKey) -> bool {
    [SYSTEM_PROGRAM, MEMO_PROGRAM].contains(&key)
}

#[cfg(test)]
mod tests;
