//! The transaction that pays what a memo stands for: a booking, an extension, a
//! refund.

use super::{context::Context, registering::check_rent};
use crate::{fault::Fault, refused::Refused};
use leasing::{
    BelowRent, EpochWindow, Memo, PayerError, Payment, PaymentKind, Refund, RefundStage, format_sol,
};
use primitives::{PublicKey, SolanaHash, Ulid};
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
    /// The account is the one that is owed the refund.
    PayerIsCreditor,
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
        let (due, validator) = self.due(&memo).await?.ok_or_else(unknown)?;
        due.check_payer(account).map_err(Refused::Rejected)?;
        let client = context.nodes.client()?;
        let recent = client.recent_blockhash().await.map_err(Fault::Solana)?;
        if let Some(below) = check_rent(&client, due.payment()).await? {
            return Err(Refused::Rejected(PayError::WalletBelowRent(below)));
        }
        // Checked above; the same rule guards the bytes.
        let transaction = due.transaction(account, recent.blockhash);
        let transaction = transaction.map_err(|_| Refused::Rejected(PayError::InvalidAccount))?;
        let validator = context.store.ledger().validator(validator).await?;
        let name = validator.and_then(|validator| validator.name);
        Ok(Unsigned {
            transaction,
            message: due.message(name.as_deref()),
        })
    }

    /// What a memo stands for, if it can be paid now, and of which validator.
    async fn due(&self, memo: &Memo) -> Result<Option<(Due, Ulid)>, Fault> {
        let (ledger, now) = (self.0.store.ledger(), self.0.now());
        let Some(named) = ledger.payment_of(memo).await? else {
            return Ok(None);
        };
        let due = match named.kind {
            PaymentKind::Booking => {
                let lease = ledger.lease(named.lease).await?;
                lease.and_then(|lease| {
                    let payment = lease.payable(now)?.clone();
                    Some(Due::Epochs(payment, lease.window))
                })
            }
            PaymentKind::Extension => {
                let extension = ledger.extension(memo).await?;
                extension.and_then(|extension| {
                    let payment = extension.payable(now)?.clone();
                    Some(Due::Epochs(payment, extension.window))
                })
            }
            PaymentKind::Refund => {
                let refund = ledger.refund(memo).await?;
                let owed = refund.filter(|refund| refund.stage == RefundStage::Open);
                owed.map(|refund| Due::Refund(Box::new(refund)))
            }
        };
        Ok(due.map(|due| (due, named.validator)))
    }
}

/// What can be paid.
enum Due {
    /// Epochs of a validator.
    Epochs(Payment, EpochWindow),
    /// What somebody is owed.
    Refund(Box<Refund>),
}

impl Due {
    fn payment(&self) -> &Payment {
        match self {
            Self::Epochs(payment, _) => payment,
            Self::Refund(refund) => &refund.payment,
        }
    }

    fn check_payer(&self, account: PublicKey) -> Result<(), PayError> {
        match self {
            Self::Epochs(payment, _) => payment.check_payer(account).map_err(|error| match error {
                PayerError::IsPayout => PayError::PayerIsPayoutWallet,
                PayerError::IsPlatform | PayerError::NoWallet => PayError::InvalidAccount,
            }),
            Self::Refund(refund) => refund.check_payer(account).map_err(|error| match error {
                PayerError::IsPayout => PayError::PayerIsCreditor,
                PayerError::IsPlatform | PayerError::NoWallet => PayError::InvalidAccount,
            }),
        }
    }

    fn transaction(&self, payer: PublicKey, blockhash: SolanaHash) -> Result<Vec<u8>, PayerError> {
        match self {
            Self::Epochs(payment, _) => payment.transaction(payer, blockhash),
            Self::Refund(refund) => refund.transaction(payer, blockhash),
        }
    }

    /// What it is for. A long name is cut, the rest is not.
    fn message(&self, name: Option<&str>) -> String {
        let sol = format_sol(self.payment().total());
        let rest = match self {
            Self::Epochs(_, window) => format!(": {}, {sol} SOL", epochs(*window)),
            Self::Refund(_) => format!(": refund of {sol} SOL"),
        };
        let room = MAX_MESSAGE_CHARS.saturating_sub(rest.chars().count());
        let name: String = name.unwrap_or("Lease").chars().take(room).collect();
        format!("{name}{rest}")
    }
}

fn epochs(window: EpochWindow) -> String {
    let last = window.end().saturating_sub(1);
    if window.count() == 1 {
        format!("epoch {last}")
    } else {
        format!("epochs {} to {last}", window.start())
    }
}
