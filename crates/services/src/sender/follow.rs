//! What became of what was sent.

use super::{SendRefused, Sender, kept};
use chain::{StarknetClient, TransactionReceipt, TransactionStatus};
use metrics::{counter, gauge};
use primitives::{BlockRef, OrImpossible as _, U256};
use store::{SendReceipt, SendRow, SendState, StoreError};

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
    /// good, gives to the node again what it has forgotten, and puts an empty
    /// transaction in the place of what it does not take any more, so that what
    /// was sent after it is not held up.
    pub async fn follow(&self) -> Result<(), SendRefused> {
        let open = self.store.ledger().open_sends(self.account).await?;
        self.ask(|node| self.follow_with(node, &open)).await
    }

    async fn follow_with(&self, node: StarknetClient, open: &[SendRow]) -> Result<(), SendRefused> {
        let head = node.head().await?;
        if open.is_empty() {
            self.watch(0, self.balance(&node, head).await?);
            return Ok(());
        }
        let view = self.view(&node, head).await?;
        let count = u32::try_from(open.len()).unwrap_or(u32::MAX);
        self.watch(count, view.balance);
        let progress = Progress {
            head,
            used: view.nonce,
            final_used: self.final_nonce(&node, head).await?,
        };
        for rivals in open.chunk_by(|one, other| one.nonce == other.nonce) {
            self.look_at(&node, rivals, progress).await?;
        }
        Ok(())
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

    /// Transactions of one nonce, of which at most one lands.
    async fn look_at(
        &self,
        node: &StarknetClient,
        rivals: &[SendRow],
        progress: Progress,
    ) -> Result<(), SendRefused> {
        for row in rivals {
            if let Some(receipt) = node.transaction_receipt(row.hash).await? {
                return self.settle(row, rivals, &receipt, progress.head).await;
            }
            match node.transaction_status(row.hash).await? {
                Some(TransactionStatus::Rejected(_)) | None => {}
                Some(TransactionStatus::Waiting | TransactionStatus::Executed(_)) => return Ok(()),
            }
        }
        let Some(newest) = rivals.last() else {
            return Ok(());
        };
        if newest.nonce < progress.final_used {
            return self
                .lose(rivals, "an unknown transaction used its nonce")
                .await;
        }
        let waited = self.clock.now().duration_since(newest.created_at);
        // Below, one that the node does not tell of yet may be taken back still.
        if newest.nonce < progress.used || waited < self.options.patience {
            return Ok(());
        }
        self.give_again(node, newest, rivals.len(), progress).await
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

    /// Gives up all of them.
    async fn lose(&self, rivals: &[SendRow], reason: &str) -> Result<(), SendRefused> {
        let state = SendState::Lost {
            at: self.clock.now(),
            reason: reason.to_owned(),
        };
        let mut tx = self.store.ledger().begin().await?;
        for row in rivals {
            tx.settle_send(row, &state).await?;
        }
        tx.commit().await?;
        for row in rivals {
            tell(row, "lost", reason);
        }
        Ok(())
    }

    /// Writes down what has landed for good, and gives up its rivals.
    async fn settle(
        &self,
        row: &SendRow,
        rivals: &[SendRow],
        receipt: &TransactionReceipt,
        head: BlockRef,
    ) -> Result<(), SendRefused> {
        let Some(block) = receipt.block else {
            return Ok(());
        };
        if block.number.saturating_add(self.options.depth) > head.number {
            return Ok(());
        }
        let at = self.clock.now();
        let landed = SendReceipt {
            at,
            block_number: block.number,
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
        let mut tx = self.store.ledger().begin().await?;
        let settled = tx.settle_send(row, &state).await?;
        for rival in rivals.iter().filter(|rival| rival.attempt != row.attempt) {
            tx.settle_send(rival, &lost).await?;
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
    /// more, and all that come after wait for it, one takes its place.
    async fn give_again(
        &self,
        node: &StarknetClient,
        row: &SendRow,
        attempts: usize,
        progress: Progress,
    ) -> Result<(), SendRefused> {
        let kept = kept::from_bytes(&row.broadcast).or_impossible("a kept transaction is read")?;
        match self.give(&kept, row.hash).await {
            Err(SendRefused::NotTaken(error)) if row.nonce == progress.used => {
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

    /// Sends a transaction that does nothing in the place of another.
    async fn replace(
        &self,
        node: &StarknetClient,
        row: &SendRow,
        head: BlockRef,
    ) -> Result<(), SendRefused> {
        let estimate = self.estimate(node, &[], (row.nonce, 0), head).await?;
        let bounds = self.bounds(&estimate, 0)?;
        let (mut empty, broadcast) = self.signed(&[], row.nonce, bounds, 0)?;
        empty.attempt = row.attempt.saturating_add(1);
        let mut tx = self.store.ledger().begin().await?;
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
