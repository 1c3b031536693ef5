//! The transaction that pays for a lease.

use super::Leasing;
use crate::{fault::Fault, refused::Refused};
use leasing::BelowRent;
use primitives::PublicKey;

/// A transaction to sign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsigned {
    /// Its bytes on the wire, with room for the signature.
    pub transaction: Vec<u8>,
    /// What it is for, in at most 80 characters.
    pub message: String,
}

/// Why there is no transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PayError {
    /// The memo is unknown, its time is over, or it is paid.
    MemoNotFound,
    /// The account cannot pay: it is the platform's wallet or a program.
    InvalidAccount,
    /// The account is the payout wallet.
    PayerIsPayoutWallet,
    /// The chain would refuse it: a wallet would hold too little.
    WalletBelowRent(BelowRent),
}

impl Leasing {
    /// The transaction by which `account` pays what `memo` stands for.
    pub async fn payment_transaction(
        &self,
        memo: &str,
        account: PublicKey,
    ) -> Result<Unsigned, Refused<PayError>> {
        let _ = (self, memo, account);
        Err(Fault::NoSolanaNode.into())
    }
}
