//! What became of what was relayed: sponsors are charged once from receipts, and
//! what users paid is held against what it did cost.

use super::{Paymaster, error::PaymasterError};
use crate::{duty::Duty, sender::Sighting};
use metrics::{counter, gauge};
use primitives::{BlockRef, Timestamp, U256};
use std::time::Duration;
use store::{SendReceipt, SendState, SponsoredOutcome, SponsoredRow, SponsoredState};
use tokio_util::sync::CancellationToken;

/// From the end of one round to the next, whether it failed or not.
const POLL: Duration = Duration::from_millis(500);

impl Paymaster {
    /// Follows what was relayed until told to stop, while the duty is held: one of
    /// several processes that relay.
    pub async fn run(self, duty: Duty, stop: CancellationToken) {
        duty.during(Box::pin(self.follow(&duty, stop))).await;
    }

    async fn follow(&self, duty: &Duty, stop: CancellationToken) {
        let round = async || {
            if duty.is_held() {
                self.round().await
            } else {
                Ok(())
            }
        };
        while let Some(done) = stop.run_until_cancelled(round()).await {
            // Who has just lost it is not in trouble.
            if let Err(error) = done
                && duty.is_held()
            {
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
        let (sightings, followed) = match &self.0.relayers {
            Some(relayers) => relayers.follow().await,
            None => (Vec::new(), Ok(())),
        };
        let chain_id = self.0.options.chain_id;
        let open = self.0.store.ledger().open_sponsored(chain_id).await?;
        self.note(&open, &sightings).await?;
        for row in open {
            self.charge(&row).await?;
        }
        self.compare().await?;
        Ok(followed?)
    }

    /// Writes down how far sponsored transactions are, where that has changed.
    async fn note(
        &self,
        open: &[SponsoredRow],
        sightings: &[Sighting],
    ) -> Result<(), PaymasterError> {
        let mut counts = [("reserved", 0_u32), ("sent", 0), ("landed", 0)];
        let mut changed = Vec::new();
        for row in open {
            let seen = sightings.iter().find(|seen| seen.hash == row.hash);
            let progress = match (seen, row.state) {
                (Some(seen), _) => seen.progress,
                (None, SponsoredState::Open(progress)) => progress,
                (None, _) => continue,
            };
            if row.state != SponsoredState::Open(progress) {
                changed.push((row.hash, progress));
            }
            let mut counts = counts.iter_mut();
            if let Some((_, count)) = counts.find(|(word, _)| *word == progress.word()) {
                *count += 1;
            }
        }
        for (state, count) in counts {
            gauge!("stoa_paymaster_sponsored_open", "state" => state).set(f64::from(count));
        }
        if changed.is_empty() {
            return Ok(());
        }
        let mut tx = self.0.store.ledger().begin().await?;
        for (hash, progress) in changed {
            tx.note_sponsored(self.0.options.chain_id, hash, progress)
                .await?;
        }
        Ok(tx.commit().await?)
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
            SendState::Landed(receipt) => {
                let mut outcome = self.outcome(receipt, false).await?;
                outcome.fee = outcome.fee.saturating_add(row.pool_fee);
                Some(outcome)
            }
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

    /// Says what users paid over what their transactions did cost, of everything that
    /// is final.
    async fn compare(&self) -> Result<(), PaymasterError> {
        let chain_id = self.0.options.chain_id;
        let fees = self.0.store.ledger().paid_fees(chain_id).await?;
        if fees.cost > 0 {
            let share = |amount: u128| f64::from(U256::from(amount));
            gauge!("stoa_paymaster_paid_to_cost").set(share(fees.paid) / share(fees.cost));
        }
        Ok(())
    }
}
