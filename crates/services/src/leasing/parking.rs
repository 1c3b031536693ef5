//! Transactions that a node lists and cannot show: they wait, and are asked for
//! again, so that none holds up those that came after it.

use super::context::Context;
use crate::fault::Fault;
use chain::SolanaClient;
use leasing::Landed;
use primitives::{Signature, SignedDuration};
use store::leasing::ParkedRow;

/// Transactions that may wait. Beyond, the wallet's history is read no further.
const MAX_PARKED: u64 = 10_000;

/// The first and the longest pause before one is asked for again.
const FIRST_PAUSE: SignedDuration = SignedDuration::from_secs(2);
const LONGEST_PAUSE: SignedDuration = SignedDuration::from_hours(1);

/// A transaction, if the node can show it and it can be read.
pub(super) async fn show(
    client: &SolanaClient,
    signature: Signature,
) -> Result<Option<Landed>, Fault> {
    match client.transaction(signature).await {
        Ok(landed) => Ok(landed),
        Err(error) if error.is_about_the_answer() => {
            let error = Fault::Solana(error).chain_text();
            tracing::warn!(%signature, error, "a transaction cannot be read");
            Ok(None)
        }
        Err(error) => Err(Fault::Solana(error)),
    }
}

impl Context {
    /// Lets a transaction wait that was asked for in vain.
    pub(super) async fn park(&self, signature: Signature) -> Result<(), Fault> {
        if self.store.ledger().parked().await?.count >= MAX_PARKED {
            return Err(Fault::Parked { limit: MAX_PARKED });
        }
        tracing::error!(
            %signature,
            "a node lists this transaction and cannot show it: if it is a payment, it is not \
             seen. It is asked for again; another node may have it"
        );
        let row = ParkedRow {
            signature,
            since: self.now(),
            tries: 1,
            retry_at: self.in_future(FIRST_PAUSE),
        };
        let mut tx = self.store.ledger().begin().await?;
        tx.park(&row).await?;
        Ok(tx.commit().await?)
    }

    /// Lets one wait longer, twice as long as before.
    pub(super) async fn park_again(&self, row: &ParkedRow) -> Result<(), Fault> {
        let doubled = u32::try_from(row.tries).ok();
        let factor = doubled.and_then(|tries| 1_i32.checked_shl(tries));
        let pause = factor.and_then(|factor| FIRST_PAUSE.checked_mul(factor));
        let pause = pause.filter(SignedDuration::is_positive);
        let later = ParkedRow {
            tries: row.tries.saturating_add(1),
            retry_at: self.in_future(pause.unwrap_or(LONGEST_PAUSE).min(LONGEST_PAUSE)),
            ..*row
        };
        let mut tx = self.store.ledger().begin().await?;
        tx.park(&later).await?;
        Ok(tx.commit().await?)
    }

    /// One that waited was shown, and is applied.
    pub(super) async fn unpark(&self, row: &ParkedRow) -> Result<(), Fault> {
        let mut tx = self.store.ledger().begin().await?;
        tx.unpark(row.signature).await?;
        tx.commit().await?;
        tracing::info!(signature = %row.signature, tries = row.tries, "a node shows the transaction");
        Ok(())
    }
}
