//! What became of what was relayed: sponsors are charged once from receipts, and
//! what users paid is held against what it did cost.

use super::{Paymaster, error::PaymasterError};
use metrics::counter;
use primitives::{BlockRef, Felt, Timestamp};
use std::time::Duration;
use store::{SendReceipt, SendState, SponsoredOutcome, SponsoredRow};
use tokio_util::sync::CancellationToken;

/// Time between two looks.
const POLL: Duration = Duration::from_millis(500);

impl Paymaster {
    /// Follows what was relayed until told to stop. Any number of processes may.
    pub async fn run(self, stop: CancellationToken) {
        while let Some(done) = stop.run_until_cancelled(self.round()).await {
            if let Err(error) = done {
                let error = &error as &dyn std::error::Error;
                tracing::warn!(error, "relayed transactions cannot be followed");
            }
            let slept = stop.run_until_cancelled(tokio::time::sleep(POLL));
            if slept.await.is_none() {
                return;
            }
        }
    }

    /// Looks at everything that was relayed, once.
    pub async fn round(&self) -> Result<(), PaymasterError> {
        if let Some(relayers) = &self.0.relayers {
            relayers.follow().await?;
        }
        let chain_id = self.0.options.chain_id;
        for row in self.0.store.ledger().open_sponsored(chain_id).await? {
            self.charge(&row).await?;
        }
        for (hash, paid) in self.0.paid.expected() {
            self.compare(hash, paid).await?;
        }
        Ok(())
    }

    /// Charges a sponsor once what became of a transaction is final.
    async fn charge(&self, row: &SponsoredRow) -> Result<(), PaymasterError> {
        let chain_id = self.0.options.chain_id;
        let ledger = self.0.store.ledger();
        let Some(sent) = ledger.find_send_by_hash(chain_id, row.hash).await? else {
            let hash = format!("{:#x}", row.hash);
            tracing::error!(hash, "a sponsor pays for what was never sent");
            return Ok(());
        };
        let outcome = match &sent.state {
            SendState::Open => return Ok(()),
            SendState::Lost { .. } => None,
            SendState::Landed(receipt) => Some(self.outcome(receipt, false).await?),
            SendState::Reverted { receipt, .. } => Some(self.outcome(receipt, true).await?),
        };
        let mut tx = ledger.begin().await?;
        let settled = tx.settle_sponsored(chain_id, row, outcome).await?;
        tx.commit().await?;
        if settled {
            let outcome = match outcome {
                None => "released",
                Some(it) if it.reverted => "reverted",
                Some(_) => "succeeded",
            };
            counter!("stoa_paymaster_sponsored_total", "outcome" => outcome).increment(1);
        }
        Ok(())
    }

    async fn outcome(
        &self,
        receipt: &SendReceipt,
        reverted: bool,
    ) -> Result<SponsoredOutcome, PaymasterError> {
        let number = receipt.block_number;
        let asked = |node: chain::StarknetClient| async move {
            let Some(hash) = node.block_hash(number).await? else {
                return Ok(None);
            };
            node.block_time(BlockRef { number, hash }).await.map(Some)
        };
        let seconds = self.0.nodes.ask(asked).await??;
        let seconds = seconds.and_then(|seconds| i64::try_from(seconds).ok());
        let time = seconds.and_then(|seconds| Timestamp::from_second(seconds).ok());
        Ok(SponsoredOutcome {
            fee: receipt.fee,
            reverted,
            block_number: number,
            // A node that has lost a final block cannot say; it was known then.
            block_time: time.unwrap_or(receipt.at),
        })
    }

    async fn compare(&self, hash: Felt, paid: u128) -> Result<(), PaymasterError> {
        let chain_id = self.0.options.chain_id;
        let sent = self.0.store.ledger().find_send_by_hash(chain_id, hash);
        let compared = match sent.await?.map(|sent| sent.state) {
            Some(SendState::Open) => return Ok(()),
            Some(SendState::Landed(receipt)) => Some((paid, receipt.fee)),
            // Nobody paid for it.
            Some(SendState::Reverted { receipt, .. }) => Some((0, receipt.fee)),
            Some(SendState::Lost { .. }) | None => None,
        };
        self.0.paid.settle(hash, compared);
        Ok(())
    }
}
