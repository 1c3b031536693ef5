//! What is sent in the place of something: the same for more, or nothing at all.

use super::{SendRefused, Sender, kept, rise::risen};
use chain::{Broadcast, StarknetClient};
use metrics::counter;
use primitives::{BlockRef, OrImpossible as _};
use store::{Reservation, SendRow, StoreError};

impl Sender {
    /// Sends the same for more, if that is allowed. What is replaced may land all the
    /// same, and its row stays.
    pub(super) async fn outbid(
        &self,
        node: &StarknetClient,
        row: &SendRow,
        head: BlockRef,
    ) -> Result<(), SendRefused> {
        let kept = kept::from_bytes(&row.broadcast).or_impossible("a kept transaction is read")?;
        let mut tips = node.tips(head).await?;
        tips.sort_unstable();
        let median = tips.get(tips.len() / 2).copied().unwrap_or(0);
        let Some(terms) = risen(&kept.terms, median, self.options.max_fee) else {
            tracing::debug!(
                purpose = row.purpose,
                "what waits would cost more than is allowed"
            );
            return Ok(());
        };
        let (mut next, broadcast) = self.signed(Broadcast { terms, ..kept }, head.number)?;
        next.attempt = row.attempt.saturating_add(1);
        next.purpose.clone_from(&row.purpose);
        next.paid = row.paid;
        if !self.supersede(row, &next).await? {
            return Ok(());
        }
        counter!("stoa_sends_replaced_total").increment(1);
        tracing::info!(
            purpose = row.purpose,
            nonce = row.nonce,
            tip = broadcast.terms.tip,
            "a transaction that waits is sent again for more"
        );
        match self.give(&broadcast, next.hash).await {
            // The one before has landed just now, or will.
            Err(SendRefused::NotTaken(_)) => Ok(()),
            given => given,
        }
    }

    /// Writes what takes the place of a row and does the same; whether it may be sent.
    async fn supersede(&self, row: &SendRow, next: &SendRow) -> Result<bool, SendRefused> {
        let chain_id = self.account.chain_id;
        let mut tx = self.following.ledger().begin().await?;
        tx.lock_sender(self.account).await?;
        let written = match tx.supersede_send(row, next).await {
            // Another process has done it.
            Err(StoreError::Exists { .. }) => false,
            written => written?,
        };
        let reserved = if written {
            tx.extend_reservation(chain_id, row.hash, next.hash, next.max_fee)
                .await?
        } else {
            Reservation::Gone
        };
        if reserved != Reservation::Made {
            tx.rollback().await?;
            return Ok(false);
        }
        tx.commit().await?;
        Ok(true)
    }

    /// Sends a transaction that does nothing in the place of another.
    pub(super) async fn replace(
        &self,
        node: &StarknetClient,
        row: &SendRow,
        head: BlockRef,
    ) -> Result<(), SendRefused> {
        let estimate = self.estimate(node, &[], (row.nonce, 0), head).await?;
        let bounds = self.bounds(&estimate, 0)?;
        let empty = Broadcast::calls(self.account.address, &[], row.nonce, bounds);
        let (mut empty, broadcast) = self.signed(empty, head.number)?;
        empty.attempt = row.attempt.saturating_add(1);
        let mut tx = self.following.ledger().begin().await?;
        tx.lock_sender(self.account).await?;
        match tx.insert_send(&empty).await {
            Ok(()) => tx.commit().await?,
            Err(error) => {
                tx.rollback().await?;
                return match error {
                    // Another process has done it.
                    StoreError::Exists { .. } => Ok(()),
                    error => Err(error.into()),
                };
            }
        }
        self.give(&broadcast, empty.hash).await
    }
}
