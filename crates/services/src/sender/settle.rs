//! Writes down how what was sent has ended.

use super::{SendRefused, Sender};
use chain::TransactionReceipt;
use metrics::counter;
use store::{PaidFees, SendReceipt, SendRow, SendState, leasing::LedgerTx};

/// What has landed for good, in a block.
#[derive(Debug, Clone, Copy)]
pub(super) struct FinalSend<'a> {
    pub(super) row: &'a SendRow,
    pub(super) receipt: &'a TransactionReceipt,
    pub(super) block_number: u64,
}

impl Sender {
    /// Writes down what has landed for good, all at once, and gives up its rivals.
    pub(super) async fn settle(&self, landed: &[FinalSend<'_>]) -> Result<(), SendRefused> {
        if landed.is_empty() {
            return Ok(());
        }
        let mut settled = Vec::new();
        let mut tx = self.following.ledger().begin().await?;
        tx.lock_sender(self.account).await?;
        for send in landed {
            if self.settle_one(&mut tx, send).await? {
                settled.push(send);
            }
        }
        tx.commit().await?;
        for FinalSend { row, receipt, .. } in settled {
            match &receipt.executed.revert_reason {
                Some(reason) => tell(row, "reverted", reason),
                None => counter!("stoa_sends_total", "outcome" => "landed").increment(1),
            }
        }
        Ok(())
    }

    /// What rivals were for is done by the one that landed, whichever attempt it is.
    /// Says whether nobody had written it down before.
    async fn settle_one(
        &self,
        tx: &mut LedgerTx,
        FinalSend {
            row,
            receipt,
            block_number,
        }: &FinalSend<'_>,
    ) -> Result<bool, SendRefused> {
        let (at, chain_id) = (self.clock.now(), self.account.chain_id);
        let lost = SendState::Lost {
            at,
            reason: "another transaction with its nonce landed".to_owned(),
        };
        let rivals = tx.rivals(self.account, row.nonce).await?;
        for rival in rivals.iter().filter(|rival| rival.attempt != row.attempt) {
            tx.settle_send(rival, &lost).await?;
            if row.purpose.is_some() && rival.purpose == row.purpose && !rival.superseded {
                tx.rename_sponsored(chain_id, rival.hash, row.hash).await?;
            }
        }
        let landed = SendReceipt {
            at,
            block_number: *block_number,
            fee: receipt.fee,
        };
        let state = match &receipt.executed.revert_reason {
            None => SendState::Landed(landed),
            Some(reason) => SendState::Reverted {
                receipt: landed,
                reason: reason.clone(),
            },
        };
        let settled = tx.settle_send(row, &state).await?;
        if let Some(paid) = row.paid.filter(|_| settled) {
            let reverted = receipt.executed.revert_reason.is_some();
            let fees = PaidFees {
                // A reverted one took nothing from its user.
                paid: if reverted { 0 } else { paid },
                cost: receipt.fee,
            };
            tx.add_paid_fees(chain_id, fees).await?;
        }
        Ok(settled)
    }

    /// Gives up all with a nonce.
    pub(super) async fn lose(&self, nonce: u64, reason: &str) -> Result<(), SendRefused> {
        let state = SendState::Lost {
            at: self.clock.now(),
            reason: reason.to_owned(),
        };
        let mut tx = self.following.ledger().begin().await?;
        tx.lock_sender(self.account).await?;
        let rivals = tx.rivals(self.account, nonce).await?;
        for row in &rivals {
            tx.settle_send(row, &state).await?;
        }
        tx.commit().await?;
        for row in rivals {
            tell(&row, "lost", reason);
        }
        Ok(())
    }
}

/// Says that a send came to nothing.
fn tell(row: &SendRow, outcome: &'static str, reason: &str) {
    counter!("stoa_sends_total", "outcome" => outcome).increment(1);
    tracing::warn!(
        purpose = row.purpose,
        nonce = row.nonce,
        reason,
        "a transaction is {outcome}"
    );
}
