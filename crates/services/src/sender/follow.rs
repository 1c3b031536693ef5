//! What became of what was sent.

use super::{SendRefused, Sender, Sighting, admission::AccountView, kept, rise::is_stuck};
use chain::{StarknetClient, TransactionReceipt, TransactionStatus};
use metrics::{counter, gauge};
use primitives::{BlockRef, OrImpossible as _, U256};
use store::{PaidFees, SendReceipt, SendRow, SendState, SponsoredProgress};

/// Transactions that are sent in the place of one. After that a person has to
/// look.
const MAX_ATTEMPTS: usize = 8;

/// Where the chain is with an account.
#[derive(Debug, Clone, Copy)]
struct Progress {
    head: BlockRef,
    /// Transactions that it has of the account.
    used: u64,
    /// Those that nothing takes back any more.
    final_used: u64,
}

impl Sender {
    /// Looks at everything that is open, once: writes down what has landed for
    /// good, gives to the node again what it has forgotten, sends again for more what
    /// waits for too long, and puts an empty transaction in the place of what the
    /// node does not take any more, so that what was sent after it is not held up.
    /// Tells how far it found what is open still.
    pub async fn follow(&self) -> Result<Vec<Sighting>, SendRefused> {
        let open = self.store.ledger().open_sends(self.account).await?;
        self.ask(|node| self.follow_with(node, &open)).await
    }

    async fn follow_with(
        &self,
        node: StarknetClient,
        open: &[SendRow],
    ) -> Result<Vec<Sighting>, SendRefused> {
        if open.is_empty() {
            let head = node.head().await?;
            self.watch(0, self.balance(&node, head).await?);
            return Ok(Vec::new());
        }
        let AccountView {
            head,
            nonce,
            balance,
        } = self.view(&node).await?;
        let count = u32::try_from(open.len()).unwrap_or(u32::MAX);
        self.watch(count, balance);
        let progress = Progress {
            head,
            used: nonce,
            final_used: self.final_nonce(&node, head).await?,
        };
        let mut sightings = Vec::new();
        for rivals in open.chunk_by(|one, other| one.nonce == other.nonce) {
            let progress = self.look_at(&node, rivals, progress).await?;
            let speaks = |row: &&SendRow| row.purpose.is_some() && !row.superseded;
            let speaker = rivals.iter().rfind(speaks);
            let sighting = speaker.zip(progress).map(|(row, progress)| Sighting {
                hash: row.hash,
                progress,
            });
            sightings.extend(sighting);
        }
        Ok(sightings)
    }

    /// Says what the account has, loudly when that is too little for one more.
    fn watch(&self, open: u32, balance: U256) {
        let account = self.account.address.to_string();
        gauge!("stoa_sender_open", "account" => account.clone()).set(f64::from(open));
        gauge!("stoa_sender_balance", "account" => account.clone()).set(f64::from(balance));
        let needed = U256::from(self.options.max_fee);
        let needed = needed.saturating_add(U256::from(self.options.reserve));
        if balance < needed {
            tracing::warn!(%account, %balance, "an account that sends has too little for fees");
        }
    }

    /// Transactions of one nonce, of which at most one lands: how far that is, unless
    /// it is settled.
    async fn look_at(
        &self,
        node: &StarknetClient,
        rivals: &[SendRow],
        progress: Progress,
    ) -> Result<Option<SponsoredProgress>, SendRefused> {
        let mut waiting = None;
        for row in rivals {
            if let Some(receipt) = node.transaction_receipt(row.hash).await? {
                return self.landed(row, &receipt, progress.head).await;
            }
            match node.transaction_status(row.hash).await? {
                Some(TransactionStatus::Executed(_)) => return Ok(Some(SponsoredProgress::Sent)),
                Some(TransactionStatus::Waiting) => waiting = Some(row.attempt),
                Some(TransactionStatus::Rejected(_)) | None => {}
            }
        }
        let Some(newest) = rivals.last() else {
            return Ok(None);
        };
        if waiting.is_none() && newest.nonce < progress.final_used {
            self.lose(newest.nonce, "an unknown transaction used its nonce")
                .await?;
            return Ok(None);
        }
        let place = (progress.head.number, progress.used);
        if waiting == Some(newest.attempt) {
            if is_stuck(newest, rivals.len(), place, &self.options) {
                self.outbid(node, newest, progress.head).await?;
            }
            return Ok(Some(SponsoredProgress::Sent));
        }
        let waited = self.clock.now().duration_since(newest.created_at);
        // Below, one that the node does not tell of yet may be taken back still.
        if newest.nonce >= progress.used && waited >= self.options.patience {
            let last = waiting.is_none();
            self.give_again(node, newest, (rivals.len(), last), progress)
                .await?;
        }
        Ok(Some(match waiting {
            Some(_) => SponsoredProgress::Sent,
            None => SponsoredProgress::Reserved,
        }))
    }

    /// How many transactions of the account nothing takes back any more.
    async fn final_nonce(&self, node: &StarknetClient, head: BlockRef) -> Result<u64, SendRefused> {
        let Some(number) = head.number.checked_sub(self.options.depth) else {
            return Ok(0);
        };
        let Some(hash) = node.block_hash(number).await? else {
            return Ok(0);
        };
        match self.nonce(node, BlockRef { number, hash }).await {
            // It was not deployed yet.
            Err(SendRefused::NoAccount(_)) => Ok(0),
            nonce => nonce,
        }
    }

    /// Gives up all with a nonce.
    async fn lose(&self, nonce: u64, reason: &str) -> Result<(), SendRefused> {
        let state = SendState::Lost {
            at: self.clock.now(),
            reason: reason.to_owned(),
        };
        let mut tx = self.store.ledger().begin().await?;
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

    /// How far something is that has a receipt; once that is for good, it is written
    /// down.
    async fn landed(
        &self,
        row: &SendRow,
        receipt: &TransactionReceipt,
        head: BlockRef,
    ) -> Result<Option<SponsoredProgress>, SendRefused> {
        let Some(BlockRef { number, .. }) = receipt.block else {
            return Ok(Some(SponsoredProgress::Sent));
        };
        if number.saturating_add(self.options.depth) > head.number {
            return Ok(Some(SponsoredProgress::Landed {
                block_number: number,
            }));
        }
        self.settle(row, receipt, number).await?;
        Ok(None)
    }

    /// Writes down what has landed for good, and gives up its rivals. What they were
    /// for is done by it, whichever attempt it is.
    async fn settle(
        &self,
        row: &SendRow,
        receipt: &TransactionReceipt,
        block_number: u64,
    ) -> Result<(), SendRefused> {
        let at = self.clock.now();
        let landed = SendReceipt {
            at,
            block_number,
            fee: receipt.fee,
        };
        let state = match &receipt.executed.revert_reason {
            None => SendState::Landed(landed),
            Some(reason) => SendState::Reverted {
                receipt: landed,
                reason: reason.clone(),
            },
        };
        let lost = SendState::Lost {
            at,
            reason: "another transaction with its nonce landed".to_owned(),
        };
        let chain_id = self.account.chain_id;
        let mut tx = self.store.ledger().begin().await?;
        tx.lock_sender(self.account).await?;
        let rivals = tx.rivals(self.account, row.nonce).await?;
        for rival in rivals.iter().filter(|rival| rival.attempt != row.attempt) {
            tx.settle_send(rival, &lost).await?;
            if row.purpose.is_some() && rival.purpose == row.purpose && !rival.superseded {
                tx.rename_sponsored(chain_id, rival.hash, row.hash).await?;
            }
        }
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
        tx.commit().await?;
        if settled {
            match &state {
                SendState::Reverted { reason, .. } => tell(row, "reverted", reason),
                _ => counter!("stoa_sends_total", "outcome" => "landed").increment(1),
            }
        }
        Ok(())
    }

    /// Gives the node the same transaction again. If it does not take it any
    /// more, it is the last that could land, and all that come after wait for it, one
    /// takes its place.
    async fn give_again(
        &self,
        node: &StarknetClient,
        row: &SendRow,
        (attempts, last): (usize, bool),
        progress: Progress,
    ) -> Result<(), SendRefused> {
        let kept = kept::from_bytes(&row.broadcast).or_impossible("a kept transaction is read")?;
        match self.give(&kept, row.hash).await {
            Err(SendRefused::NotTaken(error)) if last && row.nonce == progress.used => {
                tracing::warn!(
                    purpose = row.purpose,
                    error = &error as &dyn std::error::Error,
                    "a transaction is not taken any more, and is replaced by an empty one"
                );
                if attempts >= MAX_ATTEMPTS {
                    return Err(SendRefused::NotTaken(error));
                }
                self.replace(node, row, progress.head).await
            }
            // Its turn comes.
            Err(SendRefused::NotTaken(_)) => Ok(()),
            given => given,
        }
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
