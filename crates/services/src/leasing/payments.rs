//! The transaction that pays for a lease.

use super::{context::Context, registering::check_rent};
use crate::{fault::Fault, refused::Refused};
use leasing::{BelowRent, Lease, Memo, PayerError, format_sol};
use primitives::PublicKey;
use std::sync::Arc;

/// What wallets show of a message, at least.
const MAX_MESSAGE_CHARS: usize = 80;

/// Payments that are asked for. Clones share everything.
#[derive(Debug, Clone)]
pub struct Payments(pub(super) Arc<Context>);

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

impl Payments {
    /// The transaction by which `account` pays what `memo` stands for.
    pub async fn transaction(
        &self,
        memo: &str,
        account: PublicKey,
    ) -> Result<Unsigned, Refused<PayError>> {
        let context = &*self.0;
        let unknown = || Refused::Rejected(PayError::MemoNotFound);
        let memo: Memo = memo.parse().map_err(|_| unknown())?;
        let lease = context.store.ledger().lease_of_memo(&memo).await?;
        let lease = lease.ok_or_else(unknown)?;
        let payment = lease.payable(context.now()).ok_or_else(unknown)?;
        payment.check_payer(account).map_err(|error| {
            Refused::Rejected(match error {
                PayerError::IsPayout => PayError::PayerIsPayoutWallet,
                PayerError::IsPlatform | PayerError::NoWallet => PayError::InvalidAccount,
            })
        })?;
        let client = context.nodes.client()?;
        let recent = client.recent_blockhash().await.map_err(Fault::Solana)?;
        if let Some(below) = check_rent(&client, payment).await? {
            return Err(Refused::Rejected(PayError::WalletBelowRent(below)));
        }
        let transaction = payment.transaction(account, recent.blockhash);
        let validator = context.store.ledger().validator(lease.validator).await?;
        let name = validator.and_then(|validator| validator.name);
        Ok(Unsigned {
            // Checked above; the same rule guards the bytes.
            transaction: transaction.map_err(|_| Refused::Rejected(PayError::InvalidAccount))?,
            message: message(&lease, name.as_deref()),
        })
    }
}

/// What the payment is for. A long name is cut, the rest is not.
fn message(lease: &Lease, name: Option<&str>) -> String {
    let last = lease.window.end().saturating_sub(1);
    let epochs = if lease.window.count() == 1 {
        format!("epoch {last}")
    } else {
        format!("epochs {} to {last}", lease.window.start())
    };
    let rest = format!(": {epochs}, {} SOL", format_sol(lease.total));
    let room = MAX_MESSAGE_CHARS.saturating_sub(rest.chars().count());
    let name: String = name.unwrap_or("Lease").chars().take(room).collect();
    format!("{name}{rest}")
}
